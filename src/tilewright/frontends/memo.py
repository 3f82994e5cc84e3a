"""Plans by the look of their tensors, so that a repeated call on torch or NumPy tensors skips planning.

What decides a plan is read off the tensors without making views of them: type, dtype, shape, strides, device. The memo
runs on addresses, so overlap and writability are checked again at each call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..model.tensor import TensorView

LIMIT = 4096  # entries; a program with more shapes than this starts the memo anew


class Entry:
    """One prepared launch and the byte ranges its tensors reach."""

    __slots__ = ("_extents", "_out", "_run", "_twins")

    def __init__(self, call: Any, views: Sequence[TensorView], out: int, may_alias: Sequence[bool]) -> None:
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
    """Entries by key; bounded."""

    def __init__(self) -> None:
        self._entries: dict[Any, Entry] = {}

    def find(self, key: Any) -> Entry | None:
        """The entry of `key`, if it is there."""
        return self._entries.get(key)

    def keep(self, key: Any, entry: Entry) -> None:
        """Remember an entry."""
        if len(self._entries) >= LIMIT:
            self._entries.clear()
        self._entries[key] = entry


def look_of(tensor: Any) -> tuple[Any, int] | None:
    """(everything that decides a plan, address) of a NumPy array or a torch tensor; None for other things.

    >>> import numpy as np
    >>> look_of(np.zeros((2, 3)))[0][2]
    (2, 3)
    """
    kind = type(tensor)
    if kind.__module__ == "numpy":
        interface = tensor.__array_interface__
        address, readonly = interface["data"]
        return (kind, tensor.dtype, tensor.shape, tensor.strides, readonly), address
    if kind.__module__ == "torch" and hasattr(tensor, "data_ptr"):
        return (kind, tensor.dtype, tensor.shape, tensor.stride(), tensor.device), tensor.data_ptr()
    return None
