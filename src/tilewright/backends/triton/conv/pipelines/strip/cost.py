"""strip: what a launch costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ......model.device import Device
from ......model.expr import ceil_div as formula_div
from ......model.expr import floor_div, is_true, least, most, pick
from ......model.kernel import KernelSpec, Launch, split_launch
from ......ops.conv.problem import ConvProblem
from ....gemm.operands import ceil_div
from ...cost_parts import Constants, known_launches, most_shares
from ...cost_parts import family as plain_family
from ...geometry import Geometry
from ...kernels.strip_config import StripConfig
from .course import strip_config
from .pipeline import PIPELINE

PRICES = {
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
RANK = (5, 0)


def family(spec: KernelSpec) -> str:
    """Return the name under which a kernel's prices are kept."""
    a, kind = spec.algorithm, ""
    if a.channels == 1 or a.pair > 1:
        kind = {1: "_depthwise", 16: "_planes"}.get(a.pair, "_columns")
    elif a.stride_w > 1 and spec.signature.direction == "backward_data":
        kind = "_spread"
    return plain_family(spec, kind)


def launches(spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
    """Return the launches worth considering: shares that multiprocessors get so many of."""
    known = known_launches(spec, problem)
    if known is not None:
        return known
    one = PIPELINE.geometry(problem, spec.algorithm, split_launch(1), device.units)
    wanted = _splits(one, device, most_shares(spec, problem, one.steps), _shares_per_unit(spec))
    return tuple(map(split_launch, sorted(wanted)))


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


def resident(spec: KernelSpec) -> int:
    """Programs that share a multiprocessor."""
    return strip_config(spec).resident


def walk(spec: KernelSpec) -> tuple[float, float, float]:
    """Return (turns that a strip begins with, destination rows of a turn, channels of a line) of a kernel."""
    config = strip_config(spec)
    return float(config.idle), float(config.rows_out), float(config.line)


def turn(spec: KernelSpec) -> tuple[float, float, float]:
    """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
    return _strip_turn(strip_config(spec))


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
