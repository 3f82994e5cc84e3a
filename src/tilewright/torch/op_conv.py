"""`conv`: grouped convolution in one to three dimensions, its gradients, and operators for tracing.

The weight (and, in the backward pass, the gradient) is converted to the memory format of the input if it differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..frontends import conv as _conv
from ..frontends.call import remembered
from ..ops.conv.parse import per_dim
from ..ops.conv.signature import RESULT
from .registration import operator
from .ways import RECORDED, autocast_dtype, cast_all, is_quiet, once, recorder, way_of

Tensor = torch.Tensor
Gradient = Callable[[Tensor, Tensor, Tensor], Tensor]  # from the input, the weight and the gradient of the result
FORMATS = {4: torch.channels_last, 5: torch.channels_last_3d}
GEOMETRY = "int[] stride, int[] padding, int[] dilation, int groups"


def conv(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Return the convolution as `torch.nn.functional.conv2d` does, with gradients; a number counts for all dimensions.

    >>> conv(torch.ones(1, 2, 4), torch.ones(2, 1, 3), padding=1, groups=2)[0, 0].tolist()
    [2.0, 3.0, 3.0, 2.0]
    """
    if is_quiet():
        known: Tensor | None = recalled(input, weight, bias, stride, padding, dilation, groups)
        if known is not None:
            return known
    way = way_of(input, weight, bias)
    if way > RECORDED:
        traced: Tensor = CONV(input, weight, bias, *lists(input, stride, padding, dilation), groups)
        return traced
    dtype = autocast_dtype(input)
    if dtype is not None:
        input, weight, bias = cast_all(dtype, (input, weight, bias))
    if way:
        recorded: Tensor = _record(input, weight, bias, stride, padding, dilation, groups)
        return recorded
    return forward(input, weight, bias, stride, padding, dilation, groups)


def lists(input: Tensor, *values: Any) -> list[list[int]]:
    """Return each value with one entry per spatial dimension of `input`.

    >>> lists(torch.ones(1, 1, 4, 4), 2, (1, 0))
    [[2, 2], [1, 0]]
    """
    dims = input.dim() - 2
    return [[value] * dims if type(value) is int else list(per_dim(value, dims)) for value in values]


def forward(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    """Return the convolution of plain tensors."""
    last = is_last(input)
    geometry = _named((stride, padding, dilation, groups))
    found: Tensor = _conv.conv(to_format(input, last), to_format(weight, last), bias=bias, **geometry)
    return found


def recalled(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """Return the convolution of tensors that look like those of an earlier call; None if there was none."""
    given = {"input": input, "weight": weight, "output": None}
    if bias is not None:
        given["d0"] = bias
    choices = ("forward", stride, padding, dilation, groups, None, None, "add", "none", 1.0, 1.0, None, None)
    try:
        return given["output"] if remembered((_conv.CONV, choices, None), given) else None
    except TypeError:  # a list, which is no key
        return None


def _recalled_data(grad: Tensor, weight: Tensor, size: Any, geometry: tuple[Any, ...]) -> Any:
    """Return the gradient of the input if such a call was made before; else None."""
    return _recalled_gradient("backward_data", {"input": None, "weight": weight, "output": grad}, size, geometry)


def _recalled_weight(input: Tensor, grad: Tensor, size: Any, geometry: tuple[Any, ...]) -> Any:
    """Return the gradient of the weight if such a call was made before; else None."""
    if torch.are_deterministic_algorithms_enabled():
        return None
    return _recalled_gradient("backward_weight", {"input": input, "weight": None, "output": grad}, size, geometry)


def _recalled_gradient(direction: str, given: dict[str, Any], size: Any, geometry: tuple[Any, ...]) -> Any:
    """Run a remembered gradient. Tensors of several memory formats are in no memo: kernels refuse them."""
    choices = (direction, *geometry, size, None, "add", "none", 1.0, 1.0, None, None)
    try:
        return given[RESULT[direction]] if remembered((_conv.CONV, choices, None), given) else None
    except TypeError:  # a list, which is no key
        return None


def data_gradient(grad: Tensor, weight: Tensor, input_size: Any, *geometry: Any) -> Tensor:
    """Return the gradient of the input; `input_size` is its spatial size or its whole shape.

    `geometry` is stride, padding, dilation and groups.
    """
    found: Tensor = _conv.conv_backward_data(
        to_format(grad, is_last(grad)), like(weight, grad), input_size, **_named(geometry)
    )
    return found


def weight_gradient(input: Tensor, grad: Tensor, filter_size: Any, *geometry: Any) -> Tensor:
    """Return the gradient of the weight; `filter_size` is its spatial size or its whole shape.

    Kernels on a GPU may add shares in no fixed order, so torch computes it there under
    `torch.use_deterministic_algorithms`.
    """
    if torch.are_deterministic_algorithms_enabled() and input.is_cuda:
        return _fixed_weight_gradient(input, grad, filter_size, *geometry)
    found: Tensor = _conv.conv_backward_weight(
        to_format(input, is_last(input)), like(grad, input), filter_size, **_named(geometry)
    )
    return found


def _named(geometry: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(("stride", "padding", "dilation", "groups"), geometry, strict=True))


def _fixed_weight_gradient(
    input: Tensor, grad: Tensor, filter_size: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    dims = input.dim() - 2
    shape = (grad.shape[1], input.shape[1] // groups, *filter_size[-dims:])
    weight = to_format(input.new_empty(shape), is_last(input))
    geometry = lists(input, stride, padding, dilation)
    found: Tensor = torch.ops.aten.convolution_backward(
        grad, input, weight, None, *geometry, False, [0] * dims, groups, [False, True, False]
    )[1]
    return found


def bias_gradient(grad: Tensor) -> Tensor:
    """Return the gradient summed over everything but its channels.

    >>> bias_gradient(torch.ones(2, 3, 4)).tolist()
    [8.0, 8.0, 8.0]
    """
    return grad.sum((0, *range(2, grad.dim())))


class _Conv(torch.autograd.Function):
    """`conv` with gradients, without the dispatcher of torch between."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, weight: Tensor, bias: Tensor | None, *geometry: Any) -> Tensor:
        """Return the convolution."""
        ctx.save_for_backward(input, weight)
        ctx.geometry = geometry
        known: Tensor | None = recalled(input, weight, bias, *geometry)
        return forward(input, weight, bias, *geometry) if known is None else known

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Return the gradients of input, weight and bias."""
        input, weight = ctx.saved_tensors
        wants, geometry = ctx.needs_input_grad, ctx.geometry
        if grad.stride() != input.stride() or grad.shape != input.shape:  # else it is in the same memory format
            grad = like(grad, input)
        data = _recalled_data(grad, weight, input.shape[2:], geometry) if wants[0] else None
        if wants[0] and data is None:
            data = data_gradient(grad, weight, input.shape[2:], *geometry)
        weights = _recalled_weight(input, grad, weight.shape[2:], geometry) if wants[1] else None
        if wants[1] and weights is None:
            weights = weight_gradient(input, grad, weight.shape[2:], *geometry)
        return data, weights, bias_gradient(grad) if wants[2] else None, None, None, None, None


_record = recorder(_Conv)


def is_last(x: Tensor) -> bool:
    """Return whether channels lie next to each other in memory, and `x` is not in channels-first memory too.

    >>> is_last(torch.ones(1, 2, 2, 2)), is_last(torch.ones(1, 2, 2, 2).to(memory_format=torch.channels_last))
    (False, True)
    """
    return not x.is_contiguous() and x.stride(1) == 1


def to_format(x: Tensor, last: bool) -> Tensor:
    """Return `x` in channels-last memory, or in channels-first memory.

    >>> is_last(to_format(torch.ones(1, 2, 2, 2), True))
    True
    """
    if not last:
        return x.contiguous()
    return x.contiguous(memory_format=FORMATS[x.dim()]) if x.dim() in FORMATS else x.mT.contiguous().mT


def like(x: Tensor, other: Tensor) -> Tensor:
    """Return `x` in the memory format of `other`."""
    return to_format(x, is_last(other))


def _shape(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
) -> Tensor:
    torch._check(  # type: ignore[no-untyped-call]
        input.shape[1] == weight.shape[1] * groups,
        lambda: f"input is {tuple(input.shape)}, weight {tuple(weight.shape)}, groups {groups}: channels differ",
    )
    spatial = [
        (size + 2 * p - d * (f - 1) - 1) // s + 1
        for size, f, s, p, d in zip(input.shape[2:], weight.shape[2:], stride, padding, dilation, strict=True)
    ]
    return to_format(input.new_empty((input.shape[0], weight.shape[0], *spatial)), is_last(input))


def _data_shape(grad: Tensor, weight: Tensor, input_size: list[int], *geometry: Any) -> Tensor:
    groups = geometry[-1]
    spatial = input_size[2 - grad.dim() :]
    return to_format(grad.new_empty((grad.shape[0], weight.shape[1] * groups, *spatial)), is_last(grad))


def _weight_shape(input: Tensor, grad: Tensor, filter_size: list[int], *geometry: Any) -> Tensor:
    groups = geometry[-1]
    spatial = filter_size[2 - input.dim() :]
    return to_format(input.new_empty((grad.shape[1], input.shape[1] // groups, *spatial)), is_last(input))


def keep_operands(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    """Save what the gradients of a convolution, or of a transposed one, need: the geometry comes last."""
    ctx.save_for_backward(*inputs[:2])
    ctx.geometry, ctx.count = inputs[-4:], len(inputs)


def gradients(ctx: Any, grad: Tensor, data: Gradient, weights: Gradient) -> tuple[Any, ...]:
    """Return the gradients of input, weight and bias, and None for every other argument.

    `data` and `weights` are functions of the input, the weight and the gradient in the input's memory format.
    """
    input, weight = ctx.saved_tensors
    wants, grad = ctx.needs_input_grad, like(grad, input)
    found = [compute(input, weight, grad) if wants[i] else None for i, compute in enumerate((data, weights))]
    return *found, bias_gradient(grad) if wants[2] else None, *[None] * (ctx.count - 3)


@once
def _gradient(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    return gradients(
        ctx, grad,
        lambda x, w, g: CONV_BACKWARD_DATA(g, w, list(x.shape[2:]), *ctx.geometry),
        lambda x, w, g: CONV_BACKWARD_WEIGHT(x, g, list(w.shape[2:]), *ctx.geometry),
    )  # fmt: skip


CONV = operator(
    f"conv(Tensor input, Tensor weight, Tensor? bias, {GEOMETRY}) -> Tensor",
    forward,
    _shape,
    backward=_gradient,
    keep=keep_operands,
)
CONV_BACKWARD_DATA = operator(
    f"conv_backward_data(Tensor grad, Tensor weight, SymInt[] input_size, {GEOMETRY}) -> Tensor",
    data_gradient,
    _data_shape,
)
CONV_BACKWARD_WEIGHT = operator(
    f"conv_backward_weight(Tensor input, Tensor grad, SymInt[] filter_size, {GEOMETRY}) -> Tensor",
    weight_gradient,
    _weight_shape,
)
