"""Kin: all of a problem but the extents that change from call to call. What holds for it is kept with it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .problem import Problem, identity_of
from .side_table import SideTable

MOST_KINS = 4096
_known: dict[Any, Kin] = {}
_lock = threading.Lock()


class Kin:
    """One object for all problems of a process that differ only in `extents`; compared by identity.

    `memo` belongs to those who ask: keys are theirs, and so are bounds.
    """

    __slots__ = ("extents", "memo", "sizes_of")

    def __init__(self, extents: tuple[str, ...]) -> None:
        self.extents = extents
        self.memo: dict[Any, Any] = {}  # what is known about all problems of this kin
        self.sizes_of: Callable[[Any], tuple[int, ...]] = _reader(extents)


_by_problem: SideTable[Kin] = SideTable()  # not in the problems: these are sent to other processes


def kin_of(problem: Problem, extents: tuple[str, ...]) -> Kin:
    """Return the kin of a problem whose op has these `extents`.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b, c = (problem_from_dict({"op": "gemm", "m": m, "n": n, "k": 8, "dtype": "fp16"})
    ...            for m, n in ((2, 8), (3, 8), (2, 4)))
    >>> kin_of(a, ("m",)) is kin_of(b, ("m",)), kin_of(a, ("m",)) is kin_of(c, ("m",))
    (True, False)
    """
    found = _by_problem.get(problem)
    if found is None:
        key = identity_of(problem, extents)
        with _lock:
            found = _known.get(key)
            if found is None:
                if len(_known) >= MOST_KINS:
                    _known.clear()
                found = _known[key] = Kin(extents)
        _by_problem.put(problem, found)
    return found


def share_kin(problem: Problem, other: Problem) -> None:
    """Note that a problem has the kin of another, from which it differs only in extents; the caller knows that.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b = (problem_from_dict({"op": "gemm", "m": m, "n": 8, "k": 8, "dtype": "fp16"}) for m in (2, 3))
    >>> kin = kin_of(a, ("m",))
    >>> share_kin(a, b)
    >>> kin_of(b, ("m",)) is kin
    True
    """
    found = _by_problem.get(problem)
    if found is not None:
        _by_problem.put(other, found)


def _reader(extents: tuple[str, ...]) -> Callable[[Any], tuple[int, ...]]:
    """Return a function that reads the extents, always as a tuple."""
    if len(extents) != 1:
        return attrgetter(*extents) if extents else lambda problem: ()
    read = attrgetter(*extents)
    return lambda problem: (read(problem),)
