"""Launches of a new shape from those of an earlier one.

Problems of one shape class (`model.problem`) have launches of the same kernels whose grids, numbers and tensor maps
are functions of the sizes. The functions are traced once (`model.trace`) and then run as straight code.
Sizes that take another way through them, and what cannot be traced, are prepared as if they were the first.
"""

from __future__ import annotations

import ctypes
import logging
import struct
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from ...errors import ProblemError
from ...jit.launcher import launcher
from ...model.expr import Expr, Symbol, UntraceableError
from ...model.kernel import Candidate
from ...model.locks import cached_property
from ...model.problem import MAX_TEMPLATES, Problem, ShapeClass, shape_class_of
from ...model.tensor import Views
from ...model.trace import Code, Trace, traced_problem
from ...ops import get_op
from .call import FORMATS, TENSOR_MAP_ALIGNMENT, Recorded, Recorder, config_of
from .captured import keep_if_captured
from .cuda_driver import TENSOR_MAP_BYTES, LaunchConfig, map_numbers
from .launches import PointerCall, stand_ins_for
from .stage import driver_for
from .workspace_pool import pool_of

WAYS = 6  # ways through the functions that are kept for one shape class: few tiles, many tiles, ...
SPACE, SOMEWHERE = "space", 1 << 40  # a made-up address of the workspace: 0 would say that there is none
CONFIG_BYTES = ctypes.sizeof(LaunchConfig)
log = logging.getLogger("tilewright")


class LaunchTemplate:
    """The launches of one kernel for problems of one shape class: an image of bytes, and code for what differs.

    The image holds the launch configuration and the parameters of each kernel, and the numbers that describe tensors to
    the driver. Most of it is the same for all sizes. The numbers that differ are computed and packed for each size, and
    the C launcher makes a copy of the image with them (`launcher_pattern.hpp`).
    """

    def __init__(self, stage: Any, trace: Trace, driver: Any, views: Any) -> None:
        module = launcher().module
        if module is None:
            raise UntraceableError("the C launcher is not active")
        self.stand_ins = stand_ins_for(views)
        self._at = tuple(self.stand_ins.values())
        symbols = {role: trace.number(f"at{i}", at) for i, (role, at) in enumerate(self.stand_ins.items())}
        recorded = stage.prepare(Recorder(driver), symbols, trace.number(SPACE, SOMEWHERE))
        self._driver, self._roles = driver, {symbol.name: i for i, symbol in enumerate(symbols.values())}
        self._image = bytearray()
        self._form, self._values = "<", list[Any]()
        self._pieces: list[tuple[int, int, int]] = []
        self._pointers: list[tuple[int, int]] = []
        self._maps: list[tuple[int, int, int, int, int]] = []
        self._cells: list[tuple[int, int, bool, int]] = []
        kernels = tuple([self._add(r) for r in recorded])
        packing = struct.Struct(self._form)
        self._pack = packing.pack
        self._code: Code = trace.code((stage.workspace_bytes, self._values))
        failed = partial(_failed, driver, [r.kernel for r in recorded])  # keeps their code loaded
        self._in_c = module.GpuPattern(
            driver.entries, len(symbols), bytes(self._image), packing.size, tuple(self._pieces), tuple(self._pointers),
            kernels, tuple(self._maps), tuple(self._cells), failed, driver.ordinal,
        )  # fmt: skip

    def values(self, sizes: tuple[int, ...], space: int = SOMEWHERE) -> Any:
        """Return workspace and numbers of a problem of these sizes on a workspace; None if it takes another way."""
        return self._code(*sizes, space, *self._at)

    def launches(self, values: tuple[Any, ...], stream: int | None, lookup: Any, keep: Any) -> Any:
        """Return a `GpuLaunches` with these values: for one stream, or for any if it is None. `keep` lives as long."""
        numbers = self._pack(*values)
        made = self._in_c.launches(numbers, stream, lookup, keep)
        while type(made) is tuple:  # the driver refused a tensor map
            which, code = made
            if not self._driver.entered(code):
                self._driver.check(code, self._described(which, numbers))
            made = self._in_c.launches(numbers, stream, lookup, keep)
        return made

    def _described(self, which: int, numbers: bytes) -> str:
        """Return what the driver was asked to do for a tensor map."""
        image = self._image.copy()
        for start, at, size in self._pieces:
            image[at : at + size] = numbers[start : start + size]
        _, at, rank, _, _ = self._maps[which]
        far = max(rank - 1, 1)
        address, *found = struct.unpack_from(f"<Q{rank + far}Q{2 * rank}I", image, at)
        ends = (0, rank, rank + far, 2 * rank + far, 3 * rank + far)
        shape, strides, box, steps = (found[i:j][::-1] for i, j in pairwise(ends))
        what = f"describe a tensor of shape {shape}, strides in bytes {strides}, at address {address:#x} to the copy"
        return f"{what} engine, box {box} in steps of {steps}"

    def _add(self, recorded: Recorded) -> tuple[int, int, int]:
        """Lay out one launch; return where its configuration is, its function, and where the pointers are."""
        kernel = recorded.kernel
        config = self._room(CONFIG_BYTES, 8)
        self._put(config, bytes(config_of(kernel.meta, recorded.early)))
        self._numbers(config, "I", *recorded.grid)
        block = self._room(kernel.size, TENSOR_MAP_ALIGNMENT)
        for path, kind, offset in kernel.slots:
            if kind != "tensormap" and path in recorded.values:
                self._numbers(block + offset, FORMATS[kind][1:], recorded.values[path])
                self._cell(block + offset, recorded.values[path], kind == "pointer", False)
        params = self._room(8 * len(kernel.offsets), 8)
        self._pointers += [(params + 8 * i, block + offset) for i, offset in enumerate(kernel.offsets)]
        for path, offset, arg in kernel.maps:
            if path in recorded.values:
                self._map(block + offset, arg, **recorded.values[path])
        return config, kernel.function(self._driver), params

    def _room(self, size: int, alignment: int) -> int:
        """Return where the next `size` bytes begin."""
        at = -(-len(self._image) // alignment) * alignment
        self._image += bytes(at + size - len(self._image))
        return at

    def _put(self, at: int, content: bytes) -> None:
        """Write bytes that are the same for all sizes."""
        self._image[at : at + len(content)] = content

    def _numbers(self, at: int, form: str, *values: Any) -> None:
        """Add numbers of one format that follow each other: those that depend on sizes are packed for each."""
        for value in values:
            size = struct.calcsize(f"<{form}")
            if self._depends(value):
                self._pieces.append((struct.calcsize(self._form), at, size))
                self._form += form
                self._values.append(value)
            else:
                self._put(at, struct.pack(f"<{form}", value.value if isinstance(value, Expr) else value))
            at += size

    def _role(self, value: Any) -> tuple[int, int] | None:
        """Return the tensor whose address a value is and a fixed number of bytes behind it; None for any other."""
        offset = 0
        while isinstance(value, Expr) and value.operator == "+" and int in map(type, value.operands):
            a, b = value.operands
            value, more = (a, b) if type(b) is int else (b, a)
            offset += more
        at = self._roles.get(value.name) if isinstance(value, Symbol) else None
        return None if at is None else (at, offset)

    def _depends(self, value: Any) -> bool:
        """Return whether a number depends on sizes or on the workspace; an address in a tensor is written later."""
        return isinstance(value, Expr) and self._role(value) is None

    def _cell(self, at: int, value: Any, may_move: bool, is_map: bool) -> None:
        """Note a parameter that moves with a tensor."""
        role = self._role(value)
        if role is None:
            return
        if not may_move:
            raise UntraceableError("an address is passed as a number")
        self._cells.append((at, role[0], is_map, role[1]))

    def _map(self, at: int, meta: Any, address: Any, **of: Any) -> None:
        """Add a tensor map: the map itself if it depends on nothing but a tensor's address, else its numbers."""
        self._cell(at, address, True, True)
        longs, ints = map_numbers(meta, **of)
        if not any(map(self._depends, (address, *longs, *ints))):
            self._put(at, self._encoded(meta, address.value if isinstance(address, Expr) else address, of))
            return
        numbers = self._room(8 + 8 * len(longs) + 4 * len(ints), 8)
        self._maps.append((at, numbers, len(of["shape"]), meta["element_type"], meta["swizzle"]))
        self._numbers(numbers, "Q", address, *longs)
        self._numbers(numbers + 8 + 8 * len(longs), "I", *ints)

    def _encoded(self, meta: Any, address: int, of: Mapping[str, Any]) -> bytes:
        """Return a tensor map that is the same for all sizes."""
        room = ctypes.create_string_buffer(TENSOR_MAP_BYTES + TENSOR_MAP_ALIGNMENT)
        at = -(-ctypes.addressof(room) // TENSOR_MAP_ALIGNMENT) * TENSOR_MAP_ALIGNMENT
        self._driver.encode(at, meta, address, **of)
        return ctypes.string_at(at, TENSOR_MAP_BYTES)


def _failed(driver: Any, kernels: Sequence[Any], index: int, code: int) -> None:
    """Return if C shall try again, because the context of this thread was missing; else raise an error."""
    if not driver.entered(code):
        driver.check(code, f"launch {kernels[index].meta['name']}" if index >= 0 else driver.ready)


class _TemplateCall(PointerCall):
    """A `PointerCall` whose launches come from a template."""

    def __init__(self, driver: Any, template: LaunchTemplate, sizes: tuple[int, ...], found: Any, space: Any) -> None:
        super().__init__(driver, template.stand_ins, None, space)
        self._template, self._sizes, self._found = template, sizes, found

    def _launches(self, space: int, stream: int | None) -> Any:
        template = self._template
        found = template.values(self._sizes, space) if space else self._found
        return template.launches(found[1], stream, self._lookup, self._space)


class TemplateStage:
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

    def bind(self, views: Views) -> Callable[[Any], None]:
        """Return a function of the stream that launches on `views`."""
        bound: Callable[[Any], None] = self.own.bind(views)
        return bound

    def bind_sets(self, sets: Sequence[Views], space: int) -> list[Callable[[Any], None]]:
        """Return one function of the stream for each set of tensors, on the caller's workspace."""
        bound: list[Callable[[Any], None]] = self.own.bind_sets(sets, space)
        return bound

    def call(self, views: Views) -> Any:
        """Return the launches on any tensors that look like `views`, as a function of their addresses."""
        problem = self._problem
        shape_class = shape_class_of(problem, get_op(problem.op).extents)
        driver = driver_for(self._kernels, problem.device)
        key = (shape_class, self._candidate.launch, driver.ordinal)
        known = self._kernels.shapes.get(key)
        if known is None:  # the first problem of its shape class
            if len(self._kernels.shapes) >= MAX_TEMPLATES:
                self._kernels.shapes.clear()
            self._kernels.shapes[key] = []
            return self.own.call(views)
        sizes = shape_class.sizes_of(problem)
        for template in filter(None, known):
            found = template.values(sizes)
            if found is not None:
                return _TemplateCall(driver, template, sizes, found, _Room(found[0]).on if found[0] else None)
        if len(known) < WAYS:
            self._trace(known, shape_class, driver, views)
        return self.own.call(views)

    def _trace(self, known: list[Any], shape_class: ShapeClass, driver: Any, views: Views) -> None:
        """Add a template of this problem's way; after a failure none of this shape class is tried again."""
        names = [f"n{i}" for i in range(len(shape_class.extents))]
        trace = Trace([*names, SPACE, *(f"at{i}" for i in range(len(views)))])
        try:
            traced = traced_problem(trace, self._problem, shape_class)
            known.append(LaunchTemplate(self._make(traced), trace, driver, views))
        except (UntraceableError, ProblemError) as error:  # a new problem refuses sizes that are no integers
            log.debug("%s: launches of new shapes are prepared one by one: %s", self.name, error)
            known += [None] * WAYS


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
