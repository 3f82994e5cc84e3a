"""Folded filter rows for boxes: few channels are copied with padding, so that a filter row is one run of channels.

The first layers of networks have too few channels for tensor maps, whose strides are multiples of 16 bytes. Copied with
`width` channels per pixel (padded with zeros) and the padding along w written out, the pixels that a filter row meets
are one run; output positions are `stride * width` channels apart, and overlap. What is left is a convolution whose
filter is one pixel wide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from typing import Any

from ....model.dtype import get_dtype
from ....model.problem import kept_by_problem
from ....model.tensor import Addresses
from ....ops.conv.problem import ConvProblem
from ...gpu.call import by_number
from ..gemm.bind import ALIGNMENT
from ..gemm.operands import ceil_div
from .algorithm import TritonConv

FOLD_BLOCK = 1024
MAX_CHANNELS = 8
MAP_BYTES = 16  # strides of tensor maps are multiples of it


@dataclass(frozen=True)
class Copied:
    """A tensor of lines of `pixels`, after `before` pixels of padding; `line` elements per line in the copy.

    `lines` and `strides` have three places: images or out channels, then two axes. A pixel of the copy has `width`
    channels, a power of two, of which the first `channels` are the tensor's.
    """

    role: str
    lines: tuple[int, ...]
    strides: tuple[int, ...]
    pixel: int
    channel: int
    pixels: int
    before: int
    line: int
    channels: int
    width: int

    @property
    def elements(self) -> int:
        """Elements of the copy."""
        return prod(self.lines) * self.line

    def steps(self, dims: int) -> tuple[int, ...]:
        """Return the strides along the spatial dimensions of the copy, but the last one."""
        return tuple(self.line * prod(self.lines[i + 1 :]) for i in range(4 - dims, 3))


def cannot_fold(problem: ConvProblem) -> str | None:
    """Return why the filter rows of a problem are no runs of few channels; None if they are."""
    p = problem
    if p.g > 1 or p.filter[-1] < 2 or p.dilation[-1] > 1:
        return f"{p.g} groups, filter {p.filter[-1]}, dilation {p.dilation[-1]} along w"
    if p.c_group > MAX_CHANNELS or p.direction == "backward_data":
        return f"{p.c_group} channels ({p.direction}): at most {MAX_CHANNELS} that are read are folded"
    return None


def width_of(problem: ConvProblem) -> int:
    """Channels per pixel of the copy: the smallest power of two that keeps output positions 16 bytes apart."""
    step = MAP_BYTES // int(get_dtype(problem.dtype_input).bytes)
    return next(n for n in (1, 2, 4, 8, 16) if n >= problem.c_group and n * problem.stride[-1] % step == 0)


def _whole(elements: int, problem: ConvProblem) -> int:
    step = MAP_BYTES // int(get_dtype(problem.dtype_input).bytes)
    return ceil_div(elements, step) * step


def copied_of(p: ConvProblem, role: str, pixels: int, before: int, line: int, width: int) -> Copied:
    """Return how a tensor of one group is copied, whose lines of `pixels` become such of `line` elements."""
    s, e, first = p.stride_of(role), p.extents(role), 1 if role == "weight" else 0
    inner, steps = (*(1,) * (3 - p.dims), *e[3:-1]), (*(0,) * (3 - p.dims), *s[3:-1])
    return Copied(role, (e[first], *inner), (s[first], *steps), s[-1], s[2], pixels, before, line, e[2], width)


def copied_input(problem: ConvProblem) -> Copied:
    """Return how the input is copied: with its padding along w, up to where the last filter row reaches."""
    p, width = problem, width_of(problem)
    reach = (p.output[-1] - 1) * p.stride[-1] + p.filter[-1]
    return copied_of(p, "input", p.input[-1], p.pad[-1][0], _whole(reach * width, p), width)


def copied_weight(problem: ConvProblem) -> Copied:
    """Return how the weight is copied: a line per filter row."""
    p, width = problem, width_of(problem)
    return copied_of(p, "weight", p.filter[-1], 0, _whole(p.filter[-1] * width, p), width)


def copies_of(problem: ConvProblem) -> tuple[Copied, ...]:
    """Return what is copied before the convolution: the operands, without the gradient."""
    return (copied_input(problem),) if problem.direction == "backward_weight" else (
        copied_input(problem), copied_weight(problem))  # fmt: skip


def copy_bytes(problem: ConvProblem, copied: Copied) -> int:
    """Room for a copy in the workspace."""
    size = int(get_dtype(problem.dtype(copied.role)).bytes)
    return ceil_div(copied.elements * size, ALIGNMENT) * ALIGNMENT


def folded_bytes(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Workspace of all copies; 0 if nothing is folded."""
    if not algorithm.fold or cannot_fold(problem):
        return 0
    return sum(copy_bytes(problem, c) for c in copies_of(problem))


def seen_by_boxes(problem: ConvProblem, algorithm: TritonConv) -> ConvProblem:
    """Return the problem as the box kernels see it: with `fold`, rows of the filter as channels.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 1, "c": 3, "k": 64, "input": [224, 224], "filter": [7, 7], "stride": 2, "pad": 3, "dtype": "fp16"}
    >>> problem = problem_from_dict({"op": "grouped_conv", "direction": "forward", **size})
    >>> seen = seen_by_boxes(problem, TritonConv(pipeline="hopper", fold=True))
    >>> seen.c, seen.filter, seen.output
    (28, (7, 1), (112, 112))
    """
    if not algorithm.fold or cannot_fold(problem):
        return problem
    return _folded(problem)


@kept_by_problem
def _folded(p: ConvProblem) -> ConvProblem:
    width, x, w = width_of(p), copied_input(p), copied_weight(p)
    run = p.filter[-1] * width
    rows = prod(x.lines[1:])
    inner, taps = x.steps(p.dims), w.steps(p.dims)
    strides = {
        "input": (rows * x.line, run, 1, *inner, p.stride[-1] * width),
        "output": p.stride_of("output"),
        **({f"d{i}": p.stride_of(f"d{i}") for i in range(len(p.d))} if p.direction == "forward" else {}),
    }
    if p.direction == "forward":
        strides["weight"] = (p.k * prod(w.lines[1:]) * w.line, prod(w.lines[1:]) * w.line, 1, *taps, w.line)
    keep = {r: n for r, n in p.alignment.items() if r not in ("input", "weight")}
    return replace(
        p, c=run, input=(*p.input[:-1], p.output[-1]), filter=(*p.filter[:-1], 1), stride=(*p.stride[:-1], 1),
        dilation=(*p.dilation[:-1], 1), pad=(*p.pad[:-1], (0, 0)), strides=strides, alignment=keep,
        d=p.d if p.direction == "forward" else (),
    )  # fmt: skip


def fold_values(copied: Copied, source: int, target: int) -> tuple[tuple[int, int, int], dict[str, Any]]:
    """Return (grid, parameter values) of the kernel that makes a copy."""
    c = copied
    args: dict[str, Any] = {
        "src_ptr": source, "dst_ptr": target, "second": c.lines[1], "third": c.lines[2], "pixel": c.pixel,
        "channel": c.channel, "pixels": c.pixels, "before": c.before, "channels": c.channels,
        "bits": c.width.bit_length() - 1, "line": c.line,
    }  # fmt: skip
    args |= by_number("strides", c.strides)
    return (ceil_div(c.line, FOLD_BLOCK), prod(c.lines[1:]), c.lines[0]), args


def folded_addresses(problem: ConvProblem, addresses: Addresses, workspace: int) -> dict[str, int]:
    """Return the addresses with those of the copies, which lie at the head of the workspace."""
    found = dict(addresses)
    for c in copies_of(problem):
        found[c.role] = workspace
        workspace += copy_bytes(problem, c)
    return found
