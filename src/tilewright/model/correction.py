"""Correction: the nearest legal kernel to one that breaks rules, as a diff that the caller may apply or not.

Rules do not declare which fields they depend on. Each check runs on a recorder in place of the algorithm, so the fields
that it read are known. The result of the check stays the same until one of these fields changes. A broken rule can
therefore only be fixed by changing one of them: the search branches on these alone and still finds the nearest legal
kernel.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

from ..errors import TilewrightError
from .arch import Arch
from .kernel import KernelSpec, Launch
from .problem import Problem
from .rule import Rejection, Rule, Subject, judge
from .tunable import Tunable

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Correction:
    """A legal spec near an illegal one. `changes` maps each changed field to (old, new); nothing was applied.

    `mended` are the rejections of the original spec; `evaluations` counts the specs that were checked.
    """

    asked: KernelSpec
    spec: KernelSpec
    changes: dict[str, tuple[Any, Any]]
    distance: float
    mended: tuple[Rejection, ...]
    evaluations: int

    def __str__(self) -> str:
        diff = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in self.changes.items())
        return diff or "nothing to change: the spec is legal"


def nearest_legal(
    spec: KernelSpec,
    arch: Arch,
    rules: Iterable[Rule],
    tunables: Sequence[Tunable],
    *,
    limit: int = 5000,
    keep: Iterable[str] = (),
    problem: Problem | None = None,
    launch: Launch | None = None,
) -> Correction | None:
    """Return the legal spec with the smallest summed `Tunable.distance` to `spec`; None if none is among `limit` specs.

    Fields in `keep` stay as they are. With a problem, its rules are checked too. Ties go to fewer changed fields, then
    to earlier declared fields and choices, so the result is always the same. The spec itself is not changed:

        correction = nearest_legal(spec, arch, op.rules, op.tunables())
        if correction is not None:
            print(correction)  # tile_k 128 -> 64
    """
    search = _Search(spec, arch, tuple(rules), tuple(tunables), frozenset(keep), problem, launch)
    return search.run(limit)


class _Search:
    """Uniform-cost search over single steps of tunables."""

    def __init__(
        self,
        spec: KernelSpec,
        arch: Arch,
        rules: tuple[Rule, ...],
        tunables: tuple[Tunable, ...],
        keep: frozenset[str],
        problem: Problem | None,
        launch: Launch | None,
    ) -> None:
        self.spec, self.arch, self.rules, self.problem, self.launch = spec, arch, rules, problem, launch
        self.tunables = tunables
        self.index = {t.name: i for i, t in enumerate(tunables) if t.name not in keep}
        self.start: Key = tuple(getattr(spec.algorithm, t.name) for t in tunables)

    def run(self, limit: int) -> Correction | None:
        mended = judge(self.rules, self._subject(self.spec))
        queue: list[tuple[float, int, Key, Key]] = [(0.0, 0, (), self.start)]
        seen, evaluations = {self.start}, 0
        while queue and evaluations < limit:
            distance, _, _, state = heappop(queue)
            evaluations += 1
            spec = self._spec(state)
            fields = frozenset(self.index) if spec is None else self._to_change(spec)
            if spec is not None and fields is None:
                return Correction(self.spec, spec, self._changes(state), distance, mended, evaluations)
            for neighbour in self._neighbours(state, fields or frozenset()):
                if neighbour not in seen:
                    seen.add(neighbour)
                    heappush(queue, self._entry(neighbour))
        return None

    def _spec(self, state: Key) -> KernelSpec | None:
        """Return the spec of a state; None if the algorithm itself refuses the combination."""
        changes = {name: new for name, (_, new) in self._changes(state).items()}
        try:
            return replace(self.spec, algorithm=replace(self.spec.algorithm, **changes))
        except TilewrightError:
            return None

    def _to_change(self, spec: KernelSpec) -> frozenset[str] | None:
        """Return the fields of which one must change (of the broken rule with the fewest); None if all rules hold."""
        subject = self._subject(spec)
        broken = [rule for rule in self.rules if rule(subject) is not None]
        return min((self._read_by(rule, spec) for rule in broken), key=len, default=None)

    def _read_by(self, rule: Rule, spec: KernelSpec) -> frozenset[str]:
        """Return the changeable fields that a broken rule read."""
        read: set[str] = set()
        rule(self._subject(replace(spec, algorithm=_Recorder(spec.algorithm, read))))
        return frozenset(read & self.index.keys())

    def _subject(self, spec: KernelSpec) -> Subject[Any]:
        return Subject(spec, self.arch, self.problem, self.launch)

    def _neighbours(self, state: Key, fields: frozenset[str]) -> Iterator[Key]:
        for name in sorted(fields, key=self.index.__getitem__):
            i = self.index[name]
            for value in self.tunables[i].neighbours(state[i]):
                yield (*state[:i], value, *state[i + 1 :])

    def _entry(self, state: Key) -> tuple[float, int, Key, Key]:
        distance, order = 0.0, []
        for i, t in enumerate(self.tunables):
            if state[i] != self.start[i]:
                distance += t.distance(self.start[i], state[i])
                order.append((i, t.choices.index(state[i])))
        return (distance, len(order), tuple(order), state)

    def _changes(self, state: Key) -> dict[str, tuple[Any, Any]]:
        pairs = zip(self.tunables, self.start, state, strict=True)
        return {t.name: (old, new) for t, old, new in pairs if old != new}


class _Recorder:
    """Wraps an algorithm and records which fields are read, also through its properties and methods."""

    def __init__(self, target: Any, read: set[str]) -> None:
        self._target, self._read = target, read

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(type(self._target), name, None)
        if isinstance(attribute, property) and attribute.fget is not None:
            return attribute.fget(self)
        if isinstance(attribute, cached_property):
            return attribute.func(self)
        if callable(attribute):
            return attribute.__get__(self)
        self._read.add(name)
        return getattr(self._target, name)
