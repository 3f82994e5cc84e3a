"""fp32 products of 1 to 1,024 rows beside NumPy, by rows of A and layout of B: the list that nothing was fitted to.

    python benchmarks/cpu/gemm_rows_cpu.py --threads 1 --out benchmarks/results/gemm_cpu_n1.jsonl

Each product is verified, then timed in turn with NumPy; a ratio is NumPy's time over ours, the median of the rounds.
With one thread, CPU time is taken instead of wall time, because a busy machine disturbs it less.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import geometric_mean

from tilewright.dispatcher import Dispatcher
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.bench.peers import get_peer
from tilewright.tune.bench.record import BenchRecord, bench_problem, prebuild
from tilewright.tune.measure.timer import CpuTimer, Policy

PROBLEMS = Path(__file__).parents[1] / "problems" / "gemm_cpu_rows.jsonl"
UP_TO = {"1": 1, "2 to 15": 15, "16 to 63": 63, "64 to 1,024": 1024}


def summary(records: list[BenchRecord]) -> str:
    """Return a Markdown table: the mean ratio by rows of A and layout of B, with the least."""
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for record in records:
        rows = next(name for name, most in UP_TO.items() if record.problem["m"] <= most)
        groups[rows, record.problem.get("layout", "rcr")].append(record.peers["numpy"]["ratio"])
    lines = ["| rows of A | row-major B | column-major B |", "|---|---|---|"]
    for rows in UP_TO:
        cells = [groups.get((rows, layout), []) for layout in ("rrr", "rcr")]
        said = (f"{geometric_mean(c):.2f} ({min(c):.2f})" if c else "" for c in cells)
        lines.append(f"| {rows} | {' | '.join(said)} |")
    every = [ratio for ratios in groups.values() for ratio in ratios]
    low = sum(ratio < 0.9 for ratio in every)
    return "\n".join(
        [*lines, f"all {len(every)}: {geometric_mean(every):.3f}, least {min(every):.2f}, {low} under 0.9"]
    )


def main() -> None:
    """Run the list and print the table."""
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, default=PROBLEMS)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--every", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(args.threads))
    dispatcher, peer = Dispatcher(settings=Settings.from_env(threads=args.threads)), get_peer("numpy")
    peer.limit_threads(args.threads)
    problems = [problem_from_dict(json.loads(line)) for line in args.problems.read_text().splitlines()][:: args.every]
    prebuild(dispatcher, problems)
    timer = CpuTimer(clock=time.thread_time_ns if args.threads == 1 else time.perf_counter_ns)
    policy = Policy.for_threads(args.threads, rounds=args.rounds)
    records = []
    for problem in problems:
        record = bench_problem(dispatcher, problem, [peer], policy, timer)
        records.append(record)
        ratio, rate = record.peers["numpy"]["ratio"], (record.tflops or 0.0) * 1e3
        print(f"{ratio:.2f}x {rate:.1f} GF/s {record.label} {record.kernel}", flush=True)
        if args.out:
            args.out.write_text("".join(json.dumps(r.to_dict()) + "\n" for r in records))
    print(summary(records))


if __name__ == "__main__":
    main()
