"""Calls that differ from an earlier one only in sizes that change from call to call.

The key of a tensor has everything about it that decides a plan, read without making a view of it: its type, dtype,
shape, strides and device, and how an address on a GPU is aligned. A repeated call finds its prepared launch by the keys
of its tensors. A call of other sizes finds a template by what is left of them.

Such a call needs no views and no checks of its own: which checks its tensors pass, the shapes of its results and the
strides of its problem are functions of the sizes, traced once (`model.trace`). A call for which one of the checks
would end otherwise, and one that cannot be traced, goes the whole way.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from typing import Any, NamedTuple

from ..jit.arrays import view_of
from ..model.expr import Expr, UntraceableError
from ..model.problem import (
    SHAPE_CLASS,
    copies_of,
    identity_of,
    note,
    refitted,
    shape_class_for,
    shape_class_of,
)
from ..model.tensor import VECTOR, PackedTensor, TensorView
from ..model.trace import Trace
from ..ops import get_op

APART = 1 << 44  # between made-up addresses
KEPT = ("roles", "signature", "outputs")  # of a problem: they do not depend on sizes
# Of each tensor: shape, strides, extent; the strides of the problem; of each result: shape and strides as it is made.
Rows = tuple[tuple[tuple[Any, ...], ...], tuple[Any, ...], tuple[tuple[Any, ...], ...]]
log = logging.getLogger("tilewright")


class Place(NamedTuple):
    """Where a size is found: a dimension of the tensor as it is given, and of its view; the field of the problem.

    `folded`: the view reads all dimensions up to this one as one.
    """

    dim: int
    view_dim: int
    field: str
    folded: bool = False


Places = Mapping[str, Place]  # by role


class Sizes(NamedTuple):
    """What a call shares with calls of other sizes (`key`), and its sizes by field."""

    key: Any
    sizes: dict[str, int]


def sizes_of(places: Sequence[tuple[int, Place]], keys: Sequence[Any]) -> Sizes | None:
    """Return the sizes of a call and all else about its keys; None if its tensors contradict each other.

    `places` has the position of each tensor with a size that changes. A stride that is a multiple of the whole length
    of a dimension that changes is known by the factor. A size of 1 is part of the key instead: its stride
    says nothing, and the single row of a decoder stays one while its keys grow.
    """
    sizes: dict[str, int] = {}
    shared = [*keys]
    for at, (dim, _, field, folded) in places:
        key = keys[at]
        if key is None:
            continue
        of_kind, dtype, shape, strides, *rest = key
        if dim < 0:
            dim += len(shape)
        if not 0 <= dim < len(shape):
            return None
        n = shape[dim]
        size = n * prod(shape[:dim]) if folded else n
        if size < 1 or sizes.setdefault(field, size) != size:
            return None
        if n == 1:
            continue
        whole = n * strides[dim]
        steps = tuple([(s // whole,) if 0 < whole <= s and s % whole == 0 else s for s in strides])
        shared[at] = (of_kind, dtype, shape[:dim], shape[dim + 1 :], steps, *rest)
    sizes = {field: n for field, n in sizes.items() if n > 1}
    if not sizes:
        return None
    if len(sizes) == 2:  # rows and keys: their order may decide
        a, b = sizes.values()
        shared.append((a > b) - (a < b))
    return Sizes(tuple(shared), sizes)


def tensor_key(tensor: Any) -> tuple[Any, int] | None:
    """Return (key, address) of a NumPy array, a torch tensor or packed weights; None for any other kind.

    >>> import numpy as np
    >>> tensor_key(np.zeros((2, 3)))[0][2]
    (2, 3)
    """
    kind = type(tensor)
    if kind.__module__ == "numpy":
        interface = tensor.__array_interface__
        address, readonly = interface["data"]
        return (kind, tensor.dtype, tensor.shape, tensor.strides, readonly), address
    if kind.__module__ in ("torch", "torch.nn.parameter") and hasattr(tensor, "data_ptr"):
        if (tensor.requires_grad and sys.modules["torch"].is_grad_enabled()) or tensor.is_neg():
            return None
        try:
            address, shape, strides = tensor.data_ptr(), tensor.shape, tensor.stride()
        except RuntimeError:  # sparse, nested, or of another kind that has no address or sizes
            return None
        if not address and tensor.numel():
            return None  # it lost its memory, or never had any: the whole way says so
        alignment = address & -address & VECTOR - 1 if tensor.is_cuda else 0
        return (kind, tensor.dtype, shape, strides, tensor.device, alignment), address
    if kind is PackedTensor:
        found = tensor_key(tensor.storage)
        return found and ((kind, tensor.format, tensor.dtype, tensor.shape, found[0]), found[1])
    return None


def address_of(tensor: Any) -> int:
    """Return the address of a tensor of any kind.

    >>> import numpy as np
    >>> address_of(np.zeros(4)) % 8
    0
    """
    if type(tensor).__module__ == "torch":
        address: int = tensor.data_ptr()
        return address
    found = tensor_key(tensor)
    return found[1] if found is not None else view_of(tensor).address


class CallTemplate:
    """One call as a template of others.

    `kind` poses and checks the problem of traced views: what holds for other sizes is in the code. `make` returns the
    maker of a result, `key` is what calls of other sizes share.
    """

    def __init__(
        self, kind: Any, given: Mapping[str, Any], views: Mapping[str, TensorView], choices: Mapping[str, Any],
        make: Callable[[Any], Any], places: Places, sizes: Mapping[str, int], key: Any,
    ) -> None:  # fmt: skip
        trace, order = Trace(tuple(sizes)), [*given]
        numbers = {name: trace.number(name, size) for name, size in sizes.items()}
        seen = {
            role: _traced_view(view, i, places.get(role), numbers) for i, (role, view) in enumerate(views.items(), 1)
        }
        problem = kind.pose({role: t for role, t in given.items() if t is not None}, seen, **choices)
        op = get_op(problem.op)
        self._makers: list[tuple[str, int, Callable[..., Any], int, tuple[Any, ...]]] = []
        made = []
        for role in [role for role in op.out_roles(problem) if role not in seen]:
            result = kind.result(problem, role, seen, choices)
            strides = result.strides if result.strides is not None else dense(result.shape)
            address = (1 + len(seen)) * APART
            raw = TensorView(address, result.dtype, result.shape, strides, problem.device, False)
            seen[role] = kind.view(raw, role, None, choices)
            made.append((result.shape, strides))
            maker = make(result)
            known = 2 if isinstance(maker.args[1], tuple) else 1  # arguments that the rows of a call give
            again = partial(maker.func, **maker.keywords)
            self._makers.append((role, order.index(role), again, known, maker.args[known:]))
        if made:
            problem = op.fitted(problem, seen)
        self._written = [order.index(role) for role in op.out_roles(problem) if role in views]
        if op.mismatches(problem, seen) or (self._written and op.may_alias(problem)):
            raise UntraceableError("the tensors do not fit, or a result may be one of the operands")
        if any(getattr(problem, name) is not number for name, number in numbers.items()):
            raise UntraceableError("a size that changes is no size of the problem")
        roles = op.roles(problem)
        self.order, self._count = [order.index(role) for role in roles], len(given)
        self._row = {i: k for k, i in enumerate(self.order)}
        self._views = [(role, replace(seen[role], shape=(), strides=(), owner=None)) for role in roles]
        self._strides, self._fields = tuple(problem.strides), tuple(sizes)
        rows = tuple((seen[role].shape, seen[role].strides, seen[role].extent) for role in roles)
        self._code = trace.code((rows, tuple(problem.strides.values()), tuple(made)))
        self._moves = any(isinstance(n, Expr) for strides in problem.strides.values() for n in strides)
        problem = copies_of(problem)({**sizes, "strides": self._strides_of(sizes)})
        if self._moves:  # one class for problems whose strides follow from their sizes
            shared = identity_of(refitted(problem, strides={}), op.extents)
            note(problem, SHAPE_CLASS, shape_class_for((key, shared), op.extents, self._strides_of))
        shape_class_of(problem, op.extents)  # raises if anything else follows from the sizes
        for name in KEPT:  # once for all copies
            getattr(problem, name, None)
        self._copy = copies_of(problem, (*KEPT, SHAPE_CLASS))
        self.problem = problem
        self._last: Mapping[str, int] = {}

    def posed(self, sizes: Mapping[str, int]) -> tuple[Any, Rows] | None:
        """Return the problem of these sizes and its tensors; None if a check would end otherwise."""
        found = self._code(*sizes.values())
        if found is None:
            return None
        changed: Mapping[str, Any] = sizes
        if self._moves:
            changed = {**sizes, "strides": dict(zip(self._strides, found[1], strict=True))}
        return self._copy(changed), found

    def _strides_of(self, fields: Mapping[str, Any]) -> Mapping[str, tuple[Any, ...]] | None:
        found = self._code(*[fields[name] for name in self._fields])
        return None if found is None else dict(zip(self._strides, found[1], strict=True))

    def grown(self, sizes: Mapping[str, int]) -> str | None:
        """Return the field that alone grew, by one, since the last call; None if there is none."""
        last, self._last = self._last, sizes
        moved = [field for field, n in sizes.items() if last.get(field) != n]
        return moved[0] if len(moved) == 1 and last.get(moved[0]) == sizes[moved[0]] - 1 else None

    def expect(self, sizes: Mapping[str, int]) -> None:
        """Let `sizes` be those of the last call."""
        self._last = sizes

    def views(self, rows: Rows, addresses: Sequence[int]) -> Mapping[str, TensorView]:
        """Return views of the tensors, in the order of the problem's roles."""
        return {
            role: _view_like(like, addresses[at], shape, strides, extent)
            for at, (role, like), (shape, strides, extent) in zip(self.order, self._views, rows[0], strict=True)
        }

    def extents(self, rows: Rows) -> tuple[tuple[int, int], ...]:
        """Return the bytes that each given tensor reaches from its address."""
        row = self._row
        return tuple([rows[0][row[i]][2] if i in row else (0, 0) for i in range(self._count)])

    def makers(self, rows: Rows) -> list[tuple[str, int, Callable[[], Any]]]:
        """Return (role, place among the given tensors, function that makes it) of each result."""
        return [
            (role, place, partial(make, *row[:known], *rest))
            for (role, place, make, known, rest), row in zip(self._makers, rows[2], strict=True)
        ]

    def written(self, extents: Sequence[tuple[int, int]]) -> list[Any]:
        """Return the byte range of each written tensor that was given, and the others, which it must not overlap."""
        found = []
        for w in self._written:
            others = [(i, *extents[i], False) for i in self._row if i != w and extents[i] != (0, 0)]
            found.append((w, *extents[w], others))
        return found


class CallTemplates:
    """Templates of the calls that ask for the same. The first call of its key makes one, and is planned by it."""

    MAX = 256

    def __init__(self, places: Places, roles: Iterable[str]) -> None:
        self.places = places
        self._at = [(i, places[role]) for i, role in enumerate(roles) if role in places]
        self._known: dict[Any, CallTemplate | None] = {}

    def sizes(self, keys: Sequence[Any]) -> Sizes | None:
        """Return the sizes of a call; None if it cannot be like others."""
        return sizes_of(self._at, keys)

    def steps(self, keys: Sequence[Any], field: str) -> tuple[tuple[int, tuple[int, ...]] | None, ...]:
        """Return for each tensor which dimension grows with `field`, and what each stride grows by; None for others."""
        found: list[tuple[int, tuple[int, ...]] | None] = [None] * len(keys)
        for at, place in self._at:
            if place.field != field or keys[at] is None:
                continue
            shape, strides = keys[at][2:4]
            dim = place.dim % len(shape)
            whole, step = shape[dim] * strides[dim], strides[dim]
            found[at] = dim, tuple([s // whole * step if 0 < whole <= s and s % whole == 0 else 0 for s in strides])
        return tuple(found)

    def __contains__(self, sizes: Sizes) -> bool:
        return sizes.key in self._known

    def find(self, sizes: Sizes) -> CallTemplate | None:
        """Return the template of a call; None if there is none, or if it cannot be one."""
        return self._known.get(sizes.key)

    def keep(self, sizes: Sizes, template: CallTemplate | None) -> None:
        """Keep the template of a call that went the whole way; None if it cannot be one."""
        if len(self._known) >= self.MAX:
            self._known.clear()
        self._known[sizes.key] = template


def dense(shape: Sequence[Any]) -> tuple[Any, ...]:
    """Return the strides of a dense tensor, the last dimension fastest.

    >>> dense((2, 3, 4))
    (12, 4, 1)
    """
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step = n * step
    return tuple(reversed(strides))


def _view_like(
    view: TensorView, address: int, shape: tuple[int, ...], strides: tuple[int, ...], extent: tuple[int, int]
) -> TensorView:
    """Return a view of other memory; `extent` follows from shape and strides. Cheaper than a new view."""
    made = object.__new__(TensorView)
    made.__dict__.update(view.__dict__)
    made.__dict__.update(address=address, shape=shape, strides=strides, extent=extent)
    return made


def _traced_view(view: TensorView, at: int, place: Place | None, numbers: Mapping[str, Any]) -> TensorView:
    """Return the view of a tensor whose size is traced, at a made-up address that is aligned like its own."""
    shape, strides = list(view.shape), list(view.strides)
    if place is not None and place.field in numbers:
        number, dim = numbers[place.field], place.view_dim
        whole = shape[dim] * strides[dim]
        shape[dim] = number
        step = number * strides[dim]
        strides = [step * (s // whole) if 0 < whole <= s and s % whole == 0 else s for s in strides]
    return replace(view, address=at * APART + view.address % 64, shape=tuple(shape), strides=tuple(strides))
