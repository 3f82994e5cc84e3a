"""depthwise: windows of one channel per group on the vector units."""

from __future__ import annotations

from collections.abc import Mapping

from .....model.kernel import KernelSpec
from .....model.rule import Broken, broken
from .....ops.conv.problem import ConvProblem
from .....ops.conv.problem import ConvSubject as Subject
from ...source import Source
from ..algorithm import TritonConv
from ..cost_parts import Constants
from ..geometry import sides
from ..set_parts import ALL, DATA, WEIGHT, conv_set
from .window import Window, window_loads, window_source, windows_of
from .window import finish as finish
from .window import kernels as kernels


def conv(spec: KernelSpec) -> Source:
    """Return the convolution, without the matrix units."""
    return window_source(spec, dot=False)


class Depthwise(Window):
    """A tile is lines of pixels times groups of one channel."""

    knows_channels = False
    most_sums = 128
    prices = {
        "depthwise": Constants(6.381e-06, 1.018, 74.84, 35.0, 91.98, 0.437, 1465.0, 3573.0),
        "depthwise_weight": Constants(2.971e-06, 1.013, 42.73, 55.27, 49.72, 0.5417, 1896.0, 13870.0),
    }
    rank = (4, 1)

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

    def turn(self, spec: KernelSpec) -> tuple[float, float, float]:
        """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
        a = spec.algorithm
        loads, taps = window_loads(spec, 1)
        return loads, 0.0, a.tile_m * a.tile_k * taps + 2.0 * loads


PIPELINE = Depthwise()

DEPTHWISE = ((8, 64, 2, 4), (4, 64, 1, 4), (16, 64, 4, 4), (8, 64, 4, 4), (8, 64, 2, 8), (4, 64, 2, 8), (16, 32, 2, 4),
             (32, 16, 2, 4), (64, 8, 2, 4), (8, 64, 2, 2))  # fmt: skip
DEPTHWISE_WEIGHT = ((8, 64, 4, 4), (4, 64, 4, 4), (4, 64, 2, 4), (8, 32, 4, 4), (4, 32, 2, 8), (8, 64, 8, 8),
                    (16, 16, 4, 4),                    (4, 64, 4, 2), (2, 64, 4, 2))  # fmt: skip
FILTERS = {"filter_w": [1, 3, 5, 7], "stride_w": [1, 2], "phase": [0, 1]}
SQUARE = tuple({"filter_h": n, "filter_w": n, "stride_w": [1, 2]} for n in (1, 3, 5, 7))
DEPTHWISE_WEIGHT_MAPS = tuple(
    m
    for f in SQUARE
    for m in (
        *windows_of(DEPTHWISE_WEIGHT, pipeline="depthwise", vector_bytes=[2, 8, 16], **f),
        *windows_of(DEPTHWISE_WEIGHT[:1], pipeline="depthwise", vector_bytes=16, sum="atomic", **f),
        *windows_of(DEPTHWISE_WEIGHT[3:4], pipeline="depthwise", vector_bytes=2, wide=True, **f),
    )
)
DEPTHWISE_MAPS = (
    *windows_of(DEPTHWISE, pipeline="depthwise", vector_bytes=[2, 8, 16], **FILTERS),
    *windows_of(DEPTHWISE[:1], pipeline="depthwise", vector_bytes=[2, 16], wide=True, **FILTERS),
)

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    5: (
    conv_set("depthwise", "one channel per group on the vector units", ALL, DEPTHWISE_MAPS, direction=DATA),
    conv_set("depthwise_weight", "gradient of the weights, one channel per group", ALL, DEPTHWISE_WEIGHT_MAPS,
         direction=WEIGHT),
    ),
}  # fmt: skip
