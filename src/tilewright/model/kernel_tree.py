"""Evaluate a question (a rule) once for all kernels that it cannot distinguish.

A signature has a thousand kernels, and a rule reads a few fields of each. A question is first evaluated on a partial
kernel: only the fields that all kernels share are known. If it reads another field, it is evaluated again for each
value of that field, and so on. Its answer then holds for every kernel with the values that it read. No rule has to
declare which fields it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Protocol, TypeVar

from .kernel import Candidate, KernelSpec, Launch

MAX_LAUNCHES = 256  # of one kernel that are kept
T = TypeVar("T")
A = TypeVar("A", bound="Labelled")


class Labelled(Protocol):
    """An algorithm: a dataclass with a label."""

    def label(self) -> str:
        """Return a short readable text; display only."""
        ...


class UnknownField(BaseException):
    """An unknown field of a partial algorithm was read. Never leaves this module's callers."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class _Unknown:
    """Placeholder of an unknown field; a value in the object's own dictionary takes precedence."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, algorithm: Any, kind: type | None = None) -> Any:
        raise UnknownField(algorithm.__dict__.get("_names", {}).get(self.name, self.name))


@cache
def _partial_class(kind: type) -> type:
    """Return a subclass of an algorithm whose fields are unknown until set; equal only to itself, without a label."""
    unknown = {f.name: _Unknown(f.name) for f in fields(kind)}
    plain = {"__hash__": object.__hash__, "__eq__": object.__eq__, "label": lambda self: "", "_partial": True}
    return type(f"Partial{kind.__name__}", (kind,), {**unknown, **plain})


def partial_algorithm(kind: type[A], known: dict[str, Any]) -> A:
    """Return an algorithm of which some fields are known; reading another raises `UnknownField`.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Tiles:
    ...     rows: int = 1
    ...     cols: int = 1
    >>> partial_algorithm(Tiles, {"rows": 4}).rows
    4
    """
    made: Any = object.__new__(_partial_class(kind))
    made.__dict__.update(known)
    return made


def seen_as(algorithm: Any, kind: type[A], renamed: Mapping[str, str] = {}, **given: Any) -> A:
    """Return an algorithm with the fields of another; `renamed` maps names, `given` sets fields directly.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Product:
    ...     rows: int = 1
    >>> @dataclass(frozen=True)
    ... class Window(Product):
    ...     height: int = 3
    >>> seen_as(Window(rows=2), Product), seen_as(Window(rows=2), Product, {"rows": "height"})
    (Product(rows=2), Product(rows=3))
    """
    names = {name: renamed.get(name, name) for name in _field_names(kind) if name not in given}
    if not hasattr(type(algorithm), "_partial"):
        return kind(**{to: getattr(algorithm, of) for to, of in names.items()}, **given)
    held = algorithm.__dict__
    known = {to: held[of] for to, of in names.items() if of in held}
    return partial_algorithm(kind, {"_names": names, **known, **given})


@cache
def _field_names(kind: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind))


@dataclass(eq=False)
class _Node:
    """Kernels (bits of `members`) that share the known fields of `spec`, and their parts by the fields read."""

    members: int
    indices: Sequence[int]
    spec: KernelSpec
    parts: dict[str, list[_Node]] = field(default_factory=dict)
    reads: dict[Any, str] = field(default_factory=dict)  # by question: the unknown field that it read here


class KernelTree:
    """Kernels that differ only in their algorithms, as a tree that grows with the questions.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Tiles:
    ...     rows: int = 1
    ...     cols: int = 1
    >>> tiles = [Tiles(rows, cols) for rows in (2, 4) for cols in (1, 2, 3)]
    >>> tree = KernelTree([KernelSpec("gemm", "cpu", "x86_64_v3", None, t) for t in tiles])
    >>> asked = []
    >>> tall = tree.those("tall", lambda spec: asked.append(spec) or spec.algorithm.rows > 2, tree.everything)
    >>> tree.indices(tall), len(asked)
    ([3, 4, 5], 3)
    """

    def __init__(self, specs: Sequence[KernelSpec]) -> None:
        self.specs = tuple(specs)
        self.everything = (1 << len(self.specs)) - 1
        self._kind = type(self.specs[0].algorithm)
        self._columns = {f.name: [getattr(s.algorithm, f.name) for s in self.specs] for f in fields(self._kind)}
        self._root = self._node(range(len(self.specs)), {})
        self._candidates: list[dict[Launch, Candidate]] = [{} for _ in self.specs]

    def candidate(self, at: int, launch: Launch) -> Candidate:
        """Return the candidate of a kernel, by its index, and a launch; each time the same object, for scorers.

        >>> from dataclasses import dataclass
        >>> @dataclass(frozen=True)
        ... class Tiles:
        ...     rows: int = 1
        >>> tree = KernelTree([KernelSpec("gemm", "cpu", "x86_64_v3", None, Tiles())])
        >>> tree.candidate(0, Launch(threads=2)) is tree.candidate(0, Launch(threads=2))
        True
        """
        made = self._candidates[at]
        found = made.get(launch)
        if found is None:
            if len(made) >= MAX_LAUNCHES:
                made.clear()
            found = made[launch] = Candidate(self.specs[at], launch)
        return found

    def _node(self, indices: Sequence[int], known: dict[str, Any]) -> _Node:
        """Return a node of the kernels at `indices`; the fields that they share are known from the start."""
        for name, column in self._columns.items():
            if name not in known:
                first = column[indices[0]]
                if all(column[at] == first for at in indices):
                    known[name] = first
        spec = replace(self.specs[0], algorithm=partial_algorithm(self._kind, known))
        return _Node(sum(1 << at for at in indices), indices, spec)

    def _split(self, node: _Node, name: str) -> list[_Node]:
        found = node.parts.get(name)
        if found is None:
            column, by_value = self._columns[name], dict[Any, list[int]]()
            for at in node.indices:
                by_value.setdefault(column[at], []).append(at)
            found = [self._node(indices, dict(node.spec.algorithm.__dict__)) for indices in by_value.values()]
            node.parts[name] = found
        return found

    def answers(self, question: Any, ask: Callable[[KernelSpec], T], among: int) -> Iterator[tuple[T, int]]:
        """Yield (answer, kernels that it holds for), which together are all of `among`.

        `question` identifies the question across problems: if it read an unknown field at a node, it is evaluated on
        the parts from then on.
        """
        waiting = [self._root]
        while waiting:
            node = waiting.pop()
            members = node.members & among
            if not members:
                continue
            name = node.reads.get(question)
            if name is not None:
                waiting += node.parts[name]
                continue
            try:
                answer = ask(node.spec)
            except UnknownField as unknown:
                waiting += self._split(node, unknown.name)
                node.reads[question] = unknown.name
            else:
                yield answer, members

    def those(self, question: Any, ask: Callable[[KernelSpec], Any], among: int) -> int:
        """Return the kernels of `among` for which the answer is true."""
        found = 0
        for answer, members in self.answers(question, ask, among):
            if answer:
                found |= members
        return found

    @staticmethod
    def indices(members: int) -> list[int]:
        """Return the indices of the kernels whose bits are set, in order."""
        bits, found = bin(members)[:1:-1], []
        at = bits.find("1")
        while at >= 0:
            found.append(at)
            at = bits.find("1", at + 1)
        return found
