"""thin: rules, geometry and values of 1x1 layers of few channels."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

from ......model.arch import Arch
from ......model.kernel import KernelSpec, Launch
from ......ops.conv.problem import ConvProblem
from ......ops.conv.product import pixel_row
from ....gemm.operands import ceil_div
from ...algorithm import TritonConv, is_weight, source_roles
from ...geometry import Geometry
from ...pipeline import Pipeline, Traits
from .rules import thin


class Thin(Pipeline):
    """Each pixel is read once; the weights stay."""

    stays = True
    first_rules = (thin,)

    def shown(self, a: TritonConv) -> list[str]:
        """Programs per multiprocessor."""
        return [f"x{a.blocks_per_unit}"] if a.blocks_per_unit > 1 else []

    def may_merge(self, a: TritonConv) -> bool:
        """Return whether groups may share a tile."""
        return True

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Traits that only this pipeline has."""
        yield from super().traits(spec, arch)
        yield (
            is_weight(spec) or any(d.broadcast == "none" for d in spec.signature.d),
            "backward weight or D operands of whole pixels in the thin pipeline",
        )

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return a tile per block of pixels and part of the groups."""
        merged = self.merged_groups(p, a)
        return Geometry(merged, 1, ceil_div(p.n * prod(p.output), a.tile_m), ceil_div(p.g, merged), 1, 1, 0)

    def arguments(self, p: ConvProblem, a: TritonConv, shape: Geometry, addresses: Mapping[str, int]) -> dict[str, Any]:
        """Pixels as rows of a matrix."""
        source, far = source_roles(p.direction)
        rows = {"src_row": pixel_row(p, source), "dst_row": pixel_row(p, far)}
        return {"pixels": p.n * prod(p.output), **rows, "parts": shape.cols}


PIPELINE = Thin()
