"""Attention in its variants, each checked against the float64 reference.

python examples/attention.py
"""

from __future__ import annotations

from typing import Any

import tilewright as tw
from tilewright.ops import get_op

SIZES = {"op": "fmha", "batch": 2, "heads_q": 4, "seqlen_q": 48, "hdim_q": 64, "dtype": "fp32"}
CASES: dict[str, dict[str, Any]] = {
    "forward": {},
    "half precision": {"dtype": "bf16"},
    "causal, with its LSE": {"mask": "causal_bottom_right", "lse": True},
    "sliding window": {"mask": "window", "window_left": 8, "window_right": 2},
    "sink tokens": {"mask": "window", "window_left": 8, "window_right": 0, "sink_tokens": 4},
    "bias": {"bias": "elementwise", "bias_heads": 4},
    "ALiBi": {"bias": "alibi", "mask": "causal_top_left"},
    "soft cap": {"soft_cap": 20.0},
    "dropout": {"dropout": 0.1},
    "grouped heads": {"heads_kv": 2},
    "one key head": {"heads_kv": 1},
    "ragged batch": {"mode": "group", "total_q": 70, "total_k": 70},
    "split-KV decoding": {"family": "fwd_splitkv", "seqlen_q": 1, "seqlen_k": 400, "heads_kv": 1, "num_splits": 3},
    "paged cache": {"family": "fwd_pagedkv", "seqlen_q": 1, "seqlen_k": 100, "page_size": 16},
    "batch prefill": {"family": "batch_prefill", "mode": "group", "total_q": 60, "page_size": 16, "lookup": "sglang"},
    "8-bit floats": {"dtype": "fp8", "dtype_out": "fp16", "qscale": "pertensor"},
    "8-bit floats, factors of blocks": {"dtype": "fp8", "qscale": "blockscale", "block_q": 16, "block_k": 16},
    "append to a cache": {"family": "fwd_appendkv", "seqlen_q": 3, "seqlen_k": 100, "seqlen_new": 3},
    "append, rotated": {"family": "fwd_appendkv", "seqlen_new": 3, "rope": "half", "rotary_dim": 32},
    "append to pages": {"family": "fwd_appendkv", "seqlen_k": 100, "seqlen_new": 3, "page_size": 16},
    "backward": {"family": "bwd", "mask": "causal_top_left"},
    "backward, deterministic": {"family": "bwd", "deterministic": True, "heads_kv": 2},
    "backward with dropout": {"family": "bwd", "dropout": 0.1},
    "gradient of the bias": {"family": "bwd", "bias": "elementwise", "dbias": True},
}


def check(dispatcher: tw.Dispatcher, name: str, fields: dict[str, Any]) -> None:
    """Run one case on random tensors and check every tensor that it writes."""
    op, problem = get_op("fmha"), tw.problem_from_dict({**SIZES, **fields})
    tensors = op.random_tensors(problem, seed=0)
    out = dispatcher.run(problem, **tensors)
    verdict = op.verify(problem, tensors, out)
    verdict.require(name)
    steps = " -> ".join(step.name for step in dispatcher.plan(problem).steps)
    print(f"{name:32} error {verdict.max_error:.1e}, {verdict.ratio:6.1%} of the tolerance, {steps}")


def main() -> None:
    dispatcher = tw.Dispatcher()
    for name, fields in CASES.items():
        check(dispatcher, name, fields)
    for rows in (1, 16, 64, 256):  # a sweep: the choice of kernel follows the length
        check(
            dispatcher,
            f"{rows} rows",
            {"dtype": "bf16", "seqlen_q": rows, "seqlen_k": 256, "mask": "causal_bottom_right"},
        )
    for hdim in (32, 80, 128, 256):
        check(dispatcher, f"hdim {hdim}", {"hdim_q": hdim})


if __name__ == "__main__":
    main()
