"""Problems of the Hopper backward pass with every feature that it takes, and their tensors."""

from __future__ import annotations

from typing import Any

from fmha_masks import masked_tensors

from tilewright.ops import get_op

NAMES = ("batch", "heads_q", "heads_kv", "seqlen_q", "seqlen_k", "hdim_q")
WINDOW = {"mask": "window", "window_left": 100, "window_right": 30}
VARLEN = {"mode": "group", "total_q": 700, "total_k": 800}
CAUSAL = {"mask": "causal_bottom_right"}


def _case(
    sizes: tuple[int, ...], hidden: str = "", only: bool = False, parts: int = 0, stages: int = 2, **further: Any
) -> dict[str, Any]:
    """`parts`: walks over rows are shared by so many programs."""
    bias = {"bias": "elementwise"} if hidden else {}
    problem = {**dict(zip(NAMES, sizes, strict=True)), **bias, **further}
    return {"problem": problem, "hidden": hidden, "only": only, "parts": parts, "stages": stages}


CASES: dict[str, dict[str, Any]] = {
    "cap": _case((1, 4, 2, 300, 400, 128), soft_cap=2.0),
    "cap-causal": _case((2, 2, 2, 257, 513, 64), soft_cap=0.5, **CAUSAL),
    "cap-ragged": _case((4, 4, 2, 400, 500, 128), soft_cap=2.0, **CAUSAL, **VARLEN),
    "sink": _case((1, 4, 2, 500, 600, 128), sink_tokens=5, **WINDOW),
    "sink-narrow": _case((2, 2, 2, 700, 700, 64), sink_tokens=150, **WINDOW),
    "sink-shared": _case((1, 4, 2, 500, 600, 128), parts=2, sink_tokens=5, **WINDOW),
    "sink-shared-narrow": _case((2, 2, 2, 700, 700, 64), parts=3, sink_tokens=150, **WINDOW),
    "sink-more-keys": _case((1, 4, 2, 200, 900, 128), parts=2, sink_tokens=5, **WINDOW),
    "sink-everything": _case((1, 4, 2, 700, 600, 64), soft_cap=2.0, dropout=0.2, sink_tokens=5, **WINDOW),
    "sink-ragged": _case((4, 4, 2, 400, 500, 96), dropout=0.2, sink_tokens=20, **WINDOW, **VARLEN),
    "shared": _case((1, 4, 2, 500, 600, 128), parts=3),
    "shared-causal": _case((2, 4, 1, 300, 700, 128), parts=2, **CAUSAL),
    "shared-fewer-keys": _case((1, 2, 2, 700, 257, 64), parts=8, mask="causal_top_left"),
    "shared-ragged": _case((4, 4, 2, 400, 500, 96), parts=4, dropout=0.2, **CAUSAL, **VARLEN),
    "two-widths-ragged": _case((4, 4, 2, 400, 500, 32), hdim_v=64, **CAUSAL, **VARLEN),
    "two-widths-shared": _case((1, 4, 2, 500, 600, 96), hdim_v=128, parts=3),
    "dropout": _case((2, 4, 2, 300, 300, 128), dropout=0.3, **CAUSAL),
    "dropout-narrow": _case((1, 2, 2, 257, 130, 64), dropout=0.5),
    "dropout-ragged": _case((4, 2, 2, 400, 500, 64), dropout=0.2, **VARLEN),
    "ordered": _case((2, 4, 2, 300, 1000, 128), deterministic=True),
    "ordered-causal": _case((28, 2, 1, 513, 513, 128), deterministic=True, **CAUSAL),
    "ordered-more-keys": _case((2, 4, 2, 257, 700, 64), deterministic=True, **CAUSAL),
    "ordered-fewer-keys": _case((2, 4, 2, 700, 257, 64), deterministic=True, mask="causal_top_left"),
    "ordered-group": _case((6, 8, 2, 700, 900, 128), deterministic=True, **CAUSAL),
    "ordered-window": _case((2, 4, 2, 500, 600, 64), deterministic=True, **WINDOW),
    "ordered-ragged": _case((4, 4, 2, 400, 500, 128), deterministic=True, dropout=0.2, **CAUSAL, **VARLEN),
    "bias": _case((1, 4, 2, 300, 704, 128), "alternating", bias_heads=4),
    "bias-narrow": _case((2, 2, 2, 300, 264, 64), "window", bias_batch=2),
    "bias-zero": _case((1, 4, 1, 512, 512, 128), "left-padding", only=True),
    "bias-zero-narrow": _case((1, 4, 1, 700, 512, 64), "leading", only=True),
    "bias-none-seen": _case((1, 2, 2, 128, 704, 128), "nothing"),
    "bias-lowest": _case((1, 2, 2, 300, 704, 128), "lowest"),
    "bias-lowest-rows": _case((1, 2, 1, 300, 704, 64), "lowest-rows"),
    "bias-single": _case((1, 2, 1, 300, 304, 96), "single", only=True),
    "bias-causal": _case((1, 4, 2, 300, 704, 128), "trailing", **CAUSAL),
    "bias-one-row": _case((1, 2, 2, 1, 136, 64), "trailing"),
    "small": _case((2, 4, 2, 300, 400, 32)),
    "small-causal": _case((1, 4, 2, 257, 513, 16), dropout=0.2, **CAUSAL),
    "small-ragged": _case((4, 4, 2, 400, 500, 24), **CAUSAL, **VARLEN),
    "small-ordered": _case((2, 4, 2, 300, 600, 32), deterministic=True, **CAUSAL),
    "small-bias": _case((1, 4, 2, 300, 704, 32), "alternating", bias_heads=4),
    "small-shared": _case((1, 4, 2, 500, 600, 32), parts=3),
    "wide": _case((1, 4, 2, 300, 400, 256)),
    "wide-one-stage": _case((2, 4, 2, 300, 400, 256), stages=1),
    "wide-causal": _case((2, 4, 2, 257, 513, 256), **CAUSAL),
    "wide-unseen": _case((1, 2, 2, 130, 600, 192), mask="causal_top_left"),
    "wide-window": _case((2, 2, 2, 500, 600, 160), **WINDOW),
    "wide-ragged": _case((4, 4, 2, 400, 500, 256), **CAUSAL, **VARLEN),
    "wide-cap": _case((1, 4, 2, 300, 400, 192), soft_cap=2.0),
    "wide-shared": _case((1, 4, 2, 500, 600, 256), parts=3),
    "wide-sink-shared": _case((1, 4, 2, 500, 600, 256), parts=2, sink_tokens=5, **WINDOW),
    "wide-ordered": _case((2, 4, 2, 300, 1000, 256), stages=1, deterministic=True),
    "wide-ordered-causal": _case((2, 4, 2, 513, 513, 192), stages=1, deterministic=True, **CAUSAL),
    "wide-ordered-registers": _case((2, 4, 2, 300, 1000, 256), deterministic=True),
    "wide-ordered-registers-causal": _case((20, 2, 1, 513, 513, 192), deterministic=True, **CAUSAL),
    "wide-bias": _case((1, 4, 2, 300, 704, 256), "alternating", stages=1, bias_heads=4),
    "everything": _case((1, 4, 2, 300, 704, 128), "window", soft_cap=2.0, sink_tokens=5, dropout=0.2, **WINDOW),
    "everything-narrow": _case((2, 4, 2, 300, 304, 64), "alternating", soft_cap=2.0, dropout=0.2, bias_batch=2),
}


def fields_of(p: Any, parts: int = 0, stages: int = 2) -> dict[str, Any]:
    """Return the fields of the kernel for the heads of a problem."""
    rows, keys = 128 if p.hdim_q <= 64 else 64, 128 if p.hdim_q <= 128 else 64
    return {"tile_m": rows, "tile_n": keys, "warps": 8, "stages": stages, "pipeline": "hopper", "share": parts > 0}


def tensors_of(p: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return random tensors of a case, with the results of its forward pass."""
    if case["hidden"]:
        return masked_tensors(p, case["hidden"], only=case["only"])
    return get_op("fmha").random_tensors(p, 5)
