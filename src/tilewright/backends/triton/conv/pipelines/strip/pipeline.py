"""strip: rules, geometry and values of strips, whose pixels are read once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ......model.arch import Arch, NvidiaArch
from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec, Launch
from ......model.rule import Broken, broken
from ......ops.conv.problem import ConvProblem
from ....gemm.operands import ceil_div
from ...algorithm import TritonConv, is_weight
from ...geometry import Geometry, weight_size
from ...pipeline import Pipeline, Traits
from ..window.pipeline import Window
from .course import blocks_each, live_turns, strip_config, strip_constants, strip_course, strip_shape
from .rules import strip
from .source import FINISH_TILES

MAX_STRIP = 512  # unrolled products of a strip's turn: bounds the time to compile


class Strip(Pipeline):
    """Few channels per group, or one; programs walk down the image."""

    windows = True
    walks = True
    knows_channels = True
    atomic = False
    most_sums = 128
    finish_tiles = FINISH_TILES
    first_rules = (strip,)
    shown = Window.shown

    def tile(self, spec: KernelSpec, sizes: Mapping[str, int]) -> Broken | None:
        """Lines, channels and warps fit each other."""
        wrong = strip_shape(spec)
        return broken(wrong, "use tiles that fit the warps", **sizes) if wrong else None

    def sums(self, spec: KernelSpec) -> int:
        """By the constants of the kernel."""
        return int(32 * spec.algorithm.warps * strip_config(spec).sums)

    def shared_bytes(self, spec: KernelSpec, stages: int) -> int:
        """Rows that wait."""
        return int(strip_config(spec).shared * get_dtype(spec.signature.dtype_read[0]).bytes)

    def has_height(self, spec: KernelSpec) -> bool:
        """Return True: the kernel is made for a whole filter."""
        return True

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Traits that only strips have."""
        a, g, weight = spec.algorithm, spec.signature, is_weight(spec)
        yield g.dims != 2 or a.filter_h < 1 or a.channels not in (1, 2, 4, 8, 16), "strips of unknown filters"
        unrolled = a.filter_w * a.filter_h * a.span * a.stride_w * a.rows
        yield a.pair < 16 and unrolled > MAX_STRIP, f"over {MAX_STRIP} unrolled products"
        yield get_dtype(g.dtype_input).bytes != 2, "strips of other than 16-bit numbers"
        yield (a.pair == 2 and not (weight and a.channels <= 8 and a.span % 2 == 0),
               "pairs of columns outside gradients of few channels' weights")  # fmt: skip
        yield (a.pair == 8 and not (not weight and a.channels <= 2 and a.span % 4 == 0),
               "eight columns outside strips of one or two channels per group")  # fmt: skip
        yield (a.pair == 16 and not (a.channels == 1 and a.filter_w > 1 and (weight or a.stride_w == 1)),
               "planes of other than one channel per group, or of a stride outside gradients of weights")  # fmt: skip
        yield a.rows > 1 and (weight or a.channels * a.pair in (1, 16)), "rows outside matrix units' strips"
        yield not isinstance(arch, NvidiaArch), "strips on an AMD GPU"
        short = a.vector_bytes < (4 if a.channels * a.pair == 1 else 16)
        yield a.stages < 1 or short, "strips without copies"

    def shares_tiles(self, a: TritonConv) -> bool:
        """Always."""
        return True

    def most_groups(self, p: ConvProblem, tile_read: int) -> int:
        """Strips are cut into channels: groups that do not exist are masked."""
        return tile_read

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return a program per block of strips; a share of backward weight is turns, counted through all blocks."""
        parts = ceil_div(p.g, self.merged_groups(p, a))
        segments, turns, blocks = strip_course(p, a, parts, units)
        if p.direction != "backward_weight":
            each = blocks_each(a, p.direction, parts, blocks, turns, units)
            return Geometry(a.tile_n, 1, ceil_div(blocks, each), parts, turns * each, 1, 0, segments, turns)
        each = ceil_div(turns * blocks, max(1, min(launch.split_k, turns * blocks)))
        splits = ceil_div(turns * blocks, each)
        return Geometry(a.tile_n, 1, 1, parts, each, splits, 4 * splits * weight_size(p), 1, turns)

    def arguments(self, p: ConvProblem, a: TritonConv, shape: Geometry, addresses: Mapping[str, int]) -> dict[str, Any]:
        """Return how programs walk down the image."""
        turns, rows = shape.turns, shape.turns * strip_constants(a, p.direction).rows_out
        first, last = live_turns(p, a, shape)
        args = {"parts": shape.cols, "segments": shape.segments, "turns": turns, "rows": rows, "first": first,
                "last": last, "each": shape.steps}  # fmt: skip
        if p.direction == "backward_weight":
            return args
        across = ceil_div((p.output if p.direction == "forward" else p.input)[1], a.span)
        return {**args, "each": shape.steps // turns, "blocks": ceil_div(p.n * across * shape.segments, a.tile_m)}


PIPELINE = Strip()
