"""window: rules and geometry of lines of pixels that are read once per filter row."""

from __future__ import annotations

from ......model.arch import Arch
from ......model.kernel import KernelSpec, Launch
from ......ops.conv.problem import ConvProblem
from ....gemm.operands import ceil_div
from ...algorithm import TritonConv, is_weight
from ...geometry import Geometry, data_axes, shares_geometry, three
from ...pipeline import Pipeline, Traits
from .rules import window
from .source import FINISH_TILES

MAX_UNROLLED = 128  # products of a window's pixels and taps in one turn of its loop: bounds the time to compile


class Window(Pipeline):
    """Few channels per group on the matrix units; groups share a tile."""

    windows = True
    span_rows = True
    knows_channels = True
    most_sums = 160
    finish_tiles = FINISH_TILES
    first_rules = (window,)

    def shown(self, a: TritonConv) -> list[str]:
        """Return the filter, the span and the stride."""
        height = f"{a.filter_h}x" if a.filter_h else ""
        return [f"f{height}{a.filter_w}", f"span{a.span}", *([f"stride{a.stride_w}"] if a.stride_w > 1 else [])]

    def sums(self, spec: KernelSpec) -> int:
        """Return a sum per pixel and channel, or per tap and pair of channels."""
        a = spec.algorithm
        if not is_weight(spec):
            return int(a.span * a.tile_m * a.tile_n)
        return int(a.filter_h * a.filter_w * self.tap_sums(a))

    def tap_sums(self, a: TritonConv) -> int:
        """Sums of a tap in backward weight."""
        return a.tile_n * a.tile_k

    def shared_bytes(self, spec: KernelSpec, stages: int) -> int:
        """None: pixels stay in registers."""
        return 0

    def has_height(self, spec: KernelSpec) -> bool:
        """Return whether all rows of the filter are summed at once: in backward weight."""
        return is_weight(spec)

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Traits that only windows have."""
        a = spec.algorithm
        yield from super().traits(spec, arch)
        yield is_weight(spec) and a.filter_h < 1, "a window of backward weight without filter_h"
        unrolled = a.filter_w * max(1, a.filter_h) * a.span
        yield unrolled > MAX_UNROLLED, f"over {MAX_UNROLLED} unrolled products"

    def shares_tiles(self, a: TritonConv) -> bool:
        """Always."""
        return True

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return a program per block of lines, or per share of them."""
        merged = self.merged_groups(p, a)
        parts = ceil_div(p.g, merged)
        if p.direction == "backward_weight":
            depth, height, width = three(p.output, 1)
            blocks = ceil_div(p.n * depth * height * ceil_div(width, a.span), a.tile_m)
            return shares_geometry(p, a, merged, three(p.filter, 1)[0], parts, blocks, launch.split_k)
        axes = data_axes(p)
        lines = p.n * axes.counts[0] * axes.counts[1] * ceil_div(axes.extents[2], a.span)
        classes = axes.stride[0] * axes.stride[1] if axes.back else 1
        return Geometry(merged, classes, ceil_div(lines, a.tile_m), parts, axes.taps[0] * axes.taps[1], 1, 0)


PIPELINE = Window()
