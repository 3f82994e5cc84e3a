"""CPU attention beside torch's scaled_dot_product_attention: ratios by dtype and kind.

    python benchmarks/cpu/attention_cpu.py --threads 1 --out results.jsonl     the committed list, the selected kernel
    python benchmarks/cpu/attention_cpu.py --only bf16 --every 4 --check       a part of it, each result verified

Each problem is run in one process, ours and torch's calls taking turns; a ratio is torch time over ours, the median of
the rounds. With one thread, CPU time is taken instead of wall time, so that a busy machine disturbs less.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from conv_cpu import compared

from tilewright.dispatcher import Dispatcher
from tilewright.ops import get_op, problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.bench.peers import PeerCall, get_peer

LIST = Path(__file__).parents[1] / "problems" / "attention_cpu.jsonl"
KINDS = ("full", "causal", "grouped heads", "decode")


def kind(data: dict[str, Any]) -> str:
    """Which line of the table a problem belongs to."""
    if data["seqlen_q"] == 1:
        return "decode"
    if data.get("heads_kv", data["heads_q"]) != data["heads_q"]:
        return "grouped heads"
    return "causal" if "mask" in data else "full"


def measure(dispatcher: Dispatcher, data: dict[str, Any], args: argparse.Namespace) -> dict[str, Any]:
    """One line of the results."""
    problem, op = problem_from_dict(data), get_op("fmha")
    tensors = op.random_tensors(problem, 0)
    bound = dispatcher.bind(problem, **tensors)
    ok = bool(op.verify(problem, tensors, bound()).ok) if args.check else None
    peer = get_peer("torch")
    peer.limit_threads(args.threads)
    answer = peer.prepare(problem, tensors)
    assert isinstance(answer, PeerCall), answer
    timed = compared({"ours": bound, "torch": answer.call}, args)
    best = {name: min(t.samples) for name, t in timed.timings.items()}
    assert bound.plan.candidate is not None
    return {
        "problem": data, "kind": kind(data), "kernel": bound.plan.candidate.spec.algorithm.label(),
        "ratio": timed.ratio("torch"), "ours_ms": best["ours"] * 1e3, "torch_ms": best["torch"] * 1e3,
        "gflops": problem.flops / best["ours"] / 1e9, "gbps": problem.bytes / best["ours"] / 1e9,
        "threads": args.threads, "ok": ok,
    }  # fmt: skip


def summary(lines: list[dict[str, Any]]) -> str:
    """A Markdown table: ratio by dtype and kind, with the worst."""
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, default=LIST)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--every", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--only", default="", help="a dtype or a kind: fp32, bf16, full, causal, grouped heads, decode")
    parser.add_argument("--check", action="store_true", help="verify each result")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    dispatcher = Dispatcher(settings=Settings.from_env(threads=args.threads))
    problems = [json.loads(text) for text in args.problems.read_text().splitlines()]
    problems = [p for p in problems if args.only in ("", p["dtype"], kind(p))][:: args.every]
    lines = []
    for data in problems:
        lines.append(measure(dispatcher, data, args))
        if args.out:
            args.out.write_text("".join(json.dumps(line) + "\n" for line in lines))
        last, label = lines[-1], problem_from_dict(data).label()
        print(f"{last['ratio']:.2f}x {last['kernel']} {last['gflops']:.0f} GF/s {label}", flush=True)
    print(summary(lines))


if __name__ == "__main__":
    main()
