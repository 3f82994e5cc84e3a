"""Squeeze-and-excite before a 1x1 convolution: products with one weight for each image of a batch.

Images in channels-last memory are read as matrices [pixels, channels] where they lie, and the result is such an image.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod
from typing import Any

import torch

from ..frontends.call import Description, Result, Views, plain_view, remembered, run
from ..model.tensor import TensorView
from ..ops.gemm import GemmProblem
from . import op_linear
from .formats import FORMATS, with_extras

Tensor = torch.Tensor


def is_readable(x: Tensor) -> bool:
    """Return whether the pixels of each image are the rows of a matrix in memory.

    >>> x = torch.ones(2, 3, 4, 4)
    >>> is_readable(x), is_readable(x.to(memory_format=torch.channels_last))
    (False, True)
    """
    return x.dim() in FORMATS and x.is_contiguous(memory_format=FORMATS[x.dim()])


def scaled_each(
    x: Tensor, weight: Tensor, factor: Tensor, bias: Tensor | None, residual: Tensor | None, activation: str
) -> Tensor:
    """Return activation(conv1x1(x * factor, weight) + bias + residual) of readable images.

    `weight` is [k, channels, 1, ...], `factor` [batch, channels, 1, ...].

    >>> x, w = torch.ones(2, 4, 3, 3).to(memory_format=torch.channels_last), torch.ones(5, 4, 1, 1)
    >>> found = scaled_each(x, w, torch.full((2, 4, 1, 1), 0.5), None, None, "none")
    >>> found.shape, found[0, 0, 0, 0].item()
    (torch.Size([2, 5, 3, 3]), 2.0)
    """
    batch, c = x.shape[:2]
    return weighed_each(x, weight.reshape(-1, c) * factor.reshape(batch, 1, c), bias, residual, activation)


def weighed_each(x: Tensor, weights: Tensor, bias: Tensor | None, residual: Tensor | None, activation: str) -> Tensor:
    """Return activation(conv1x1(x) + bias + residual) of readable images with one weight each: [batch, k, channels].

    >>> x, w = torch.ones(2, 4, 3, 3).to(memory_format=torch.channels_last), torch.ones(2, 5, 4)
    >>> weighed_each(x, w, None, None, "none").shape
    torch.Size([2, 5, 3, 3])
    """
    given = with_extras({"a": x, "b": weights, "out": None}, bias, residual)
    choices = (activation,)
    if not remembered((EACH, choices, None), given):
        run(EACH, given, choices)
    found: Tensor = given["out"]
    return found


def _view(tensor: Any, role: str, place: str | None, choices: Mapping[str, Any]) -> TensorView:
    seen = plain_view(tensor, role, place, choices)
    if role == "b":
        batch, k, c = seen.shape
        return replace(seen, shape=(batch, c, k), strides=(seen.strides[0], seen.strides[2], seen.strides[1]))
    if len(seen.shape) < 2:  # the bias
        return seen
    batch, c, *sizes = seen.shape
    pixels = prod(sizes)  # dense: strides of dimensions of one element, which may be any, are not read
    return replace(seen, shape=(batch, pixels, c), strides=(pixels * c, c, 1))


def _result(problem: GemmProblem, role: str, views: Views, choices: Mapping[str, Any]) -> Result:
    """Return an image in channels-last memory, with the pixels of `a`."""
    batch, _, *sizes = views["a"].owner.shape
    k, strides = problem.n, [problem.n]
    for size in reversed(sizes):
        strides.insert(0, strides[0] * size)
    return Result((batch, k, *sizes), problem.dtype_out, (strides[0], 1, *strides[1:]))


EACH = Description("gemm", ("activation",), op_linear.FORWARD.pose, _result, _view)
