"""Layers of `torch.nn` whose forward pass tilewright computes.

`patch` changes the class of a layer to one of these, which leaves parameters, hooks, `state_dict`, copies and pickles
as they are. A call that no kernel computes goes to the class of torch, and the report says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd

from ..errors import TilewrightError
from ..frontends import default
from . import op_gelu, op_linear
from .detours import detour
from .fitness import CUDNN, MATMUL, NOT_COMPUTED, is_fp32_on_gpu, reason_of, why_left
from .layer_turns import (
    APART,
    LEFT,
    OURS,
    PARAMETERS,
    TORCHS,
    faster,
    is_deterministic,
    is_left,
    is_plain,
    kind_of,
    mode_now,
    note_left,
)
from .leaving import no_invariant
from .op_conv import conv_by_kernel, padded, recalled
from .op_conv_transpose import transpose_by_kernel
from .op_linear import linear_by_kernel
from .report import Report
from .ways import can_use_memo

Tensor = torch.Tensor
is_dynamo_compiling = torch.compiler.is_dynamo_compiling
is_compiling = torch.compiler.is_compiling
empty_like = torch.empty_like


class Taken(nn.Module):
    """What all taken layers share: their place in the model, and the report of the patch."""

    tilewright_path: str = ""
    tilewright_report: Report | None = None

    def tilewright_start(self) -> None:
        """Prepare the layer when it is taken: which attributes it has does not change later."""
        vars(self)[LEFT] = []

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Return how a pickle makes the layer: the class of a taken subclass of torch's has no name in a module."""
        found: Any = super().__reduce_ex__(max(2, protocol))
        kind = type(self)
        if len(kind.__bases__) != 2 or globals().get(kind.__name__) is kind or kind.__module__ != __name__:
            return found
        return made_again, (kind.__bases__[1], kind.__bases__[0]), *found[2:]

    def __prepare_scriptable__(self) -> nn.Module:
        """Raise an error: `torch.jit.script` compiles layers of torch only."""
        raise TilewrightError(
            "torch.jit.script cannot compile the layers of a patched model",
            remedy="script the model before it is patched, or use torch.export",
        )

    @property
    def _invariant(self) -> bool:
        return self.tilewright_report is not None and self.tilewright_report.invariant

    def _left(self, reason: str) -> None:
        """Record a call that is left to torch; raise an error if results must not depend on the batch."""
        if self._invariant:
            raise no_invariant(self.tilewright_path or type(self).__name__, reason)
        if self.tilewright_report is not None:
            self.tilewright_report.note_left(self.tilewright_path, reason)

    def _taken(self, call: Callable[..., Any], *values: Any) -> Any:
        """Return the result of a kernel; None if there is none for these values. A traced call has no second try."""
        if torch.compiler.is_compiling() or self._invariant:
            return call(*values)
        try:
            return call(*values)
        except NOT_COMPUTED as error:
            self._left(reason_of(error))
            return None


class TilewrightLinear(Taken, nn.Linear):
    """`nn.Linear` by tilewright."""

    tilewright_calls: object  # under which the memo in C keeps calls of this layer that are ours; None: there are none

    def tilewright_start(self) -> None:
        """Start without known calls."""
        super().tilewright_start()
        self.tilewright_calls = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the layer's result.

        A call that is known comes first, without another function around it: when the weights of a layer have gone
        through the caches, every function that the next one calls is read from memory.
        """
        made = default.made
        if not is_dynamo_compiling() and len(args) == 1 and not kwargs:
            in_c = None if made is None else made.calls.in_c
            known = None if in_c is None else in_c.run_layer(self.__dict__, args[0])
            if known is not None:
                return known
            if is_left(self.__dict__, args[0]):
                held = self._parameters
                return nn.functional.linear(args[0], held["weight"], held["bias"])  # type: ignore[arg-type]
        return super().__call__(*args, **kwargs)

    def forward(self, input: Tensor) -> Tensor:
        """Return the layer's result, and keep a call that is ours in the memo in C."""
        report = self.tilewright_report
        if report is not None and is_plain(input) and not is_compiling():
            invariant, mode, held = report.invariant, mode_now(input.requires_grad), self._parameters
            state = report.table.get((self.tilewright_path, *kind_of(input), mode))
            if state is TORCHS and mode is not APART and not (invariant or is_deterministic()):
                note_left(self, report, input, mode)
                return super().forward(input)
            has_memo = held.keys() >= PARAMETERS and not is_fp32_on_gpu(input)
            if (invariant or state is OURS) and has_memo and can_use_memo():
                known: Tensor | None = op_linear.recalled(input, held["weight"], held["bias"], invariant)
                if known is not None:
                    if "tilewright_calls" in self.__dict__:
                        self.tilewright_calls = self.tilewright_calls or object()
                        op_linear.keep_for(self.tilewright_calls, input, held["weight"], held["bias"], invariant)
                    return known
        if report is not None and report.invariant:
            return self._ours(input, True)
        found: Tensor = faster(self, input, self._ours, super().forward)
        return found

    def _ours(self, input: Tensor, invariant: bool = False) -> Tensor:
        held = self._parameters
        if can_use_memo() and held.keys() >= PARAMETERS and not is_fp32_on_gpu(input):
            known: Tensor | None = op_linear.recalled(input, held["weight"], held["bias"], invariant)
            if known is not None:
                return known
        reason = why_left(input, self.weight, MATMUL)
        if reason is None:
            found: Tensor | None = self._taken(linear_by_kernel, input, self.weight, self.bias, "none", invariant)
            if found is not None:
                return found
        else:
            self._left(reason)
        return super().forward(input)


class TilewrightLayerNorm(nn.LayerNorm):
    """`nn.LayerNorm`, by a function of the C launcher for few numbers on the CPU, as a decoder has them.

    The way to torch's kernel takes longer than the kernel there.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the normalised rows; by torch if they are many, or if a hook, gradient, mode or compiler is there."""
        made = default.made
        if not is_dynamo_compiling() and made is not None and len(args) == 1 and not kwargs:
            in_c = made.calls.in_c
            known = None if in_c is None else in_c.run_norm(self.__dict__, args[0], empty_like)
            if known is not None:
                if op_gelu.unnoted:
                    op_gelu.note_call()
                return known
        return super().__call__(*args, **kwargs)


class TakenConv(Taken, _ConvNd):
    """`nn.Conv1d`, `nn.Conv2d` and `nn.Conv3d` by tilewright. Other paddings than zeros are made by torch first."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the layer's result, at once by torch's function if such calls were left to it."""
        if not is_dynamo_compiling() and len(args) == 1 and not kwargs and is_left(self.__dict__, args[0]):
            held: Any = self._parameters
            return super()._conv_forward(args[0], held["weight"], held["bias"])
        return super().__call__(*args, **kwargs)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        torchs = super()._conv_forward
        found: Tensor = faster(
            self,
            input,
            lambda x: self._ours(x, weight, bias),
            lambda x: torchs(x, weight, bias),
        )
        return found

    def _ours(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if self.padding_mode == "zeros" and can_use_memo() and not is_fp32_on_gpu(input):
            known: Tensor | None = recalled(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)
            if known is not None:
                return known
        reason = why_left(input, weight, CUDNN)
        if reason is not None:
            self._left(reason)
            return super()._conv_forward(input, weight, bias)
        padding: Any = self.padding
        wide = input
        if self.padding_mode != "zeros":
            wide = nn.functional.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = 0
        found: Tensor | None = self._taken(
            _convolved, wide, weight, bias, self.stride, padding, self.dilation, self.groups
        )
        return super()._conv_forward(input, weight, bias) if found is None else found


def _convolved(
    input: Tensor, weight: Tensor, bias: Tensor | None, stride: Any, padding: Any, dilation: Any, groups: int
) -> Tensor:
    """Return the convolution, on a GPU by a detour if that is faster. A compiler sees the operator."""
    if input.dim() == weight.dim() - 1:
        return _convolved(input[None], weight, bias, stride, padding, dilation, groups).squeeze(0)
    if isinstance(padding, str):
        input, padding = padded(input, weight, stride, padding, dilation)
    geometry = (stride, padding, dilation, groups)
    found = detour(input, weight, bias, *geometry) if input.is_cuda and not torch.compiler.is_compiling() else None
    return conv_by_kernel(input, weight, bias, *geometry) if found is None else found


class TakenConvTranspose(Taken, _ConvTransposeNd):
    """`nn.ConvTranspose1d`, `2d` and `3d` by the kernels of a convolution's gradient."""

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """Return the layer's result."""
        found: Tensor = faster(
            self,
            input,
            lambda x: self._ours(x, output_size),
            lambda x: self._by_torch(x, output_size),
        )
        return found

    def _ours(self, input: Tensor, output_size: list[int] | None) -> Tensor:
        reason = why_left(input, self.weight, CUDNN)
        if reason is not None:
            self._left(reason)
            return self._by_torch(input, output_size)
        geometry: Any = (self.stride, self.padding, self.kernel_size, self.weight.dim() - 2, self.dilation)
        more = self._output_padding(input, output_size, *geometry)
        found: Tensor | None = self._taken(
            transpose_by_kernel,
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            more,
            self.groups,
            self.dilation,
        )
        return self._by_torch(input, output_size) if found is None else found

    def _by_torch(self, input: Tensor, output_size: list[int] | None) -> Tensor:
        found: Tensor = super().forward(input, output_size)
        return found


class Conv1d(TakenConv, nn.Conv1d):
    """A taken `nn.Conv1d`."""


class Conv2d(TakenConv, nn.Conv2d):
    """A taken `nn.Conv2d`."""


class Conv3d(TakenConv, nn.Conv3d):
    """A taken `nn.Conv3d`."""


class ConvTranspose1d(TakenConvTranspose, nn.ConvTranspose1d):
    """A taken `nn.ConvTranspose1d`."""


class ConvTranspose2d(TakenConvTranspose, nn.ConvTranspose2d):
    """A taken `nn.ConvTranspose2d`."""


class ConvTranspose3d(TakenConvTranspose, nn.ConvTranspose3d):
    """A taken `nn.ConvTranspose3d`."""


def made_again(kind: type, base: type) -> Any:
    """Return an empty layer of the class of a taken layer, for a pickle to fill.

    >>> type(made_again(nn.Linear, TilewrightLinear)).__name__
    'TilewrightLinear'
    """
    taken: Any = taken_class(kind, base)
    return taken.__new__(taken)


def taken_class(kind: type, base: type) -> type:
    """Return the class of a taken layer of class `kind`: `base` in front of it, always the same one.

    >>> taken_class(nn.Linear, TilewrightLinear).__name__, taken_class(nn.Conv2d, TakenConv) is Conv2d
    ('TilewrightLinear', True)
    """
    if kind in base.__bases__:
        return base
    subclasses: list[type] = type.__subclasses__(base)
    for made in subclasses:
        if made.__bases__ == (base, kind):
            return made
    return type(f"Taken{kind.__name__}", (base, kind), {"__module__": __name__})
