"""ShapedStage: launches of a new shape from those of an earlier one.

Problems of one shape class (`model.shape_class`) have launches of the same kernels whose grids, numbers and tensor maps
are functions of the sizes. The functions are traced once (`model.traced`) and then run as straight code.
Sizes that take another way through them, and what cannot be traced, are prepared as if they were the first.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ...errors import ProblemError
from ...model.kernel import Candidate
from ...model.problem import Problem
from ...model.shape_class import ShapeClass, shape_class_of
from ...model.tensor import TensorView
from ...model.traced import Code, Trace, UntraceableError, traced_twin
from ...ops import get_op
from .call import Recorder
from .captured import keep_if_captured
from .launches import PointerCall, stand_ins_for
from .pattern import Pattern
from .stage import driver_for
from .workspace_pool import pool_of

WAYS = 6  # ways through the functions that are kept for one shape class: few tiles, many tiles, ...
SPACE, SOMEWHERE = "space", 1 << 40  # a made-up address of the workspace: 0 would say that there is none
log = logging.getLogger("tilewright")


class Template:
    """The launches of one kernel for problems of one shape class, as code of their sizes."""

    def __init__(self, stage: Any, trace: Trace, driver: Any, views: Any) -> None:
        stand_ins = self.stand_ins = stand_ins_for(views)
        names = [f"at{i}" for i in range(len(stand_ins))]
        at = {role: trace.number(name, a) for name, (role, a) in zip(names, stand_ins.items(), strict=True)}
        space = trace.number(SPACE, SOMEWHERE)
        recorded = stage.prepare(Recorder(driver), at, space)
        pattern = Pattern(driver, recorded, {name: i for i, name in enumerate(names)})
        self.launches = pattern.launches
        self._code: Code = trace.code((stage.workspace_bytes, pattern.values))
        self._at = tuple(stand_ins.values())

    def values(self, sizes: tuple[int, ...], space: int = SOMEWHERE) -> Any:
        """Return workspace and numbers of a problem of these sizes on a workspace; None if it takes another way."""
        return self._code(*sizes, space, *self._at)


class _ShapedCall(PointerCall):
    """A `PointerCall` whose launches come from a template."""

    def __init__(self, driver: Any, template: Template, sizes: tuple[int, ...], found: Any, space: Any) -> None:
        super().__init__(driver, template.stand_ins, None, space)
        self._template, self._sizes, self._found = template, sizes, found

    def _launches(self, space: int, stream: int | None) -> Any:
        template = self._template
        found = template.values(self._sizes, space) if space else self._found
        return template.launches(found[1], stream, self._lookup)


class ShapedStage:
    """The stage of a plan that is prepared like those of other sizes, if it can be. `make` makes the op's own stage."""

    def __init__(self, candidate: Candidate, problem: Problem, kernels: Any, make: Callable[[Any], Any]) -> None:
        self.name = candidate.spec.name
        self._candidate, self._problem, self._kernels, self._make = candidate, problem, kernels, make

    @cached_property
    def own(self) -> Any:
        """The op's stage of this very problem."""
        return self._make(self._problem)

    @property
    def workspace_bytes(self) -> int:
        """Device memory that one launch needs besides its tensors."""
        found: int = self.own.workspace_bytes
        return found

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """Return a function of the stream that launches on `views`."""
        bound: Callable[[Any], None] = self.own.bind(views)
        return bound

    def bind_sets(self, sets: Sequence[Mapping[str, TensorView]], space: int) -> list[Callable[[Any], None]]:
        """Return one function of the stream for each set of tensors, on the caller's workspace."""
        bound: list[Callable[[Any], None]] = self.own.bind_sets(sets, space)
        return bound

    def call(self, views: Mapping[str, TensorView]) -> Any:
        """Return the launches on any tensors that look like `views`, as a function of their addresses."""
        problem = self._problem
        shape_class = shape_class_of(problem, get_op(problem.op).extents)
        driver = driver_for(self._kernels, problem.device)
        key = (shape_class, self._candidate.launch, driver.ordinal)
        known = self._kernels.shapes.get(key)
        if known is None:  # the first problem of its shape class
            self._kernels.shapes[key] = []
            return self.own.call(views)
        sizes = shape_class.sizes_of(problem)
        for template in known:
            found = template.values(sizes)
            if found is not None:
                return _ShapedCall(driver, template, sizes, found, _Room(found[0]).on if found[0] else None)
        if len(known) < WAYS:
            self._trace(known, shape_class, driver, views)
        return self.own.call(views)

    def _trace(self, known: list[Any], shape_class: ShapeClass, driver: Any, views: Mapping[str, TensorView]) -> None:
        """Add a template of this problem's way; after a failure none of this shape class is tried again."""
        names = [f"n{i}" for i in range(len(shape_class.extents))]
        trace = Trace([*names, SPACE, *(f"at{i}" for i in range(len(views)))])
        try:
            twin = traced_twin(trace, self._problem, shape_class)
            known.append(Template(self._make(twin), trace, driver, views))
        except (UntraceableError, ProblemError) as error:  # a new problem refuses sizes that are no integers
            log.debug("%s: launches of new shapes are prepared one by one: %s", self.name, error)
            known += [_Never()] * WAYS


class _Never:
    """Takes the place of a template that cannot be made."""

    def values(self, sizes: tuple[int, ...]) -> None:
        """Return None: no problem has such launches."""


class _Room:
    """The workspaces of one shape, one for each stream; they are given back with it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._found: dict[int, int] = {}

    def on(self, driver: Any, stream: int) -> int:
        """Return the workspace of a stream; the caller holds a lock."""
        found = self._found.get(stream)
        if found is None:
            found = self._found[stream] = pool_of(driver).alloc(self._size, self)
            keep_if_captured(self)
        return found
