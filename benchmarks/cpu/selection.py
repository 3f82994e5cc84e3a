"""How good is the selector? Measure every legal candidate on many problems, then compare its choice with the best.

    python benchmarks/cpu/selection.py sweep --split train --out build/train.jsonl
    python benchmarks/cpu/selection.py sweep --split test --out build/test.jsonl
    python benchmarks/cpu/selection.py judge build/test.jsonl --out benchmarks/results/selection_cpu.jsonl

The train problems served to set the constants of the cost model; the test problems did not. `judge` prints the
efficiency of the choice (best time / chosen time) from the sweep, then times choice and best again in turn, beside the
choice against itself: the noise floor.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np

from tilewright.backends import get_backend_op
from tilewright.backends.cpu.gemm.packed import packed_format
from tilewright.dispatcher import Dispatcher
from tilewright.jit import Artifact, Cache, build_one, progress_for
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan import make_plan
from tilewright.settings import Settings
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.measure.timer import CpuTimer, Policy

OP = get_op("gemm")
SAMPLE_SECONDS = 1.5e-3  # one sample is as many calls as fill this
ORACLES = 5  # how many of the fastest are timed again with the choice
ROUNDS, KEEP = 6, 1.35  # after two rounds only candidates within KEEP of the best are timed again
PROJECT_FLOPS = 2e7
REFERENCE_EVERY = 3  # candidates between two samples of the reference
SIZES = (
    1, 2, 4, 7, 8, 16, 24, 33, 48, 64, 96, 100, 128, 192, 200, 256, 320, 384, 500, 512, 768, 777, 1000, 1024, 1536,
    2048, 3072, 4096,
)  # fmt: skip


def problems(
    split: str, count: int, dtype: str = "fp32", max_m: int = 4096, min_b: int = 0, flops: Any = (1e5, 1.2e9)
) -> list[Any]:
    """Return a fixed list of shapes: squares, rectangles, skinny, small and odd ones. Train and test share none."""
    rng = random.Random(f"tilewright {split}")
    found: dict[tuple[Any, ...], Any] = {}
    while len(found) < count:
        m, n, k = rng.choice(SIZES), rng.choice(SIZES[5:]), rng.choice(SIZES[5:])
        if not flops[0] < 2.0 * m * n * k < flops[1] or hash_split(m, n, k) != split or m > max_m or n * k < min_b:
            continue
        layout = rng.choice(["rrr", "rcr"])
        found[m, n, k] = problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, "dtype": dtype, "layout": layout})
    return list(found.values())


def hash_split(m: int, n: int, k: int) -> str:
    """Return the side of the split that a shape is on, for any layout."""
    return "test" if random.Random(f"{m} {n} {k}").random() < 0.5 else "train"


def bound(candidate: Candidate, problem: Any, tensors: dict[str, Any], artifact: Artifact, settings: Settings) -> Any:
    backend = get_backend_op(candidate.spec.backend, candidate.spec.op)
    plan = make_plan(problem, candidate, backend.load(candidate.spec, artifact), settings)
    return plan.bind({role: view_of(t, role) for role, t in tensors.items()})


def sample(call: Any, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def packed_problems(problem: Any, dispatcher: Dispatcher) -> list[Any]:
    """Return the problem with weights packed ahead, once per format that a legal kernel reads."""
    ranked = dispatcher.explain(problem).ranked
    formats = {packed_format(r.candidate.spec.signature, r.candidate.spec.algorithm) for r in ranked}
    layout = f"{problem.layout[0]}r{problem.layout[2]}"
    variants = [replace(problem, b_format=name, layout=layout) for name in sorted(formats)]
    return [variant for variant in variants if dispatcher.explain(variant).ranked]


def tensors_of(problem: Any, dispatcher: Dispatcher) -> tuple[dict[str, Any], dict[str, Any]]:
    """Random tensors as the reference reads them, and as the kernels do."""
    plain = OP.random_tensors(replace(problem, b_format="plain"), seed=1)
    if problem.b_format == "plain":
        return plain, plain
    return plain, dict(dispatcher.stored(problem, plain))


def sweep_problem(problem: Any, dispatcher: Dispatcher, artifacts: dict[str, Artifact]) -> list[dict[str, Any]]:
    """Return the time of every legal candidate.

    The clock of a shared machine drifts, so each sample is divided by one of a reference kernel taken just before; the
    median of these ratios, times the median of the reference, is the candidate's time.
    """
    plain, tensors = tensors_of(problem, dispatcher)
    legal = [r for r in dispatcher.explain(problem).ranked if r.candidate.spec.digest in artifacts]
    calls = {
        r.candidate: bound(r.candidate, problem, tensors, artifacts[r.candidate.spec.digest], dispatcher.settings)
        for r in legal
    }
    wrong = {c for c, call in calls.items() if not right(problem, c, call, plain)}
    seconds = relative_times(calls)
    return [
        {
            "problem": problem.to_dict(),
            "digest": c.spec.digest,
            "launch": c.launch.label(),
            "seconds": s,
            "threads": c.launch.threads,
            "algorithm": c.spec.algorithm.label(),
            "ok": c not in wrong,
        }
        for c, s in seconds.items()
    ]


def right(problem: Any, candidate: Candidate, call: Any, tensors: dict[str, Any]) -> bool:
    """Return whether one call fills a poisoned output with the product."""
    tensors["out"][...] = np.nan if tensors["out"].dtype.kind != "i" else -77
    call()
    error = get_backend_op(candidate.spec.backend, "gemm").product_error(candidate.spec)
    tier = "projection" if problem.flops > PROJECT_FLOPS else None  # hundreds of candidates: random signs are enough
    problem = replace(problem, b_format="plain")
    return bool(OP.verify(problem, tensors, tensors["out"], product_error=error, tier=tier).ok)


def relative_times(calls: dict[Candidate, Any]) -> dict[Candidate, float]:
    """Seconds of each call, by ratios to the first one."""
    reference = next(iter(calls.values()))
    references: list[float] = []
    ratios: dict[Candidate, list[float]] = {candidate: [] for candidate in calls}
    counts = {c: max(1, int(SAMPLE_SECONDS / max(sample(call, 1), 1e-7))) for c, call in calls.items()}
    often = counts[next(iter(calls))]
    limit = float("inf")
    slow = often == 1  # then one look is enough to leave the slow ones out, and fewer rounds to tell the others apart
    for number in range(ROUNDS - 1 if slow else ROUNDS):
        for i, (candidate, call) in enumerate(c for c in calls.items() if not ratios[c[0]] or ratios[c[0]][-1] < limit):
            if i % REFERENCE_EVERY == 0:
                references.append(sample(reference, often))
            ratios[candidate].append(sample(call, counts[candidate]) / references[-1])
        if number >= 1 or slow:
            limit = min(median(r) for r in ratios.values()) * KEEP
    return {c: median(r) * median(references) for c, r in ratios.items()}


def sweep(args: argparse.Namespace) -> None:
    """Measure all candidates of all problems of a split into a JSON lines file."""
    settings = Settings.from_env(threads=args.threads)
    dispatcher = Dispatcher(settings=settings)
    wanted = problems(args.split, args.count, args.dtype, args.max_m, args.min_b, (args.min_flops, args.max_flops))
    if args.packed:
        wanted = [packed for problem in wanted for packed in packed_problems(problem, dispatcher)]
    ranked = (r.candidate.spec for p in wanted for r in dispatcher.explain(p).ranked)
    specs = {spec.digest: spec for spec in ranked if re.search(args.only, spec.algorithm.label())}
    built = dispatcher.registry.build(specs=list(specs.values()), settings=settings, progress=progress_for())
    artifacts = {a.spec_digest: a for a in built if isinstance(a, Artifact)}
    failed = len(specs) - len(artifacts)
    print(f"{len(specs)} kernels, {failed} failed to build, {len(wanted)} problems")
    wanted = [p for p in wanted if any(r.candidate.spec.digest in artifacts for r in dispatcher.explain(p).ranked)]
    with Path(args.out).open("w") as out:
        for i, problem in enumerate(wanted, 1):
            rows = sweep_problem(problem, dispatcher, artifacts)
            out.writelines(json.dumps(row) + "\n" for row in rows)
            out.flush()
            bad = sum(not r["ok"] for r in rows)
            top = min(rows, key=lambda r: r["seconds"])
            rate = problem.flops / top["seconds"] / 1e9
            print(
                f"[{i}/{len(wanted)}] {problem.label()}: {len(rows)} candidates, {bad} wrong, best {rate:.0f} GF/s by"
            )
            print(f"    {top['algorithm']} {top['launch']}", flush=True)


def read(path: str) -> dict[str, list[dict[str, Any]]]:
    by_problem: dict[str, list[dict[str, Any]]] = {}
    for line in Path(path).read_text().splitlines():
        row = json.loads(line)
        by_problem.setdefault(json.dumps(row["problem"]), []).append(row)
    return by_problem


def identity(row: dict[str, Any]) -> tuple[str, str]:
    return row["digest"], row["launch"]


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))]


def best_single(data: dict[str, list[dict[str, Any]]]) -> tuple[str, float]:
    """Return the candidate that is best on average over all problems (missing on a problem counts as 0)."""
    scores: dict[str, float] = {}
    for rows in data.values():
        top = min(r["seconds"] for r in rows)
        named: dict[str, float] = {}
        for r in rows:
            name = f"{r['algorithm']} {r['launch']}"
            named[name] = max(named.get(name, 0.0), top / r["seconds"])
        for name, efficiency in named.items():
            scores[name] = scores.get(name, 0.0) + efficiency
    name = max(scores, key=lambda n: scores[n])
    return name, scores[name] / len(data)


def judge(args: argparse.Namespace) -> None:
    """Efficiency of the selector's choice on measured problems, and choice against best timed again in turn."""
    data = read(args.data)
    dispatcher = Dispatcher(settings=Settings.from_env(threads=args.threads), selector=args.selector)
    rows, cache = [], Cache.from_settings(dispatcher.settings)
    for key, measured in data.items():
        problem = problem_from_dict(json.loads(key))
        ranked = dispatcher.explain(problem).ranked
        offered = {(r.candidate.spec.digest, r.candidate.launch.label()) for r in ranked}
        times = {identity(r): r["seconds"] for r in measured if r["ok"] and identity(r) in offered}
        chosen = ranked[0].candidate
        got = times.get((chosen.spec.digest, chosen.launch.label()))
        row = {
            "problem": problem.to_dict(),
            "kernel": chosen.spec.name,
            "candidates": len(times),
            "efficiency": min(times.values()) / got if got else 0.0,
        }
        if args.retime:
            row |= retime(problem, chosen, times, ranked, dispatcher, cache)
        rows.append(row)
        best = min(measured, key=lambda r: r["seconds"])["algorithm"]
        print(f"{problem.label():40s} {row['efficiency']:.3f} {row.get('retimed', float('nan')):.3f}", end="  ")
        print(f"{chosen.spec.algorithm.label()} {chosen.launch.label()}  best {best}", flush=True)
    if args.out:
        Path(args.out).write_text("".join(json.dumps(r) + "\n" for r in rows))
    summary(rows, data)


def retime(
    problem: Any, chosen: Candidate, times: dict[Any, float], ranked: Any, dispatcher: Dispatcher, cache: Cache
) -> dict[str, float]:
    """Choice and the fastest few of the sweep timed again in turn; the best of them is the oracle."""
    by_identity = {(r.candidate.spec.digest, r.candidate.launch.label()): r.candidate for r in ranked}
    fastest = [by_identity[key] for key in sorted(times, key=lambda t: times[t])[:ORACLES]]
    tensors = OP.random_tensors(problem, seed=2)
    calls = {}
    for name, candidate in (("chosen", chosen), *((f"oracle {i}", c) for i, c in enumerate(fastest) if c != chosen)):
        artifact = build_one(get_backend_op("cpu", "gemm").request(candidate.spec, dispatcher.settings), cache)
        calls[name] = bound(candidate, problem, tensors, artifact, dispatcher.settings)
    policy = Policy(threads=dispatcher.settings.resolved_threads(), rounds=15, min_sample_ms=2.0, settle_ms=0.5)
    result = CpuTimer().compare(calls, policy)
    return {"retimed": min(1.0, *(result.ratio(name) for name in calls)), "noise_floor": result.noise_floor}


def summary(rows: list[dict[str, Any]], data: dict[str, list[dict[str, Any]]]) -> None:
    name, single = best_single(data)
    counts = [r["candidates"] for r in rows]
    print(f"\n{len(rows)} problems, {min(counts)} to {max(counts)} candidates each")
    print(f"best single kernel: {single:.3f} of the oracle ({name})")
    for field in ("efficiency", "retimed"):
        values = [r[field] for r in rows if field in r]
        if values:
            low = f"P10 {percentile(values, 0.1):.3f}  min {min(values):.3f}"
            print(f"{field:12s} mean {mean(values):.3f}  median {median(values):.3f}  {low}")
    noise = [r["noise_floor"] for r in rows if "noise_floor" in r]
    if noise:
        print(f"noise floor (choice against itself): median {median(noise):.3f}, P90 {percentile(noise, 0.9):.3f}")


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("sweep", help=sweep.__doc__)
    one.add_argument("--split", choices=("train", "test"), default="test")
    one.add_argument("--count", type=int, default=60)
    one.add_argument("--dtype", default="fp32")
    one.add_argument("--max-m", type=int, default=4096, help="only problems with at most so many rows")
    one.add_argument("--min-b", type=int, default=0, help="only problems whose B has at least so many elements")
    one.add_argument("--packed", action="store_true", help="weights packed ahead, in each format")
    one.add_argument("--only", default="", help="only kernels whose label matches this pattern, such as _pab$")
    one.add_argument("--min-flops", type=float, default=1e5)
    one.add_argument("--max-flops", type=float, default=1.2e9)
    one.add_argument("--threads", type=int, default=1)
    one.add_argument("--out", required=True)
    one.set_defaults(run=sweep)
    two = commands.add_parser("judge", help=judge.__doc__)
    two.add_argument("data")
    two.add_argument("--threads", type=int, default=1)
    two.add_argument("--selector", default="analytical")
    two.add_argument("--retime", action=argparse.BooleanOptionalAction, default=True)
    two.add_argument("--out")
    two.set_defaults(run=judge)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
