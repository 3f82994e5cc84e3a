"""Plans by the look of their tensors, so that a repeated call on torch or NumPy tensors skips planning.

What decides a plan is read off the tensors without making views of them: type, dtype, shape, strides, device, and how
addresses on a GPU are aligned. The memo runs on addresses, so overlap and writability are checked again at each call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..jit.arrays import is_plain_torch
from ..model.tensor import PackedTensor, TensorView

VECTOR = 16  # bytes: GPU kernels differ in the alignment they need, up to this
LIMIT = 4096  # entries; a program with more shapes than this starts the memo anew


class Entry:
    """One prepared launch and the byte ranges its tensors reach; `new_out` makes an output where none is given."""

    __slots__ = ("_extents", "_out", "_run", "_twins", "new_out")

    def __init__(
        self,
        call: Any,
        views: Sequence[TensorView],
        out: int,
        may_alias: Sequence[bool],
        new_out: Callable[[], Any],
    ) -> None:
        self.new_out = new_out
        self._run: Callable[..., None] = call.run_pointers
        self._extents = [view.extent for view in views]
        self._out = out
        self._twins = [alias and views[i].same_memory(views[out]) for i, alias in enumerate(may_alias)]

    def run(self, addresses: Sequence[int]) -> bool:
        """Launch, unless `out` meets another tensor in memory in a way that the plan was not made for."""
        low, high = self._extents[self._out]
        low, high = low + addresses[self._out], high + addresses[self._out]
        for i, address in enumerate(addresses):
            if i == self._out:
                continue
            first, last = self._extents[i]
            meets = address + first < high and low < address + last
            if meets != self._twins[i] or (meets and address != addresses[self._out]):
                return False
        self._run(*addresses)
        return True


class Memo:
    """Entries by what was asked for and by the looks of the tensors; bounded."""

    def __init__(self) -> None:
        self._entries: dict[Any, Any] = {}

    def find(self, key: Any) -> Any:
        """The entry of `key`, or None."""
        try:
            return self._entries.get(key)
        except TypeError:  # a choice that has no hash is wrong, which the whole way says in words
            return None

    def keep(self, key: Any, entry: Any) -> None:
        """Remember an entry."""
        if len(self._entries) >= LIMIT:
            self._entries.clear()
        self._entries[key] = entry

    def run(self, choices: tuple[Any, ...], given: Mapping[str, Any], out: str) -> Any:
        """The output (role `out`, made where it is None) of a call that was prepared before; else None."""
        looks = looks_of(given)
        entry = looks and self.find(_key(choices, looks))
        if not looks or not entry:
            return None
        result = given[out]
        if result is None:
            result = entry.new_out()
            looks[out] = look_of(result)
        return result if entry.run([looks[role][1] for role in given]) else None

    def remember(
        self,
        choices: tuple[Any, ...],
        given: Mapping[str, Any],
        out: str,
        call: Any,
        views: Mapping[str, TensorView],
        new_out: Callable[[], Any],
    ) -> None:
        """Keep the prepared `call` (None: there is none to keep) for tensors that look like these."""
        looks = looks_of(given)
        if call is None or looks is None:
            return
        aliases = [role[0] == "d" and role[1:].isdigit() for role in views]
        entry = Entry(call, list(views.values()), [*views].index(out), aliases, new_out)
        self.keep(_key(choices, looks), entry)


def _key(choices: tuple[Any, ...], looks: Mapping[str, Any]) -> tuple[Any, ...]:
    return (choices, *((role, look[0]) for role, look in looks.items()))


def looks_of(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """The look of each tensor; None where one has none. An output that is still to be made is left out."""
    looks = {role: look_of(t) for role, t in given.items() if t is not None}
    return None if None in looks.values() else looks


def look_of(tensor: Any) -> tuple[Any, int] | None:
    """(everything that decides a plan, address) of a NumPy array, a torch tensor or packed weights; else None.

    >>> import numpy as np
    >>> look_of(np.zeros((2, 3)))[0][2]
    (2, 3)
    """
    kind = type(tensor)
    if kind.__module__ == "numpy":
        interface = tensor.__array_interface__
        address, readonly = interface["data"]
        return (kind, tensor.dtype, tensor.shape, tensor.strides, readonly), address
    if kind.__module__ in ("torch", "torch.nn.parameter") and hasattr(tensor, "data_ptr"):
        if (tensor.requires_grad or tensor.is_neg()) and not is_plain_torch(tensor):
            return None
        try:
            address = tensor.data_ptr()
        except RuntimeError:  # sparse, or of another kind that has no address
            return None
        alignment = address & -address & VECTOR - 1 if tensor.is_cuda else 0
        return (kind, tensor.dtype, tensor.shape, tensor.stride(), tensor.device, alignment), address
    if kind is PackedTensor:
        look = look_of(tensor.storage)
        return look and ((kind, tensor.format, tensor.dtype, tensor.shape, look[0]), look[1])
    return None
