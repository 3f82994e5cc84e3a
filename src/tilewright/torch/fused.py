"""Layers with the operations after them in their epilogue: activation(layer(x) + bias + residual) in one kernel.

Its weights are those of the model, or have batch norm and factors of channels folded into them. It has no gradient.
"""

from __future__ import annotations

import operator as operators
from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch import nn

from ..frontends import conv as _conv
from ..frontends.call import Description, Views, remembered, run
from ..model.tensor import TensorView
from ..ops.gemm import GemmProblem
from ..ops.gemm.on_device import activated
from . import op_linear
from .detours import is_first
from .fitness import CUDNN, MATMUL, NOT_COMPUTED, is_fp32_on_gpu, reason_of, why_left
from .folds import Fold
from .formats import with_extras
from .op_conv import GEOMETRY, like, lists, to_format
from .op_conv import _shape as conv_shape
from .packed import PackedWeight, fits
from .registration import operator
from .report import Report
from .scaled import is_readable, scaled_each
from .ways import autocast_dtype, can_use_memo, cast_all, way_of

Tensor = torch.Tensor
Sum = Callable[[Any, Any], Any]
EACH = frozenset({"cuda"})  # where each of several images gets a weight of its own (squeeze-and-excite)


class Fused(nn.Module):
    """A layer with an epilogue. `fold` makes its weight and bias from those of the model.

    A subclass says how its tensors are called (`roles`: input, weight, result), what `asks` for a remembered call
    with an activation, and computes by a kernel or by torch. `add` is how the model adds the residual: in place, a sum
    has the dtype and shape of what is written.
    """

    roles: ClassVar[tuple[str, str, str]]
    precision: ClassVar[str]  # the setting of torch that allows TF32
    asks: dict[str, tuple[Any, ...]]

    def __init__(self, path: str, activation: str, fold: Fold, add: Sum = operators.add) -> None:
        super().__init__()
        self.path, self.activation, self.fold, self.add = path, activation, fold, add
        self.report: Report | None = None
        self.weight, self.bias = fold()
        self.shapes = [t.shape for t in fold.sources()]
        self.age = 0  # how often the weights were made anew

    def refold(self) -> None:
        """Make the weights anew: those of the model have changed. Folded ones stay in their memory if they can."""
        weight, bias = self.fold()
        if self.fold.computes and weight.device == self.weight.device and weight.dtype is self.weight.dtype:
            self.weight.copy_(weight)
            if self.bias is not None and bias is not None:
                self.bias.copy_(bias)
        else:
            self.weight, self.bias = weight, bias
        self.age += 1

    def forward(self, x: Tensor, residual: Any = None) -> Tensor:
        """Return activation(layer(x) + bias + residual)."""
        return self.computed(x, residual, self.activation)

    def computed(self, x: Tensor, residual: Any, activation: str) -> Tensor:
        """Return the result with the activation of this layer, or without one."""
        if can_use_memo() and not is_fp32_on_gpu(x) and (residual is None or _is_like(x, residual)):
            given = _given(self.roles, x, self.weight, self.bias, residual)
            if remembered(self.asks[activation], given):
                known: Tensor = given[self.roles[2]]
                return known
        return self._slowly(x, residual, activation)

    def _slowly(self, x: Tensor, residual: Any, activation: str) -> Tensor:
        self._follow(x)
        reason = self.why_left(x)
        unfit = None if reason is not None or residual is None else self.why_unfit(x, residual)
        if unfit is not None:
            self.note_apart(f"torch adds the residual: {unfit}")
            return self._summed(self.computed(x, None, "none"), residual, activation)
        if reason is None:
            try:
                return self.by_kernel(x, residual, activation)
            except NOT_COMPUTED as error:
                reason = reason_of(error)
        if self.report is not None:
            self.report.note_left(self.path, reason)
        return self._summed(self.by_torch(x), residual, activation)

    def _summed(self, before: Tensor, residual: Any, activation: str) -> Tensor:
        result: Tensor = activated(before if residual is None else self.add(before, residual), activation)
        return result

    def note_apart(self, reason: str) -> None:
        """Record that torch computes a part of a call."""
        if self.report is not None and not torch.compiler.is_compiling():
            self.report.note(self.path, reason, warns=False)

    def _follow(self, x: Tensor) -> None:
        """Make the weights anew if the model has moved to the device or dtype of `x` since they were made."""
        if (x.device != self.weight.device or x.dtype is not self.weight.dtype) and not torch.compiler.is_compiling():
            self.refold()

    def why_left(self, x: Tensor) -> str | None:
        """Return why torch computes the layer; None if a kernel may."""
        return why_left(x, self.weight, self.precision)

    def why_unfit(self, x: Tensor, residual: Any) -> str | None:
        """Return why the kernel cannot add a residual: it is not like the result of the layer. None if it can."""
        if not isinstance(residual, Tensor):
            return "it is no tensor"
        dtype, shape = autocast_dtype(x) or x.dtype, self.shape_of(x)
        if residual.dtype is not dtype:
            return f"it is {residual.dtype}, the result of the layer {dtype}".replace("torch.", "")
        if residual.shape != shape:
            return f"it has shape {tuple(residual.shape)}, the result of the layer {shape}"
        return None

    def shape_of(self, x: Tensor) -> tuple[int, ...]:
        """Return the shape of the layer's result."""
        raise NotImplementedError

    def by_kernel(self, x: Tensor, residual: Tensor | None, activation: str) -> Tensor:
        """Return the result by one kernel."""
        raise NotImplementedError

    def by_torch(self, x: Tensor) -> Tensor:
        """Return the layer without residual and activation, by torch, for calls that no kernel computes."""
        raise NotImplementedError


def _is_like(x: Tensor, residual: Any) -> bool:
    """Return whether a residual is a tensor of as many dimensions as the input, and of its dtype.

    Others may have been remembered for calls that mean something else by them: a row is a bias to a convolution.
    """
    return isinstance(residual, Tensor) and residual.dtype is x.dtype and residual.dim() == x.dim()


def _given(
    roles: tuple[str, str, str], x: Tensor, weight: Tensor, bias: Tensor | None, residual: Tensor | None
) -> dict[str, Any]:
    """Return the tensors of a call by role, the result still missing."""
    return with_extras(dict(zip(roles, (x, weight, None), strict=True)), bias, residual)


class FusedConv(Fused):
    """A convolution with an epilogue."""

    roles = ("input", "weight", "output")
    precision = CUDNN

    def __init__(self, path: str, activation: str, fold: Fold, add: Sum = operators.add) -> None:
        super().__init__(path, activation, fold, add)
        layer = fold.layer
        self.geometry = (layer.stride, layer.padding, layer.dilation, layer.groups)
        forms = {name: ("add", name, 1.0, 1.0, None, None) for name in (activation, "none")}
        self.asks = {n: (_conv.CONV, ("forward", *self.geometry, None, None, *f), None) for n, f in forms.items()}
        self._torchs = getattr(nn.functional, f"conv{layer.weight.dim() - 2}d")

    def forward(self, x: Any, residual: Any = None, factor: Any = None) -> Tensor:
        """Return activation(conv(x * factor) + bias + residual)."""
        if factor is None:
            return super().forward(x, residual)
        if not (isinstance(x, Tensor) and isinstance(factor, Tensor)):
            return super().forward(x * factor, residual)
        if x.shape[2:].numel() < factor.shape[2:].numel():
            x, factor = factor, x
        if self._scales(x, residual, factor):
            return self._scaled(x, residual, factor)
        return super().forward(x * factor, residual)

    def why_left(self, x: Tensor) -> str | None:
        """Return why torch computes the layer; None if a kernel may."""
        if isinstance(x, Tensor) and x.dim() != self.weight.dim():
            return f"the input has {x.dim()} dimensions, the weight {self.weight.dim()}"
        return super().why_left(x)

    def shape_of(self, x: Tensor) -> tuple[int, ...]:
        """Return the shape of the layer's result."""
        sizes = zip(x.shape[2:], self.weight.shape[2:], *self.geometry[:3], strict=True)
        pixels = ((size + 2 * pad - step * (taps - 1) - 1) // stride + 1 for size, taps, stride, pad, step in sizes)
        return (x.shape[0], self.weight.shape[0], *pixels)

    def _scales(self, x: Tensor, residual: Any, factor: Tensor) -> bool:
        """Return whether the weight is multiplied instead of the image: one factor per channel, and fewer numbers."""
        per_channel = x.dim() == self.weight.dim() and factor.shape == (*x.shape[:2], *(1 for _ in x.shape[2:]))
        smaller = self.weight.shape[0] < x.shape[2:].numel()
        same = x.dtype is factor.dtype is self.weight.dtype and x.device == factor.device == self.weight.device
        if not (per_channel and smaller and same and can_use_memo()) or is_fp32_on_gpu(x):
            return False
        if residual is not None and self.why_unfit(x, residual) is not None:
            return False
        if x.shape[0] == 1:
            return True
        return x.device.type in EACH and is_readable(x) and (residual is None or is_readable(residual))

    def _scaled(self, x: Tensor, residual: Tensor | None, factor: Tensor) -> Tensor:
        """Return the result with the factors in the weight, or in the image if no kernel computes that."""
        try:
            if x.shape[0] > 1:
                return scaled_each(x, self.weight, factor, self.bias, residual, self.activation)
            weight = self.weight * factor
            given = _given(self.roles, x, weight, self.bias, residual)
            if remembered(self.asks[self.activation], given):
                known: Tensor = given[self.roles[2]]
                return known
            return conv_epilogue(x, weight, self.bias, residual, *self.geometry, self.activation)
        except NOT_COMPUTED:
            return super().forward(x * factor, residual)

    def by_torch(self, x: Tensor) -> Tensor:
        """Return the convolution by torch. Without a batch, batch norm takes other numbers for channels."""
        norm = self.fold.norm
        found: Tensor
        if norm is not None and x.dim() != self.weight.dim():
            found = norm(self.fold.layer(x))
            return found
        found = self._torchs(x, self.weight, self.bias, *self.geometry)
        return found

    def by_kernel(self, x: Tensor, residual: Tensor | None, activation: str) -> Tensor:
        """Return the result by one kernel."""
        if way_of(x, residual):
            found: Tensor = CONV_EPILOGUE(
                x, self.weight, self.bias, residual, *lists(x, *self.geometry[:3]), self.geometry[3], activation
            )
            return found
        dtype = autocast_dtype(x)
        if dtype is None:
            turned = x.is_cuda and is_first(x)
            if turned:
                x, residual = to_format(x, True), None if residual is None else to_format(residual, True)
            with torch.inference_mode(False):  # as in `Fold`
                self.weight = like(self.weight, x)  # once: the memory format of the net's images does not change
            found = conv_epilogue(x, self.weight, self.bias, residual, *self.geometry, activation)
            return found.contiguous() if turned else found
        x, weight, bias, residual = cast_all(dtype, (x, self.weight, self.bias, residual))
        return conv_epilogue(x, weight, bias, residual, *self.geometry, activation)


def conv_epilogue(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None,
    residual: Tensor | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    activation: str,
) -> Tensor:
    """Return activation(conv(x, weight) + bias + residual) of plain tensors.

    >>> x, w = torch.ones(1, 1, 3), torch.ones(1, 1, 2)
    >>> conv_epilogue(x, w, None, torch.tensor([[[1.0, -9.0]]]), 1, 0, 1, 1, "relu").tolist()
    [[[3.0, 0.0]]]
    """
    found: Tensor = _conv.conv(
        x, like(weight, x), bias=bias, d=residual, stride=stride, padding=padding, dilation=dilation, groups=groups,
        activation=activation,
    )  # fmt: skip
    return found


class FusedLinear(Fused):
    """A linear layer with an epilogue.

    If it `widens`, its result is multiplied by a factor that may have a wider dtype, which the product has too.
    """

    roles = ("a", "b", "out")
    precision = MATMUL

    def __init__(
        self,
        path: str,
        activation: str,
        fold: Fold,
        add: Sum = operators.add,
        widens: bool = False,
    ) -> None:
        super().__init__(path, activation, fold, add)
        self.factor = fold.factor if widens else None
        self.asks = {name: (LINEAR, (name,), None) for name in (activation, "none")}
        self.packed = PackedWeight()

    def computed(self, x: Tensor, residual: Any, activation: str) -> Tensor:
        """Return the result with the activation of this layer, or without one; on the CPU by a packed weight."""
        if self.factor is not None and self._is_wider(x, self.factor()):
            return self._widened(x, residual, self.factor())
        if fits(x, self.weight) and (residual is None or self.why_unfit(x, residual) is None):
            try:
                found = self.packed.linear(self.age, x, self.weight, self.bias, residual, activation)
            except NOT_COMPUTED:
                found = None
            if found is not None:
                return found
        return super().computed(x, residual, activation)

    def _is_wider(self, x: Tensor, factor: Tensor) -> bool:
        """Return whether the product of the result with a factor has the factor's dtype."""
        dtype = autocast_dtype(x) or x.dtype
        return factor.dim() > 0 and torch.promote_types(dtype, factor.dtype) is not dtype

    def _widened(self, x: Tensor, residual: Any, factor: Tensor) -> Tensor:
        """Return the result by torch: folded into the weight, a factor would be rounded to its dtype."""
        self.note_apart(f"torch multiplies by {factor.dtype}".replace("torch.", ""))
        layer = self.fold.layer
        found = nn.functional.linear(x, layer.weight, layer.bias) * factor.flatten()
        return self._summed(found, residual, "none")

    def shape_of(self, x: Tensor) -> tuple[int, ...]:
        """Return the shape of the layer's result."""
        return (*x.shape[:-1], self.weight.shape[0])

    def by_torch(self, x: Tensor) -> Tensor:
        """Return the layer by torch."""
        return nn.functional.linear(x, self.weight, self.bias)

    def by_kernel(self, x: Tensor, residual: Tensor | None, activation: str) -> Tensor:
        """Return the result by one kernel."""
        weight, bias = self.weight, self.bias
        if way_of(x, residual):
            found: Tensor = LINEAR_EPILOGUE(x, weight, bias, residual, activation)
            return found
        dtype = autocast_dtype(x)
        if dtype is not None:
            x, weight, bias, residual = cast_all(dtype, (x, weight, bias, residual))
        return linear_epilogue(x, weight, bias, residual, activation)


def linear_epilogue(x: Tensor, weight: Tensor, bias: Tensor | None, residual: Tensor | None, activation: str) -> Tensor:
    """Return activation(x @ weight.T + bias + residual) of plain tensors.

    >>> linear_epilogue(torch.ones(1, 1, 3), torch.ones(2, 3), None, torch.tensor([[[1.0, -9.0]]]), "relu").tolist()
    [[[4.0, 0.0]]]
    """
    residual = None if residual is None else op_linear.foldable(residual)
    given = _given(FusedLinear.roles, op_linear.foldable(x), weight, bias, residual)
    found: Tensor = run(LINEAR, given, (activation,))["out"]
    return found


def _view(tensor: Any, role: str, place: str | None, choices: Any) -> TensorView:
    return op_linear.FORWARD.view(tensor, "out" if role[0] == "d" and tensor.dim() > 1 else role, place, choices)


def _result(problem: GemmProblem, role: str, views: Views, choices: Any) -> Any:
    return op_linear.FORWARD.result(problem, role, views, choices)


LINEAR = Description("gemm", ("activation",), op_linear.FORWARD.pose, _result, _view)
CONV_EPILOGUE = operator(
    f"conv_epilogue(Tensor input, Tensor weight, Tensor? bias, Tensor? residual, {GEOMETRY}, str activation) -> Tensor",
    conv_epilogue,
    lambda x, weight, bias, residual, *geometry: conv_shape(x, weight, bias, *geometry[:4]),
)
LINEAR_EPILOGUE = operator(
    "linear_epilogue(Tensor x, Tensor weight, Tensor? bias, Tensor? residual, str activation) -> Tensor",
    linear_epilogue,
    lambda x, weight, bias, residual, activation: x.new_empty((*x.shape[:-1], weight.shape[0])),
)
