"""Kin: all of a problem but the extents that change from call to call. What holds for it is kept with it."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from .locks import new_lock
from .problem import Problem, identity_of, note

MOST_KINS = 4096
NAME = "_kin"  # where a problem keeps it
_known: dict[Any, Kin] = {}
_lock = new_lock()


class Kin:
    """One object for all problems of a process that differ only in `extents`; compared by identity.

    `memo` belongs to those who ask: keys are theirs, and so are bounds.
    """

    __slots__ = ("extents", "memo", "sizes_of")

    def __init__(self, extents: tuple[str, ...]) -> None:
        self.extents = extents
        self.memo: dict[Any, Any] = {}  # what is known about all problems of this kin
        self.sizes_of: Callable[[Any], tuple[int, ...]] = _reader(extents)

    def __reduce__(self) -> Any:
        """Return None to other processes: a problem that is sent there finds its kin again."""
        return (type(None), ())


def kin_of(problem: Problem, extents: tuple[str, ...]) -> Kin:
    """Return the kin of a problem whose op has these `extents`.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b, c = (problem_from_dict({"op": "gemm", "m": m, "n": n, "k": 8, "dtype": "fp16"})
    ...            for m, n in ((2, 8), (3, 8), (2, 4)))
    >>> kin_of(a, ("m",)) is kin_of(b, ("m",)), kin_of(a, ("m",)) is kin_of(c, ("m",))
    (True, False)
    """
    found: Kin | None = problem.__dict__.get(NAME)
    if found is None:
        key = identity_of(problem, extents)
        with _lock:
            found = _known.get(key)
            if found is None:
                if len(_known) >= MOST_KINS:
                    _known.clear()
                found = _known[key] = Kin(extents)
        note(problem, NAME, found)
    return found


def key_of(problem: Problem, extents: tuple[str, ...]) -> tuple[Any, ...]:
    """Return a key of this process for a problem whose op has these `extents`: cheap if its kin is known.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b, c = (problem_from_dict({"op": "gemm", "m": m, "n": 8, "k": 8, "dtype": "fp16"}) for m in (2, 2, 3))
    >>> key_of(a, ("m",)) == key_of(b, ("m",)), key_of(a, ("m",)) == key_of(c, ("m",))
    (True, False)
    """
    if not extents:
        return identity_of(problem)
    kin = kin_of(problem, extents)
    return (kin, *kin.sizes_of(problem))


def _reader(extents: tuple[str, ...]) -> Callable[[Any], tuple[int, ...]]:
    """Return a function that reads the extents, always as a tuple."""
    if len(extents) != 1:
        return attrgetter(*extents) if extents else lambda problem: ()
    read = attrgetter(*extents)
    return lambda problem: (read(problem),)
