"""Pipelines: the ways in which an op is computed, each a module (or a folder) of the op's package `pipelines`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

from ...model.locks import cached_property
from ...model.rule import Broken, Check, Rule, Subject

Arguments = dict[str, Any]  # of a kernel, by parameter
Call = tuple[str, tuple[int, int, int], Arguments]  # file prefix of the kernel, grid, arguments


class BasePipeline:
    """A pipeline of any op."""

    # Rules that only some pipelines have: those that remove most kernels, and those checked on what is left.
    first_rules: ClassVar[tuple[Rule, ...]] = ()
    last_rules: ClassVar[tuple[Rule, ...]] = ()

    @cached_property
    def name(self) -> str:
        """The name of this pipeline: that of its module or folder."""
        return type(self).__module__.partition(".pipelines.")[2].partition(".")[0]


P = TypeVar("P", bound=BasePipeline)


class Pipelines(Generic[P]):
    """The pipelines of an op by name, in the order of `names`; imported at their first use.

    `file` is the module of a pipeline's folder that has PIPELINE, `sets` the one that has the sets; "" if it is no
    folder but one module.
    """

    def __init__(self, package: str, names: Sequence[str], file: str = "", sets: str = "") -> None:
        self.names, self._package, self._file, self._sets = tuple(names), package, file, sets
        self._opened: dict[str, P] = {}

    def module(self, name: str, file: str = "") -> Any:
        """Return the module of a pipeline, or one of its folder."""
        return import_module(".".join(filter(None, (self._package, name, file))))

    def get(self, name: str) -> P:
        """Return the pipeline called `name`."""
        found = self._opened.get(name)
        if found is None:
            found = self._opened[name] = self.module(name, self._file).PIPELINE
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
        """Return the kernel sets that pipelines declare in the dictionary `which`, in the order of its keys."""
        parts = [self.module(name, self._sets) for name in self.names]
        placed = [pair for part in parts for pair in getattr(part, which, {}).items()]
        return tuple(s for _, sets in sorted(placed, key=lambda pair: pair[0]) for s in sets)


def _only(of: tuple[str, ...], check: Check, s: Subject[Any]) -> Broken | None:
    return check(s) if s.algorithm.pipeline in of else None
