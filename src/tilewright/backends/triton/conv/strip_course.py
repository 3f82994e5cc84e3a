"""Strips: the constants of a strip kernel, and which shapes and problems it takes. No triton is imported."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import Any

from ....model.kernel import KernelSpec, kept_by_kernel
from ....ops.conv.problem import ConvProblem
from ..gemm.kernels.config import EpilogueConfig
from ..gemm.operands import ceil_div
from .algorithm import TritonConv, is_weight
from .geometry import Geometry
from .kernels.strip_config import StripConfig

ELEMENT_BYTES = 2  # strips are of 16-bit numbers
SET_UP = 4  # the time before the first turn, in turns
WHOLE_WAVES = 3  # waves of programs up to which a last one costs as much as the others


def early(spec: KernelSpec) -> bool:
    """Return whether a kernel sets itself up while the one before it in the stream still runs."""
    return bool(spec.algorithm.pdl and spec.arch.startswith("sm_") and int(spec.arch.removeprefix("sm_")) >= 90)


def strip_constants(algorithm: TritonConv, direction: str, **more: Any) -> StripConfig:
    """Return the constants of a strip kernel that its algorithm gives; `more` has what compiling needs."""
    a = algorithm
    given = {"pdl": False, "out": None, "epilogue": EpilogueConfig(), **more}
    return StripConfig(
        forward=direction != "backward_data", weight=direction == "backward_weight", channels=a.channels, pair=a.pair,
        width=a.tile_n, lines=a.tile_m, span=a.span, fh=a.filter_h, fw=a.filter_w, stride=a.stride_w, phase=a.phase,
        ahead=a.stages, rows=a.rows, warps=a.warps, piece=a.vector_bytes // ELEMENT_BYTES, wide=a.wide,
        atomic=a.sum == "atomic", **given,
    )  # fmt: skip


def strip_config(spec: KernelSpec, **more: Any) -> StripConfig:
    """`strip_constants` of a spec.

    >>> from tilewright.ops import get_op
    >>> a = TritonConv(pipeline="strip", tile_m=16, tile_n=64, tile_k=64, channels=8, filter_h=3, stages=1)
    >>> strip_config(KernelSpec("conv", "triton", "sm_90", get_op("conv").plain_problem("fp16").signature, a)).ring
    4
    """
    return _strip_config(spec) if not more else replace(_strip_config(spec), **more)


@kept_by_kernel
def _strip_config(spec: KernelSpec) -> StripConfig:
    return strip_constants(spec.algorithm, spec.signature.direction, pdl=early(spec))


@lru_cache(maxsize=4096)
def _course(algorithm: TritonConv, direction: str) -> tuple[bool, int, int, int, bool]:
    """(whether the input is read, destination rows of a turn, turns until the first is complete, programs that share a
    multiprocessor, whether programs take several blocks) of a kernel."""
    c = strip_constants(algorithm, direction)
    return c.forward, c.rows_out, c.lag, c.resident, c.planes and not c.weight


def blocks_each(algorithm: TritonConv, direction: str, parts: int, blocks: int, turns: int, units: int) -> int:
    """Blocks of strips that a program takes one after the other: one, or so many that all programs run at a time."""
    _, _, lag, resident, several = _course(algorithm, direction)
    slots = units * resident
    every = -(-blocks // max(1, slots // parts))
    if not several or every == 1 or _waves_time(parts * blocks, turns + lag, slots) <= every * (turns + lag) + SET_UP:
        return 1
    return every


def _waves_time(programs: int, turns: int, slots: int) -> float:
    """The time of all programs in turns, where a multiprocessor begins one when another ends: of many waves the last
    need not be a whole one."""
    waves = programs / slots
    return (waves if waves > WHOLE_WAVES else ceil(waves)) * (turns + SET_UP)


def strip_course(problem: ConvProblem, algorithm: TritonConv, parts: int, units: int) -> tuple[int, int, int]:
    """(segments of an image's height, turns of each, blocks of strips) that `units` multiprocessors finish first.

    Short strips fill the GPU, long ones read fewer rows twice: the programs of a multiprocessor work in waves of
    `turns + lag + SET_UP`, or take several blocks one after the other. Backward weight has one segment, as its
    programs share out the turns.
    """
    p, a = problem, algorithm
    forward, rows_out, lag, resident, several = _course(a, p.direction)
    slots = units * resident
    height, width = p.output if forward else p.input
    total = -(-(height + a.phase) // rows_out)
    strips = p.n * -(-width // a.span)
    if p.direction == "backward_weight":
        return 1, total, -(-strips // a.tile_m)
    best, segments = (0.0, 0, 0, 0), 1
    while True:
        turns = -(-total // segments)
        blocks = -(-strips * segments // a.tile_m)
        time: float = -(-blocks * parts // slots) * (turns + lag + SET_UP)
        if several:
            every = -(-blocks // max(1, slots // parts)) * (turns + lag) + SET_UP
            time = min(every, _waves_time(parts * blocks, turns + lag, slots))
        found = (time, segments, turns, blocks)
        best = found if not best[1] else min(best, found)
        if turns <= 1:
            return best[1:]
        segments = -(-total // (turns - 1))  # the fewest that are shorter


def strip_shape(spec: KernelSpec) -> str | None:
    """Return why lines, channels and warps of a strip kernel do not fit each other; None if they do."""
    a = spec.algorithm
    if a.tile_n != a.tile_k:
        return f"tile_n {a.tile_n} and tile_k {a.tile_k} differ: strips have one channel count"
    if a.channels == 1 and a.pair == 1:
        vector = a.tile_m * a.tile_n // (32 * a.warps)
        if vector not in (1, 2, 4, 8) or ELEMENT_BYTES * vector > a.vector_bytes or a.tile_n > 32 * vector:
            got = f"{a.tile_m} lines of {a.tile_n} channels for {a.warps} warps"
            return f"{got}: a thread takes 1, 2, 4 or 8 channels of one copy"
        return None
    if a.pair == 16:
        columns = strip_config(spec).plane_w
        if not is_weight(spec):
            whole = 16 * strip_config(spec).window
            if a.tile_m < 2 or a.tile_m * a.span != whole or a.tile_n not in (4 * a.warps, 8 * a.warps):
                got = f"{a.tile_m} lines of {a.tile_n} channels and {a.span} columns for {a.warps} warps"
                return f"{got}: planes take {whole} columns of 2 or more lines, and a warp per 4 or 8 channels"
            return None
        if a.tile_m != 16 or not a.warps <= a.tile_n <= 64 or a.tile_n < 8 or a.span % columns:
            got = f"{a.tile_m} lines of {a.tile_n} channels and {a.span} columns for {a.warps} warps"
            return f"{got}: planes take 16 lines, 8 to 64 channels, a multiple of {columns} columns"
        return None
    block = strip_config(spec).block
    blocks = a.tile_n // block
    warps = blocks * (1 if is_weight(spec) else a.tile_m // 16)
    if a.tile_m < 16 or a.tile_n < block or a.warps != warps or blocks > 16:
        return f"{a.tile_m} lines of {a.tile_n} channels for {a.warps} warps: one warp per 16 x {block}"
    return None


def strip_problem(algorithm: TritonConv, problem: ConvProblem) -> str | None:
    """Return why a strip kernel cannot compute a problem; None if it can."""
    a, p = algorithm, problem
    if p.dims != 2:
        return f"{p.dims} dimensions"
    if p.filter != (a.filter_h, a.filter_w):
        return f"the filter is {p.filter[0]}x{p.filter[1]}, the kernel has {a.filter_h}x{a.filter_w}"
    if set(p.stride) != {a.stride_w}:
        return f"the stride is {p.stride[0]}x{p.stride[1]}, the kernel has {a.stride_w} along both axes"
    if set(p.dilation) != {1}:
        return f"the dilation is {p.dilation[0]}x{p.dilation[1]}"
    taps, c = p.filter[0] * p.filter[1], p.c_group
    packed = (p.k_group * taps * c, taps * c, 1, p.filter[1] * c, c)
    steps = zip(p.stride_of("weight"), packed, p.extents("weight"), strict=True)
    if any(got != want and n > 1 for got, want, n in steps):
        return f"the weight has strides {p.stride_of('weight')}, the kernel takes {packed}"
    phases = {left % s for (left, _), s in zip(p.pad, p.stride, strict=True)}
    if p.direction == "backward_data" and phases != {a.phase}:
        return f"the left padding modulo the stride is {sorted(phases)}, the kernel has {a.phase} along both axes"
    return None


def live_turns(problem: ConvProblem, algorithm: TritonConv, shape: Geometry) -> tuple[int, int]:
    """Return (first, one past the last) turn of which some new source row may lie inside of the image.

    Strips of several segments stand at different heights, so every turn counts.
    """
    p, c = problem, strip_constants(algorithm, problem.direction)
    total = shape.turns + c.lag
    if shape.segments > 1:
        return 0, total
    pad, height, origin = p.pad[0][0], p.input[0], -p.pad[0][0]
    if p.direction == "backward_data":
        height, origin = p.output[0], (pad - c.phase) // c.stride - (c.reach - 1)
    return min(c.lag, max(0, -origin) // c.rows_in), min(total, ceil_div(height - origin, c.rows_in))
