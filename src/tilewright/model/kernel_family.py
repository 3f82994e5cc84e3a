"""KernelFamily: the candidates of problems that differ only in an extent that changes from call to call.

The rules and launches of a signature's kernels are evaluated once on an `Extent`, the rest of the problem being as it
is. Answers that hold for the whole range are kept; the others are computed for each problem, on as few partial kernels
as when the family was made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import gcd
from operator import attrgetter, itemgetter
from typing import Any

from .extent import Extent, Watch, ranges_of
from .kernel import Candidate, KernelSpec, Launch
from .kernel_tree import KernelTree, UnknownField
from .kin import kin_of
from .problem import Problem, twin_of

MOST_LISTS = 512  # lists of candidates that a family keeps
MOST_BLOCKS = 4096  # sizes, rounded to blocks, whose launches a family keeps
Passes = Callable[[Any, KernelSpec, Any], bool]  # of a check, a kernel and a problem
Launches = Callable[[KernelSpec, Any], Sequence[Launch]]


def family_key(problem: Problem, extents: tuple[str, ...]) -> tuple[Any, ...]:
    """Return all of a problem that its family shares: every field, of `extents` only the range.

    >>> from tilewright.ops import problem_from_dict
    >>> a, b, c = (problem_from_dict({"op": "gemm", "m": m, "n": 8, "k": 8, "dtype": "fp16"}) for m in (200, 300, 2))
    >>> family_key(a, ("m",)) == family_key(b, ("m",)), family_key(a, ("m",)) == family_key(c, ("m",))
    (True, False)
    """
    kin = kin_of(problem, extents)
    return (kin, *ranges_of(kin.sizes_of(problem)))


class Twins:
    """Makes copies of a problem with extents in place of sizes.

    Every question needs a new one: what an earlier question derived from a size must be derived, and noticed, again.
    """

    def __init__(self, problem: Problem, extents: Sequence[str]) -> None:
        self.watch, self.extents = Watch(), tuple(extents)
        self._problem = problem
        self._sizes = {name: Extent.of(getattr(problem, name), self.watch) for name in extents}

    def new(self) -> Any:
        """Return a new copy; nothing has depended on its sizes yet."""
        self.watch.clear()
        return twin_of(self._problem, self._sizes)


class KernelFamily:
    """The candidates of a tree for a family of problems. Thread-safe: every answer is the same whoever computes it."""

    def __init__(
        self, tree: KernelTree, checks: Iterable[Any], passes: Passes, launches: Launches, twins: Twins
    ) -> None:
        self._tree, self._passes, self._launches = tree, passes, launches
        self._legal = tree.everything
        self._open: list[tuple[Any, KernelSpec, int]] = []
        for check in checks:
            self._judge(check, twins)
        self._fixed: list[tuple[int, tuple[Launch, ...]]] = []
        self._asked: list[tuple[int, KernelSpec]] = []
        self._blocks = Watch()  # what the launches of `_asked` depend on, all of them together
        answers = tree.answers("launches", lambda spec: self._launches_of(spec, twins), self._legal)
        for (answer, spec), members in answers:
            if answer is None:
                self._asked.append((members, spec))
            else:
                self._fixed.append((members, answer))
        self._sizes = attrgetter(*twins.extents)
        self._by_blocks: dict[Any, list[Candidate]] = {}
        self._lists: dict[Any, list[Candidate]] = {}

    def _judge(self, check: Any, twins: Twins) -> None:
        """Keep what a check says about the whole range; the rest is open."""

        def ask(spec: KernelSpec) -> tuple[bool | None, KernelSpec]:
            try:
                answer = self._passes(check, spec, twins.new())
            except Exception:  # it cannot work with an extent: the real problem decides
                return None, spec
            return (None if twins.watch.exact or twins.watch.block else answer), spec

        for (answer, spec), members in self._tree.answers(check, ask, self._legal):
            if answer is None:
                self._open.append((check, spec, members))
            elif not answer:
                self._legal &= ~members

    def _launches_of(self, spec: KernelSpec, twins: Twins) -> tuple[tuple[Launch, ...] | None, KernelSpec]:
        watch = twins.watch
        try:
            found = tuple(self._launches(spec, twins.new()))
            for launch in found:
                hash(launch)  # an extent inside of it is noticed
        except UnknownField:
            raise
        except Exception:
            watch.exact = True
        self._blocks.exact |= watch.exact
        self._blocks.block = gcd(self._blocks.block, watch.block)
        return (None if watch.exact or watch.block else found), spec

    def candidates(self, problem: Problem) -> list[Candidate] | None:
        """Return the candidates of a problem, the same list for the same kernels and launches.

        None if a question reads other fields for this problem than it did when the family was made.
        """
        legal, passes = self._legal, self._passes
        try:
            for check, spec, members in self._open:
                if members & legal and not passes(check, spec, problem):
                    legal &= ~members
            key = self._block_key(problem, legal)
            found = self._by_blocks.get(key) if key is not None else None
            if found is not None:
                return found
            answers = self._answers(problem, legal)
        except UnknownField:
            return None
        found = self._lists.get((legal, answers))
        if found is None:
            if len(self._lists) >= MOST_LISTS:
                self._lists.clear()
            found = self._lists[legal, answers] = self._listed(legal, answers)
        if key is not None:
            if len(self._by_blocks) >= MOST_BLOCKS:
                self._by_blocks.clear()
            self._by_blocks[key] = found
        return found

    def _block_key(self, problem: Problem, legal: int) -> tuple[int, ...] | None:
        """Return all that the candidates depend on if launches depend only on blocks of the sizes; else None."""
        if not self._asked or self._blocks.exact or self._blocks.block <= 1:
            return None
        sizes = self._sizes(problem)
        return (legal, *self._blocks.blocks(sizes if isinstance(sizes, tuple) else (sizes,)))

    def _answers(self, problem: Problem, legal: int) -> tuple[tuple[Launch, ...], ...]:
        """Return the launches of the kernels whose launches depend on the extents."""
        return tuple(tuple(self._launches(spec, problem)) if members & legal else () for members, spec in self._asked)

    def _listed(self, legal: int, answers: Sequence[tuple[Launch, ...]]) -> list[Candidate]:
        tree = self._tree
        parts = [*self._fixed, *((members, of) for (members, _), of in zip(self._asked, answers, strict=True))]
        placed = [(at, launches) for members, launches in parts for at in tree.places(members & legal)]
        placed.sort(key=itemgetter(0))
        return [tree.candidate(at, launch) for at, launches in placed for launch in launches]


class Families:
    """The families of one tree by some checks. A family is made when its second problem comes: many have no second.

    >>> len(Families(()))
    0
    """

    MOST = 1024

    def __init__(self, checks: tuple[Any, ...]) -> None:
        self.checks = checks
        self._known: dict[Any, KernelFamily | None] = {}

    def __len__(self) -> int:
        return len(self._known)

    def find(
        self, problem: Problem, extents: tuple[str, ...], place: Any, make: Callable[[Twins], KernelFamily]
    ) -> KernelFamily | None:
        """Return the family of a problem on a device (`place`); None for its first problem."""
        key = (place, *family_key(problem, extents))
        try:
            found = self._known[key]
        except KeyError:
            if len(self._known) >= self.MOST:
                self._known.clear()
            self._known[key] = None
            return None
        if found is None:
            found = self._known[key] = make(Twins(problem, extents))
        return found
