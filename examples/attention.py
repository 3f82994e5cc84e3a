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
    "half precision": {"dtype": "fp16"},
    "causal, with its LSE": {"mask": "causal_bottom_right", "lse": True},
    "sliding window and sink tokens": {"mask": "window", "window_left": 8, "window_right": 0, "sink_tokens": 4},
    "bias": {"bias": "elementwise", "bias_heads": 4},
    "ALiBi": {"bias": "alibi", "mask": "causal_top_left"},
    "soft cap": {"soft_cap": 20.0},
    "dropout": {"dropout": 0.1},
    "grouped heads": {"heads_kv": 2},
    "ragged batch": {"mode": "group", "total_q": 70, "total_k": 70},
    "split-KV decoding": {"family": "fwd_splitkv", "seqlen_q": 1, "seqlen_k": 200, "heads_kv": 1, "kv_lengths": True},
    "paged cache": {"family": "fwd_pagedkv", "seqlen_q": 1, "seqlen_k": 100, "page_size": 16},
    "batch prefill": {"family": "batch_prefill", "mode": "group", "total_q": 60, "page_size": 16, "lookup": "sglang"},
    "8-bit floats": {"dtype": "fp8", "dtype_out": "fp32"},
}
ON_THE_REFERENCE: dict[str, dict[str, Any]] = {
    "backward": {"family": "bwd", "mask": "causal_top_left"},
    "backward with dropout": {"family": "bwd", "dropout": 0.1},
    "append to a cache, rotated": {"family": "fwd_appendkv", "seqlen_new": 3, "rope": "half", "rotary_dim": 32},
}


def check(dispatcher: tw.Dispatcher, name: str, fields: dict[str, Any]) -> None:
    """Run one case on random tensors and compare every tensor that it writes."""
    op, problem = get_op("fmha"), tw.problem_from_dict({**SIZES, **fields})
    tensors = op.random_tensors(problem, seed=0)
    out = dispatcher.run(problem, **tensors)
    verdict = op.verify(problem, tensors, out)
    verdict.require(name)
    print(f"{name:32} error {verdict.max_error:.1e}, {verdict.ratio:6.1%} of the tolerance")


def main() -> None:
    cpu = tw.Dispatcher()
    for name, fields in CASES.items():
        check(cpu, name, fields)
    for rows in (16, 64, 256):  # a sweep of one parameter
        check(cpu, f"{rows} rows", {"seqlen_q": rows, "mask": "causal_top_left"})

    registry = tw.Registry("reference")
    for kernels in tw.get_backend("reference").op("fmha").kernel_sets():
        registry.declare(kernels)
    slow = tw.Dispatcher(registry)
    for name, fields in ON_THE_REFERENCE.items():
        check(slow, name, fields)


if __name__ == "__main__":
    main()
