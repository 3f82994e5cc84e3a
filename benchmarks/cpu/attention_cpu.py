"""CPU attention compared with torch's scaled_dot_product_attention: ratios by dtype and kind.

    python benchmarks/cpu/attention_cpu.py --threads 1 --out results.jsonl     the committed list, the selected kernel
    python benchmarks/cpu/attention_cpu.py --only bf16 --every 4 --check       a part of it, each result verified

How it is timed is in `peer_runs`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from statistics import geometric_mean
from typing import Any

from peer_runs import options, read_problems, run

from tilewright.tune.bench.own import own_kernels_only

KINDS = ("full", "causal", "grouped heads", "decode")


def kind(data: dict[str, Any]) -> str:
    """Return the line of the table that a problem belongs to."""
    if data["seqlen_q"] == 1:
        return "decode"
    if data.get("heads_kv", data["heads_q"]) != data["heads_q"]:
        return "grouped heads"
    return "causal" if "mask" in data else "full"


def summary(lines: list[dict[str, Any]]) -> str:
    """Return a Markdown table: ratio by dtype and kind, with the worst."""
    groups: dict[tuple[str, str], list[float]] = defaultdict(list)
    for line in lines:
        groups[line["problem"]["dtype"], line["kind"]].append(line["ratio"])
    rows = ["| dtype | attention | problems | geometric mean | least |", "|---|---|---|---|---|"]
    for dtype in dict.fromkeys(dtype for dtype, _ in groups):
        for name in KINDS:
            ratios = groups.get((dtype, name))
            if ratios:
                rows.append(
                    f"| {dtype} | {name} | {len(ratios)} | {geometric_mean(ratios):.2f}x | {min(ratios):.2f}x |"
                )
        forward = [r for (d, name), ratios in groups.items() if d == dtype and name != "decode" for r in ratios]
        if forward:
            rows.append(
                f"| {dtype} | all but decode | {len(forward)} | {geometric_mean(forward):.2f}x | {min(forward):.2f}x |"
            )
    return "\n".join(rows)


def main() -> None:
    """Run the list and print the table."""
    print(own_kernels_only(), file=sys.stderr)
    parser = options(__doc__, "attention_cpu.jsonl", rounds=5)
    parser.add_argument("--only", default="", help="a dtype or a kind: fp32, bf16, full, causal, grouped heads, decode")
    args = parser.parse_args()
    problems = [p for p in read_problems(args) if args.only in ("", p["dtype"], kind(p))][:: args.every]
    print(summary(run(problems, args, ("kind", kind))))


if __name__ == "__main__":
    main()
