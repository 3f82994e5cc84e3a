"""A read-only mapping over a tuple; cheaper to build than a dict, and most readers need all numbers in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


class Numbers(Mapping[str, float]):
    """The numbers `values`, named by `places` (name -> place, in order).

    >>> found = Numbers({"m": 0, "n": 1}, (3, 4.5))
    >>> found["m"], dict(found), found.values()
    (3.0, {'m': 3.0, 'n': 4.5}, (3, 4.5))
    """

    __slots__ = ("_places", "_values")

    def __init__(self, places: Mapping[str, int], values: tuple[float, ...]) -> None:
        self._places, self._values = places, values

    def __getitem__(self, name: str) -> float:
        return float(self._values[self._places[name]])

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def values(self) -> Any:
        """Return the numbers in order, as given."""
        return self._values
