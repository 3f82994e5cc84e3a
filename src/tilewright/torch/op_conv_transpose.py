"""`conv_transpose`: the transposed convolution, computed by the kernels of a convolution's gradient."""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

from ..errors import ProblemError, TensorError
from ..frontends.call import hashable, run
from . import op_conv as plain
from .fitness import why_no_kernel
from .formats import readable, to_format, wants_last
from .leaving import gradient_or_torchs, ours_or_torchs
from .op_conv import GEOMETRY, IMAGES, PLAIN, lists
from .registration import operator
from .ways import RECORDED, autocast_dtype, cast_all, once, recorder, way_of

Tensor = torch.Tensor


def conv_transpose(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Return what `torch.nn.functional.conv_transpose2d` returns, in one to three dimensions, with gradients.

    `input` may be one image without a batch. What no kernel computes is left to torch (`left_calls`).

    >>> conv_transpose(torch.ones(1, 1, 2), torch.ones(1, 1, 2), torch.ones(1), stride=2).tolist()
    [[[2.0, 2.0, 2.0, 2.0]]]
    """
    values = (input, weight, bias, stride, padding, output_padding, groups, dilation)
    reason = why_no_kernel(input)
    return ours_or_torchs("conv_transpose", reason, transpose_by_kernel, _torchs, *values)


def _torchs(input: Tensor, weight: Tensor, *rest: Any) -> Tensor:
    return getattr(functional, f"conv_transpose{weight.dim() - 2}d")(input, weight, *rest)


def transpose_by_kernel(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Tensor:
    """Return `conv_transpose` by a kernel, or raise an error."""
    if input.dim() == weight.dim() - 1:
        one = transpose_by_kernel(input[None], weight, bias, stride, padding, output_padding, groups, dilation)
        return one.squeeze(0)
    if input.dim() != weight.dim() or input.shape[1] != weight.shape[0]:
        raise TensorError(f"input is {tuple(input.shape)}, weight {tuple(weight.shape)}: channels differ")
    way = way_of(input, weight, bias)
    stride, padding, dilation, more = lists(input, stride, padding, dilation, output_padding)
    input, more = _widened(input, stride, dilation, more)
    size = [
        (extent - 1) * s - 2 * p + d * (f - 1) + m + 1
        for extent, f, s, p, d, m in zip(
            input.shape[2:], weight.shape[2:], stride, padding, dilation, more, strict=True
        )
    ]
    if way > RECORDED:
        return CONV_TRANSPOSE(input, weight, bias, size, stride, padding, dilation, groups)
    dtype = autocast_dtype(input)
    if dtype is not None:
        input, weight, bias = cast_all(dtype, (input, weight, bias))
    if way:
        return _record(input, weight, bias, size, stride, padding, dilation, groups)
    return _forward(input, weight, bias, size, stride, padding, dilation, groups)


def _widened(input: Tensor, stride: Any, dilation: Any, more: Any) -> tuple[Tensor, list[int]]:
    """Return the input with zeros in the place of whole strides of an output padding, and the rest of that."""
    if all(m < s for m, s in zip(more, stride, strict=True)):
        return input, more
    if any(m >= max(s, d) for m, s, d in zip(more, stride, dilation, strict=True)):
        raise ProblemError(
            f"output_padding is {more}; it must be smaller than the stride {stride} or the dilation {dilation}"
        )
    zeros = [n for m, s in zip(reversed(more), reversed(stride), strict=True) for n in (0, m // s)]
    return functional.pad(input, zeros), [m % s for m, s in zip(more, stride, strict=True)]


def _forward(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    size: list[int],
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> Tensor:
    last = wants_last(input, weight)
    given = {"input": None, "weight": to_format(weight, last), "output": readable(input, last)}
    if bias is not None:
        given["d0"] = bias
    geometry = (*map(hashable, (stride, padding, dilation)), groups, hashable(size))
    return run(IMAGES, given, ("backward_data", *geometry, None, *PLAIN, last))["input"]


class _ConvTranspose(torch.autograd.Function):
    """`conv_transpose` with gradients, without the dispatcher of torch between."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        """Return the transposed convolution."""
        found = _forward(*inputs)
        plain.keep_operands(ctx, inputs, found)
        return found

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Return the gradients of input, weight and bias."""
        return plain.gradients(
            ctx, grad,
            lambda x, w, g, last: gradient_or_torchs(
                "conv_transpose", plain.forward, _torchs_conv, g, w, None, *ctx.geometry, last
            ),
            lambda x, w, g, last: plain.weight_gradient(g, x, w.shape[2:], last, *ctx.geometry),
        )  # fmt: skip


def _torchs_conv(grad: Tensor, weight: Tensor, bias: None, *geometry: Any) -> Tensor:
    return getattr(functional, f"conv{weight.dim() - 2}d")(grad, weight, bias, *geometry[:-1])


_record = recorder(_ConvTranspose)


def _shape(input: Tensor, weight: Tensor, bias: Tensor | None, size: list[int], *geometry: Any) -> Tensor:
    groups = geometry[-1]
    return plain.empty_images(weight, (input.shape[0], weight.shape[1] * groups, *size), wants_last(input, weight))


@once
def _gradient(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    return plain.gradients(
        ctx, grad,
        lambda x, w, g, last: plain.CONV(g, w, None, *ctx.geometry),
        lambda x, w, g, last: plain.CONV_BACKWARD_WEIGHT(g, x, list(w.shape[2:]), last, *ctx.geometry),
    )  # fmt: skip


CONV_TRANSPOSE = operator(
    f"conv_transpose(Tensor input, Tensor weight, Tensor? bias, SymInt[] size, {GEOMETRY}) -> Tensor",
    _forward,
    _shape,
    backward=_gradient,
    keep=plain.keep_operands,
)
