"""Decisions: the choice for a problem. Problems near each other share one, and rules check only that candidate.

A choice is made for the rounded sizes (`rounded`). Another problem of these sizes takes the same kernel if no rule
refuses it there, and the same launch if it is one of the kernel's launches for the problem. Otherwise, and if the
problem was measured, all its candidates are ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ..arch import get_arch
from ..backends import by_cost, get_backend_op
from ..errors import SelectionError
from ..model.device import Device
from ..model.expr import UntraceableError
from ..model.kernel import Candidate, KernelSpec
from ..model.locks import new_lock
from ..model.problem import Problem, ShapeClass, identity_of, refitted, round_on_cpu, shape_class_of
from ..model.selector import Ranked, Selector
from ..model.summation import INVARIANT
from ..model.trace import code_of
from ..ops import get_op
from ..registry import Registry
from .invariance import order_for
from .ranking import LazyRanking
from .rounded import is_cpu, rounded

MAX_DECISIONS = 8192


class Decisions:
    """The candidates that a selector chooses from a registry on a device. Thread-safe.

    >>> from tilewright.registry import Registry
    >>> from tilewright.select import get_selector
    >>> len(Decisions(Registry(), get_selector("analytical"), Device("d", "x86_64_v3", 1)))
    0
    """

    def __init__(self, registry: Registry, selector: Selector, device: Device) -> None:
        self.registry, self.selector, self.device = registry, selector, device
        self._made: dict[Any, Ranked] = {}  # by problem
        self._shares = bool(getattr(selector, "shares_decisions", False))  # `Chain`, and what adds libraries to it
        self._shared: dict[Any, tuple[Ranked, _Resized]] = {}  # by shape class and rounded sizes
        self._resized: dict[tuple[ShapeClass, Candidate], _Resized] = {}
        self._on_cpu = is_cpu(device.arch)
        self._orders: dict[Any, str] = {}  # of summation, by problem without its batch
        self._changes = -1  # of the selector's models, when these were made
        self._lock = new_lock()

    def __len__(self) -> int:
        return len(self._made)

    def renewed(self) -> Decisions:
        """Return new decisions, after a change of the registry; orders of summation stay what they were."""
        made = Decisions(self.registry, self.selector, self.device)
        made._orders = self._orders
        return made

    def choose(self, problem: Problem) -> Ranked:
        """Return the choice for `problem`, decided once: a later request is a dictionary lookup."""
        key = identity_of(problem)
        made = self._made.get(key)
        if made is not None:
            return made
        ranked = self.rank(problem)
        if not ranked:
            raise SelectionError(f"no candidate is left for {problem.label()}", remedy="see `tilewright explain`")
        with self._lock:
            if len(self._made) >= MAX_DECISIONS:
                self._made.clear()
            return self._made.setdefault(key, ranked[0])

    def rank(self, problem: Problem, others: Sequence[Ranked] | None = None) -> Sequence[Ranked]:
        """Return the candidates of a problem, the choice first; `others` are all of them, if they are known."""
        problem = self.with_one_order(problem)
        first = self.shared(problem)
        if first is None:
            return self.registry.select(problem, self.selector, self.device) if others is None else others
        if others is None:  # whoever ranked the others has noted it
            self.selector.note(problem, self.device, first)  # type: ignore[attr-defined]

        def whole() -> list[Ranked]:
            ranked = others
            if ranked is None:  # by predictions, since nothing is measured; `rank` would note the problem a second time
                legal, asked = self.registry.legal(problem, self.device), rounded(problem, self.device)
                ranked = self.selector.predicted(asked, legal, self.device)  # type: ignore[attr-defined]
            return [first, *(r for r in ranked if r.candidate != first.candidate)]

        return LazyRanking(lambda: first, whole)

    def with_one_order(self, problem: Problem) -> Problem:
        """Return an invariant problem with the name of its order of summation, which is found once for all batches.

        Later models, measurements and kernels do not change it.
        """
        if problem.summation != INVARIANT:
            return problem
        op = get_op(problem.op)
        like: Any = shape_class_of(problem, op.extents)
        found = self._orders.get(like)
        if found is None:  # strides may depend on the batch; its samples do not
            key = tuple(identity_of(batch) for batch in op.batches(problem))
            found = self._orders.get(key) or order_for(problem, self.registry, self.selector, self.device)
            found = self._orders[like] = self._orders.setdefault(key, found)
        return refitted(problem, ("roles", "signature"), summation=found)

    def shared(self, problem: Problem) -> Ranked | None:
        """Return the choice that problems near this one share; None if this problem needs its own. Notes nothing."""
        if problem.summation == INVARIANT:
            problem = self.with_one_order(problem)
        op, device = get_op(problem.op), self.device
        selector: Any = self.selector
        if not self._shares or not op.extents or selector.is_measured(problem, device):
            return None
        if selector.changes != self._changes:
            self._shared, self._changes = {}, selector.changes
        shape_class = shape_class_of(problem, op.extents)
        sizes = shape_class.sizes_of(problem)
        near = map(round_on_cpu, sizes) if self._on_cpu else [up(n) for up, n in zip(op.rounding, sizes, strict=True)]
        key = (shape_class, *near)
        found = self._shared.get(key) or self._decide(problem, key)
        if found is None:
            return None
        best, resized = found
        candidate = best.candidate if key[1:] == sizes else resized.candidate_for(problem, sizes)
        if candidate is None:
            return None
        return best if candidate is best.candidate else Ranked(candidate, best.seconds, best.reason)

    def _decide(self, problem: Problem, key: tuple[Any, ...]) -> tuple[Ranked, _Resized] | None:
        """Decide for the problems of a key; None if they have no candidates, or nothing to compute."""
        asked, selector = rounded(problem, self.device), cast(Any, self.selector)
        candidates = () if get_op(problem.op).is_empty(problem) else self.registry.legal(asked, self.device)
        if not candidates:
            return None
        for kept in (self._shared, self._resized):
            if len(kept) >= MAX_DECISIONS:
                kept.clear()
        best = selector.predicted(asked, candidates, self.device)[0]
        resized = self._resized.get((key[0], best.candidate))
        if resized is None:
            resized = self._resized[key[0], best.candidate] = _Resized(best.candidate, problem, key[0], self.device)
        found = self._shared[key] = best, resized
        return found


class _Resized:
    """A candidate for the problems of a shape class. Every new size asks: rules and launch are code of the sizes."""

    __slots__ = ("_candidate", "_code", "_device")

    def __init__(self, candidate: Candidate, problem: Problem, shape_class: ShapeClass, device: Device) -> None:
        self._candidate, self._device = candidate, device
        self._code = code_of(self._same, problem, shape_class)

    def candidate_for(self, problem: Problem, sizes: tuple[int, ...]) -> Candidate | None:
        """Return `resized_candidate` of a problem with these sizes."""
        same = self._code(*sizes) is not None
        return self._candidate if same else resized_candidate(self._candidate, problem, self._device)

    def _same(self, problem: Problem) -> tuple[()]:
        """Return () for a problem that takes the candidate as it is."""
        if resized_candidate(self._candidate, problem, self._device) is not self._candidate:
            raise UntraceableError("another launch, or none")
        return ()


def resized_candidate(candidate: Candidate, problem: Problem, device: Device) -> Candidate | None:
    """Return a candidate of a problem of other sizes as one of `problem`; None if a rule refuses its kernel."""
    return None if _refused(candidate.spec, problem) else relaunched(candidate, problem, device)


def relaunched(candidate: Candidate, problem: Problem, device: Device) -> Candidate | None:
    """Return a candidate of a problem of other sizes as one of `problem`: with its launch, or the best one there is.

    None if no launch sums in the order that the problem asks for.
    """
    spec = candidate.spec
    launches = get_backend_op(spec.backend, spec.op).offered(spec, problem, device)
    if candidate.launch in launches:
        return candidate
    if not launches:
        return None
    return by_cost(problem, [Candidate(spec, launch) for launch in launches], device)[0].candidate


def _refused(spec: KernelSpec, problem: Problem) -> bool:
    op = get_backend_op(spec.backend, spec.op)
    return bool(op.check_problem(spec, get_arch(spec.arch), problem))
