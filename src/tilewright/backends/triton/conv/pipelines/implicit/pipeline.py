"""implicit: rules and geometry of a matrix product over gathered pixels."""

from __future__ import annotations

from math import prod

from ......model.arch import Arch
from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec, Launch
from ......ops.conv.problem import ConvProblem
from ....gemm.operands import ceil_div
from ...algorithm import TritonConv
from ...geometry import Geometry, data_axes, folded, shares_geometry, sides
from ...pipeline import Pipeline, Traits


class Implicit(Pipeline):
    """Pixels are gathered tap by tap; any problem."""

    folds = True

    def may_merge(self, a: TritonConv) -> bool:
        """Return whether groups may share a tile."""
        return True

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Traits that only this pipeline has."""
        a = spec.algorithm
        yield from super().traits(spec, arch)
        yield (
            a.fold and a.vector_bytes > get_dtype(spec.signature.dtype_input).bytes,
            "fold in vectors: the pixels of a row begin anywhere",
        )

    def tile_channels(self, a: TritonConv, weight: bool) -> tuple[int, int]:
        """Channels of a tile; rows and columns in backward weight, whose depth is pixels."""
        return (a.tile_n, a.tile_m) if weight else (a.tile_k, a.tile_n)

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return a program per tile of pixels and channels, or per tile of the weight and share of the pixels."""
        merged, run = self.merged_groups(p, a), folded(p, a)
        parts = ceil_div(p.g, merged)
        if p.direction == "backward_weight":
            tiles = 1 if a.merge else ceil_div(p.k_group, a.tile_m) * ceil_div(p.c_group * run, a.tile_n)
            blocks = ceil_div(p.n * prod(p.output), a.tile_k)
            return shares_geometry(p, a, merged, prod(p.filter) // run, parts * tiles, blocks, launch.split_k)
        axes, (read, other) = data_axes(p), sides(p)
        cols = parts if a.merge else p.g * ceil_div(other, a.tile_n)
        steps = prod(axes.taps) // run * (1 if a.merge else ceil_div(read * run, a.tile_k))
        rows = ceil_div(p.n * prod(axes.counts), a.tile_m)
        return Geometry(merged, prod(axes.stride) if axes.back else 1, rows, cols, steps, 1, 0)


PIPELINE = Implicit()
