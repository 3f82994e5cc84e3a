"""SideTable: derived facts about frozen values, kept outside of the values."""

from __future__ import annotations

import weakref
from functools import partial
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SideTable(Generic[T]):
    """Values of objects, by identity, for as long as the objects live. A value must not hold its object.

    Equal objects have separate entries: hashing a kernel takes longer than computing most of the facts.

    >>> class Kernel: pass
    >>> kernel, table = Kernel(), SideTable()
    >>> table.put(kernel, "known"), table.get(kernel), table.get(Kernel())
    ('known', 'known', None)
    >>> del kernel
    >>> len(table)
    0
    """

    __slots__ = ("_entries",)

    def __init__(self) -> None:
        self._entries: dict[int, tuple[T, weakref.ref[Any]]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: object) -> T | None:
        """Return the value of `key`, or None."""
        entry = self._entries.get(id(key))
        return None if entry is None else entry[0]

    def put(self, key: object, value: T) -> T:
        """Keep and return the value of `key`."""
        forget = partial(_forget, self._entries, id(key))
        self._entries[id(key)] = (value, weakref.ref(key, forget))
        return value


def _forget(entries: dict[int, Any], place: int, _: Any) -> None:
    entries.pop(place, None)
