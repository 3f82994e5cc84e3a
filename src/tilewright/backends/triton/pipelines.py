"""Pipelines: the ways in which an op is computed. Each is a folder of the op's package `pipelines`, found by its name.

A folder holds `__init__.py` (PLACE and WHAT, no imports), `pipeline.py` (PIPELINE: facts, rules, geometry, values) and
modules that are imported at their first use, such as `source.py`, `cost.py` and `sets.py`.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

from ...model.rule import Broken, Check, Rule, Subject


class Folder:
    """A pipeline as a folder of modules."""

    # Rules that only some pipelines have: those that remove most kernels, and those checked on what is left.
    first_rules: ClassVar[tuple[Rule, ...]] = ()
    last_rules: ClassVar[tuple[Rule, ...]] = ()

    @cached_property
    def package(self) -> str:
        """The folder of this pipeline as a package."""
        return type(self).__module__.rpartition(".")[0]

    @cached_property
    def name(self) -> str:
        """The name of this pipeline: that of its folder."""
        return self.package.rpartition(".")[2]

    def part(self, name: str) -> Any:
        """Return a module of this pipeline's folder; imported at its first use."""
        return import_module(f"{self.package}.{name}")

    @cached_property
    def cost(self) -> Any:
        """The module `cost`; kept, because one selection uses it thousands of times."""
        return self.part("cost")


F = TypeVar("F", bound=Folder)


class Folders(Generic[F]):
    """The pipelines of an op: the folders of its package `pipelines`.

    `what` describes each, by name, in the order of their places. The place is the number of a pipeline in trained
    models: it never changes, and a new pipeline takes the next one.
    """

    def __init__(self, package: str, path: Iterable[str]) -> None:
        found = [(m.name, import_module(f"{package}.{m.name}")) for m in pkgutil.iter_modules(path) if m.ispkg]
        self.what: dict[str, str] = {n: m.WHAT for n, m in sorted(found, key=lambda pair: pair[1].PLACE)}
        self.names = tuple(self.what)
        self._package = package
        self._opened: dict[str, F] = {}

    def get(self, name: str) -> F:
        """Return the pipeline called `name`."""
        found = self._opened.get(name)
        if found is None:
            found = self._opened[name] = import_module(f"{self._package}.{name}.pipeline").PIPELINE
        return found

    def rules(self, which: str) -> tuple[Rule, ...]:
        """Return the rules that pipelines list under `which`; each checks only kernels of the pipelines that list it.

        `which` is "first_rules" or "last_rules".
        """
        users: dict[str, list[str]] = {}
        listed: dict[str, Rule] = {}
        for name in self.names:
            for r in getattr(self.get(name), which):
                users.setdefault(r.id, []).append(name)
                listed[r.id] = r
        return tuple(
            replace(r, check=partial(_only, tuple(users[id]), r.check),
                    parts=tuple(partial(_only, tuple(users[id]), part) for part in r.parts))
            for id, r in listed.items()
        )  # fmt: skip

    def sets(self, which: str) -> tuple[Any, ...]:
        """Return the kernel sets that pipelines declare in the dictionary `which` of `sets.py`, by their places."""
        parts = (self.get(name).part("sets") for name in self.names)
        placed = [pair for part in parts for pair in getattr(part, which, {}).items()]
        return tuple(s for _, sets in sorted(placed, key=lambda pair: pair[0]) for s in sets)


def _only(of: tuple[str, ...], check: Check, s: Subject[Any]) -> Broken | None:
    return check(s) if s.spec.algorithm.pipeline in of else None
