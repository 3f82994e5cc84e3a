"""The attention cases that every backend is held against: family x feature, small enough for float64."""

from __future__ import annotations

from typing import Any

BASE = {"batch": 2, "heads_q": 4, "heads_kv": 2, "seqlen_q": 9, "seqlen_k": 13, "hdim_q": 32, "hdim_v": 64}

FORWARD: dict[str, dict[str, Any]] = {
    "plain": {},
    "one-head-each": {"heads_kv": 4},
    "one-key-head": {"heads_kv": 1, "hdim_v": 32},
    "causal-top-left": {"mask": "causal_top_left", "lse": True},
    "causal-bottom-right": {"mask": "causal_bottom_right", "lse": True},
    "rows-that-see-nothing": {"mask": "causal_bottom_right", "seqlen_q": 13, "seqlen_k": 9, "lse": True},
    "window": {"mask": "window", "window_left": 3, "window_right": 1},
    "window-top-left": {"mask": "window_top_left", "window_left": 2, "window_right": 0},
    "sink": {"mask": "window", "window_left": 2, "window_right": 0, "sink_tokens": 2},
    "bias": {"bias": "elementwise"},
    "bias-of-each-head": {"bias": "elementwise", "bias_heads": 4, "bias_batch": 2},
    "alibi": {"bias": "alibi", "mask": "causal_bottom_right"},
    "alibi-of-each-sequence": {"bias": "alibi", "bias_batch": 2},
    "soft-cap": {"soft_cap": 2.0},
    "soft-cap-bias": {"soft_cap": 2.0, "bias": "elementwise", "bias_heads": 4},
    "soft-cap-alibi-one-row": {"soft_cap": 2.0, "bias": "alibi", "seqlen_q": 1, "lse": True},
    "narrow": {"hdim_q": 20, "hdim_v": 12, "mask": "causal_bottom_right", "lse": True},
    "odd": {"hdim_q": 7, "hdim_v": 5, "mode": "group", "total_q": 15, "total_k": 20},
    "split-narrow": {"family": "fwd_splitkv", "num_splits": 2, "hdim_q": 20, "hdim_v": 20, "seqlen_q": 1},
    "dropout": {"dropout": 0.3, "lse": True},
    "scale": {"scale": 0.5},
    "lengths": {"kv_lengths": True, "lse": True},
    "varlen": {"mode": "group", "total_q": 15, "total_k": 20, "mask": "causal_top_left", "lse": True},
    "varlen-bias": {"mode": "group", "total_q": 15, "total_k": 20, "bias": "elementwise", "bias_heads": 4},
    "heads-first": {"layout": "bhsd"},
    "v-columns": {"v_layout": "col"},
    "split": {"family": "fwd_splitkv", "num_splits": 3, "kv_lengths": True, "lse": True},
    "split-pages": {"family": "fwd_splitkv", "page_size": 4, "mask": "causal_bottom_right"},
    "pages": {"family": "fwd_pagedkv", "page_size": 4, "mask": "causal_bottom_right"},
    "pages-sglang": {"family": "fwd_pagedkv", "page_size": 4, "lookup": "sglang", "mode": "group", "total_q": 12},
    "prefill": {"family": "batch_prefill", "page_size": 4, "mode": "group", "lookup": "sglang", "total_q": 12},
    "prefill-tokens": {"family": "batch_prefill", "page_size": 1, "mode": "group", "total_q": 12, "soft_cap": 3.0},
}
BACKWARD: dict[str, dict[str, Any]] = {
    "plain": {},
    "causal": {"mask": "causal_bottom_right"},
    "deterministic": {"deterministic": True, "mask": "causal_top_left"},
    "window-sink": {"mask": "window", "window_left": 2, "window_right": 1, "sink_tokens": 1},
    "bias": {"bias": "elementwise", "bias_heads": 4, "dbias": True},
    "bias-of-all": {"bias": "elementwise", "dbias": True, "heads_kv": 4},
    "alibi": {"bias": "alibi"},
    "soft-cap": {"soft_cap": 2.0},
    "soft-cap-bias": {"soft_cap": 2.0, "bias": "elementwise", "bias_heads": 4, "dbias": True},
    "narrow": {"hdim_q": 20, "hdim_v": 12, "mask": "causal_top_left"},
    "dropout": {"dropout": 0.25, "heads_kv": 1},
    "varlen": {"mode": "group", "total_q": 15, "total_k": 20, "dropout": 0.1},
}
APPEND: dict[str, dict[str, Any]] = {
    "plain": {"seqlen_new": 3},
    "half": {"seqlen_new": 3, "rope": "half", "rotary_dim": 16},
    "interleaved": {
        "seqlen_q": 3,
        "seqlen_new": 3,
        "rope": "interleaved",
        "rotary_dim": 32,
        "mask": "causal_bottom_right",
    },
    "pages": {"seqlen_q": 2, "seqlen_new": 2, "page_size": 4, "rope": "half", "rotary_dim": 32},
    "pages-sglang": {"seqlen_new": 2, "page_size": 4, "lookup": "sglang"},
    "narrow": {"seqlen_new": 3, "rope": "half", "rotary_dim": 10, "hdim_q": 20, "hdim_v": 12},
}
EIGHT_BIT: dict[str, dict[str, Any]] = {
    "pertensor": {"dtype": "fp8", "qscale": "pertensor"},
    "blockscale": {"dtype": "fp8", "qscale": "blockscale", "block_q": 4, "block_k": 8},
    "to-fp32": {"dtype": "bf8", "dtype_out": "fp32"},
    "fnuz": {"dtype": "fp8_fnuz", "qscale": "pertensor", "mask": "causal_top_left"},
}


def cases(dtypes: tuple[str, ...] = ("fp32", "fp16", "bf16")) -> dict[str, dict[str, Any]]:
    """Every case by name, as the JSON form of its problem."""
    found = {}
    for dtype in dtypes:
        for family, table in (("fwd", FORWARD), ("bwd", BACKWARD), ("fwd_appendkv", APPEND)):
            for name, fields in table.items():
                full = {"op": "fmha", "dtype": dtype, **BASE, "family": family, **fields}
                found[f"{full['family']}-{name}-{dtype}"] = full
    for name, fields in EIGHT_BIT.items():
        found[f"fwd-{name}-{fields['dtype']}"] = {"op": "fmha", **BASE, **fields}
    return found
