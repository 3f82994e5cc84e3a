"""Floating-point operations of tilewright's operators, for `torch.utils.flop_counter.FlopCounterMode`.

They are counted as torch counts its own: two for each product of two numbers, none for what follows (a bias, an
activation). Pairs of a row and a key count, masked ones too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor
from torch.utils.flop_counter import register_flop_formula


def _product(a: Any, *rest: Any, out_val: Any, **_: Any) -> int:
    return 2 * prod(out_val.shape) * int(a.shape[-1])


def _products_of_images(images: Any, *rest: Any, out_val: Any, **_: Any) -> int:
    return 2 * prod(out_val.shape) * int(images.shape[1])


def _convolution(images: Any, weight: Any, *rest: Any, out_val: Any, **_: Any) -> int:
    return 2 * prod(out_val.shape) * prod(weight.shape[1:])


def _spread(images: Any, weight: Any, *rest: Any, **_: Any) -> int:
    """A transposed convolution, or the gradient of a convolution's input: each number of `images` times its filters."""
    return 2 * prod(images.shape) * prod(weight.shape[1:])


def _weight_gradient(images: Any, grad: Any, *rest: Any, out_val: Any, **_: Any) -> int:
    return 2 * prod(grad.shape) * prod(out_val.shape[1:])


def _attention(q: Any, k: Any, v: Any, *rest: Any, **_: Any) -> int:
    pairs = _pairs(q, k, rest[2:4], rest[12], rest[13:15])
    return 2 * pairs * (q.shape[-1] + v.shape[-1])


def _attention_backward(dout: Any, q: Any, k: Any, v: Any, out: Any, lse: Any, *rest: Any, **_: Any) -> int:
    pairs = _pairs(q, k, rest[2:4], rest[12], rest[13:15])
    return 2 * pairs * (3 * q.shape[-1] + 2 * v.shape[-1])  # scores and the gradients of q and k; those of p and v


def _decode(q: Any, k: Any, v: Any, *rest: Any, **_: Any) -> int:
    keys = _keys(q.shape[0], k, *rest[:5])
    return 2 * q.shape[1] * q.shape[2] * sum(keys) * (q.shape[-1] + v.shape[-1])


def _prefill(q: Any, k: Any, v: Any, ends: Any, rows: int, *rest: Any, **_: Any) -> int:
    each = _lengths(ends, rows)
    keys = _keys(len(each), k, *rest[:5])
    return 2 * q.shape[1] * sum(a * b for a, b in zip(each, keys, strict=True)) * (q.shape[-1] + v.shape[-1])


def _pairs(q: Any, k: Any, ends: Sequence[Any], layout: str, longest: Sequence[Any]) -> int:
    """Return how many pairs of a row and a key there are, in all heads of q."""
    if q.dim() == 3:
        rows, keys = (_lengths(end, most) for end, most in zip(ends, longest, strict=True))
        return int(q.shape[1]) * sum(a * b for a, b in zip(rows, keys, strict=True))
    batch, one, two, _ = q.shape
    heads, rows_of_one = (one, two) if layout == "bhsd" else (two, one)
    return int(batch * heads * rows_of_one * k.shape[2 if layout == "bhsd" else 1])


def _lengths(ends: Any, longest: Any) -> list[int]:
    """Return the lengths of sequences that lie one after the other; the longest one if there are no numbers."""
    return ends.diff().tolist() if _has_numbers(ends) else [int(longest)] * (ends.shape[0] - 1)


def _keys(batch: int, k: Any, lengths: Any, table: Any, starts: Any, last: Any, longest: Any) -> list[int]:
    """Return how many keys each sequence has in a cache; as many as it may have if there are no numbers."""
    page = int(k.shape[1])
    if lengths is not None and _has_numbers(lengths):
        found: list[int] = lengths.tolist()
        return found
    if last is not None and _has_numbers(last):
        return [(pages - 1) * page + rest for pages, rest in zip(starts.diff().tolist(), last.tolist(), strict=True)]
    most = page if table is None else page * int(table.shape[-1])
    return [int(longest or most)] * batch


def _has_numbers(tensor: Any) -> bool:
    return not isinstance(tensor, (FakeTensor, FunctionalTensor)) and tensor.device.type != "meta"


FORMULAS: Mapping[str, Callable[..., int]] = {
    "matmul": _product,
    "linear": _product,
    "linear_epilogue": _product,
    "product": _product,
    "conv": _convolution,
    "conv_epilogue": _convolution,
    "convolution": _convolution,
    "convolution_each": _products_of_images,
    "conv_transpose": _spread,
    "conv_backward_data": _spread,
    "convolution_data": _spread,
    "conv_backward_weight": _weight_gradient,
    "convolution_weight": _weight_gradient,
    "attention": _attention,
    "attention_backward": _attention_backward,
    "attention_decode": _decode,
    "attention_prefill": _prefill,
}  # by operator; those of `append_kv` multiply no matrices


def register(name: str) -> None:
    """Give the formula of an operator that has just been defined to torch's counter."""
    if name in FORMULAS:
        register_flop_formula(getattr(torch.ops.tilewright, name), get_raw=True)(FORMULAS[name])
