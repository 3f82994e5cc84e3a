"""CPU convolutions compared with oneDNN (torch, the same memory format): ratios per direction and kind of convolution.

    python benchmarks/cpu/conv_cpu.py --out results.jsonl     the committed list, the kernel that the dispatcher selects
    python benchmarks/cpu/conv_cpu.py --every 4 --candidates  every legal kernel: what the selection leaves on the table
    python benchmarks/cpu/conv_cpu.py --problems benchmarks/problems/conv_cpu_layouts.jsonl   channels-last and -first

How it is timed is in `peer_runs`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from peer_runs import options, read_problems, run

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from conv_corpus import BUCKETS, DIRECTIONS, bucket

from tilewright.dispatcher import Dispatcher
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.bench.record import prebuild

FIRST = ", channels-first"


def all_candidates(dispatcher: Dispatcher, problem: Any, tensors: dict[str, Any]) -> dict[str, Any]:
    """Return every legal kernel with every launch, bound; further launches of a kernel have names of their own."""
    prebuild(dispatcher, [problem], exhaustive=True)
    found = dict[str, Any]()
    for candidate in (r.candidate for r in dispatcher.explain(problem).ranked):
        name = candidate.spec.algorithm.label()
        name = f"{name} {candidate.launch.label()}" if name in found else name
        found[name] = dispatcher.bind_to(candidate, problem, **tensors)
    return found


def summary(lines: list[dict[str, Any]]) -> str:
    """Return a Markdown table: ratio per direction and bucket, with the worst."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        first = line["problem"].get("layout", "").startswith("ngc")
        groups[line["bucket"] + first * FIRST, line["problem"]["direction"]].append(line)
    rows = [
        "| convolutions | direction | shapes | geometric mean | least | best kernel of all |",
        "|---|---|---|---|---|---|",
    ]
    for name in (*BUCKETS, *(b + FIRST for b in BUCKETS)):
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
    print(own_kernels_only(), file=sys.stderr)
    parser = options(__doc__, "conv_cpu.jsonl", rounds=7)
    parser.add_argument("--only", nargs="*", default=[], help="a bucket, a direction, or one of each")
    parser.add_argument("--candidates", action="store_true", help="time every legal kernel")
    args = parser.parse_args()
    problems = [p for p in read_problems(args)[:: args.every] if {*args.only} <= {bucket(p), p["direction"]}]
    print(summary(run(problems, args, ("bucket", bucket), all_candidates if args.candidates else None)))


if __name__ == "__main__":
    main()
