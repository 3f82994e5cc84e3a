"""Tunables: the algorithm fields that search, learning, explain and the docs read without knowing the backend."""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any

from ..errors import SpecError


@dataclass(frozen=True)
class Tunable:
    """One algorithm field: its default, its choices in order, and what it means.

    >>> t = Tunable("kc", 512, (256, 512, 1024), "k block")
    >>> t.neighbours(512), t.encode(1024)
    ((256, 1024), 2.0)
    """

    name: str
    default: Any
    choices: tuple[Any, ...]
    meaning: str

    @property
    def bounds(self) -> tuple[int, int]:
        """Return the least and greatest allowed whole number: search tries the choices, rules check the rest.

        >>> Tunable("kc", 512, (256, 512, 1024), "k block").bounds
        (1, 16384)
        """
        numbers = [c for c in self.choices if type(c) is int]
        return min(1, *numbers), 16 * max(1, *numbers)

    def neighbours(self, value: Any) -> tuple[Any, ...]:
        """Return the choices one step away from `value`; every other choice if the choices have no order."""
        if not self._ordered():
            return tuple(c for c in self.choices if c != value)
        below = [c for c in self.choices if c < value]
        above = [c for c in self.choices if c > value]
        return tuple(([max(below)] if below else []) + ([min(above)] if above else []))

    def distance(self, a: Any, b: Any) -> float:
        """Return the distance of two values: steps for ordered choices, 0 or 1 for names."""
        if a == b:
            return 0.0
        return abs(self.encode(a) - self.encode(b)) if self._ordered() else 1.0

    def encode(self, value: Any) -> float:
        """Return a number for `value`: its place among the choices (in between for values that are not listed)."""
        if value in self.choices:
            return float(self.choices.index(value))
        if not self._ordered():
            raise SpecError(f"{self.name} = {value!r} is not one of {list(self.choices)}", remedy="use a listed choice")
        below = sum(1 for c in self.choices if c < value)
        return below - 0.5

    def _ordered(self) -> bool:
        return all(isinstance(c, (int, float)) and not isinstance(c, bool) for c in self.choices)


def tunable(default: Any, choices: tuple[Any, ...], meaning: str) -> Any:
    """Return a dataclass field that is declared as tunable.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Algorithm:
    ...     kc: int = tunable(512, (256, 512), "k block")
    >>> [t.name for t in tunables_of(Algorithm)]
    ['kc']
    """
    return field(default=default, metadata={"tunable": (choices, meaning)})


def tunables_of(algorithm: Any) -> tuple[Tunable, ...]:
    """Return the tunables that an algorithm dataclass (or an instance of it) declares, in field order."""
    return tuple(_read(f) for f in fields(algorithm) if "tunable" in f.metadata)


def _read(f: Field[Any]) -> Tunable:
    choices, meaning = f.metadata["tunable"]
    return Tunable(f.name, f.default, tuple(choices), meaning)
