"""Backward data of few channels on boxes: turned into a forward convolution over the output's gradient.

Tiles of boxes waste what a few channels leave empty, and tensor maps need strides of 16 bytes. Two ways out, by the
side that has few channels:

- few are written (`store="pointer"`): a block of neighbouring pixels of the input counts as one pixel of many channels.
  All residues of the stride lie in it, so every source pixel is read once per tap of a small dense filter.
- few are read (`store="tma"`, stride 1): a filter row is one run of channels over a copy of the gradient, as in
  `folding`.

Either way the filter is copied first: turned around, with zeros where a pixel of the block does not meet a tap.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from ....model.dtype import get_dtype
from ....model.problem import kept_by_problem
from ....ops.conv.problem import ConvProblem
from ....ops.conv.shapes import three
from ...gpu.call import by_number
from ..gemm.bind import ALIGNMENT
from ..gemm.operands import ceil_div
from .algorithm import TritonConv
from .folding import MAP_BYTES, MAX_CHANNELS, Copied, copied_of

SPREAD_BLOCK = 1024
MAX_STEPS = 8  # source pixels from block to block: what a tensor map may step over
MAX_READ = 64  # channels of a gradient that is copied


@dataclass(frozen=True)
class Axis:
    """One axis of a turned problem: `block` pixels of the input count as one, `taps` source pixels from `low` meet it.

    Pixel z of a block meets source pixel t through filter position z + `first` - t * stride, if there is one.
    """

    block: int
    step: int
    taps: int
    low: int
    first: int
    count: int
    extent: int
    pad: tuple[int, int]


def axis_of(size: int, source: int, taps: int, stride: int, pad: int, block: int) -> Axis:
    """Return the axis of `size` pixels of the input and `source` of the output, for blocks of a multiple of `stride`.

    >>> axis_of(224, 112, 7, 2, 3, 4).taps
    5
    """
    low = -((taps - 1 - pad) // stride)
    high = (block - 1 + pad) // stride
    step, count = block // stride, ceil_div(size, block)
    after = (count - 1) * step + high - (source - 1)
    return Axis(block, step, high - low + 1, low, pad - low * stride, count, source + min(0, after),
                (-low, max(0, after)))  # fmt: skip


def writes_blocks(algorithm: TritonConv) -> bool:
    """Return whether a kernel that turns problems writes blocks of pixels, not single ones."""
    return bool(algorithm.store == "pointer")


def width_of(problem: ConvProblem) -> int:
    """Channels of a pixel of the copied gradient: the power of two from 16 bytes on."""
    least = MAP_BYTES // int(get_dtype(problem.dtype_output).bytes)
    return max(least, 1 << (problem.k_group - 1).bit_length())


def cannot_turn(problem: ConvProblem, algorithm: TritonConv) -> str | None:
    """Return why backward data of a problem cannot be turned for this kernel; None if it can."""
    p = problem
    if p.g > 1 or p.d or max(p.dilation) > 1 or three(p.stride, 1)[0] > 1:
        return f"{p.g} groups, {len(p.d)} D operands, dilation {p.dilation}, stride {p.stride}"
    if any(left > taps - 1 for (left, _), taps in zip(p.pad, p.filter, strict=True)):
        return f"padding {p.pad} is wider than the filter {p.filter}"
    if writes_blocks(algorithm):
        if p.c_group > MAX_CHANNELS or block_of(p, algorithm) is None:
            return f"{p.c_group} channels: no block of pixels fits {algorithm.tile_n} columns"
        if p.stride_of("input")[-1] != p.c_group:
            return f"pixels of {p.c_group} channels are {p.stride_of('input')[-1]} apart"
        return None
    if p.k_group > MAX_READ or max(p.stride) > 1:
        return f"{p.k_group} channels (stride {p.stride}): at most {MAX_READ} that are read are folded"
    return None


def block_of(problem: ConvProblem, algorithm: TritonConv) -> tuple[int, int] | None:
    """Return (height, width) of the block whose pixels read least, of those that fill at most `tile_n` columns.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 1, "c": 3, "k": 64, "input": [224, 224], "filter": [7, 7], "stride": 2, "pad": 3, "dtype": "fp16"}
    >>> problem = problem_from_dict({"op": "grouped_conv", "direction": "backward_data", **size})
    >>> block_of(problem, TritonConv(pipeline="hopper", fold=True, store="pointer", tile_n=96))
    (4, 8)
    """
    kept, key = _blocks(problem), (algorithm.tile_n, algorithm.vector_bytes)
    if key not in kept:
        kept[key] = _best_block(problem, *key)
    return kept[key]


@kept_by_problem
def _blocks(p: ConvProblem) -> dict[tuple[int, int], tuple[int, int] | None]:
    return {}


def _best_block(p: ConvProblem, columns: int, vector: int) -> tuple[int, int] | None:
    _, tall, wide = three(p.stride, 1)
    whole = max(1, vector // int(get_dtype(p.dtype_input).bytes))
    found = []
    for up in range(1, MAX_STEPS + 1) if p.dims > 1 else (1,):
        for across in range(1, MAX_STEPS + 1):
            block = (tall * up, wide * across)
            if prod(block) * p.c_group <= columns and block[1] * p.c_group % whole == 0:
                _, h, w = _axes(p, block)
                found.append((h.taps * w.taps / (up * across), block))
    return min(found)[1] if found else None


def _axes(p: ConvProblem, block: tuple[int, int]) -> list[Axis]:
    sizes = zip(three(p.input, 1), three(p.output, 1), three(p.filter, 1), three(p.stride, 1),
                three(tuple(left for left, _ in p.pad), 0), (1, *block), strict=True)  # fmt: skip
    return [axis_of(*axis) for axis in sizes]


def axes_of(problem: ConvProblem, algorithm: TritonConv) -> list[Axis]:
    """Return the axes (d, h, w) of a turned problem."""
    return _axes(problem, (writes_blocks(algorithm) and block_of(problem, algorithm)) or (1, 1))


def turned(problem: ConvProblem, algorithm: TritonConv) -> ConvProblem:
    """Return the forward convolution that computes a gradient of the input; its input is the output's gradient.

    The channels of its output are the pixels of a block, row by row; those of one row lie side by side.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 1, "c": 3, "k": 64, "input": [224, 224], "filter": [7, 7], "stride": 2, "pad": 3, "dtype": "fp16"}
    >>> problem = problem_from_dict({"op": "grouped_conv", "direction": "backward_data", **size})
    >>> seen = turned(problem, TritonConv(pipeline="hopper", fold=True, store="pointer", tile_n=96))
    >>> seen.k, seen.filter, seen.stride, seen.output
    (96, (5, 7), (2, 4), (56, 28))
    """
    kept, key = _kept(problem), block_of(problem, algorithm) if writes_blocks(algorithm) else None
    if key not in kept:
        kept[key] = _of_rows(problem) if key is None else _of_blocks(problem, key)
    return kept[key]


@kept_by_problem
def _kept(p: ConvProblem) -> dict[tuple[int, int] | None, ConvProblem]:
    return {}


def _of_blocks(p: ConvProblem, block: tuple[int, int]) -> ConvProblem:
    axes, first = _axes(p, block), 3 - p.dims
    s, g = p.stride_of("input"), p.stride_of("output")
    line = prod(block) * p.c_group
    steps = tuple(x * b for x, b in zip(s[3:], [1, *block][first:], strict=True))
    return _forward(
        p, c=p.k, k=line, input=tuple(a.extent for a in axes[first:]), filter=tuple(a.taps for a in axes[first:]),
        stride=tuple(a.step for a in axes[first:]), pad=tuple(a.pad for a in axes[first:]),
        strides={"input": g, "output": (s[0], line, 1, *steps), "weight": _weight_strides(p, axes, p.k, line)},
    )  # fmt: skip


def _of_rows(p: ConvProblem) -> ConvProblem:
    axes, first = _axes(p, (1, 1)), 3 - p.dims
    x, width = copied_gradient(p), width_of(p)
    run = axes[2].taps * width
    w = _weight_strides(p, axes, width, p.c)
    return _forward(
        p, c=run, k=p.c, input=(*(a.extent for a in axes[first:2]), p.input[-1]),
        filter=(*(a.taps for a in axes[first:2]), 1), stride=(1,) * p.dims,
        pad=(*(a.pad for a in axes[first:2]), (0, 0)),
        strides={"input": (prod(x.lines[1:]) * x.line, run, 1, *x.steps(p.dims), width), "output": p.stride_of("input"),
                 "weight": (*w[:-1], run)},
    )  # fmt: skip


def _forward(p: ConvProblem, **changes: Any) -> ConvProblem:
    keep = {"input": p.alignment.get("output"), "output": p.alignment.get("input")}
    return replace(
        p, direction="forward", dilation=(1,) * p.dims, dtype_input=p.dtype_output, dtype_output=p.dtype_input,
        alignment={role: n for role, n in keep.items() if n is not None}, **changes,
    )  # fmt: skip


def _weight_strides(p: ConvProblem, axes: list[Axis], depth: int, rows: int) -> tuple[int, ...]:
    d, h, w = (a.taps for a in axes)
    return (rows * d * h * w * depth, d * h * w * depth, 1, *(h * w * depth, w * depth, depth)[3 - p.dims :])


def copied_gradient(problem: ConvProblem) -> Copied:
    """Return how the output's gradient is copied: with its padding along w, up to where the last filter row reaches."""
    p, w, width = problem, _axes(problem, (1, 1))[2], width_of(problem)
    return copied_of(p, "output", w.extent, -w.low, (p.input[-1] - 1 + w.taps) * width, width)


def filter_elements(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Elements of the turned filter."""
    seen = turned(problem, algorithm)
    return int(seen.k * seen.c * prod(seen.filter))


def filter_bytes(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Room for the turned filter in the workspace."""
    size = int(get_dtype(problem.dtype_weight).bytes)
    return ceil_div(filter_elements(problem, algorithm) * size, ALIGNMENT) * ALIGNMENT


def spread_values(
    problem: ConvProblem, algorithm: TritonConv, source: int, target: int
) -> tuple[tuple[int, int, int], dict[str, Any]]:
    """Return (grid, parameter values) of the kernel that turns the filter."""
    p, axes = problem, axes_of(problem, algorithm)
    s = p.stride_of("weight")
    strides = (s[1], s[2], *three(s[3:], 0))
    total = filter_elements(p, algorithm)
    args: dict[str, Any] = {
        "src_ptr": source, "dst_ptr": target, "total": total, "channels": p.c_group, "read": p.k_group,
        "depth": p.k_group if writes_blocks(algorithm) else width_of(p), "across": axes[2].block,
    }  # fmt: skip
    args |= by_number("strides", strides)
    for i, (axis, taps, step) in enumerate(zip(axes, three(p.filter, 1), three(p.stride, 1), strict=True)):
        args.update({f"axes.{i}.{j}": v for j, v in enumerate((axis.taps, axis.first, step, taps))})
    return (ceil_div(total, SPREAD_BLOCK), 1, 1), args


def block_arguments(problem: ConvProblem, seen: ConvProblem) -> dict[str, int]:
    """Return the arguments of a kernel that writes blocks: their rows, the elements of a row, and what an image has."""
    p, s = problem, problem.stride_of("input")
    step = three(s[3:], 0)[1]
    run = seen.stride_of("output")[-1]
    return {"run": run, "tall": seen.k // run, "line_step": step, "lines": three(p.input, 1)[1],
            "line": p.input[-1] * p.c_group}  # fmt: skip
