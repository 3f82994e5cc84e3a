"""The numbers of a convolution that selection models read. Adding or changing one changes `VERSION`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import prod
from operator import mul
from typing import TYPE_CHECKING

from ...model.numbers import Numbers
from .geometry import residues
from .signature import DIRECTIONS

if TYPE_CHECKING:
    from .problem import ConvProblem

VERSION = 1
# What differs only in these fields is the same problem to a judge: it must not be on both sides of a split.
BATCH_FIELDS = ("n",)
AXES = ("d", "h", "w")
BOXES = (16, 32, 64, 128, 256)  # pixels of a box, powers of two
SIDES = tuple(n.bit_length() - 1 for n in BOXES)
SIZES = tuple(1 << b for b in range(BOXES[-1].bit_length()))
WIDEST = 256  # positions that a box may span along one axis
ROLES = ("input", "weight", "output")
NAMES = (
    "images", "g", "c_group", "k_group", "read", "other", "pixels_in", "pixels_out", "taps", "taps_met", "strides",
    "dilated", "dilated_w", "padding", "weights", "m", "n", "k", "flops", "bytes", "direction", "dims", "size_read",
    "size_out", "product", "extra", "activation",
    *(f"{what}_{role}" for role in ROLES for what in ("align", "row", "line")),
    *(f"boxes_{n}" for n in BOXES),
    *(f"{what}_{axis}" for what in ("in", "out", "f", "s") for axis in AXES),
)  # fmt: skip
PLACES = {name: place for place, name in enumerate(NAMES)}
FILLER = {dims: (1,) * (3 - dims) for dims in (1, 2, 3)}


def numbers(problem: ConvProblem) -> Mapping[str, float]:
    """Return the problem as numbers, by name; sizes along the axes d, h, w are 1 if there is no such axis.

    `read` channels of a group are summed over, `other` ones are not (backward weight: input, output). `taps_met` is how
    many taps a pixel of the result meets on average. `m`, `n`, `k` are the implicit product of each of `g` groups. A
    pixel's channels take `row` bytes and begin at multiples of `line` bytes. `boxes_64` is how many boxes of 64 pixels
    cover the images (the pixels of one residue in backward data), at best.

    >>> from tilewright.ops import get_op
    >>> found = numbers(get_op("conv").plain_problem("fp32"))
    >>> found["read"], found["f_h"], found["in_d"], found["m"] == 32 * 56 * 56
    (64.0, 3.0, 1.0, True)
    """
    p, filler, n, back = problem, FILLER[len(problem.input)], problem.n, problem.direction == "backward_data"
    c_group, k_group, output, gemm, align = p.c // p.g, p.k // p.g, p.output, p.gemm, p.pixel_alignments
    taps, strides, pad = prod(p.filter), prod(p.stride), sum(map(sum, p.pad))
    size_in, size_w, size_o, *_ = p.sizes
    read, other, size_read = (k_group, c_group, size_o) if back else (c_group, k_group, size_in)
    size_out = size_in if back else size_o if p.direction == "forward" else size_w
    # Flops and bytes of what is at hand: the problem's own would take 6 more of the 100 us that a ranking may take.
    pixels_in, pixels_out, weights = n * prod(p.input), n * prod(output), p.k * c_group * taps
    row_in, row_w, row_o = int(p.c * size_in), int(c_group * size_w), int(p.k * size_o)
    if p.strides:
        row_in, row_w, row_o = (int(abs(p.stride_of(r)[-1]) * s) for r, s in zip(ROLES, p.sizes, strict=False))
    line_in, line_w, line_o = (min(128, row & -row) for row in (row_in, row_w, row_o))
    if p.alignment:
        line_in, line_w, line_o = (
            x if p.alignment.get(r, 16) >= 16 else min(x, p.alignment[r])
            for r, x in zip(ROLES, (line_in, line_w, line_o), strict=True)
        )
    return Numbers(PLACES, (
        n, p.g, c_group, k_group, read, other, pixels_in, pixels_out, taps, _taps_met(p) if back else taps, strides,
        prod(p.dilation), p.dilation[-1], pad, weights, gemm.m, gemm.n, gemm.k, 2 * pixels_out * weights,
        p.bytes if p.d else pixels_in * p.c * size_in + weights * size_w + pixels_out * p.k * size_o,
        DIRECTIONS.index(p.direction), len(p.input), size_read, size_out, taps * strides == 1 and not pad,
        len(p.d), p.epilogue.activation != "none",
        align["input"], row_in, line_in, align["weight"], row_w, line_w, align["output"], row_o, line_o,
        *_fewest_boxes(n, *_box_axes(p, output)),
        *filler, *p.input, *filler, *output, *filler, *p.filter, *filler, *p.stride,
    ))  # fmt: skip


def _taps_met(p: ConvProblem) -> float:
    """Return how many taps reach an input position in backward data, on average."""
    if not any(s > 1 for s in p.stride):
        return float(prod(p.filter))
    return float(prod(sum(r.count * len(r.taps) for r in residues(p, i)) / p.input[i] for i in range(p.dims)))


def _box_axes(p: ConvProblem, extents: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the pixels of an image along each axis that boxes cover, and how far apart they are."""
    if p.direction != "backward_data":
        return extents, p.stride
    return tuple(-(-e // s) for e, s in zip(p.input, p.stride, strict=True)), (1,) * len(p.stride)


def _fewest_boxes(n: int, extents: tuple[int, ...], steps: tuple[int, ...]) -> list[int]:
    """For each number of pixels in `BOXES` the fewest boxes, whose sides are powers of two, that cover `n` images."""
    spread = _fewest_in_image(extents, steps)
    if n == 1:
        return [spread[b] for b in SIDES]
    images = [-(-n // size) for size in SIZES]
    return [min(map(mul, images, spread[b::-1])) for b in SIDES]


@lru_cache(maxsize=4096)
def _fewest_in_image(extents: tuple[int, ...], steps: tuple[int, ...]) -> list[int]:
    """Return the same for one image, with boxes of up to 1, 2, 4, ... pixels: the rest may hold further images."""
    fewest = [1] * BOXES[-1].bit_length()
    for extent, step in zip(extents, steps, strict=True):
        sides = [-(-extent // (1 << b)) for b in range(len(fewest)) if ((1 << b) - 1) * step < WIDEST]
        fewest = [min(map(mul, fewest[total::-1], sides)) for total in range(len(fewest))]
    return fewest
