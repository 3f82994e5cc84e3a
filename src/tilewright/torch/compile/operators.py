"""Operators that the pass puts into a graph: a product, a convolution, with what follows in their epilogue.

The pass has asked for a kernel. Sizes that change may still need one that there is not: torch computes them then, and
`left_calls` counts it. Attention is the operator of `tilewright.torch` itself.
"""

from __future__ import annotations

from typing import Any

import torch

from ...frontends.call import Asked, public
from ...frontends.gemm import gemm
from ...ops.gemm.on_device import activated, gone_back
from ..fitness import NOT_COMPUTED, reason_of
from ..formats import readable, to_format
from ..leaving import note_left
from ..op_conv import GEOMETRY, IMAGES, data_gradient, empty_images, empty_result, weight_gradient
from ..registration import operator
from ..scaled import weighed_each
from .inductor import call_directly

Tensor = torch.Tensor
aten = torch.ops.aten


def product(
    a: Tensor, b: Tensor, bias: Tensor | None, residual: Tensor | None, at: Tensor | None, activation: str, alpha: float
) -> Tensor:
    """Return activation(alpha * (a @ b) + bias + residual) of matrices, or of stacks of them.

    With `at` the sum is the gradient of the activation of `at`; the gradient of `at` is returned.

    >>> ones, summand = torch.ones(3, 2), torch.tensor([[1.0, -9.0]])
    >>> product(torch.ones(1, 3), ones, torch.ones(2), summand, None, "relu", 2.0).tolist()
    [[8.0, 0.0]]
    """
    extra = [t for t in (bias, residual) if t is not None]
    try:
        found: Tensor
        if at is None:
            found = gemm(a, b, d=extra, activation=activation, alpha=alpha)
        else:
            found = gemm(a, b, d=[at, *extra], activation=activation, alpha=alpha, combine="gradient")
    except NOT_COMPUTED as error:
        note_left("compile (product)", reason_of(error))
        found = _finished((a @ b) * alpha if alpha != 1.0 else a @ b, extra, activation, at)
    return found


def _finished(value: Tensor, extra: list[Tensor], activation: str, at: Tensor | None = None) -> Tensor:
    """Return a product or convolution after its epilogue, by torch."""
    for d in extra:
        value = value + d
    done: Tensor = activated(value, activation) if at is None else gone_back(value, at, activation)
    return done


def _product_shape(a: Tensor, b: Tensor, *rest: Any) -> Tensor:
    return a.new_empty((*a.shape[:-1], b.shape[-1]))


def convolution(
    input: Tensor,
    weight: Tensor,
    scale: Tensor | None,
    bias: Tensor | None,
    residual: Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    groups: int,
    activation: str,
    last: bool,
) -> Tensor:
    """Return activation(scale * (input convolved with weight) + bias + residual).

    `scale` has a factor for each output channel, in fp32. `last` is the memory format of all images.

    >>> x, w = torch.ones(1, 1, 3), torch.ones(1, 1, 2)
    >>> convolution(x, w, None, None, torch.tensor([[[1.0, -9.0]]]), [1], [0], [1], 1, "relu", False).tolist()
    [[[3.0, 0.0]]]
    """
    try:
        found: Tensor = _convolved(
            input, weight, scale, bias, residual, stride, padding, dilation, groups, activation, last
        )
    except NOT_COMPUTED as error:
        note_left("compile (convolution)", reason_of(error))
        if scale is not None:
            weight = (weight * scale.reshape(-1, *[1] * (weight.dim() - 1))).to(weight.dtype)
        plain = aten.convolution(input, weight, bias, stride, padding, dilation, False, [0] * len(stride), groups)
        found = to_format(_finished(plain, [] if residual is None else [residual], activation), last)
    return found


@public
def _convolved(
    input: Tensor, weight: Tensor, scale: Tensor | None, bias: Tensor | None, residual: Tensor | None, *rest: Any
) -> Any:
    *geometry, groups, activation, last = rest
    given: dict[str, Any] = {"input": readable(input, last), "weight": to_format(weight, last), "output": None}
    for operand in (scale, bias, None if residual is None else to_format(residual, last)):
        if operand is not None:
            given[f"d{len(given) - 3}"] = operand
    combine = "add" if scale is None else "multiply_add"
    plain = (None, None, combine, activation, 1.0, 1.0, None, None, last)
    return Asked(IMAGES, given, ("forward", *map(tuple, geometry), groups, *plain), None, None, "output")


def _convolution_shape(
    input: Tensor, weight: Tensor, scale: Tensor | None, bias: Tensor | None, residual: Tensor | None, *rest: Any
) -> Tensor:
    stride, padding, dilation, _, _, last = rest
    return empty_result(input, weight, stride, padding, dilation, last)


def convolution_each(
    input: Tensor, weights: Tensor, bias: Tensor | None, residual: Tensor | None, activation: str, last: bool
) -> Tensor:
    """Return activation(1x1 convolutions + bias + residual); each image has its own of `weights` [batch, k, channels].

    >>> x, w = torch.ones(2, 3, 4, 4), torch.ones(2, 5, 3)
    >>> convolution_each(x, w, None, None, "relu", True).shape
    torch.Size([2, 5, 4, 4])
    """
    images = to_format(input, last)
    try:
        return weighed_each(images, weights, bias, None if residual is None else to_format(residual, last), activation)
    except NOT_COMPUTED as error:
        note_left("compile (convolution)", reason_of(error))
    found = (weights @ input.flatten(2)).reshape(*input.shape[:1], -1, *input.shape[2:])
    extra = [] if bias is None else [bias.reshape(-1, *[1] * (input.dim() - 2))]
    done = _finished(found, extra if residual is None else [*extra, residual], activation)
    return to_format(done, last)


def _convolution_each_shape(
    input: Tensor, weights: Tensor, bias: Tensor | None, residual: Tensor | None, activation: str, last: bool
) -> Tensor:
    return empty_images(input, (input.shape[0], weights.shape[1], *input.shape[2:]), last)


# None has a backward pass: they stand in graphs after autograd, and the function in Python that torch would put around
# each call takes four times as long as the call.
PRODUCT = operator(
    "product(Tensor a, Tensor b, Tensor? bias, Tensor? residual, Tensor? at, str activation, float alpha) -> Tensor",
    product,
    _product_shape,
    backward=None,
    autocast=None,
)
call_directly(PRODUCT, product)
CONVOLUTION = operator(
    f"convolution(Tensor input, Tensor weight, Tensor? scale, Tensor? bias, Tensor? residual, {GEOMETRY}, "
    "str activation, bool channels_last) -> Tensor",
    convolution,
    _convolution_shape,
    backward=None,
    autocast=None,
)
call_directly(CONVOLUTION, convolution, images=(0, 1, 4))
CONVOLUTION_EACH = operator(
    "convolution_each(Tensor input, Tensor weights, Tensor? bias, Tensor? residual, str activation, "
    "bool channels_last) -> Tensor",
    convolution_each,
    _convolution_each_shape,
    backward=None,
    autocast=None,
)
call_directly(CONVOLUTION_EACH, convolution_each, images=(0, 3))


def convolution_data(grad: Tensor, weight: Tensor, size: list[int], *rest: Any) -> Tensor:
    """Return the gradient of a convolution's input; the rest are the geometry and the memory format."""
    *geometry, last = rest
    return data_gradient(grad, weight, tuple(size), last, *geometry)


def _data_shape(grad: Tensor, weight: Tensor, size: Any, *rest: Any) -> Tensor:
    return empty_images(grad, (grad.shape[0], weight.shape[1] * rest[3], *size), rest[-1])


def convolution_weight(input: Tensor, grad: Tensor, size: list[int], *rest: Any) -> Tensor:
    """Return the gradient of a convolution's weight; the rest are the geometry and the memory format."""
    *geometry, last = rest
    return weight_gradient(input, grad, tuple(size), last, *geometry)


def _weight_shape(input: Tensor, grad: Tensor, size: Any, *rest: Any) -> Tensor:
    return empty_images(input, (grad.shape[1], input.shape[1] // rest[3], *size), rest[-1])


CONVOLUTION_DATA = operator(
    f"convolution_data(Tensor grad, Tensor weight, SymInt[] input_size, {GEOMETRY}, bool channels_last) -> Tensor",
    convolution_data,
    _data_shape,
    backward=None,
    autocast=None,
)
CONVOLUTION_WEIGHT = operator(
    f"convolution_weight(Tensor input, Tensor grad, SymInt[] filter_size, {GEOMETRY}, bool channels_last) -> Tensor",
    convolution_weight,
    _weight_shape,
    backward=None,
    autocast=None,
)
call_directly(CONVOLUTION_DATA, convolution_data, images=(0, 1))
call_directly(CONVOLUTION_WEIGHT, convolution_weight, images=(0, 1))
