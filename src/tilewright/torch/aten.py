"""The problems that torch's own operators pose: products, convolutions with their gradients, and attention.

Only shapes, strides and dtypes are read, so meta and fake tensors do as well. A weight, or a gradient, counts as being
in the memory format of the input, as the operators of this package bring it there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any, TypeVar

import torch

from ..model.dtype import dtype_of_name
from ..model.problem import Problem
from ..model.tensor import TensorView
from ..ops.conv import ConvProblem
from ..ops.conv.bind import Geometry
from ..ops.conv.bind import problem_of as conv_problem
from ..ops.fmha.problem import FmhaProblem
from ..ops.fmha.tensors import problem_of as fmha_problem
from ..ops.gemm import Epilogue, GemmProblem
from ..ops.gemm.tensors import problem_of as gemm_problem
from .formats import FORMATS, is_readable, wants_last

aten = torch.ops.aten
CONVOLUTION = aten.convolution.default
# Operators that multiply matrices; those not in `POSERS` are reported as left out.
PRODUCT_OPS = re.compile(
    r"(^|_)(add|b|badd|addb)?mm($|_)|conv(?!ert|olution_overrideable)|attention|rnn|lstm|gru|^(add)?mv$|^v?dot$"
)
NO_PROBLEM = "no problem of tilewright describes this operator"
OWN = "this operator of tilewright is recorded with real tensors only"


@dataclass(frozen=True)
class Place:
    """Where problems are: on the tensors' device, or at `chosen` if that is given. Meta tensors count as host's."""

    chosen: str | None = None

    def of(self, tensor: torch.Tensor) -> str:
        """Return the place of a tensor."""
        if self.chosen is not None:
            return self.chosen
        return "cpu" if tensor.device.type == "meta" else str(tensor.device)

    def view(self, tensor: torch.Tensor) -> TensorView:
        """Return the view of a tensor that may have no memory."""
        return self.strided(tensor, tensor.shape, tensor.stride())

    def strided(self, tensor: torch.Tensor, shape: Sequence[Any], strides: Sequence[Any]) -> TensorView:
        """Return a view with the dtype and place of `tensor`, and another shape."""
        dtype = dtype_of_name(str(tensor.dtype).removeprefix("torch."))
        return TensorView(0, dtype, tuple(map(int, shape)), tuple(map(int, strides)), self.of(tensor), False)


Posed = TypeVar("Posed", GemmProblem, ConvProblem, FmhaProblem)


def tidy(problem: Posed) -> Posed:
    """Return the problem without strides of dense tensors and without pointer alignments: as one would write it."""
    plain = replace(problem, strides={}, alignment={})
    wanted = {role: steps for role, steps in problem.strides.items() if not _dense(plain, role, steps)}
    return replace(plain, strides=wanted)


def _dense(plain: GemmProblem | ConvProblem | FmhaProblem, role: str, steps: Sequence[int]) -> bool:
    if isinstance(plain, ConvProblem):
        dense, extents = plain.stride_of(role), plain.extents(role)
    elif isinstance(plain, GemmProblem):
        dense, extents = plain.stride(role), (plain.batch, *plain.shape(role))
    else:
        dense, extents = plain.stride(role), plain.shape(role)
    return all(n <= 1 or a == b for n, a, b in zip(extents, dense, steps, strict=True))


def _product(
    place: Place, a: Any, b: Any, d: Any = None, activation: str = "none", alpha: Any = 1, beta: Any = 1
) -> list[Problem]:
    views = {"a": place.view(a), "b": place.view(b)}
    if d is not None:
        views["d0"] = place.view(d)
    return [gemm_problem(views, epilogue=Epilogue("add", activation, float(alpha), float(beta)))]


def _mm(place: Place, a: Any, b: Any, *_: Any, **__: Any) -> list[Problem]:
    return _product(place, a, b)


def _addmm(place: Place, d: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> list[Problem]:
    return _product(place, a, b, d if beta else None, alpha=alpha, beta=beta or 1)


def _addmm_activation(
    place: Place, d: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1, use_gelu: bool = False
) -> list[Problem]:
    return _product(place, a, b, d, "gelu_tanh" if use_gelu else "relu", alpha=alpha, beta=beta)


def in_format_of(tensors: Sequence[torch.Tensor], result: torch.Tensor) -> torch.Tensor:
    """Return the result of a convolution on meta tensors in the memory format that it has on any device.

    torch leaves that of a meta tensor contiguous, because it depends on the device what it is.
    """
    return result.contiguous(memory_format=FORMATS[result.dim()]) if wants_last(*tensors[:2]) else result


@dataclass(frozen=True)
class Images:
    """The tensors of one convolution in a memory format: dense, or images where kernels read them."""

    place: Place
    first: torch.Tensor
    last: bool

    @classmethod
    def of(cls, place: Place, first: torch.Tensor, weight: torch.Tensor) -> Images:
        """Return the tensors in the memory format that torch gives to the convolution of these two."""
        return cls(place, first, wants_last(first, weight))

    def view(self, tensor: torch.Tensor) -> TensorView:
        """Return the view of a tensor as kernels get it; a bias has no memory format."""
        if tensor.dim() == 1 or (tensor is self.first and is_readable(tensor, self.last)):
            return self.place.view(tensor)
        shape = [int(n) for n in tensor.shape]
        order = [0, *range(2, len(shape)), 1] if self.last else list(range(len(shape)))
        strides, step = [0] * len(shape), 1
        for axis in reversed(order):
            strides[axis], step = step, step * shape[axis]
        return self.place.strided(tensor, shape, strides)

    def pose(
        self, direction: str, geometry: Geometry, *operands: Any, combine: str = "add", activation: str = "none",
        **tensors: torch.Tensor,
    ) -> Problem:  # fmt: skip
        """Return the problem of these tensors by role; `operands` are those of the epilogue, None if absent."""
        given = {f"d{i}": t for i, t in enumerate(t for t in operands if t is not None)}
        views = {role: self.view(t) for role, t in {**tensors, **given}.items()}
        epilogue = Epilogue(combine, activation)
        return conv_problem(direction, views, replace(geometry, channels_last=self.last), epilogue)


def geometry_of(stride: Any, padding: Any, dilation: Any, groups: int, size: Sequence[int] | None = None) -> Geometry:
    """Return the parameters of a convolution from the arguments of an operator."""
    stride, padding, dilation = (tuple(int(v) for v in values) for values in (stride, padding, dilation))
    return Geometry(stride, padding, dilation, groups, None if size is None else tuple(map(int, size)))


def _transposed_size(x: Any, w: Any, stride: Any, pad: Any, dilation: Any, more: Any) -> list[int]:
    sizes = zip(x.shape[2:], w.shape[2:], stride, pad, dilation, more, strict=True)
    return [(n - 1) * s - 2 * p + d * (f - 1) + m + 1 for n, f, s, p, d, m in sizes]


def _convolution(
    place: Place,
    x: Any,
    w: Any,
    bias: Any,
    stride: Any,
    pad: Any,
    dilation: Any,
    transposed: bool,
    more: Any,
    groups: int,
) -> list[Problem]:
    images = Images.of(place, x, w)
    if transposed:  # the gradient of the input of a convolution
        geometry = geometry_of(stride, pad, dilation, groups, _transposed_size(x, w, stride, pad, dilation, more))
        return [images.pose("backward_data", geometry, bias, output=x, weight=w)]
    return [images.pose("forward", geometry_of(stride, pad, dilation, groups), bias, input=x, weight=w)]


def _convolution_backward(
    place: Place, grad: Any, x: Any, w: Any, bias_sizes: Any, stride: Any, pad: Any, dilation: Any, transposed: bool,
    more: Any, groups: int, wanted: Sequence[bool],
) -> list[Problem]:  # fmt: skip
    images, found = Images.of(place, x, w), []
    if wanted[0] and transposed:
        found.append(images.pose("forward", geometry_of(stride, pad, dilation, groups), input=grad, weight=w))
    elif wanted[0]:
        geometry = geometry_of(stride, pad, dilation, groups, x.shape[2:])
        found.append(images.pose("backward_data", geometry, output=grad, weight=w))
    if wanted[1]:
        geometry = geometry_of(stride, pad, dilation, groups, w.shape[2:])
        given, result = (grad, x) if transposed else (x, grad)
        found.append(images.pose("backward_weight", geometry, input=given, output=result))
    return found


Poser = Callable[..., list[Problem]]
POSERS: dict[Any, Poser] = {
    aten.mm.default: _mm,
    aten.bmm.default: _mm,
    aten._int_mm.default: _mm,
    aten.addmm.default: _addmm,
    aten.baddbmm.default: _addmm,
    aten._addmm_activation.default: _addmm_activation,
    CONVOLUTION: _convolution,
    aten.convolution_backward.default: _convolution_backward,
}


@dataclass(frozen=True)
class Attention:
    """One call of `scaled_dot_product_attention`: what it is given besides q, k and v."""

    mask: torch.Tensor | None = None
    dropout: float = 0.0
    causal: bool = False
    scale: float | None = None

    @classmethod
    def of(cls, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, scale: Any = None,
           enable_gqa: bool = False) -> Attention:  # fmt: skip
        """Return the call with torch's names of its arguments; the shapes say whether key heads are shared."""
        return cls(attn_mask, float(dropout_p), bool(is_causal), scale)

    def problem(self, place: Place, q: Any, k: Any, v: Any, backward: bool, lse: bool) -> FmhaProblem:
        """Return the problem of the forward pass, with the LSE if gradients follow, or of the backward pass."""
        views = {role: _rows(place, t) for role, t in (("q", q), ("k", k), ("v", v))}
        fields: dict[str, Any] = {"family": "bwd" if backward else "fwd", "lse": lse}
        if self.mask is not None:
            views["bias"] = _bias(place, self.mask, q)
        if self.causal:
            fields["mask"] = "causal_top_left"
        if self.dropout:
            fields["dropout"] = self.dropout
        if self.scale is not None and float(self.scale) != 1 / sqrt(q.shape[-1]):
            fields["scale"] = float(self.scale)
        if backward and torch.are_deterministic_algorithms_enabled():
            fields["deterministic"] = True
        return fmha_problem(views, **fields)


def _rows(place: Place, t: Any) -> TensorView:
    """Return [batch, heads, rows, hdim] as [batch, rows, heads, hdim]; three dimensions have one head."""
    shape, steps = list(t.shape), list(t.stride())
    if len(shape) == 3:
        shape.insert(1, 1)
        steps.insert(1, 0)
    if len(shape) != 4:
        return place.view(t)  # the problem says what is wrong with it
    order = (0, 2, 1, 3)
    return place.strided(t, [shape[i] for i in order], [steps[i] for i in order])


def _bias(place: Place, mask: Any, q: Any) -> TensorView:
    """Return the mask as a bias of the dtype of q: a mask of booleans becomes one, and rows are not shared."""
    shape = [1] * (4 - mask.dim()) + [int(n) for n in mask.shape]
    shape[2] = int(q.shape[-2])
    strides, step = [0] * 4, 1
    for axis in (3, 2, 1, 0):
        strides[axis], step = step, step * shape[axis]
    return place.strided(q, shape, strides)
