"""ShapeClass: all of a problem but the extents that change from call to call, and the steps to which these are rounded.

Problems of one class whose sizes are equal after rounding up share a decision. Rows of one matrix instruction cost the
same whether they are used or not, and a few rows more in a thousand do not change which kernel is best. Steps are
powers of two, so that a step holds whole tiles, or lies within one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter
from typing import Any

from .locks import new_lock
from .problem import Problem, identity_of, note

MAX_SHAPE_CLASSES = 4096
EXACT_ROWS = 8  # so few rows have kernels of their own
INSTRUCTION_ROWS = 16
ROW_STEPS = 32  # from a power of two to the next
COUNT_STEPS = 8
CPU_STEPS = 16
Strides = Callable[[Mapping[str, Any]], Mapping[str, tuple[Any, ...]] | None]
NAME = "_shape_class"  # where a problem keeps it
_known: dict[Any, ShapeClass] = {}
_lock = new_lock()


class ShapeClass:
    """One object for all problems of a process that differ only in `extents`; compared by identity.

    `strides` returns the strides of a problem with these extents (by name) if they follow from them; None if it cannot.
    """

    __slots__ = ("extents", "sizes_of", "strides")

    def __init__(self, extents: tuple[str, ...], strides: Strides | None = None) -> None:
        self.extents, self.strides = extents, strides
        self.sizes_of: Callable[[Any], tuple[int, ...]] = _reader(extents)

    def fields(self, sizes: Iterable[Any]) -> dict[str, Any] | None:
        """Return the fields that differ between members of the class, for one of these sizes; None if not known."""
        fields = dict(zip(self.extents, sizes, strict=True))
        if self.strides is None:
            return fields
        strides = self.strides(fields)
        return None if strides is None else {**fields, "strides": strides}

    def __reduce__(self) -> Any:
        """Return None to other processes: a problem that is sent there finds its shape class again."""
        return (type(None), ())


def shape_class_of(problem: Problem, extents: tuple[str, ...]) -> ShapeClass:
    """Return the shape class of a problem whose op has these `extents`.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b, c = (problem_from_dict({"op": "gemm", "m": m, "n": n, "k": 8, "dtype": "fp16"})
    ...            for m, n in ((2, 8), (3, 8), (2, 4)))
    >>> shape_class_of(a, ("m",)) is shape_class_of(b, ("m",)), shape_class_of(a, ("m",)) is shape_class_of(c, ("m",))
    (True, False)
    """
    found: ShapeClass | None = problem.__dict__.get(NAME)
    if found is None:
        found = shape_class_for(identity_of(problem, extents), extents)
        note(problem, NAME, found)
    return found


def shape_class_for(key: Any, extents: tuple[str, ...], strides: Strides | None = None) -> ShapeClass:
    """Return the shape class of a key, all that its problems share.

    >>> shape_class_for(("rows",), ("m",)) is shape_class_for(("rows",), ("m",))
    True
    """
    with _lock:
        found = _known.get(key)
        if found is None:
            if len(_known) >= MAX_SHAPE_CLASSES:
                _known.clear()
            found = _known[key] = ShapeClass(extents, strides)
        return found


def key_of(problem: Problem, extents: tuple[str, ...]) -> tuple[Any, ...]:
    """Return a key of this process for a problem whose op has these `extents`: cheap if its shape class is known.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b, c = (problem_from_dict({"op": "gemm", "m": m, "n": 8, "k": 8, "dtype": "fp16"}) for m in (2, 2, 3))
    >>> key_of(a, ("m",)) == key_of(b, ("m",)), key_of(a, ("m",)) == key_of(c, ("m",))
    (True, False)
    """
    if not extents:
        return identity_of(problem)
    shape_class = shape_class_of(problem, extents)
    return (shape_class, *shape_class.sizes_of(problem))


def _reader(extents: tuple[str, ...]) -> Callable[[Any], tuple[int, ...]]:
    """Return a function that reads the extents, always as a tuple."""
    if len(extents) != 1:
        return attrgetter(*extents) if extents else lambda problem: ()
    read = attrgetter(*extents)
    return lambda problem: (read(problem),)


def round_rows(rows: int) -> int:
    """Return a number of rows or tokens rounded up.

    >>> [round_rows(n) for n in (0, 1, 7, 9, 17, 500, 520, 1000, 5000)]
    [0, 1, 7, 16, 32, 512, 528, 1008, 5120]
    """
    return rows if rows <= EXACT_ROWS else _up(rows, INSTRUCTION_ROWS, ROW_STEPS)


def round_count(count: int) -> int:
    """Return a number of images or sequences rounded up.

    >>> [round_count(n) for n in (0, 1, 15, 17, 33, 64, 100)]
    [0, 1, 15, 18, 36, 64, 104]
    """
    return count if count <= 2 * COUNT_STEPS else _up(count, 1, COUNT_STEPS)


def round_on_cpu(size: int) -> int:
    """Return any size rounded up for a CPU, whose tiles have odd numbers of rows.

    >>> [round_on_cpu(n) for n in (0, 1, 31, 33, 65, 100, 1000)]
    [0, 1, 31, 34, 68, 100, 1024]
    """
    return size if size <= 2 * CPU_STEPS else _up(size, 1, CPU_STEPS)


def _up(size: int, step: int, steps: int) -> int:
    while 2 * step * steps < size:
        step *= 2
    return -(-size // step) * step
