"""Weights of linear layers in the format of CPU kernels, packed once instead of in every call.

A packed weight belongs to one layer of a model that `patch(model, fuse=True)` changed. It is made at the first call
without gradients, and again if the weight has changed since, which its version, address, shape and strides say.
"""

from __future__ import annotations

import platform
from dataclasses import replace
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch import nn

from ..dispatcher import Dispatcher
from ..errors import TilewrightError
from ..frontends import default
from ..frontends.call import Description, Tensors, Views, plain_view, remembered, run
from ..frontends.packing import pack_for, packed_candidate
from ..model.kernel import Candidate
from ..model.tensor import PackedTensor, TensorView
from ..ops.gemm import Epilogue, GemmProblem
from ..ops.gemm.tensors import problem_of
from . import op_linear
from .checksums import checksum
from .fitness import NOT_COMPUTED
from .formats import with_extras
from .modules import TilewrightLinear
from .takers import LayerTaker
from .ways import PLAIN_TYPES, can_use_memo

Tensor = torch.Tensor
LEAST_COLUMNS = 64  # narrower weights gain less than the check of their version costs
MAX_ROWS = 640  # with more rows, packing in each call costs next to nothing
# One row on Arm: its kernel reads the weight as it lies, at the speed of memory; panels take 1.7 times as long.
LEAST_ROWS = 2 if platform.machine() in ("aarch64", "arm64") else 1


class _Held(NamedTuple):
    """A packed weight, and what it was made from."""

    stamp: Any
    dispatcher: Dispatcher
    matrix: tuple[str, str, tuple[int, ...]]  # format, dtype and shape of a PackedTensor
    storage: Tensor
    source: Tensor  # its memory cannot become that of another weight
    checksum: int | None


class PackedWeight:
    """The packed weight of one layer; copies and pickles of the layer pack their own."""

    def __init__(self) -> None:
        self._held: _Held | None = None
        self._refused: tuple[Any, ...] | None = None
        self._calls = 0

    def __deepcopy__(self, memo: Any) -> PackedWeight:
        return PackedWeight()

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedWeight, ()

    def forget(self) -> None:
        """Pack again at the next call: the weight may change in a way that leaves no trace."""
        self._held = self._refused = None

    def verify(self, weight: Tensor, every: int) -> None:
        """Compare the bytes of the weight with those that were packed, in every so many calls."""
        self._calls += 1
        held = self._held
        if held is not None and self._calls % every == 0 and held.checksum != checksum([weight]):
            self.forget()

    def linear(
        self,
        stamp: Any,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        residual: Tensor | None = None,
        activation: str = "none",
        verifies: bool = False,
    ) -> Tensor | None:
        """Return activation(x @ weight.T + bias + residual); None if it is left to the plain weight.

        `stamp` differs from that of the call before if the weight has changed.
        """
        held = self._held
        if held is None or held.stamp != stamp or held.dispatcher is not default.made:
            held = self._packed(_given(x, weight, bias, residual), activation, stamp, verifies)
            if held is None:
                return None
        given = _given(x, held.storage, bias, residual)
        choices = (activation, held.matrix)
        if not remembered((LINEAR, choices, None), given):
            residual = None if residual is None else op_linear.foldable(residual)
            given = _given(op_linear.foldable(x), held.storage, bias, residual)
            run(LINEAR, given, choices)
        found: Tensor = given["out"]
        return found

    def _packed(self, given: Tensors, activation: str, stamp: Any, verifies: bool) -> _Held | None:
        """Return the weight packed for products like this one; None if no kernel reads it packed."""
        where, weight = default.default_dispatcher(), given["b"].detach()
        if self._refused == (stamp, where):
            return None
        try:
            views = {
                role: op_linear.FORWARD.view(t, _role(role, t), None, {}) for role, t in given.items() if role != "out"
            }
            spec = _candidate(problem_of(views, epilogue=Epilogue(activation=activation)), where).spec
            b = views["b"]
            matrix = (spec.signature.b_format, b.dtype, b.shape)
            if where.is_rehearsing:  # nothing may be built yet: any memory replaces the packed weight
                return _Held(stamp, where, matrix, weight, weight, None)
            if where.settings.build == "background" and not where.is_built(spec):
                where.build_later(spec)
                return None  # the next call looks again
            before = checksum([weight]) if verifies else None  # a change while it is packed is noticed in the next call
            storage = torch.from_numpy(pack_for(spec, b, where).storage)
        except TilewrightError:
            self._refused = (stamp, where)
            return None
        self._held = held = _Held(stamp, where, matrix, storage, weight, before)
        return held


def _given(x: Tensor, weight: Tensor, bias: Tensor | None, residual: Tensor | None) -> Tensors:
    return with_extras({"a": x, "b": weight, "out": None}, bias, residual)


def _role(role: str, tensor: Any) -> str:
    """Return the role whose rows are folded as those of `role` are: a residual is like the result."""
    return "out" if role[0] == "d" and tensor.dim() > 1 else role


_candidates: WeakKeyDictionary[Dispatcher, dict[str, Candidate]] = WeakKeyDictionary()


def _candidate(problem: GemmProblem, where: Dispatcher) -> Candidate:
    """Return the kernel for a packed weight; layers of the same shape ask once."""
    known = _candidates.setdefault(where, {})
    if problem.exact_key not in known:
        known[problem.exact_key] = packed_candidate(problem, where)
    return known[problem.exact_key]


class PackedLinear(TilewrightLinear, nn.Linear):
    """`nn.Linear` by tilewright, on the CPU with a packed weight, which is no part of the state of the layer."""

    _tilewright_packed: PackedWeight

    def tilewright_start(self) -> None:
        """Start without a packed weight."""
        self._tilewright_packed = PackedWeight()

    def forward(self, input: Tensor) -> Tensor:
        """Return the layer's result."""
        weight, packed = self.weight, self._tilewright_packed
        if fits(input, weight):
            report = self.tilewright_report
            every, changes = (report.verify_every, report.changes) if report is not None else (0, 0)
            if every:
                packed.verify(weight, every)
            # A view of the old weight in its place may have the same version and address.
            stamp = (weight._version, weight.data_ptr(), weight.shape, weight.stride(), changes)
            try:
                found = packed.linear(stamp, input, weight, self.bias, verifies=every > 0)
            except NOT_COMPUTED:
                found = None
            if found is not None:
                return found
        elif torch.is_grad_enabled():
            packed.forget()
        return super().forward(input)


def packing(taker: Any) -> Any:
    """Return a taker that takes linear layers with packed weights instead of plain ones; others as they are."""
    is_plain = isinstance(taker, LayerTaker) and taker.base is TilewrightLinear
    return replace(taker, base=PackedLinear) if is_plain else taker


def fits(x: Any, weight: Any) -> bool:
    """Return whether a call may use a packed weight: plain tensors of one dtype, on the host, without gradients.

    >>> fits(torch.ones(4, 64), torch.ones(64, 64)), torch.no_grad()(fits)(torch.ones(4, 64), torch.ones(64, 64))
    (False, True)
    """
    return (
        type(x) in PLAIN_TYPES
        and can_use_memo()  # before sizes are compared, of which a compiler makes guards and the JIT warnings
        and x.shape[-1:] == weight.shape[1:]
        and max(1, LEAST_ROWS * x.shape[-1]) <= x.numel() <= MAX_ROWS * x.shape[-1]
        and x.is_cpu
        and weight.is_cpu
        and x.dtype is weight.dtype
        and min(weight.shape) >= LEAST_COLUMNS
        and not weight.is_inference()
    )


def _view(tensor: Any, role: str, place: str | None, choices: Any) -> TensorView:
    if role == "b":
        return plain_view(tensor, role, place, choices)
    return op_linear.FORWARD.view(tensor, _role(role, tensor), place, choices)


def _pose(given: Tensors, views: Views, *, activation: str, matrix: Any) -> GemmProblem:
    format, dtype, shape = matrix
    packed = PackedTensor(format, dtype, shape, given["b"])
    return problem_of(views, epilogue=Epilogue(activation=activation), packed=packed)


LINEAR = Description("gemm", ("activation", "matrix"), _pose, op_linear.FORWARD.result, _view)
