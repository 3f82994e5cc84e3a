"""The common interface of problems. The fields belong to each op."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar

KEPT = 4096  # results per function; then the memo is cleared
P = TypeVar("P", bound="Problem")
T = TypeVar("T")


class Problem(Protocol):
    """Everything that decides whether a result is correct. A frozen dataclass owned by its op."""

    @property
    def op(self) -> str:
        """The op's name."""
        ...

    @property
    def exact_key(self) -> str:
        """Identity for the plan cache: strides, pointer-alignment class and device included."""
        ...

    @property
    def tuning_key(self) -> str:
        """Identity for measurements and models: layout, leading-dimension alignment, sizes."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form of problem files."""
        ...

    def label(self) -> str:
        """Return a short readable text for tables."""
        ...


def kept_by_problem(make: Callable[[P], T]) -> Callable[[P], T]:
    """Return a memo of `make` by the exact key of the problem; rules call it for every kernel.

    >>> from types import SimpleNamespace
    >>> asked = []
    >>> size = kept_by_problem(lambda p: asked.append(p) or len(p.exact_key))
    >>> size(SimpleNamespace(exact_key="abc")), size(SimpleNamespace(exact_key="abc")), len(asked)
    (3, 3, 1)
    """
    kept: dict[str, T] = {}

    @wraps(make)
    def answer(problem: P) -> T:
        try:
            return kept[problem.exact_key]
        except KeyError:
            if len(kept) >= KEPT:
                kept.clear()
            found = kept[problem.exact_key] = make(problem)
            return found

    return answer
