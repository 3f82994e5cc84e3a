"""The numbers of a convolution that selection models read. Adding or changing one changes `VERSION`."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from operator import mul
from typing import TYPE_CHECKING

from ...model.dtype import get_dtype
from .geometry import residues
from .signature import DIRECTIONS

if TYPE_CHECKING:
    from .problem import ConvProblem

VERSION = 1
# What differs only in these fields is the same problem to a judge: it must not be on both sides of a split.
BATCH_FIELDS = ("n",)
AXES = ("d", "h", "w")
BOXES = (16, 32, 64, 128, 256)  # pixels of a box, powers of two
WIDEST = 256  # positions that a box may span along one axis
ROLES = ("input", "weight", "output")
LAID_OUT = (
    *(f"{what}_{role}" for role in ROLES for what in ("align", "row", "line")),
    *(f"boxes_{n}" for n in BOXES),
    *(f"{what}_{axis}" for what in ("in", "out", "f", "s") for axis in AXES),
)


def numbers(problem: ConvProblem) -> dict[str, float]:
    """The problem as numbers, by name; sizes along the axes d, h, w are 1 where there is no such axis.

    `read` channels of a group are summed over, `other` ones are not (backward weight: input, output). `taps_met` is how
    many taps a pixel of the result meets on average. `m`, `n`, `k` are the implicit product of each of `g` groups. A
    pixel's channels take `row` bytes and begin at multiples of `line` bytes. `boxes_64` is how many boxes of 64 pixels
    cover the images (the pixels of one residue in backward data), at best.

    >>> from tilewright.ops import get_op
    >>> found = numbers(get_op("conv").plain_problem("fp32"))
    >>> found["read"], found["f_h"], found["in_d"], found["m"] == 32 * 56 * 56
    (64.0, 3.0, 1.0, True)
    """
    p = problem
    sizes = {role: get_dtype(p.dtype(role)).bytes for role in ROLES}
    size_read, size_out = sizes[_read_role(p)], sizes[p.result]
    taps, strides = prod(p.filter), prod(p.stride)
    read, other = (p.k_group, p.c_group) if p.direction == "backward_data" else (p.c_group, p.k_group)
    counts = {
        "images": p.n, "g": p.g, "c_group": p.c_group, "k_group": p.k_group, "read": read, "other": other,
        "pixels_in": p.n * prod(p.input), "pixels_out": p.n * prod(p.output), "taps": taps,
        "taps_met": _taps_met(p), "strides": strides, "dilated": prod(p.dilation), "dilated_w": p.dilation[-1],
        "padding": sum(left + right for left, right in p.pad), "weights": p.k * p.c_group * taps,
        "m": p.gemm.m, "n": p.gemm.n, "k": p.gemm.k, "flops": p.flops, "bytes": p.bytes,
        "direction": DIRECTIONS.index(p.direction), "dims": p.dims, "size_read": size_read, "size_out": size_out,
        "product": taps * strides == 1 and not any(left or right for left, right in p.pad),
        "extra": len(p.d), "activation": p.epilogue.activation != "none",
    }  # fmt: skip
    rows = []
    for role, channels in zip(ROLES, (p.c, p.c_group, p.k), strict=True):
        row = channels * sizes[role]
        rows += [p.pixel_alignment(role), row, _alignment(int(row))]
    filler = (1,) * (3 - p.dims)
    extents = (*filler, *p.input, *filler, *p.output, *filler, *p.filter, *filler, *p.stride)
    names = (*counts, *LAID_OUT)
    return dict(zip(names, map(float, (*counts.values(), *rows, *_fewest_boxes(p), *extents)), strict=True))


def _read_role(p: ConvProblem) -> str:
    return "output" if p.direction == "backward_data" else "input"


def _taps_met(p: ConvProblem) -> float:
    if p.direction != "backward_data":
        return float(prod(p.filter))
    return float(prod(sum(r.count * len(r.taps) for r in residues(p, i)) / p.input[i] for i in range(p.dims)))


def _alignment(line: int) -> int:
    return min(128, line & -line)


def _fewest_boxes(p: ConvProblem) -> list[int]:
    """For each number of pixels in `BOXES` the fewest boxes, whose sides are powers of two, that cover all images."""
    back = p.direction == "backward_data"
    extents = tuple(-(-e // s) for e, s in zip(p.input, p.stride, strict=True)) if back else p.output
    spread = _fewest_in_image(extents, (1,) * p.dims if back else p.stride)
    images = [-(-p.n // (1 << b)) for b in range(len(spread))]
    return [min(map(mul, images, spread[n.bit_length() - 1 :: -1])) for n in BOXES]


@lru_cache(maxsize=4096)
def _fewest_in_image(extents: tuple[int, ...], steps: tuple[int, ...]) -> list[int]:
    """The same for one image, with boxes of up to 1, 2, 4, ... pixels: what is left over may hold further images."""
    fewest = [1] * BOXES[-1].bit_length()
    for extent, step in zip(extents, steps, strict=True):
        sides = [-(-extent // (1 << b)) for b in range(len(fewest)) if ((1 << b) - 1) * step < WIDEST]
        fewest = [min(map(mul, fewest[total::-1], sides)) for total in range(len(fewest))]
    return fewest
