"""Lazy rankings: most callers read only the first candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import overload

from ..model.locks import cached_property
from ..model.selector import Ranked


class LazyRanking(Sequence[Ranked]):
    """A ranking whose first candidate may be found without the others: `best` returns it, or None.

    `count` is the number of candidates; None: one or more, counted when `whole` has made them.

    >>> lazy = LazyRanking(lambda: Ranked(None, 1.0, "a"), lambda: [Ranked(None, 1.0, "a"), Ranked(None, 2.0, "b")], 2)
    >>> lazy[0].reason, [r.reason for r in lazy]
    ('a', ['a', 'b'])
    """

    def __init__(
        self, best: Callable[[], Ranked | None], whole: Callable[[], Iterable[Ranked]], count: int | None = None
    ) -> None:
        self._best, self._whole, self._count = best, whole, count

    def __len__(self) -> int:
        return len(self.whole) if self._count is None else self._count

    def __bool__(self) -> bool:
        return self._count != 0

    @cached_property
    def first(self) -> Ranked:
        """The best candidate."""
        found = self._best() if "whole" not in self.__dict__ else None
        return found if found is not None else self.whole[0]

    @cached_property
    def whole(self) -> list[Ranked]:
        """All candidates, best first."""
        return list(self._whole())

    @overload
    def __getitem__(self, at: int) -> Ranked: ...
    @overload
    def __getitem__(self, at: slice) -> list[Ranked]: ...
    def __getitem__(self, at: int | slice) -> Ranked | list[Ranked]:
        return self.first if at == 0 and self else self.whole[at]

    def __iter__(self) -> Iterator[Ranked]:
        return iter(self.whole)


def one_after_another(before: Sequence[Ranked], more: int, after: Callable[[], Sequence[Ranked]]) -> LazyRanking:
    """Return two rankings as one; the second, of `more` candidates, is made only if the first is not enough.

    >>> both = one_after_another([Ranked(None, 1.0, "a")], 1, lambda: [Ranked(None, 2.0, "b")])
    >>> both[0].reason, [r.reason for r in both], len(both)
    ('a', ['a', 'b'], 2)
    """
    rest = cache(after)
    return LazyRanking(lambda: (before or rest())[0], lambda: [*before, *rest()], len(before) + more)
