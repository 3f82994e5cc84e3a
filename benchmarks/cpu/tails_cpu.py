"""The CPU problems outside of the common networks compared with torch (MKL, oneDNN): ratios per class.

    python benchmarks/cpu/tails_cpu.py --op conv --threads 1 --out results.jsonl
    python benchmarks/cpu/tails_cpu.py --op gemm --threads 2 --best --most-flops 9e9
    python benchmarks/cpu/tails_cpu.py --op gemm --threads 1 --vendor --part 2/5  # a fifth, with libraries
    python benchmarks/cpu/tails_cpu.py --op conv --only stem backward_weight --candidates

Problems and classes are those of `scripts/cpu_tails.py`. How they are timed is in `peer_runs`. With `--best`, a ratio
is that of the smallest times instead of the median of the rounds: for a machine that others use too.
"""

from __future__ import annotations

import math
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from conv_cpu import all_candidates
from peer_runs import Line, options, read_problems, run

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from cpu_tails import conv_class, gemm_class

from tilewright.ops import problem_from_dict
from tilewright.tune.bench.own import own_kernels_only

CLASSES = {"conv": conv_class, "gemm": gemm_class}


def row_of(name: str, mine: list[dict[str, Any]], best: bool) -> str:
    """Return one line of the table."""
    ratios = [m["torch_ms"] / m["ours_ms"] if best else m["ratio"] for m in mine]
    oracle = "-"
    if all("candidates" in m for m in mine):
        oracle = f"{geometric_mean([m['torch_ms'] / min(m['candidates'].values()) for m in mine]):.2f}x"
    low = sum(r < 0.85 for r in ratios)
    return f"| {name} | {len(mine)} | {geometric_mean(ratios):.2f}x | {min(ratios):.2f}x | {low} | {oracle} |"


def summary(lines: list[dict[str, Any]], best: bool) -> str:
    """Return a Markdown table: the ratio per class and direction, then over all."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        direction = line["problem"].get("direction", "").replace("_", " ")
        groups[f"{line['class'].replace('_', ' ')} {direction}".strip()].append(line)
    rows = [
        "| class | problems | geometric mean | least | under 0.85 | best kernel of all |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*rows, *(row_of(name, mine, best) for name, mine in groups.items()), row_of("all", lines, best)])


def main() -> None:
    """Run a list and print the table."""
    parser = options(__doc__, "", rounds=7)
    parser.add_argument("--op", choices=CLASSES, default="conv")
    parser.add_argument("--only", nargs="*", default=[], help="classes, directions, or both")
    parser.add_argument("--candidates", action="store_true", help="time every legal kernel")
    parser.add_argument("--best", action="store_true", help="ratios of the smallest times")
    parser.add_argument("--most-flops", type=float, default=math.inf, help="leave out larger problems")
    parser.add_argument("--seconds", type=float, help="start no problem after so long; their order is shuffled then")
    args = parser.parse_args()
    os.environ.update({"TILEWRIGHT_VENDOR": "1"} if args.vendor else {})
    print(own_kernels_only(), file=sys.stderr)
    if args.problems.is_dir():
        args.problems = args.problems / f"{args.op}_cpu_tails.jsonl"
    class_of = CLASSES[args.op]
    problems = [p for p in read_problems(args)[:: args.every] if wanted(args.only, class_of(p), p.get("direction"))]
    problems = [p for p in problems if problem_from_dict(p).flops <= args.most_flops]
    lines = run(within(problems, args.seconds), args, ("class", class_of), all_candidates if args.candidates else None)
    print(summary(lines, args.best))


def within(problems: list[Line], seconds: float | None) -> Iterator[Line]:
    """Yield the problems, in a fixed random order while there is time if that is limited."""
    end = time.monotonic() + (seconds or math.inf)
    for problem in random.Random(0).sample(problems, len(problems)) if seconds else problems:
        if time.monotonic() < end:
            yield problem


def wanted(only: list[str], kind: str, direction: str | None) -> bool:
    """Return whether `only` names the class and the direction, or says nothing about them."""
    directions = {"forward", "backward_data", "backward_weight"} & {*only}
    kinds = {*only} - directions
    return (not directions or direction in directions) and (not kinds or kind in kinds)


if __name__ == "__main__":
    main()
