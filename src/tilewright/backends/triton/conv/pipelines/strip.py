"""strip: pixels of few channels, read once; rows wait in shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .....model.arch import Arch, NvidiaArch
from .....model.device import Device
from .....model.dtype import get_dtype
from .....model.expr import ceil_div as formula_div
from .....model.expr import floor_div, is_true, least, most, pick
from .....model.kernel import KernelSpec, Launch, split_launch
from .....model.rule import Broken, broken, rule
from .....model.tensor import Addresses
from .....ops.conv.problem import ConvProblem
from .....ops.conv.problem import ConvSubject as Subject
from ...gemm.operands import ceil_div
from ...gemm.set_parts import NVIDIA
from ...source import Source
from ..algorithm import TritonConv, is_weight
from ..cost_parts import Constants, known_launches, most_shares
from ..cost_parts import family as plain_family
from ..geometry import Geometry, weight_size
from ..kernels.strip_config import StripConfig
from ..pipeline import Pipeline, Traits
from ..set_parts import DATA, SIXTEEN, WEIGHT, Maps, conv_set
from ..source import FINISH, compiled, epilogue_config, finish_kernel, out_type
from ..strip_course import (
    blocks_each,
    early,
    live_turns,
    strip_config,
    strip_constants,
    strip_course,
    strip_problem,
    strip_shape,
)
from .window import Window


@rule("triton.conv.strip", "problem", "strips: filter, stride, phase as the problem's on both axes; dilation 1")
def strip(s: Subject) -> Broken | None:
    wrong = strip_problem(s.algorithm, s.problem)
    return broken(wrong, "use a kernel for that filter, window or implicit") if wrong else None


# Few channels have small gradients in many shares: those are read side by side.
FINISH_TILES = ((256, 8), (128, 32), (16, 256))


def kernels(spec: KernelSpec) -> dict[str, str]:
    """Return the kernel of each kind of job."""
    config = strip_config(spec)
    found = ("kernels.strip:strip_conv", "kernels.strip_weight:strip_weight")
    if config.planes:
        found = ("kernels.strip_channels:strip_channels", "kernels.strip_planes:strip_planes")
    elif config.pair == 8:
        found = ("kernels.strip_columns:strip_columns", "kernels.strip_weight:strip_weight")
    elif not config.dot:
        found = ("kernels.strip_depthwise:strip_depthwise", "kernels.strip_weight:strip_depthwise_weight")
    return {"conv": found[is_weight(spec)], "finish": FINISH}


def conv(spec: KernelSpec) -> Source:
    """Return the convolution."""
    config = strip_config(spec, out=out_type(spec), epilogue=epilogue_config(spec))
    more = {"launch_pdl": True} if early(spec) else {}
    # Neighbours read the rest of a line soon.
    return replace(compiled(kernels(spec)["conv"], spec, config, **more), lines=not is_weight(spec))


def finish(spec: KernelSpec) -> Source:
    """Return the sum of shares."""
    even = int(spec.algorithm.vector_bytes // get_dtype(spec.signature.dtype_input).bytes)
    dot = strip_config(spec).dot
    return finish_kernel(spec, FINISH_TILES, even=even, taps_first=dot, pdl=early(spec))


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
    prices = {
        "strip": Constants(3.175e-06, 0.9187, 170.8, 168.9, 28.29, 0.3794, 1622.0, 268.8),
        "strip_spread": Constants(1.559e-06, 0.8891, 129.3, 138.3, 31.75, 0.2948, 290.2, 168.4),
        "strip_columns": Constants(2.675e-07, 0.918, 45.0, 219.4, 74.1, 0.1671, 1631.0, 5322.0),
        "strip_planes": Constants(2.017e-06, 0.9665, 135.8, 27.43, 93.13, 0.6273, 2522.0, 1988.0),
        "strip_depthwise": Constants(3.167e-06, 0.8003, 499.7, 83.59, 171.6, 0.331, 1172.0, 372.1),
        "strip_weight": Constants(1.978e-06, 0.8468, 231.7, 378.7, 306.9, 0.5161, 1717.0, 4083.0),
        "strip_columns_weight": Constants(1.481e-06, 0.97, 179.1, 67.29, 228.2, 0.3189, 1538.0, 9176.0),
        "strip_planes_weight": Constants(1.163e-06, 0.8508, 248.0, 143.3, 43.32, 0.4733, 1737.0, 8321.0),
        "strip_depthwise_weight": Constants(1.206e-06, 0.97, 134.3, 30.08, 129.5, 0.6813, 1110.0, 13270.0),
    }
    rank = (5, 0)

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

    def arguments(self, p: ConvProblem, a: TritonConv, shape: Geometry, addresses: Addresses) -> dict[str, Any]:
        """Return how programs walk down the image."""
        turns, rows = shape.turns, shape.turns * strip_constants(a, p.direction).rows_out
        first, last = live_turns(p, a, shape)
        args = {"parts": shape.cols, "segments": shape.segments, "turns": turns, "rows": rows, "first": first,
                "last": last, "each": shape.steps}  # fmt: skip
        if p.direction == "backward_weight":
            return args
        across = ceil_div((p.output if p.direction == "forward" else p.input)[1], a.span)
        return {**args, "each": shape.steps // turns, "blocks": ceil_div(p.n * across * shape.segments, a.tile_m)}

    def family(self, spec: KernelSpec) -> str:
        """Return the name under which a kernel's prices are kept."""
        a, kind = spec.algorithm, ""
        if a.channels == 1 or a.pair > 1:
            kind = {1: "_depthwise", 16: "_planes"}.get(a.pair, "_columns")
        elif a.stride_w > 1 and spec.signature.direction == "backward_data":
            kind = "_spread"
        return plain_family(spec, kind)

    def launches(self, spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
        """Return the launches worth considering: shares that multiprocessors get so many of."""
        known = known_launches(spec, problem)
        if known is not None:
            return known
        one = self.geometry(problem, spec.algorithm, split_launch(1), device.units)
        wanted = _splits(one, device, most_shares(spec, problem, one.steps), _shares_per_unit(spec))
        return tuple(map(split_launch, sorted(wanted)))

    def resident(self, spec: KernelSpec) -> int:
        """Programs that share a multiprocessor."""
        return strip_config(spec).resident

    def walk(self, spec: KernelSpec) -> tuple[float, float, float]:
        """Return (turns that a strip begins with, destination rows of a turn, channels of a line) of a kernel."""
        config = strip_config(spec)
        return float(config.idle), float(config.rows_out), float(config.line)

    def turn(self, spec: KernelSpec) -> tuple[float, float, float]:
        """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
        return _strip_turn(strip_config(spec))


PIPELINE = Strip()


def _shares_per_unit(spec: KernelSpec) -> tuple[int, ...]:
    """Return how many shares a multiprocessor may have: several at a time hide what one waits for.

    Of 8 channels, two were slower than one on every problem that was measured.
    """
    if not strip_config(spec).dot:
        return (1, 2, 4)
    return (1, 2) if spec.algorithm.tile_n > 8 else (1,)


def _splits(one: Geometry, device: Device, most: int, per_unit: tuple[int, ...]) -> set[int]:
    """Shares of which multiprocessors get so many each: of equal length, or of whole strips."""
    blocks, found = one.steps // one.turns, set()
    for times in per_unit:
        shares = max(1, min(most, times * device.units // one.cols))
        whole = shares // blocks * blocks if shares >= blocks else ceil_div(blocks, ceil_div(blocks, shares))
        found |= {shares, whole}
    return found


def _strip_turn(c: StripConfig) -> tuple[float, float, float]:
    """`_turn` of a strip kernel."""
    columns = c.high - c.low
    pixels = c.rows_in * columns + (c.span * c.rows_out if c.weight else 0)
    taps = c.fh * c.fw * c.span / (1 if c.forward else c.stride) * c.rows_out
    loads = float(pixels * c.lines * c.width)
    stored = 0 if c.weight else c.rows_out * c.span
    if c.planes and not c.weight:
        return _plane_turn(c)
    if c.planes:
        windows, pieces = c.span // c.plane_w, c.unit * (c.plane_steps * c.x_units + c.g_units) * c.width / 8
        grads = -(-c.depth // c.plane_turns)
        operands = windows * (4 * c.plane_steps + 2 * grads) * c.width  # registers of 32 lanes
        products = 2.0 * 16 * 8 * 16 * len(c.plane_sums) * windows * c.width
        return loads, products, 32 * (60.0 * c.warps + 1.3 * operands) + 7 * pieces
    if c.dot:
        # Products of a channel and line; those of eight columns write four destinations of two channels each.
        count = taps
        if c.pair == 8:
            count = c.rows * c.fh * c.products_of_window * c.span
        elif c.pair == 2:
            count = c.sums_of_taps * c.span / 2
        return loads, 2.0 * 16 * count * c.lines * c.width, 32 * c.warps * (40.0 + 8 * pixels + 20 * stored)
    read = c.rows_in * columns + (c.depth * c.span if c.weight else 0)
    filters = 0 if c.hold or c.weight else c.fh * c.fw
    each = c.vector * (taps + read + 1.5 * stored) + 9 * pixels + 10 * stored + read + filters + 40
    return loads, 0.0, 32 * c.warps * each


def _plane_turn(c: StripConfig) -> tuple[float, float, float]:
    """`turn` of products of planes in the data directions: one of 16 windows of 8 pixels per channel and `depth`."""
    loads = float(8 * c.units * c.lines * c.width)
    held = c.width // c.warps * (4 + c.depth + 2 * c.lag + 6)  # operands, products, sums
    return loads, 2.0 * 16 * 8 * 16 * c.depth * c.width, 32 * c.warps * (70.0 + held) + 7 * loads / 8


def shape(k: Any, p: Any, d: Any, c: dict[str, Any], weight: Any) -> dict[str, Any]:
    """Strips in the segments that `searched` found, or about those: as many as fill the GPU.

    Backward weight shares out the turns.
    """
    back = is_true("==", p["direction"], 1.0)
    height, width = pick(back, p["in_h"], p["out_h"]), pick(back, p["in_w"], p["out_w"])
    total = formula_div(height + k["phase"], k["strip_rows"])
    strips = p["images"] * formula_div(width, k["span"])
    room = d["units"] * k["resident"] / c["parts"]
    about = pick(weight, 1.0, most(1.0, least(total, floor_div(room * k["tile_m"], strips))))
    found = k["launch_block_0"]
    turns = formula_div(total, pick(found, found, about))
    blocks = formula_div(strips * pick(found, found, formula_div(total, turns)), k["tile_m"])
    every = turns * blocks
    # Programs of planes take several blocks one after the other.
    several = is_true("==", k["pair"], 16.0) * (1.0 - weight)
    in_turn = pick(several, formula_div(blocks, most(1.0, floor_div(d["units"] * k["resident"], c["parts"]))), 1.0)
    in_turn = pick(found, k["launch_block_1"], in_turn)
    each = pick(weight, formula_div(every, least(most(1.0, k["launch_split_k"]), every)), turns * in_turn)
    splits = pick(weight, formula_div(every, each), 1.0)
    return {
        "steps": each + k["strip_lag"] * _pieces(each, turns),
        "programs": c["parts"] * pick(weight, splits, formula_div(blocks, in_turn)),
        "splits": splits,
        "workspace": weight * 4.0 * splits * p["weights"],
    }


def _pieces(each: Any, turns: Any) -> Any:
    """Strips that a program begins whose share is `each` of their `turns`: a part of one is a piece too."""
    whole, part = floor_div(each, turns), floor_div(turns, each)
    even = most(is_true("==", whole * turns, each), is_true("==", part * each, turns))
    return pick(even, most(1.0, whole), 1.0 + formula_div(each - 1.0, turns))


def _strips(tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """Return (lines, channels, warps, span, turns ahead) each."""
    names = ("tile_m", "tile_n", "warps", "span", "stages")
    return tuple({"pipeline": "strip", **dict(zip(names, t, strict=True)), "tile_k": t[1], **fields} for t in tiles)


# Lines times channels: 16 x 16 per warp (16 x 8 if products take several columns), or some channels per thread of
# the vector units.
STRIP = ((16, 64, 4, 2, 2), (16, 64, 4, 4, 2))
STRIP_ROWS = ((16, 64, 4, 4, 2), (32, 32, 4, 4, 1))
STRIP_STRIDED = ((32, 64, 8, 2, 1), (16, 64, 4, 4, 2), (16, 64, 4, 4, 1), (16, 64, 4, 2, 1), (16, 32, 2, 4, 1))
STRIP_PHASE = ((16, 64, 4, 8, 1), (16, 128, 8, 4, 1), (16, 64, 4, 4, 1))
STRIP_WEIGHT = ((16, 64, 4, 4, 2), (16, 64, 4, 8, 2), (16, 32, 2, 4, 2))
STRIP_WEIGHT_STRIDED = ((16, 64, 4, 2, 4), (16, 64, 4, 2, 3), (16, 64, 4, 4, 2), (16, 32, 2, 4, 2))
STRIP_PAIRS = ((16, 64, 8, 4, 2), (16, 32, 4, 8, 1))
# Of the gradients of depthwise weights, by the filter's size; then those of 5x5 filters that move by 2.
STRIP_PLANES = {3: ((16, 64, 8, 4, 2), (16, 32, 4, 8, 2), (16, 16, 4, 8, 3), (16, 8, 2, 8, 3)),
                5: ((16, 64, 8, 4, 2), (16, 32, 4, 4, 2), (16, 16, 2, 4, 2)),
                7: ((16, 32, 4, 8, 1), (16, 32, 4, 4, 1), (16, 16, 2, 8, 1))}  # fmt: skip
STRIP_PLANES_STRIDED = ((16, 32, 4, 2, 4), (16, 32, 4, 2, 2), (16, 16, 4, 4, 2), (16, 8, 2, 4, 2))
# Of depthwise layers themselves and of their inputs' gradients, where they move by 1.
STRIP_CHANNELS = {3: ((4, 8, 1, 16, 1), (4, 16, 2, 16, 2)),
                  5: ((4, 32, 4, 16, 3), (16, 32, 4, 4, 3), (8, 32, 4, 8, 3)),
                  7: ((16, 16, 4, 8, 3), (8, 16, 4, 16, 3), (4, 16, 4, 32, 4))}  # fmt: skip
THREE = {"filter_h": 3, "filter_w": 3, "stride_w": [1, 2], "phase": [0, 1]}
FIVE, SEVEN = ({**THREE, "filter_h": n, "filter_w": n} for n in (5, 7))
ONE = {"channels": 1, "vector_bytes": [8, 16]}
FEW = {"channels": [2, 4, 8, 16], "filter_h": 3, "filter_w": 3}
COLUMNS = {"channels": 1, "pair": 8}
STRIP_MAPS = (
    *_strips(STRIP, **FEW),
    *_strips(STRIP_ROWS, rows=2, **FEW),
    *_strips(STRIP_STRIDED, stride_w=2, **FEW),
    *_strips(STRIP_PHASE, stride_w=2, phase=1, **FEW),
    *_strips(((16, 64, 4, 2, 2),), rows=2, stride_w=2, phase=1, **FEW),
)
STRIP_WEIGHT_MAPS = (
    *_strips(STRIP_WEIGHT, **FEW),
    *_strips(STRIP_WEIGHT_STRIDED, stride_w=2, **FEW),
)
STRIP_ONE_MAPS = (
    *(m for n, t in STRIP_CHANNELS.items() for m in _strips(t, channels=1, pair=16, filter_h=n, filter_w=n)),
    *_strips(((16, 16, 2, 8, 1), (32, 8, 2, 4, 1)), **COLUMNS, **{**THREE, "stride_w": 2}),
    *_strips(((4, 64, 2, 2, 3), (4, 64, 2, 4, 2), (8, 32, 2, 4, 2)), **ONE, **THREE),
    *_strips(((16, 32, 4, 4, 1), (16, 64, 8, 4, 2)), **COLUMNS, **{**FIVE, "stride_w": 2}),
    *_strips(((16, 32, 4, 4, 1), (16, 32, 4, 4, 2)), rows=2, **COLUMNS, **{**FIVE, "stride_w": 2}),
    *_strips(((4, 64, 4, 4, 2), (8, 32, 4, 4, 2), (8, 16, 2, 4, 1)), **ONE, **FIVE),
    *_strips(((4, 32, 2, 4, 1), (4, 32, 2, 7, 1)), channels=1, filter_h=5, filter_w=5, stride_w=2),
    *_strips(((16, 32, 4, 8, 1),), **COLUMNS, **{**SEVEN, "stride_w": 2}),
    *_strips(((8, 32, 4, 8, 1),), **ONE, **SEVEN),
)
STRIP_ONE_WEIGHT_MAPS = (
    *(m for n, t in STRIP_PLANES.items() for m in _strips(t, channels=1, pair=16, filter_h=n, filter_w=n)),
    *_strips(STRIP_PLANES_STRIDED, channels=1, pair=16, filter_h=5, filter_w=5, stride_w=2),
    *_strips(STRIP_PAIRS, channels=1, pair=2, **THREE),
    *_strips(((8, 32, 2, 4, 1), (4, 64, 2, 4, 1), (16, 64, 4, 4, 1)), **ONE, **THREE),
    *_strips(((16, 32, 4, 4, 1), (8, 32, 2, 4, 1), (8, 16, 2, 4, 1)), **ONE, **FIVE),
    *_strips(((8, 32, 4, 4, 1), (4, 32, 2, 4, 1)), **ONE, **SEVEN),
)

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    4: (
    conv_set("strip", "few channels per group, each pixel read once", NVIDIA, STRIP_MAPS, direction=DATA, **SIXTEEN),
    conv_set("strip_weight", "gradient of the weights, few channels per group, each pixel read once", NVIDIA,
         STRIP_WEIGHT_MAPS, direction=WEIGHT, **SIXTEEN),
    conv_set("strip_one", "one channel per group, each pixel read once", NVIDIA, STRIP_ONE_MAPS, direction=DATA,
         **SIXTEEN),
    conv_set("strip_one_weight", "gradient of the weights, one channel per group, each pixel read once", NVIDIA,
         STRIP_ONE_WEIGHT_MAPS, direction=WEIGHT, **SIXTEEN),
    ),
}  # fmt: skip
