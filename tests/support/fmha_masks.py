"""Masks given as a bias that hide whole blocks of keys, and attention tensors with such a bias."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.model.dtype import get_dtype
from tilewright.ops import get_op
from tilewright.ops.fmha.reference import forward

OP = get_op("fmha")
MASKS = ("leading", "trailing", "nothing", "alternating", "window", "left-padding", "lowest", "lowest-rows", "single")


def seen(name: str, rows: int, keys: int) -> Any:
    """[rows, keys]: what a mask shows. Every hidden part is longer than a block if there are enough keys."""
    row, key = np.arange(rows)[:, None] + max(keys - rows, 0), np.arange(keys)[None, :]
    table = {
        "leading": key >= keys // 2,
        "trailing": key < keys // 3,
        "nothing": (row % 3 > 0) & (key >= 0),
        "alternating": (key // max(keys // 5, 1) + row // 4) % 2 > 0,
        "window": (key <= row) & (key > row - max(keys // 8, 2)),
        "left-padding": (key <= row) & (key >= keys * 3 // 5),  # the first rows see nothing
        "lowest": key >= keys // 2,
        "lowest-rows": (row % 3 > 0) & (key >= 0),
        "single": key == (7 * row + keys - 1) % keys,
    }
    return np.broadcast_to(table[name], (rows, keys))


def hidden_value(name: str, dtype: str) -> float:
    """Return what a mask has for keys that it hides: -inf, or the most negative number of the bias's dtype."""
    return -get_dtype(dtype).max_value if name.startswith("lowest") else -np.inf


def masked_tensors(p: Any, name: str, seed: int = 5, only: bool = False) -> dict[str, Any]:
    """Return random tensors of a problem with an elementwise bias, which hides what the mask hides; with `only`, it is
    zero elsewhere, as if made of a boolean mask.

    A backward pass gets the out and lse of its forward pass.
    """
    tensors = OP.random_tensors(p, seed)
    bias = tensors["bias"]
    shown = seen(name, bias.shape[2], p.seqlen_k)
    shows = 0.0 if only else bias.astype(np.float64)
    bias[...] = np.where(shown, shows, hidden_value(name, p.dtype_of("bias"))).astype(bias.dtype)
    if p.family == "bwd":
        for role, expected in forward(p, tensors).items():
            tensors[role][...] = expected.value.astype(tensors[role].dtype)
    return tensors
