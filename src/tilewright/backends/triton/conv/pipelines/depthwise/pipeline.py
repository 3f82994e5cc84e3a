"""depthwise: windows of one channel per group on the vector units."""

from __future__ import annotations

from collections.abc import Mapping

from ......model.kernel import KernelSpec
from ......model.rule import Broken, broken
from ......ops.conv.problem import ConvProblem
from ......ops.conv.problem import ConvSubject as Subject
from ...algorithm import TritonConv
from ...geometry import sides
from ..window.pipeline import Window


class Depthwise(Window):
    """A tile is lines of pixels times groups of one channel."""

    knows_channels = False
    most_sums = 128

    def tile(self, spec: KernelSpec, sizes: Mapping[str, int]) -> Broken | None:
        """Return one channel count; any size, as no matrix instruction is used."""
        if sizes["tile_n"] != sizes["tile_k"]:
            got = f"tile_n {sizes['tile_n']} and tile_k {sizes['tile_k']} differ"
            return broken(got, "depthwise has one channel count", **sizes)
        return None

    def tap_sums(self, a: TritonConv) -> int:
        """Return a sum per line and channel."""
        return a.tile_m * a.tile_k

    def channels(self, s: Subject) -> Broken | None:
        """Return one channel per group."""
        p, (read, other) = s.problem, sides(s.problem)
        if p.g == 1 or read != 1 or other != 1:
            return broken(f"{p.g} groups of {read} -> {other} channels", "use window or implicit", g=p.g)
        return None

    def shares_tiles(self, a: TritonConv) -> bool:
        """Groups are the channels of a tile: none has to fit into one."""
        return bool(a.merge)

    def side_by_side(self, a: TritonConv) -> bool:
        """Always."""
        return True

    def merged_groups(self, p: ConvProblem, a: TritonConv) -> int:
        """Return a group per channel of the tile."""
        return a.tile_n


PIPELINE = Depthwise()
