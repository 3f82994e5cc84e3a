"""The analytical cost model of convolutions: bytes, instructions, matrix cycles and waves of a launch.

`features` says what a launch does, `seconds` prices it with constants fitted to a sweep of kernels and shapes on an
H200 (`benchmarks/conv_gpu.py`, rows in `benchmarks/results/`). Products of the gemm backend keep its own model, which
prices the hopper pipeline too (`hopper_cost`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from ....arch import get_arch
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch, kept_by_kernel, split_launch
from ....ops.conv.problem import ConvProblem
from ....ops.conv.product import as_gemm
from ..gemm import cost as gemm_cost
from ..gemm.bind import ceil_div
from . import hopper_cost
from .algorithm import WINDOWS, TritonConv, gemm_spec, is_weight
from .bind import Geometry, geometry, sides, weight_size
from .kernels.strip_config import StripConfig
from .strips import strip_config

WAVES = (0.5, 1, 2, 4)  # splits that fill the GPU so often
MOST_SPLITS = 1024
REGISTERS = 65536
PART_OF_LINE = 0.25  # power by which strips narrower than a line cost more bytes
WARPS_PER_UNIT = 64
COPY_SECONDS = 3.1e-9  # a row of a box, of one multiprocessor's copy engine; by 1x1 layers of few channels on an H200


@dataclass(frozen=True)
class Constants:
    """What the sweep taught. Rates are per multiprocessor and cycle, times in seconds."""

    launch: float = 2.0e-6
    memory: float = 0.75  # share of device memory bandwidth
    l2: float = 40.0  # bytes per cycle from beyond L1
    l1: float = 60.0  # bytes per cycle of loads that L1 answers
    issue: float = 80.0  # vector instructions per cycle (of 128 lanes)
    matrix: float = 0.4  # share of the matrix units' peak
    step: float = 600.0  # cycles of latency of a loop's turn, shared by the programs of a multiprocessor
    start: float = 2500.0  # cycles around the loop


HOPPER = {
    "strip": Constants(3.175e-06, 0.9187, 170.8, 168.9, 28.29, 0.3794, 1622.0, 268.8),
    "strip_spread": Constants(1.559e-06, 0.8891, 129.3, 138.3, 31.75, 0.2948, 290.2, 168.4),
    "strip_columns": Constants(2.675e-07, 0.918, 45.0, 219.4, 74.1, 0.1671, 1631.0, 5322.0),
    "strip_planes": Constants(2.017e-06, 0.9665, 135.8, 27.43, 93.13, 0.6273, 2522.0, 1988.0),
    "strip_depthwise": Constants(3.167e-06, 0.8003, 499.7, 83.59, 171.6, 0.331, 1172.0, 372.1),
    "strip_weight": Constants(1.978e-06, 0.8468, 231.7, 378.7, 306.9, 0.5161, 1717.0, 4083.0),
    "strip_columns_weight": Constants(1.481e-06, 0.97, 179.1, 67.29, 228.2, 0.3189, 1538.0, 9176.0),
    "strip_planes_weight": Constants(1.163e-06, 0.8508, 248.0, 143.3, 43.32, 0.4733, 1737.0, 8321.0),
    "strip_depthwise_weight": Constants(1.206e-06, 0.97, 134.3, 30.08, 129.5, 0.6813, 1110.0, 13270.0),
    "depthwise": Constants(6.381e-06, 1.018, 74.84, 35.0, 91.98, 0.437, 1465.0, 3573.0),
    "depthwise_weight": Constants(2.971e-06, 1.013, 42.73, 55.27, 49.72, 0.5417, 1896.0, 13870.0),
    "implicit": Constants(1.798e-06, 1.01, 381.1, 24.13, 78.68, 1.191, 400.3, 10900.0),
    "implicit_weight": Constants(6.908e-06, 1.868, 392.4, 29.33, 120.5, 0.4548, 708.0, 6630.0),
    "thin": Constants(2.76e-06, 0.809, 382.7, 34.38, 27.7, 0.4094, 190.6, 213.4),
    "window": Constants(3.818e-06, 0.6733, 23.3, 24.86, 67.3, 0.1093, 345.6, 3420.0),
    "window_weight": Constants(3.5e-06, 1.055, 13.02, 22.6, 74.16, 0.05836, 516.5, 21170.0),
}


def family(spec: KernelSpec) -> str:
    """The name under which a kernel's constants are kept."""
    a = spec.algorithm
    kind = ""
    if a.pipeline == "strip" and (a.channels == 1 or a.pair > 1):
        kind = {1: "_depthwise", 16: "_planes"}.get(a.pair, "_columns")
    elif a.pipeline == "strip" and a.stride_w > 1 and spec.signature.direction == "backward_data":
        kind = "_spread"
    return str(a.pipeline) + kind + ("_weight" if is_weight(spec) and a.pipeline != "thin" else "")


@dataclass(frozen=True)
class Features:
    """What a launch does: seconds at the device's rates, cycles at a multiprocessor's, counts of the busiest one."""

    clock: float
    memory_seconds: float
    load_bytes: float
    far_bytes: float
    instructions: float
    matrix_cycles: float
    waves: float
    steps: float
    reduce_seconds: float


def launches(spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
    """The launches worth considering: splits of backward weight that fill the GPU; those of a product."""
    if spec.algorithm.pipeline == "gemm":
        return gemm_cost.launches(gemm_spec(spec), as_gemm(problem), device)
    if spec.algorithm.pipeline == "hopper":
        return hopper_cost.launches(spec, problem, device)
    if problem.direction != "backward_weight":
        return (split_launch(1),)
    if problem.split_k is not None:
        return (split_launch(problem.split_k),)
    one = geometry(problem, spec.algorithm, split_launch(1))
    room = device.units * resident(spec)
    # Shares must not cost more than the pixels: their bytes stay under half of them.
    most = max(1, min(one.steps, MOST_SPLITS, problem.bytes // max(1, 16 * weight_size(problem))))
    if spec.algorithm.sum == "atomic":
        most = min(one.steps, MOST_SPLITS)
    programs = max(1, one.programs)
    wanted = {max(1, min(most, round(w * room / programs))) for w in WAVES}
    if spec.algorithm.pipeline == "strip":
        wanted = _strip_splits(one, device, most, _shares_per_unit(spec))
    return tuple(map(split_launch, sorted(wanted)))


def _shares_per_unit(spec: KernelSpec) -> tuple[int, ...]:
    """How many shares a multiprocessor may have: several at a time hide what one waits for.

    Of 8 channels, two were slower than one on every problem that was measured.
    """
    if not strip_config(spec).dot:
        return (1, 2, 4)
    return (1, 2) if spec.algorithm.tile_n > 8 else (1,)


def _strip_splits(one: Geometry, device: Device, most: int, per_unit: tuple[int, ...]) -> set[int]:
    """Shares of which multiprocessors get so many each: of equal length, or of whole strips."""
    blocks, found = one.steps // one.turns, set()
    for times in per_unit:
        shares = max(1, min(most, times * device.units // one.cols))
        whole = shares // blocks * blocks if shares >= blocks else ceil_div(blocks, ceil_div(blocks, shares))
        found |= {shares, whole}
    return found


def predict(candidate: Candidate, problem: ConvProblem, device: Device) -> float:
    """Predicted seconds of one launch."""
    spec = candidate.spec
    if spec.algorithm.pipeline == "gemm":
        said = gemm_cost.predict(Candidate(gemm_spec(spec), candidate.launch), as_gemm(problem), device)
        return float(max(said, copy_seconds(spec, problem, device)))
    if spec.algorithm.pipeline == "hopper":
        return hopper_cost.predict(candidate, problem, device)
    return float(seconds(features(candidate, problem, device), HOPPER[family(spec)]))


def copy_seconds(spec: KernelSpec, problem: ConvProblem, device: Device) -> float:
    """The least time of a 1x1 convolution on the gemm backend's hopper kernels: a copy per row of each box.

    Products of many rows and few columns are bound by it, which the gemm backend's own model does not know.
    """
    p, a = problem, spec.algorithm
    if a.inner != "hopper" or a.swap_ab or a.split or p.direction == "backward_weight":
        return 0.0
    read, other = sides(p)
    size = int(get_dtype(p.dtype(p.result)).bytes)
    line = 128 // size
    b_rows = a.tile_n * ceil_div(a.tile_k, line) if p.direction == "forward" else a.tile_k * ceil_div(a.tile_n, line)
    rows = ceil_div(read, a.tile_k) * (a.tile_m * ceil_div(a.tile_k, line) + b_rows)
    rows += a.tile_m * ceil_div(min(other, a.tile_n), line)
    tiles = p.g * ceil_div(p.n * prod(p.output), a.tile_m) * ceil_div(other, a.tile_n)
    # Rows of the result that end inside of a sector of 32 bytes are written in two turns.
    each = COPY_SECONDS * (2 if p.g * other * size % 32 else 1)
    return float(HOPPER["thin"].launch + tiles * rows * each / device.units)


def seconds(f: Any, c: Constants) -> Any:
    """The price of features in seconds."""
    busy = f.load_bytes / c.l1 + f.far_bytes / c.l2
    limits = (busy, f.instructions / c.issue, f.matrix_cycles / c.matrix, f.waves * f.steps * c.step)
    cycles = sum(x**3 for x in limits) ** (1 / 3) + f.waves * c.start
    memory = f.memory_seconds / c.memory
    return c.launch + (memory**3 + (cycles / f.clock) ** 3) ** (1 / 3) + f.reduce_seconds


@kept_by_kernel
def resident(spec: KernelSpec) -> int:
    """Programs that share a multiprocessor, by the registers of their sums and the shared memory of their stages."""
    a = spec.algorithm
    if a.pipeline == "hopper":
        return int(a.blocks_per_unit)
    threads = 32 * a.warps
    per_thread = min(255, 48 + _sums(spec) // threads)
    if a.pipeline == "strip":
        return strip_config(spec).resident
    found: int = min(WARPS_PER_UNIT // a.warps, REGISTERS // (threads * per_thread), 32)
    if a.pipeline == "thin":
        return int(a.blocks_per_unit)
    if a.pipeline == "implicit":
        size = get_dtype(spec.signature.dtype_read[0]).bytes
        found = min(found, int(227 * 1024 // max(1, (a.tile_m + a.tile_n) * a.tile_k * size * a.stages)))
    return max(1, found)


def _sums(spec: KernelSpec) -> int:
    """Accumulator elements of a program."""
    a = spec.algorithm
    if a.pipeline in ("implicit", "thin"):
        return int(a.tile_m * a.tile_n)
    if a.pipeline == "strip":
        return int(32 * a.warps * strip_config(spec).sums)
    if not is_weight(spec):
        return int(a.span * a.tile_m * a.tile_n)
    return int(a.filter_h * a.filter_w * (a.tile_n * a.tile_k if a.pipeline == "window" else a.tile_m * a.tile_k))


def features(candidate: Candidate, problem: ConvProblem, device: Device) -> Features:
    """What the launch of `candidate` does for `problem` on `device`."""
    spec, a, p = candidate.spec, candidate.spec.algorithm, problem
    shape = geometry(p, a, candidate.launch)
    size = get_dtype(p.signature.dtype_read[0]).bytes
    per_unit = ceil_div(shape.programs, device.units)
    together = min(resident(spec), per_unit)
    loads, products, vector = turn(spec)
    idle = strip_config(spec).idle if a.pipeline == "strip" else 0
    steps = shape.steps + idle * _pieces(shape)
    turns = per_unit * steps
    rate = float(get_arch(spec.arch).ops_per_cycle.get(p.signature.dtype_read[0], 1024.0))
    bandwidth = device.bandwidth_gbps * 1e9 or 1e12
    again = _rereads(p, a, shape)
    # Narrow pieces cost as many instructions as wide ones.
    narrow = 16 / min(16, a.vector_bytes)
    bytes_of = float(p.bytes + 2 * shape.workspace)
    if a.pipeline == "strip":
        # Lines of which other programs read the rest.
        bytes_of *= max(1.0, min(p.c, strip_config(spec).line) / a.tile_n) ** PART_OF_LINE
    return Features(
        clock=device.clock_mhz * 1e6 or 1.5e9,
        memory_seconds=bytes_of / bandwidth,
        load_bytes=turns * loads * size * narrow**0.75,
        far_bytes=again * p.bytes / device.units,
        instructions=turns * vector * (1 + 0.2 * (narrow - 1)),
        matrix_cycles=turns * products / rate,
        waves=float(ceil_div(per_unit, together)),
        steps=steps / (a.stages if a.pipeline == "strip" else 1),  # strips wait for a copy begun `stages` turns ago
        reduce_seconds=(1.5e-6 + 2 * shape.workspace / bandwidth) if is_weight(spec) else 0.0,
    )


def _pieces(shape: Geometry) -> int:
    """Strips that the busiest program begins: a share that is no number of whole ones has parts of others."""
    if shape.steps % shape.turns == 0 or shape.turns % shape.steps == 0:
        return max(1, shape.steps // shape.turns)
    return 1 + ceil_div(shape.steps - 1, shape.turns)


def _rereads(p: ConvProblem, a: TritonConv, shape: Geometry) -> float:
    """How often the pixels come from beyond L1: once per tap and column tile for asynchronous copies."""
    if a.pipeline in (*WINDOWS, "strip", "thin"):
        return 1.2
    taps = prod(p.filter)
    return 1.0 + 0.5 * taps * (ceil_div(sides(p)[1], a.tile_n) if p.direction != "backward_weight" else 1)


@kept_by_kernel
def turn(spec: KernelSpec) -> tuple[float, float, float]:
    """(elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
    a, direction = spec.algorithm, spec.signature.direction
    if a.pipeline == "thin":
        return a.tile_m * a.tile_k, 2.0 * a.tile_m * a.tile_n * a.tile_k, 1.5 * a.tile_m * (a.tile_k + a.tile_n)
    if a.pipeline == "implicit":
        loads = (a.tile_m + a.tile_n) * a.tile_k
        return loads, 2.0 * a.tile_m * a.tile_n * a.tile_k, 1.5 * loads
    if a.pipeline == "strip":
        return _strip_turn(strip_config(spec))
    wide = (a.span - 1) * a.stride_w + a.filter_w if direction != "backward_data" else (
        (a.span + a.filter_w - 1) / a.stride_w)  # fmt: skip
    rows = max(1, a.filter_h)
    taps = a.span * a.filter_w * rows / (a.stride_w if direction == "backward_data" else 1)
    pixels = a.tile_m * a.tile_k * (wide * rows + (a.span if is_weight(spec) else 0))
    loads = pixels + (0 if is_weight(spec) else a.filter_w * a.tile_k * (a.tile_n if a.pipeline == "window" else 1))
    if a.pipeline == "window":
        return loads, 2.0 * taps * a.tile_m * a.tile_n * a.tile_k, 1.0 * loads
    return loads, 0.0, a.tile_m * a.tile_k * taps + 2.0 * loads


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


def preference(candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, str]:
    """(score, reason) by rules of thumb: products for 1x1, windows for few channels, large tiles for many."""
    p, a = problem, candidate.spec.algorithm
    few = p.g > 1 and max(p.c_group, p.k_group) <= 32
    if a.pipeline == "gemm":
        score, why = gemm_cost.preference(Candidate(gemm_spec(candidate.spec), candidate.launch), as_gemm(p), device)
        return score, f"1x1 is a product: {why}"
    order = ("thin", "hopper", "implicit", "window", "depthwise", "strip")
    order = (*order[:-4:-1], *order[:-3]) if few else order
    shape = geometry(p, a, candidate.launch)
    busy = min(1.0, shape.programs / (device.units * resident(candidate.spec)))
    tile = a.tile_m * a.tile_n / (a.tile_m + a.tile_n)
    score = 100.0 * order.index(a.pipeline) + 10 / max(busy, 0.01) + 100 / tile + 4 * (16 / a.vector_bytes)
    why = f"{p.c_group} -> {p.k_group} channels per group: {a.pipeline}, {100 * busy:.0f}% of the GPU"
    return score + (5 if a.merge else 0), why
