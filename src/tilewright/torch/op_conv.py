"""`conv`: grouped convolution in one to three dimensions, its gradients, and operators for tracing.

Results and gradients are in the memory format that torch gives them (`formats`). Tensors in another one are copied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional

from ..errors import ProblemError
from ..frontends import conv as _conv
from ..frontends.call import Description, Tensors, Views, hashable, remembered, run
from ..ops.conv import ConvProblem
from ..ops.conv.parse import per_dim
from ..ops.conv.signature import RESULT
from .fitness import why_no_kernel
from .formats import FORMATS as FORMATS
from .formats import is_last as is_last
from .formats import like as like
from .formats import readable, wants_last
from .formats import to_format as to_format
from .leaving import gradient_or_torchs, ours_or_torchs
from .registration import operator, result_dtype
from .ways import RECORDED, autocast_dtype, can_use_memo, cast_all, once, recorder, way_of

Tensor = torch.Tensor
Gradient = Callable[[Tensor, Tensor, Tensor, bool], Tensor]  # from input, weight, gradient and memory format
GEOMETRY = "int[] stride, int[] padding, int[] dilation, int groups"
PLAIN = ("add", "none", 1.0, 1.0, None, None)  # the epilogue, no other dtype, any split of k


def conv(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Return the convolution as `torch.nn.functional.conv2d` does, in one to three dimensions, with gradients.

    `input` may be one image without a batch, `padding` may be "same" or "valid", and a number counts for all
    dimensions. The result is in the memory format of torch's. What no kernel computes is left to torch (`left_calls`).

    >>> conv(torch.ones(1, 2, 4), torch.ones(2, 1, 3), padding=1, groups=2)[0, 0].tolist()
    [2.0, 3.0, 3.0, 2.0]
    """
    if can_use_memo():
        known: Tensor | None = recalled(input, weight, bias, stride, padding, dilation, groups)
        if known is not None:
            return known
    values = (input, weight, bias, stride, padding, dilation, groups)
    found: Tensor = ours_or_torchs("conv", why_no_kernel(input), conv_by_kernel, _torchs_conv, *values)
    return found


def _torchs_conv(input: Tensor, weight: Tensor, *rest: Any) -> Tensor:
    found: Tensor = getattr(functional, f"conv{weight.dim() - 2}d")(input, weight, *rest)
    return found


def conv_by_kernel(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    last: bool | None = None,
) -> Tensor:
    """Return `conv` by a kernel, or raise an error. `last` is the memory format of all tensors; None is torch's choice.

    >>> conv_by_kernel(torch.ones(2, 4), torch.ones(1, 2, 2), padding="same").tolist()
    [[4.0, 4.0, 4.0, 2.0]]
    """
    if input.dim() == weight.dim() - 1:
        one = conv_by_kernel(input[None], weight, bias, stride, padding, dilation, groups, last)
        return one.squeeze(0)
    if isinstance(padding, str):
        input, padding = padded(input, weight, stride, padding, dilation)
    stride, padding, dilation = single(stride), single(padding), single(dilation)
    way = way_of(input, weight, bias)
    if way > RECORDED:
        traced: Tensor = CONV(input, weight, bias, *lists(input, stride, padding, dilation), groups)
        return traced
    dtype = autocast_dtype(input)
    if dtype is not None:
        input, weight, bias = cast_all(dtype, (input, weight, bias))
    if way:
        recorded: Tensor = _record(input, weight, bias, last, stride, padding, dilation, groups)
        return recorded
    return forward(input, weight, bias, stride, padding, dilation, groups, last)


def padded(input: Tensor, weight: Tensor, stride: Any, padding: str, dilation: Any) -> tuple[Tensor, list[int]]:
    """Return the input and the paddings that a word means; where the two sides differ, zeros are put at the end."""
    if padding not in ("same", "valid"):
        raise ProblemError(f'padding is {padding!r}; as a word it is "same" or "valid"')
    dims = weight.dim() - 2
    if padding == "valid":
        return input, [0] * dims
    steps, dilations = lists(weight, stride, dilation)
    if any(step != 1 for step in steps):
        raise ProblemError(f'stride is {stride}; padding="same" needs a stride of 1')
    total = [d * (f - 1) for d, f in zip(dilations, weight.shape[2:], strict=True)]
    if any(t % 2 for t in total):
        input = functional.pad(input, [n for t in reversed(total) for n in (0, t % 2)])
    return input, [t // 2 for t in total]


def single(value: Any) -> Any:
    """Return the only entry of a sequence, which counts for all dimensions as a number does; others as they are.

    >>> single([2]), single((1, 2)), single(3)
    (2, (1, 2), 3)
    """
    return value[0] if isinstance(value, (tuple, list)) and len(value) == 1 else value


def lists(input: Tensor, *values: Any) -> list[list[int]]:
    """Return each value with one entry per spatial dimension of `input`.

    >>> lists(torch.ones(1, 1, 4, 4), 2, (1, 0), [3])
    [[2, 2], [1, 0], [3, 3]]
    """
    dims = input.dim() - 2
    return [list(per_dim(single(value), dims)) for value in values]


def forward(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    last: bool | None = None,
) -> Tensor:
    """Return the convolution of plain tensors; `last` is the memory format of all of them, None is torch's choice."""
    chosen = wants_last(input, weight) if last is None else last
    given = {"input": readable(input, chosen), "weight": to_format(weight, chosen), "output": None}
    if bias is not None:
        given["d0"] = bias
    geometry = (*map(hashable, (stride, padding, dilation)), groups)
    found: Tensor = run(IMAGES, given, ("forward", *geometry, None, None, *PLAIN, last))["output"]
    return found


def recalled(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """Return the convolution of tensors that look like those of an earlier call; None if there was none."""
    given = {"input": input, "weight": weight, "output": None}
    if bias is not None:
        given["d0"] = bias
    choices = ("forward", stride, padding, dilation, groups, None, None, *PLAIN, None)
    try:
        return given["output"] if remembered((IMAGES, choices, None), given) else None
    except TypeError:  # a list, which is no key
        return None


def data_gradient(grad: Tensor, weight: Tensor, input_size: Any, last: bool, *geometry: Any) -> Tensor:
    """Return the gradient of the input; `input_size` is its spatial size or its whole shape.

    `geometry` is stride, padding, dilation and groups; `last` is the memory format of all tensors.
    """
    given = {"input": None, "weight": to_format(weight, last), "output": readable(grad, last)}
    return _gradient_of("backward_data", given, input_size, last, geometry)


def weight_gradient(input: Tensor, grad: Tensor, filter_size: Any, last: bool, *geometry: Any) -> Tensor:
    """Return the gradient of the weight; `filter_size` is its spatial size or its whole shape.

    Kernels on a GPU may add shares in no fixed order, so torch computes it there under
    `torch.use_deterministic_algorithms`.
    """
    if torch.are_deterministic_algorithms_enabled() and input.is_cuda:
        return _torchs_gradient("backward_weight", {"input": input, "output": grad}, filter_size, last, geometry)
    given = {"input": readable(input, last), "weight": None, "output": readable(grad, last)}
    return _gradient_of("backward_weight", given, filter_size, last, geometry)


def _gradient_of(direction: str, given: Tensors, size: Any, last: bool, geometry: tuple[Any, ...]) -> Tensor:
    def ours(*_: Any) -> Tensor:
        choices = (direction, *map(hashable, geometry), hashable(size), None, *PLAIN, last)
        found: Tensor = run(IMAGES, given, choices)[RESULT[direction]]
        return found

    def torchs(*_: Any) -> Tensor:
        return _torchs_gradient(direction, given, size, last, geometry)

    found: Tensor = gradient_or_torchs("conv", ours, torchs, *given.values())
    return found


def _torchs_gradient(direction: str, given: Tensors, size: Any, last: bool, geometry: tuple[Any, ...]) -> Tensor:
    """Return the gradient of the input, or of the weight, by torch."""
    grad, result, groups = given["output"], RESULT[direction], geometry[3]
    dims = grad.dim() - 2
    if result == "input":
        shape = (grad.shape[0], given["weight"].shape[1] * groups, *size[-dims:])
    else:
        shape = (grad.shape[1], given["input"].shape[1] // groups, *size[-dims:])
    tensors = {**given, result: empty_images(grad, shape, last)}
    wanted = [result == "input", result == "weight", False]
    found: Tensor = torch.ops.aten.convolution_backward(
        grad, tensors["input"], tensors["weight"], None, *lists(grad, *geometry[:3]), False, [0] * dims, groups, wanted
    )[wanted.index(True)]
    return found


def _pose(given: Tensors, views: Views, *, channels_last: bool | None, **choices: Any) -> ConvProblem:
    """Return the problem in the memory format of torch's result, unless one is chosen."""
    last = wants_last(given["input"], given["weight"]) if channels_last is None else channels_last
    posed: ConvProblem = _conv.CONV.pose(given, views, channels_last=last, **choices)
    return posed


IMAGES = Description("conv", (*_conv.CONV.choices, "channels_last"), _pose, _conv.CONV.result, places=_conv.CONV.places)


def bias_gradient(grad: Tensor) -> Tensor:
    """Return the gradient summed over everything but its channels.

    >>> bias_gradient(torch.ones(2, 3, 4)).tolist()
    [8.0, 8.0, 8.0]
    """
    return grad.sum((0, *range(2, grad.dim())))


class _Conv(torch.autograd.Function):
    """`conv` with gradients, without the dispatcher of torch between. `last` is the memory format; None is torch's."""

    @staticmethod
    def forward(
        ctx: Any, input: Tensor, weight: Tensor, bias: Tensor | None, last: bool | None, *geometry: Any
    ) -> Tensor:
        """Return the convolution."""
        ctx.save_for_backward(input, weight)
        ctx.geometry, ctx.last = geometry, last
        known: Tensor | None = recalled(input, weight, bias, *geometry) if last is None else None
        return forward(input, weight, bias, *(*geometry, last)) if known is None else known

    @staticmethod
    @once
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Return the gradients of input, weight and bias."""
        input, weight = ctx.saved_tensors
        wants, geometry = ctx.needs_input_grad, ctx.geometry
        last = wants_last(input, weight) if ctx.last is None else ctx.last
        grad = readable(grad, last)
        data = data_gradient(grad, weight, input.shape[2:], last, *geometry) if wants[0] else None
        weights = weight_gradient(input, grad, weight.shape[2:], last, *geometry) if wants[1] else None
        return data, weights, bias_gradient(grad) if wants[2] else None, None, None, None, None, None


_record = recorder(_Conv)


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
    return empty_result(input, weight, stride, padding, dilation, wants_last(input, weight))


def empty_result(input: Tensor, weight: Tensor, stride: Any, padding: Any, dilation: Any, last: bool) -> Tensor:
    """Return the empty result of a convolution in a memory format."""
    spatial = [
        (size + 2 * p - d * (f - 1) - 1) // s + 1
        for size, f, s, p, d in zip(input.shape[2:], weight.shape[2:], stride, padding, dilation, strict=True)
    ]
    return empty_images(input, (input.shape[0], weight.shape[0], *spatial), last)


def empty_images(like: Tensor, shape: tuple[int, ...], last: bool) -> Tensor:
    """Return an empty result in a memory format, on the device of an operand, which decides the dtype.

    >>> empty_images(torch.ones(1), (1, 2, 1, 1), True).stride()
    (2, 1, 2, 2)
    """
    if last and len(shape) not in FORMATS:
        return like.new_empty((shape[0], shape[2], shape[1]), dtype=result_dtype(like)).mT
    chosen = FORMATS[len(shape)] if last else torch.contiguous_format
    return torch.empty(shape, dtype=result_dtype(like), device=like.device, memory_format=chosen)


def _data_shape(grad: Tensor, weight: Tensor, input_size: list[int], last: bool, *geometry: Any) -> Tensor:
    groups = geometry[-1]
    spatial = input_size[2 - grad.dim() :]
    return empty_images(weight, (grad.shape[0], weight.shape[1] * groups, *spatial), last)


def _weight_shape(input: Tensor, grad: Tensor, filter_size: list[int], last: bool, *geometry: Any) -> Tensor:
    groups = geometry[-1]
    spatial = filter_size[2 - input.dim() :]
    return empty_images(input, (grad.shape[1], input.shape[1] // groups, *spatial), last)


def keep_operands(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    """Save what the gradients of a convolution, or of a transposed one, need: the geometry comes last."""
    ctx.save_for_backward(*inputs[:2])
    ctx.geometry, ctx.count = inputs[-4:], len(inputs)


def gradients(ctx: Any, grad: Tensor, data: Gradient, weights: Gradient) -> tuple[Any, ...]:
    """Return the gradients of input, weight and bias, and None for every other argument.

    `data` and `weights` are functions of the input, the weight, the gradient and the memory format of the results.
    """
    input, weight = ctx.saved_tensors
    wants, last = ctx.needs_input_grad, wants_last(input, weight)
    found = [compute(input, weight, grad, last) if wants[i] else None for i, compute in enumerate((data, weights))]
    return *found, bias_gradient(grad) if wants[2] else None, *[None] * (ctx.count - 3)


@once
def _gradient(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    return gradients(
        ctx, grad,
        lambda x, w, g, last: CONV_BACKWARD_DATA(g, w, list(x.shape[2:]), last, *ctx.geometry),
        lambda x, w, g, last: CONV_BACKWARD_WEIGHT(x, g, list(w.shape[2:]), last, *ctx.geometry),
    )  # fmt: skip


CONV = operator(
    f"conv(Tensor input, Tensor weight, Tensor? bias, {GEOMETRY}) -> Tensor",
    forward,
    _shape,
    backward=_gradient,
    keep=keep_operands,
)
CONV_BACKWARD_DATA = operator(
    f"conv_backward_data(Tensor grad, Tensor weight, SymInt[] input_size, bool channels_last, {GEOMETRY}) -> Tensor",
    data_gradient,
    _data_shape,
)
CONV_BACKWARD_WEIGHT = operator(
    f"conv_backward_weight(Tensor input, Tensor grad, SymInt[] filter_size, bool channels_last, {GEOMETRY}) -> Tensor",
    weight_gradient,
    _weight_shape,
)
