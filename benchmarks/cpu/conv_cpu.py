"""CPU convolutions beside oneDNN (torch, channels-last): ratios per direction and kind of convolution.

    python benchmarks/cpu/conv_cpu.py --out results.jsonl     the committed list, the kernel that the dispatcher selects
    python benchmarks/cpu/conv_cpu.py --every 4 --candidates  every legal kernel: what the selection leaves on the table

Each problem is run in one process, ours and torch's calls taking turns; a ratio is torch time over ours, the median of
the rounds. With one thread, CPU time is taken instead of wall time, so that a busy machine disturbs less.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from conv_corpus import BUCKETS, DIRECTIONS, bucket

from tilewright.dispatcher import Dispatcher
from tilewright.ops import get_op, problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.bench.peers import PeerCall, get_peer
from tilewright.tune.bench.record import prebuild
from tilewright.tune.measure.timer import Comparison, CpuTimer, Policy

LIST = Path(__file__).parents[1] / "problems" / "conv_cpu.jsonl"


def compared(calls: dict[str, Any], args: argparse.Namespace) -> Comparison:
    """The calls timed in turn; by CPU time if there is one thread, which a busy machine disturbs less."""
    timer = CpuTimer(clock=time.thread_time_ns if args.threads == 1 else time.perf_counter_ns)
    return timer.compare(calls, Policy.for_threads(args.threads, rounds=args.rounds, min_sample_ms=4.0))


def all_candidates(dispatcher: Dispatcher, problem: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    """Every legal kernel, bound; those of the same label differ in nothing that is timed."""
    candidates = [r.candidate for r in dispatcher.explain(problem).ranked]
    prebuild(dispatcher, [problem], exhaustive=True)
    return {c.spec.algorithm.label(): dispatcher.bind_to(c, problem, **tensors) for c in candidates}


def measure(dispatcher: Dispatcher, data: dict[str, Any], args: argparse.Namespace) -> dict[str, Any]:
    """One line of the results."""
    problem, op = problem_from_dict(data), get_op("conv")
    tensors = op.random_tensors(problem, 0)
    bound = dispatcher.bind(problem, **tensors)
    ok = bool(op.verify(problem, tensors, bound()).ok) if args.check else None
    peer = get_peer("torch")
    peer.limit_threads(args.threads)
    answer = peer.prepare(problem, tensors)
    assert isinstance(answer, PeerCall), answer
    calls = {"ours": bound, "torch": answer.call}
    if args.candidates:
        calls |= all_candidates(dispatcher, problem, tensors)
    timed = compared(calls, args)
    best = {name: min(t.samples) for name, t in timed.timings.items()}
    spec = bound.plan.candidate.spec if bound.plan.candidate else None
    line = {
        "problem": data, "bucket": bucket(data), "kernel": spec.algorithm.label() if spec else None,
        "ratio": timed.ratio("torch"), "ours_ms": best["ours"] * 1e3, "torch_ms": best["torch"] * 1e3,
        "gflops": problem.flops / best["ours"] / 1e9, "threads": args.threads, "ok": ok,
    }  # fmt: skip
    if args.candidates:
        line["candidates"] = {n: s * 1e3 for n, s in best.items() if n not in ("ours", "torch")}
    return line


def summary(lines: list[dict[str, Any]]) -> str:
    """A Markdown table: ratio per direction and bucket, with the worst."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        groups[line["bucket"], line["problem"]["direction"]].append(line)
    rows = [
        "| convolutions | direction | shapes | geometric mean | least | best kernel of all |",
        "|---|---|---|---|---|---|",
    ]
    for name in BUCKETS:
        for direction in DIRECTIONS:
            mine = groups.get((name, direction))
            if not mine:
                continue
            ratios = [m["ratio"] for m in mine]
            oracle = "-"
            if all("candidates" in m for m in mine):
                oracle = f"{geometric_mean([m['torch_ms'] / min(m['candidates'].values()) for m in mine]):.2f}x"
            rows.append(
                f"| {name.replace('_', ' ')} | {direction.replace('_', ' ')} | {len(mine)} "
                f"| {geometric_mean(ratios):.2f}x | {min(ratios):.2f}x | {oracle} |"
            )
    return "\n".join(rows)


def main() -> None:
    """Run the list and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, default=LIST)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--every", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--only", nargs="*", default=[], help="a bucket, a direction, or one of each")
    parser.add_argument("--candidates", action="store_true", help="time every legal kernel")
    parser.add_argument("--check", action="store_true", help="verify each result")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    dispatcher = Dispatcher(settings=Settings.from_env(threads=args.threads))
    problems = [json.loads(text) for text in args.problems.read_text().splitlines()][:: args.every]
    problems = [p for p in problems if {*args.only} <= {bucket(p), p["direction"]}]
    lines = []
    for data in problems:
        lines.append(measure(dispatcher, data, args))
        if args.out:
            args.out.write_text("".join(json.dumps(line) + "\n" for line in lines))
        last = lines[-1]
        print(f"{last['ratio']:.2f}x {last['kernel']} {problem_from_dict(data).label()}", flush=True)
    print(summary(lines))


if __name__ == "__main__":
    main()
