"""How a launch is cut into programs, and the numbers that every pipeline needs for it."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from ....arch import get_nominal_devices
from ....ops.conv.problem import ConvProblem
from ....ops.conv.shapes import three
from ..gemm.operands import ceil_div
from .algorithm import TritonConv

# (elements, shares at once) of a program that adds the shares of backward weight, for more and more shares.
FINISH_TILES: tuple[tuple[int, int], ...] = ((256, 8),)


class Geometry(NamedTuple):
    """How a launch is cut: `merged` groups per tile, `rows` blocks of pixels per class, `cols` of channels.

    `classes`: residues of backward data (1 in other directions). `steps`: turns of the busiest program's loop.
    `segments`: strips along the height of an image, of `turns` each.
    """

    merged: int
    classes: int
    rows: int
    cols: int
    steps: int
    splits: int
    workspace: int
    segments: int = 1
    turns: int = 1

    @property
    def programs(self) -> int:
        """Programs of the launch."""
        return self.classes * self.rows * self.cols * self.splits


def nominal_units(arch: str) -> int:
    """Return the multiprocessors of an arch's nominal device: for what is computed without a device.

    >>> nominal_units("sm_80")
    108
    """
    return get_nominal_devices(arch)[0].units


def folded(problem: ConvProblem, algorithm: TritonConv) -> int:
    """Pixels that a kernel takes for channels: those of a filter row if it alone is folded, else 1."""
    return problem.filter[-1] if algorithm.fold and not algorithm.merge else 1


def sides(problem: ConvProblem) -> tuple[int, int]:
    """Channels per group that are (gathered, on the other side)."""
    p = problem
    return (p.k_group, p.c_group) if p.direction == "backward_data" else (p.c_group, p.k_group)


def weight_size(problem: ConvProblem) -> int:
    """Elements of the weight tensor."""
    return problem.k * problem.c_group * prod(problem.filter)


def division(places: int) -> tuple[int, int]:
    """Return (factor, shift) with x // places == x * factor >> (32 + shift) for 0 <= x < 2**31; factor 0 for one place.

    >>> factor, shift = division(7)
    >>> (2**31 - 1) * factor >> (32 + shift) == (2**31 - 1) // 7
    True
    """
    if places == 1:
        return 0, 0
    bits = 31 + (places - 1).bit_length()
    return ceil_div(1 << bits, places), bits - 32


class DataAxes(NamedTuple):
    """Along (d, h, w): `stride`, `extents` of what is written, `counts` of positions and `taps` of one class.

    A class is a residue of the stride in backward data; there is one in forward.
    """

    stride: tuple[int, ...]
    extents: tuple[int, ...]
    counts: tuple[int, ...]
    taps: tuple[int, ...]
    back: bool


def data_axes(p: ConvProblem) -> DataAxes:
    """Return the axes of forward and backward data."""
    stride = three(p.stride, 1)
    back = p.direction == "backward_data"
    extents, taps = three(p.input if back else p.output, 1), three(p.filter, 1)
    if not back:
        return DataAxes(stride, extents, extents, taps, back)
    counts = tuple(ceil_div(e, s) for e, s in zip(extents, stride, strict=True))
    return DataAxes(stride, extents, counts, tuple(ceil_div(f, s) for f, s in zip(taps, stride, strict=True)), back)


def shares_geometry(
    p: ConvProblem, a: TritonConv, merged: int, rows: int, cols: int, blocks: int, splits: int
) -> Geometry:
    """That of backward weight whose `blocks` of pixels are cut into shares, which atomic sums keep in one place."""
    splits = max(1, min(splits, blocks))
    shares = 1 if a.sum == "atomic" else splits
    return Geometry(merged, 1, rows, cols, ceil_div(blocks, splits), splits, 4 * shares * weight_size(p))
