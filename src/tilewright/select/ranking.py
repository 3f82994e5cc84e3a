"""Lazy rankings: most callers read only the first candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, overload

from ..model.kernel import Candidate
from ..model.selector import Ranked, in_order


class Lazy(Sequence[Ranked]):
    """A sequence whose first element is known before the others."""

    @cached_property
    def first(self) -> Ranked:
        """The best candidate."""
        raise NotImplementedError

    @cached_property
    def whole(self) -> list[Ranked]:
        """Return all of them, best first."""
        raise NotImplementedError

    @overload
    def __getitem__(self, at: int) -> Ranked: ...
    @overload
    def __getitem__(self, at: slice) -> list[Ranked]: ...
    def __getitem__(self, at: int | slice) -> Ranked | list[Ranked]:
        if at == 0 and ("first" in self.__dict__ or self):
            return self.first
        return self.whole[at]

    def __iter__(self) -> Iterator[Ranked]:
        return iter(self.whole)


class Ranking(Lazy):
    """Candidates by score (an array), ties broken by key; `describe` makes the `Ranked` of a candidate.

    `best` is the place of the first one if it is known to tie with no other.

    >>> import numpy as np
    >>> spec = type("Spec", (), {"digest": "d"})()
    >>> ranking = Ranking([Candidate(spec), Candidate(spec)], np.array([2.0, 1.0]), lambda i: Ranked(None, i, "why"))
    >>> ranking[0].seconds, [r.seconds for r in ranking]
    (1, [1, 0])
    """

    def __init__(
        self, candidates: Sequence[Candidate], score: Any, describe: Callable[[int], Ranked], best: int | None = None
    ) -> None:
        self._candidates, self._score, self._describe, self._best = candidates, score, describe, best

    def __len__(self) -> int:
        return len(self._candidates)

    @cached_property
    def first(self) -> Ranked:
        """Return the best candidate; in a tie, the one with the smallest key."""
        if self._best is not None:
            return self._describe(self._best)
        tied = (self._score == self._score.min()).nonzero()[0].tolist()
        return self._describe(min(tied, key=lambda i: self._candidates[i].key))

    @cached_property
    def whole(self) -> list[Ranked]:
        """All candidates, best first."""
        return in_order([(score, self._describe(i)) for i, score in enumerate(self._score.tolist())])


class Joined(Lazy):
    """One ranking after another; the second is made only if the first is not enough.

    >>> joined = Joined([Ranked(None, 1.0, "a")], 1, lambda: [Ranked(None, 2.0, "b")])
    >>> joined[0].reason, [r.reason for r in joined], len(joined)
    ('a', ['a', 'b'], 2)
    """

    def __init__(self, before: Sequence[Ranked], more: int, after: Callable[[], Sequence[Ranked]]) -> None:
        self._before, self._more, self._after = before, more, after

    def __len__(self) -> int:
        return len(self._before) + self._more

    @cached_property
    def first(self) -> Ranked:
        """The best of the first ranking that has any."""
        return self._before[0] if self._before else self._rest[0]

    @cached_property
    def _rest(self) -> Sequence[Ranked]:
        return self._after() if self._more else ()

    @cached_property
    def whole(self) -> list[Ranked]:
        """Both rankings."""
        return [*self._before, *self._rest]


class Ahead(Lazy):
    """A ranking of `count` candidates whose first may be found without the others: `best` returns it, or None.

    >>> ahead = Ahead(2, lambda: Ranked(None, 1.0, "a"), lambda: [Ranked(None, 1.0, "a"), Ranked(None, 2.0, "b")])
    >>> ahead[0].reason, [r.reason for r in ahead]
    ('a', ['a', 'b'])
    """

    def __init__(self, count: int, best: Callable[[], Ranked | None], whole: Callable[[], list[Ranked]]) -> None:
        self._count, self._best, self._whole = count, best, whole

    def __len__(self) -> int:
        return self._count

    @cached_property
    def first(self) -> Ranked:
        """The best candidate."""
        found = self._best() if "whole" not in self.__dict__ else None
        return found if found is not None else self.whole[0]

    @cached_property
    def whole(self) -> list[Ranked]:
        """All candidates, best first."""
        return self._whole()
