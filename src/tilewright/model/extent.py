"""Extent: a size that is known only as a range. It tells whether an answer holds for all sizes of the range.

A function of a problem (a rule, the launches of a kernel) is evaluated once on a problem whose size is an `Extent`. If
no step depended on more than the range, the answer holds for every such problem and need not be computed again.
"""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Callable, Iterable
from math import gcd
from typing import Any

# Upper ends of the ranges. Rules compare small sizes with tiles and large ones with the limits of 32-bit integers.
ENDS = (0, 1, 16, 32, 64, 128, 1 << 16, *((1 << bits) for bits in range(17, 64)))


def range_of(size: int) -> int:
    """Return the number of the range that a size is in.

    >>> range_of(0), range_of(1), range_of(17) == range_of(32), range_of(33) == range_of(32)
    (0, 1, True, False)
    """
    return bisect_left(ENDS, size)


def ranges_of(sizes: Iterable[int]) -> list[int]:
    """Return the number of the range of each size.

    >>> ranges_of([0, 1, 17]) == [range_of(0), range_of(1), range_of(17)]
    True
    """
    return [bisect_left(ENDS, size) for size in sizes]


class Watch:
    """Remembers whether a step depended on the exact size, or only on how many blocks of `block` elements it has."""

    __slots__ = ("block", "exact")

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.exact, self.block = False, 0

    def blocks(self, sizes: Iterable[int]) -> tuple[int, ...]:
        """Return all that the steps depended on: whole and begun blocks of each size.

        >>> watch = Watch()
        >>> _ = hash(-(-Extent.of(100, watch) // 64)), hash(Extent.of(100, watch) // 48)
        >>> watch.exact, watch.block, watch.blocks([100])
        (False, 16, (6, 7))
        """
        block = self.block
        return tuple([n for size in sizes for n in (size // block, -(-size // block))])


class Extent:
    """An integer of which `low` <= value <= `high` is known. What needs the value itself gets it and is noticed.

    Sums, products and quotients are extents again. Text made from an extent does not count: it is for people.

    >>> watch = Watch()
    >>> m = Extent.of(100, watch)
    >>> m > 1, -(-m // 64) < 1 << 20, watch.exact
    (True, True, False)
    >>> m < 110, watch.exact
    (True, True)
    """

    __slots__ = ("block", "high", "low", "value", "watch")

    def __init__(self, value: int, low: int, high: int, watch: Watch, block: int = 0) -> None:
        self.value, self.low, self.high, self.watch = value, low, high, watch
        self.block = block  # 1: a size or its negative; more: made from quotients by multiples of it; 0: anything else

    @classmethod
    def of(cls, value: int, watch: Watch) -> Extent:
        """Return the extent of a size: all sizes of its range."""
        at = range_of(value)
        return cls(value, ENDS[at - 1] + 1 if at else 0, ENDS[at], watch, 1)

    def _exact(self) -> int:
        if self.block > 1:
            self.watch.block = gcd(self.watch.block, self.block)
        else:
            self.watch.exact = True
        return self.value

    def _made(self, other: Any, act: Callable[[Any, Any], Any], bounds: Callable[..., tuple[int, int]]) -> Any:
        """Return the extent of `act` on both, whose bounds follow from those of both."""
        if type(other) is int:
            low, high = bounds(self.low, self.high, other, other)
            return Extent(act(self.value, other), low, high, self.watch, self.block if self.block > 1 else 0)
        if type(other) is Extent:
            low, high = bounds(self.low, self.high, other.low, other.high)
            shared = gcd(self.block, other.block) if self.block > 1 and other.block > 1 else 0
            return Extent(act(self.value, other.value), low, high, self.watch, shared if shared > 1 else 0)
        return act(self._exact(), other)

    def __add__(self, other: Any) -> Any:
        return self._made(other, operator.add, lambda a, b, c, d: (a + c, b + d))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._made(other, operator.sub, lambda a, b, c, d: (a - d, b - c))

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        return self._made(other, operator.mul, _product)

    __rmul__ = __mul__

    def __neg__(self) -> Extent:
        return Extent(-self.value, -self.high, -self.low, self.watch, self.block)

    def __pos__(self) -> Extent:
        return self

    def __abs__(self) -> Extent:
        low = 0 if self.low <= 0 <= self.high else min(abs(self.low), abs(self.high))
        return Extent(abs(self.value), low, max(abs(self.low), abs(self.high)), self.watch, self.block)

    def __floordiv__(self, other: Any) -> Any:
        if type(other) is int and other > 0:
            block = other if self.block == 1 else self.block
            return Extent(self.value // other, self.low // other, self.high // other, self.watch, block)
        return self._exact() // _plain(other)

    def __mod__(self, other: Any) -> Any:
        if type(other) is int and other > 0:
            return Extent(self.value % other, 0, other - 1, self.watch, self.block if self.block > 1 else 0)
        return self._exact() % _plain(other)

    def __lt__(self, other: Any) -> bool:
        return self._compared(other, operator.lt, lambda a, b, c, d: (b < c, a >= d))

    def __le__(self, other: Any) -> bool:
        return self._compared(other, operator.le, lambda a, b, c, d: (b <= c, a > d))

    def __gt__(self, other: Any) -> bool:
        return self._compared(other, operator.gt, lambda a, b, c, d: (a > d, b <= c))

    def __ge__(self, other: Any) -> bool:
        return self._compared(other, operator.ge, lambda a, b, c, d: (a >= d, b < c))

    def __eq__(self, other: object) -> bool:
        return self._compared(other, operator.eq, lambda a, b, c, d: (a == b == c == d, b < c or a > d))

    def __ne__(self, other: object) -> bool:
        return self._compared(other, operator.ne, lambda a, b, c, d: (b < c or a > d, a == b == c == d))

    def _compared(self, other: Any, act: Callable[[Any, Any], bool], known: Callable[..., tuple[bool, bool]]) -> bool:
        """Return the comparison; `known` says from the bounds whether it is certainly true, certainly false."""
        if type(other) is Extent:
            low, high = other.low, other.high
        elif type(other) in (int, float):
            low = high = other
        else:
            return act(self._exact(), other)
        yes, no = known(self.low, self.high, low, high)
        return yes if yes or no else act(self._exact(), _plain(other))

    def __bool__(self) -> bool:
        return self != 0

    def __repr__(self) -> str:
        return repr(self.value)

    def __format__(self, form: str) -> str:
        return format(self.value, form)

    def __hash__(self) -> int:
        return hash(self._exact())

    def __index__(self) -> int:
        return self._exact()

    __int__ = __trunc__ = __ceil__ = __floor__ = __round__ = __index__

    def __float__(self) -> float:
        return float(self._exact())

    def bit_length(self) -> int:
        """Return the bits of the value."""
        return self._exact().bit_length()


def _plain(value: Any) -> Any:
    return value._exact() if type(value) is Extent else value


def _product(a: int, b: int, c: int, d: int) -> tuple[int, int]:
    corners = (a * c, a * d, b * c, b * d)
    return min(corners), max(corners)


def _by_value(act: Callable[[Any, Any], Any]) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    """Return an operation that needs the values, and its reflected form."""
    return (
        lambda self, other: act(self._exact(), _plain(other)),
        lambda self, other: act(_plain(other), self._exact()),
    )


for _name in ("truediv", "pow", "and_", "or_", "xor", "lshift", "rshift", "floordiv", "mod", "divmod"):
    _forward, _back = _by_value(divmod if _name == "divmod" else getattr(operator, _name))
    _plain_name = _name.rstrip("_")
    if f"__{_plain_name}__" not in vars(Extent):
        setattr(Extent, f"__{_plain_name}__", _forward)
    setattr(Extent, f"__r{_plain_name}__", _back)
