"""GEMM on a GPU against cuBLAS: compile candidates, verify them, measure candidates x problems, compare the selection.

    python benchmarks/gpu/gemm_gpu.py build --kernels out/gpu_kernels                    # needs no GPU
    python benchmarks/gpu/gemm_gpu.py verify sweep special host --kernels out/gpu_kernels --out out
    python benchmarks/gpu/gemm_gpu.py build compare --selected --kernels out/selected --out out
    python benchmarks/gpu/gemm_gpu.py build compare --selected --problems benchmarks/problems/gemm_gpu_holdout.jsonl
    python benchmarks/gpu/gemm_gpu.py build compare --selected --selector chain --kernels out/chain --out out/chain
    python benchmarks/gpu/gemm_gpu.py differ                                     # chain against analytical, no GPU

`compare` times the kernel that `--selector` takes (by default the cost model) against torch; `--selected` builds only
those kernels. Needs numpy, torch and triton only. Times are graph replays over rotating buffer sets; each line of the
results carries the problem, the candidate, its time and that of torch in the same run.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import geometric_mean

from contest import contest
from gemm_kernels import SPECIAL, all_specs, as_fp16, legal, verify_cases
from gpu_space import build, dispatcher_of, in_workers, is_built, load_problems, nominal_h200, ranked, selector_of

from tilewright.backends.gpu.timing import clocks
from tilewright.backends.plain import spec_from_dict
from tilewright.backends.triton.gemm import OP
from tilewright.model.kernel import Candidate, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.bench.peers import get_peer
from tilewright.tune.bench.record import bench_problem
from tilewright.tune.measure.timer import Policy

GEMM = get_op("gemm")
PEERS = ("torch", "torch_compile")
LARGE = ((8192, 8192, 8192), (4096, 16384, 4096), (2048, 8192, 2048), (8192, 4096, 1024))


def policy(rounds, sample_ms, warmup_ms):
    return Policy(mode="graph", cache="rotate", rounds=rounds, min_sample_ms=sample_ms, warmup_ms=warmup_ms,
                  settle_ms=0.0, rewarm_ms=0.0)  # fmt: skip


def verify_one(data, folder):
    """Name, worst share of the tolerance over all cases, and whether two runs agree bit by bit."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    spec, dispatcher = spec_from_dict(data), dispatcher_of(folder)
    worst, same = 0.0, True
    for problem, launch in verify_cases(spec):
        tensors = GEMM.random_tensors(problem, 0)
        poison = tensors["out"].clone()
        run = dispatcher.bind_to(Candidate(spec, launch), problem, **tensors)
        done = GEMM.verify(problem, tensors, run(), product_error=OP.product_error(spec))
        first = tensors["out"].clone()
        tensors["out"].copy_(poison)
        run()
        worst, same = max(worst, done.ratio), same and torch.equal(first, run())
        if worst > 1 or not same:
            return {"name": spec.name, "worst": worst, "same": same, "problem": problem.label(),
                    "launch": launch.label()}  # fmt: skip
    return {"name": spec.name, "worst": worst, "same": same}


def verify(specs, folder, out, seconds):
    """Verify every kernel; those that are right."""
    begin = time.time()
    found = in_workers(verify_one, [s.to_dict() for s in specs], (str(folder),), begin + seconds, patience=60.0)
    results = {row["name"]: row for _, row in found}
    out.write_text(json.dumps(results, indent=0))
    bad = [row for row in results.values() if row["worst"] > 1 or not row["same"]]
    print(f"verified {len(results) - len(bad)} of {len(specs)} in {time.time() - begin:.1f} s")
    for row in bad[:60]:
        print("  bad", row)


def sweep_one(data, folder, specs):
    """The row of one problem: every candidate, the best again in turn with torch."""
    begin, problem, device = time.time(), problem_from_dict(data), nominal_h200()
    mine = [s for s in map(spec_from_dict, specs) if s.signature == problem.signature and legal(s, problem)]
    mine.sort(key=lambda s: s.algorithm.swap_ab != (problem.m <= 64))  # the likely ones first: time may run out
    candidates = [Candidate(s, launch) for s in mine for launch in OP.launches(s, problem, device)]
    found = contest(dispatcher_of(folder), problem, candidates, [get_peer("torch")], policy(5, 2.0, 2.0))
    best, row = found.best, found.to_dict()
    ratio = found.peers["torch"] / best.seconds if best and "torch" in found.peers else None
    return {**row, "best": best.to_dict() if best else None, "ratio": ratio, "seconds": round(time.time() - begin, 2)}


def sweep(specs, problems, folder, out, seconds):
    """Candidates x problems, each problem in a worker; the kernels that are right by the last verification."""
    print("clocks", clocks())
    data, args = [p.to_dict() for p in problems], (str(folder), [s.to_dict() for s in specs])
    with out.open("w") as file:
        for item, row in in_workers(sweep_one, data, args, time.time() + seconds):
            file.write(json.dumps(row) + "\n")
            file.flush()
            best = row["best"] or {"algorithm": "-"}
            failed = [c["failed"] for c in row["candidates"] if "failed" in c][:1]
            print(f"{problem_from_dict(item).label():44s} torch {row.get('torch_us')} us {row['ratio'] or 0:.3f}x "
                  f"{best['algorithm']} ({len(row['candidates'])}) {failed}", flush=True)  # fmt: skip
    print("clocks", clocks())


def compare(problems, folder, out, selector):
    """The selected kernel of each problem: verified, then timed in turn with torch."""
    dispatcher, before, ratios, wrong = dispatcher_of(folder), clocks(), [], []
    dispatcher.selector = selector_of(selector)
    with out.open("w") as file:
        for problem in problems:
            best = ranked(problem, selector)[0]
            found = bench_problem(
                dispatcher, problem, list(map(get_peer, PEERS)), policy(15, 6.0, 30.0), candidate=best
            )
            ratios += [found.peers["torch"]["ratio"]] if found.peers["torch"]["ratio"] else []
            wrong += [] if found.ok else [found.label]
            file.write(json.dumps({**found.to_dict(), "selector": selector}) + "\n")
            file.flush()
            peers = {n: f"{p['ratio']:.3f}x" for n, p in found.peers.items() if p["ratio"]}
            print(f"{found.label:44s} {found.time_ms * 1e3:9.2f} us {peers} {'ok' if found.ok else 'WRONG'} "
                  f"{best.spec.algorithm.label()} {best.launch.label()}", flush=True)  # fmt: skip
    print(f"{len(ratios)} problems, geometric mean {geometric_mean(ratios):.4f}, lowest {sorted(ratios)[:8]}, "
          f"wrong: {wrong}, clocks {before} {clocks()}")  # fmt: skip


def special(specs, folder, out):
    """8-bit operands and fused epilogues against torch, one line per problem."""
    dispatcher = dispatcher_of(folder)
    with out.open("w") as file:
        for m, n, k in LARGE:
            for fields in SPECIAL:
                problem = problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, **fields, "device": "cuda:0"})
                if not problem.d and n != 8192:
                    continue
                mine = [Candidate(s, Launch()) for s in specs if s.signature == problem.signature and legal(s, problem)]
                found = contest(dispatcher, problem, mine, list(map(get_peer, PEERS)), policy(5, 4.0, 4.0), len(mine))
                times = {e.candidate.spec.algorithm.label(): e.seconds for e in found.entrants if e.seconds}
                rates = {n: round(problem.flops / s * 1e-12) for n, s in {**found.peers, **times}.items()}
                print(problem.label(), "TFLOP/s", rates, flush=True)
                file.write(json.dumps(found.to_dict()) + "\n")


def differ(problems, one="analytical", other="chain"):
    """Where two selectors take different kernels, and what both predict of both choices (needs no GPU)."""
    device, changed = nominal_h200(), []
    for problem in problems:
        choices = {name: ranked(problem, name)[0] for name in (one, other)}
        if choices[one].key == choices[other].key:
            continue
        gain = {}
        for name in choices:
            seconds = {r.candidate.key: r.seconds for r in selector_of(name).rank(problem, [*choices.values()], device)}
            gain[name] = seconds[choices[one].key] / seconds[choices[other].key]
        changed.append(gain[other])
        labels = " -> ".join(f"{c.spec.algorithm.label()} {c.launch.label()}" for c in choices.values())
        print(f"{problem.label():44s} {labels}: x{gain[other]:.3f} by {other}, x{gain[one]:.3f} by {one}")
    print(f"{len(changed)} of {len(problems)} choices differ")
    if changed:
        whole = geometric_mean([*changed, *[1.0] * (len(problems) - len(changed))])
        print(f"by the predictions of {other} its choices are {whole:.4f}x as fast (geometric mean of all problems)")


def main():
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = ("build", "verify", "sweep", "special", "host", "count", "compare", "select", "differ")
    parser.add_argument("what", nargs="+", choices=steps)
    parser.add_argument("--kernels", type=Path, default=Path("out/gpu_kernels"))
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--problems", type=Path)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--selected", action="store_true", help="only the kernels that are selected")
    parser.add_argument("--selector", default="analytical", help="whose choices `compare` times")
    parser.add_argument("--only", default="", help="part of a signature's label")
    parser.add_argument("--match", default="", help="problems whose label holds one of these, separated by commas")
    parser.add_argument("--seconds", type=float, default=200.0, help="time limit of a sweep, and of verifying")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    problems = [
        p for p in load_problems(args.problems or "gemm_gpu") if any(m in p.label() for m in args.match.split(","))
    ]
    specs = []
    if {"build", "verify", "sweep", "special", "count"} & set(args.what):
        chosen = [ranked(p, args.selector)[0].spec for p in problems] if args.selected else all_specs()
        specs = list({s.digest: s for s in chosen if args.only in s.signature.label()}.values())
    if "count" in args.what:
        print(len(specs), "kernels")
    if "build" in args.what:
        specs = build(specs, args.kernels, args.workers)
    dispatcher = dispatcher_of(args.kernels)
    specs = [s for s in specs if is_built(dispatcher, s)]
    said = args.out / "verify.json"
    if "verify" in args.what:
        verify(specs, args.kernels, said, args.seconds)
    if said.exists():
        good = {n for n, v in json.loads(said.read_text()).items() if v["worst"] <= 1 and v["same"]}
        specs = [s for s in specs if s.name in good]
    if "host" in args.what:
        from gpu_call_cost import call_costs

        print("host cost", call_costs())
    if "select" in args.what:
        for p in problems:
            best = ranked(p, args.selector)[0]
            print(f"{p.label():44s} {best.spec.algorithm.label()} {best.launch.label()}")
    if "differ" in args.what:
        differ(problems)
    if "compare" in args.what:
        name = args.problems.stem if args.problems else "gemm_gpu"
        compare(problems, args.kernels, args.out / f"compare_{name}.jsonl", args.selector)
    if "special" in args.what:
        special(specs, args.kernels, args.out / "special.jsonl")
    if "sweep" in args.what:
        sweep(specs, list(map(as_fp16, problems)), args.kernels, args.out / "sweep.jsonl", args.seconds)


if __name__ == "__main__":
    main()
