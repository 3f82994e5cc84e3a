"""The sample problems of the digest replay: together they reach every op, direction, family and pipeline.

A new problem may be added at any time. Changing one changes the digests that carry its name.
"""

from __future__ import annotations

from typing import Any

BIAS = {"dtype": "fp32", "broadcast": "row"}
SUM = {"dtype": "bf16"}

GEMM: dict[str, dict[str, Any]] = {
    "square": {"m": 512, "n": 768, "k": 640, "dtype": "fp32", "layout": "rcr"},
    "ragged": {"m": 130, "n": 259, "k": 67, "dtype": "fp32", "layout": "rrr"},
    "columns": {"m": 96, "n": 200, "k": 300, "batch": 3, "dtype": "fp32", "layout": "ccc"},
    "row": {"m": 1, "n": 4096, "k": 1024, "dtype": "bf16", "layout": "rcr"},
    "few-rows": {"m": 4, "n": 1024, "k": 4096, "dtype": "fp16", "layout": "rrr"},
    "sixteen-rows": {"m": 16, "n": 512, "k": 2048, "dtype": "bf16", "layout": "rrr"},
    "bf16": {"m": 2048, "n": 1024, "k": 4096, "dtype": "bf16", "layout": "rcr"},
    "bf16-fused": {"m": 256, "n": 512, "k": 256, "dtype": "bf16", "layout": "rrr", "d": [SUM, BIAS],
                   "epilogue": {"alpha": 0.5, "activation": "gelu_tanh"}},
    "bf16-sum": {"m": 256, "n": 512, "k": 256, "dtype": "bf16", "layout": "rcr", "d": [SUM], "epilogue": "MultiDAdd"},
    "fp16": {"m": 512, "n": 384, "k": 320, "dtype": "fp16", "layout": "crr"},
    "fp16-deep": {"m": 128, "n": 128, "k": 16384, "dtype": "fp16", "layout": "rcr"},
    "fp16-off-lines": {"m": 2048, "n": 2048, "k": 4104, "dtype": "fp16", "layout": "rcr"},
    "fp16-odd": {"m": 251, "n": 253, "k": 255, "dtype": "fp16", "layout": "rcr"},
    "fp16-strided": {"m": 128, "n": 128, "k": 128, "dtype": "fp16", "layout": "rcr",
                     "strides": {"a": [0, 1024, 2], "b": [0, 2, 1024]}},
    "int8": {"m": 512, "n": 512, "k": 1024, "dtype": "int8", "layout": "rcr"},
    "int8-row": {"m": 2, "n": 1024, "k": 2048, "dtype": "int8", "layout": "rcr", "scale_a": "row", "scale_b": "row"},
    "fp8-scaled": {"m": 256, "n": 512, "k": 1024, "dtype": "fp8", "dtype_out": "bf16", "layout": "rcr",
                   "scale_a": "row", "scale_b": "tensor"},
    "fp8-blocks": {"m": 256, "n": 512, "k": 1024, "dtype": "fp8", "dtype_out": "bf16", "layout": "rcr",
                   "scale_a": "block", "scale_b": "block"},
    "fp8": {"m": 256, "n": 512, "k": 1024, "dtype": "fp8", "dtype_out": "bf16", "layout": "rrr"},
    "fp8-fnuz": {"m": 256, "n": 512, "k": 1024, "dtype": "fp8_fnuz", "dtype_out": "bf16", "layout": "rcr"},
    "packed": {"m": 64, "n": 512, "k": 1024, "dtype": "fp8", "dtype_out": "bf16", "b_format": "kblock128",
               "scale_a": "tensor", "scale_b": "tensor"},
    "packed-warp-tiles": {"m": 256, "n": 512, "k": 1024, "dtype": "fp16", "layout": "rcr",
                          "b_format": "ck_tile_n32_v8"},
    "packed-panels": {"m": 64, "n": 512, "k": 1024, "dtype": "bf16", "b_format": "cpu.v1.amx.bf16.nr32"},
}  # fmt: skip

LAYERS: dict[str, dict[str, Any]] = {
    "dense": {"n": 2, "c": 64, "k": 96, "input": [28, 28], "filter": [3, 3], "pad": 1},
    "strided": {"n": 4, "c": 32, "k": 64, "input": [29, 30], "filter": [5, 3], "stride": 2, "pad": [2, 1]},
    "pointwise": {"n": 2, "c": 128, "k": 64, "input": [14, 14], "filter": [1, 1]},
    "grouped": {"n": 2, "g": 8, "c": 32, "k": 32, "input": [28, 28], "filter": [3, 3], "pad": 1},
    "depthwise": {"n": 2, "g": 64, "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3], "pad": 1},
    "three-d": {"n": 1, "g": 2, "c": 32, "k": 64, "input": [6, 8, 10], "filter": [3, 3, 3], "pad": 1},
}
FEW_CHANNELS = {"n": 2, "c": 3, "k": 64, "input": [56, 56], "filter": [7, 7], "stride": 2, "pad": 3}
DIRECTIONS = ("forward", "backward_data", "backward_weight")

HEADS = {"batch": 2, "heads_q": 8, "heads_kv": 2, "seqlen_q": 256, "seqlen_k": 384, "hdim_q": 128, "hdim_v": 128}
DECODE = {"seqlen_q": 1, "seqlen_k": 4096, "mask": "causal_bottom_right"}
ATTENTION: dict[str, dict[str, Any]] = {
    "fwd": {"dtype": "bf16", "lse": True},
    "fwd-fp32": {"dtype": "fp32", "hdim_q": 64, "hdim_v": 64, "mask": "causal_top_left"},
    "fwd-long": {"dtype": "fp16", "heads_kv": 8, "seqlen_q": 2048, "seqlen_k": 2048, "mask": "causal_bottom_right"},
    "fwd-window": {"dtype": "fp16", "mask": "window", "window_left": 64, "window_right": 0, "bias": "alibi"},
    "fwd-bias": {"dtype": "bf16", "bias": "elementwise", "dropout": 0.1, "lse": True},
    "fwd-dropout-ck": {"dtype": "fp16", "dropout": 0.1, "dropout_rng": "ck", "lse": True},
    "fwd-varlen": {"dtype": "fp16", "mode": "group", "total_q": 300, "total_k": 500, "mask": "causal_top_left"},
    "fwd-soft-cap": {"dtype": "bf16", "soft_cap": 30.0, "hdim_q": 64, "hdim_v": 64},
    "fwd-fp8": {"dtype": "fp8", "qscale": "pertensor"},
    "fwd-fp8-fnuz": {"dtype": "fp8_fnuz", "qscale": "pertensor"},
    "splitkv": {"family": "fwd_splitkv", "dtype": "bf16", **DECODE, "page_size": 128},
    "splitkv-fp32": {"family": "fwd_splitkv", "dtype": "fp32", "hdim_q": 64, "hdim_v": 64, **DECODE, "num_splits": 3,
                     "kv_lengths": True},
    "pagedkv": {"family": "fwd_pagedkv", "dtype": "fp16", "page_size": 128, "mask": "causal_bottom_right"},
    "prefill": {"family": "batch_prefill", "dtype": "bf16", "mode": "group", "page_size": 128, "lookup": "sglang",
                "total_q": 300, "mask": "causal_bottom_right"},
    "prefill-tokens": {"family": "batch_prefill", "dtype": "fp16", "mode": "group", "page_size": 1, "lookup": "sglang",
                       "total_q": 300},
    "bwd": {"family": "bwd", "dtype": "bf16", "mask": "causal_bottom_right", "heads_kv": 8},
    "bwd-fp32": {"family": "bwd", "dtype": "fp32", "hdim_q": 64, "hdim_v": 64, "deterministic": True},
    "bwd-bias": {"family": "bwd", "dtype": "fp16", "bias": "elementwise", "bias_heads": 8, "bias_batch": 2,
                 "dbias": True},
    "append": {"family": "fwd_appendkv", "dtype": "bf16", "seqlen_q": 4, "seqlen_new": 4, "page_size": 128,
               "rope": "half", "rotary_dim": 64},
}  # fmt: skip


def _convolutions() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for direction in DIRECTIONS:
        for name, fields in LAYERS.items():
            for dtype in ("fp32", "bf16"):
                found[f"{direction}-{name}-{dtype}"] = {"direction": direction, "dtype": dtype, **fields}
    fused = {"epilogue": {"activation": "relu"}, "d": [BIAS]}
    found["forward-few-channels-fp16"] = {"direction": "forward", "dtype": "fp16", **FEW_CHANNELS}
    found["forward-fused-fp16"] = {"direction": "forward", "dtype": "fp16", **LAYERS["dense"], **fused}
    found["backward_weight-dense-fp16"] = {"direction": "backward_weight", "dtype": "fp16", **LAYERS["dense"]}
    found["backward_data-dense-fp16"] = {"direction": "backward_data", "dtype": "fp16", **LAYERS["dense"]}
    found["forward-dense-int8"] = {"direction": "forward", "dtype": "int8", **LAYERS["dense"]}
    found["forward-pointwise-int8"] = {"direction": "forward", "dtype": "int8", **LAYERS["pointwise"]}
    found["forward-pointwise-fp16"] = {"direction": "forward", "dtype": "fp16", **LAYERS["pointwise"]}
    found["forward-channels-first"] = {"direction": "forward", "dtype": "fp32", **LAYERS["dense"], "layout": "ngchw"}
    return found


def problems() -> dict[str, dict[str, Any]]:
    """Every sample problem by name, as JSON data."""
    found = {f"gemm {name}": {"op": "gemm", **fields} for name, fields in GEMM.items()}
    found |= {f"conv {name}": {"op": "grouped_conv", **fields} for name, fields in _convolutions().items()}
    found |= {f"fmha {name}": {"op": "fmha", **HEADS, **fields} for name, fields in ATTENTION.items()}
    return found
