"""The implicit matrix products of a convolution: one per group, with a separate mapping for each direction.

Backward data with a stride consists of one product per residue of the input position modulo the stride. Each reads only
the filter taps that reach it, so nothing is multiplied by the zeros between strided outputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .problem import ConvProblem


@dataclass(frozen=True)
class ImplicitGemm:
    """Sizes of one matrix product; `count` of them make the convolution.

    >>> ImplicitGemm(64, 8, 36, 4).flops
    147456
    """

    m: int
    n: int
    k: int
    count: int

    @property
    def flops(self) -> int:
        """Multiplications and additions of all `count` products."""
        return 2 * self.m * self.n * self.k * self.count


def implicit_gemm(problem: ConvProblem) -> ImplicitGemm:
    """Return the product of each group. Backward data assumes stride 1; see `backward_data_parts` for other strides.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 2, "g": 4, "c": 8, "k": 16, "input": [6, 6], "filter": [3, 3], "dtype": "fp32"}
    >>> [implicit_gemm(problem_from_dict({"op": "grouped_conv", "direction": d, **size})).k
    ...     for d in ("forward", "backward_data", "backward_weight")]
    [18, 36, 32]
    """
    p, taps = problem, prod(problem.filter)
    pixels = p.n * prod(p.output)
    if p.direction == "forward":
        return ImplicitGemm(pixels, p.k_group, p.c_group * taps, p.g)
    if p.direction == "backward_data":
        return ImplicitGemm(p.n * prod(p.input), p.c_group, p.k_group * taps, p.g)
    return ImplicitGemm(p.k_group, p.c_group * taps, pixels, p.g)


@dataclass(frozen=True)
class Residue:
    """Along one dimension, the input positions `first`, `first + stride`, ... (`count` of them) share their taps.

    The output position that tap `taps[i]` reads for the j-th of them is `starts[i] + j`.
    """

    first: int
    count: int
    taps: tuple[int, ...]
    starts: tuple[int, ...]


def residues(problem: ConvProblem, axis: int) -> tuple[Residue, ...]:
    """Return the classes of input positions along one spatial axis, for backward data.

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 1, "c": 1, "k": 1, "input": [7], "filter": [3], "stride": 2, "pad": 1, "dtype": "fp32"}
    >>> problem = problem_from_dict({"op": "grouped_conv", "direction": "backward_data", **size})
    >>> [(r.first, r.taps) for r in residues(problem, 0)]
    [(0, (1,)), (1, (0, 2))]
    """
    stride, dilation, left = problem.stride[axis], problem.dilation[axis], problem.pad[axis][0]
    found = []
    for first in range(min(stride, problem.input[axis])):
        taps = [f for f in range(problem.filter[axis]) if (first + left - f * dilation) % stride == 0]
        starts = [(first + left - f * dilation) // stride for f in taps]
        count = -(-(problem.input[axis] - first) // stride)
        found.append(Residue(first, count, tuple(taps), tuple(starts)))
    return tuple(found)


def backward_data_parts(problem: ConvProblem) -> tuple[ImplicitGemm, ...]:
    """Return the products of backward data, one per combination of residues, without empty ones (no tap reaches them).

    >>> from tilewright.ops import problem_from_dict
    >>> size = {"n": 1, "c": 4, "k": 4, "input": [8, 8], "filter": [3, 3], "stride": 2, "pad": 1, "dtype": "fp32"}
    >>> problem = problem_from_dict({"op": "grouped_conv", "direction": "backward_data", **size})
    >>> [p.k for p in backward_data_parts(problem)]
    [4, 8, 8, 16]
    """
    parts = []
    for combination in product(*(residues(problem, axis) for axis in range(problem.dims))):
        taps = prod(len(r.taps) for r in combination)
        if taps:
            m = problem.n * prod(r.count for r in combination)
            parts.append(ImplicitGemm(m, problem.c_group, problem.k_group * taps, problem.g))
    return tuple(parts)
