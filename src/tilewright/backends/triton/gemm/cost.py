"""The launches worth considering, and the price of what a launch does (`features` counts it).

A program's k-step lasts as long as the slowest of: the matrix units, the way from L2 to shared memory, and the latency
that the ring of stages has to hide. Device memory and power bound the whole. The constants were fitted to a sweep of
kernels and shapes on an H200 (`benchmarks/gpu/gemm_gpu.py`, results in `benchmarks/results/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ....arch import get_arch
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch, kept_by_kernel, split_launch
from ....ops.gemm.problem import GemmProblem
from .bind import geometry, tile_count
from .operands import ceil_div, kernel_sizes
from .pipelines import pipeline_of

SPLITS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128)
LINE = 128  # bytes of a cache line


@dataclass(frozen=True)
class Constants:
    """What the sweep taught. Rates are per multiprocessor and cycle, times in seconds."""

    launch: float = 8.449e-07  # one launch in a graph
    second_launch: float = 9.513e-07  # each further one
    fill: float = 1082  # cycles until the first products
    blend: float = 7.76  # how sharply the slowest limit of a k-step decides: the power of their norm
    blend_whole: float = 8.549  # the same of the limits of the whole launch
    matrix: float = 0.7012  # share of the matrix units' peak that a long loop reaches
    turns: float = 1.087  # how much more of it, and of L2, groups that take turns reach
    step: float = 19.21  # cycles that every k-step loses
    l2: float = 115.7  # bytes per cycle from L2
    received: float = 0.5  # what a byte costs that another program of the cluster asked for
    meet: float = 400  # cycles in which the programs of a cluster wait for each other
    off_line: float = 0.3572  # share of that if rows begin between cache lines
    off_line_all: float = 0.8  # the same of what L2 delivers to all multiprocessors together
    latency: float = 2520  # cycles from asking for a stage to having it
    store: float = 59.35  # bytes per cycle of an epilogue
    epilogue: float = 476.1  # cycles of an epilogue in addition to its bytes
    memory: float = 1.516  # share of device memory bandwidth
    traffic: float = 2.897  # device memory bandwidths that L2 delivers to all multiprocessors together
    reread: float = 0.355  # what reading a byte again through L2 costs, as a share of reading it from device memory
    stream: float = 0.8899  # k-steps of a stream-K launch: its programs walk through K at different places
    splittable: float = 1.46  # what the code for sharing costs if nothing is shared
    share: float = 8788  # cycles of handing in a share and learning whether it was the last
    add: float = 10.82  # bytes per cycle at which the last program adds shares
    share_abreast: float = 5000  # the same two of programs abreast, which add whole tiles
    add_abreast: float = 40.0
    reduce: float = 0.4669  # device memory bandwidths at which another kernel adds them
    copy: float = 0.9924  # device memory bandwidths at which operands are copied
    power: float = 1.403  # share of the peak rate that the power limit leaves to long kernels
    heat: float = 0.00741  # seconds of that limit per second of device memory bandwidth that goes through L2


HOPPER = Constants()


def launches(spec: KernelSpec, problem: GemmProblem, device: Device) -> Sequence[Launch]:
    """Return the launches worth considering: plain, splits that fill the GPU once or twice, stream-K."""
    a = spec.algorithm
    if problem.split_k is not None:
        return (split_launch(problem.split_k),)
    if not a.split:
        return (split_launch(1),)
    room = device.units * a.blocks_per_unit
    if a.order == "abreast":
        return (Launch(grid=(room,)),)
    stream = pipeline_of(a).streams and a.reduce == "inside"
    tiles = int(tile_count(problem, a))  # a plain number: a memo must not keep an extent
    return _shared(tiles, ceil_div(problem.k, a.tile_k), room, a.reduce == "after", stream)


@lru_cache(maxsize=1 << 14)
def _shared(tiles: int, steps: int, room: int, after: bool, stream: bool) -> tuple[Launch, ...]:
    """Return the launches of a kernel that can split K; kernels and problems with as many tiles have the same."""
    found = [] if after else [split_launch(1)]
    if tiles <= room:
        fill = [s for s in SPLITS if steps >= 2 * s and 0.45 * room <= tiles * s <= 2.1 * room]
        found += map(split_launch, fill)
    if stream and tiles % room and 4 * room <= tiles * steps and tiles < 3 * room:
        found.append(Launch(grid=(room,)))
    return tuple(found)


def seconds(f: Any, c: Constants) -> Any:
    """Return the price of what a launch does (`features.counts`: numbers, arrays or formulas) in seconds."""
    turns = 1 + f.turns * (c.turns - 1)
    load = (f.load_bytes + c.received * f.received_bytes) / (c.l2 * turns * (f.aligned + (1 - f.aligned) * c.off_line))
    traffic = f.traffic_seconds / (c.traffic * (f.aligned + (1 - f.aligned) * c.off_line_all))
    step = _norm((f.matrix_cycles / (c.matrix * turns) + c.step, load, c.latency / f.stages), c.blend)
    loop = f.steps * step * (1 + f.streamed * (c.stream - 1)) * (1 + f.splittable * (c.splittable - 1))
    epilogue = f.epilogue_weight * (c.epilogue + f.epilogue_bytes / c.store)
    # Groups that take turns hide an epilogue behind the other group's loop if that is long enough.
    late = 2 * epilogue - loop / f.items
    exposed = f.turns * (f.items - 1) * (late + abs(late)) / 4
    around = (c.fill + c.meet * f.clustered) * f.starts + f.epilogues * epilogue + exposed
    share, add = (a + f.abreast * (b - a) for a, b in ((c.share, c.share_abreast), (c.add, c.add_abreast)))
    around = around + f.hand_ins * (share + f.tile_bytes / c.store) + f.adds * f.tile_bytes / add
    memory = (f.memory_seconds + c.reread * f.traffic_seconds) / c.memory
    power = f.peak_seconds / c.power + c.heat * f.traffic_seconds
    limits = (loop / f.clock, memory, traffic, power)
    bound = around / f.clock + _norm(limits, c.blend_whole)
    further = f.further_launches * c.second_launch + f.reduced_seconds / c.reduce + f.copied_seconds / c.copy
    return c.launch + bound + further


def _norm(values: Sequence[Any], power: float) -> Any:
    """About the largest value, more if several are close: limits that take turns do not hide each other fully."""
    return sum(v**power for v in values) ** (1 / power)


@kept_by_kernel
def peak_rate(spec: KernelSpec) -> float:
    """Operations per cycle of one multiprocessor's matrix units."""
    arch, s = get_arch(spec.arch), spec.signature
    name = "tf32" if s.dtype_a == "fp32" and spec.algorithm.precision == "tf32" else s.dtype_a
    return float(arch.ops_per_cycle.get(name) or arch.ops_per_cycle.get("fp16") or 1024.0)


@kept_by_kernel
def kernel_stages(spec: KernelSpec) -> float:
    """Return the steps that a kernel has in flight."""
    return pipeline_of(spec.algorithm).held_stages(spec)


def rows_on_lines(problem: GemmProblem) -> bool:
    """Return whether the rows of both operands begin on cache lines; those that do not touch one line more."""
    for i, role in enumerate(("a", "b")):
        if role == "b" and problem.b_format != "plain":
            continue
        line = problem.stride(role)[1 if problem.layout[i] == "r" else 2]
        if int(line * get_dtype(problem.dtype(role)).bytes) % LINE and problem.shape(role)[0] > 1:
            return False
    return True


# An epilogue with an activation, or its gradient, as a multiple of one without: all warps on a tile, and half of them
# (taking turns). Measured with 128 x 128 to 256 x 120 tiles of 12,608 x 3,072 x 768; "tanh" is like "gelu_tanh".
ACTIVATION_WEIGHT = {"none": (1.0, 1.0), "relu": (1.2, 1.2), "sigmoid": (2.5, 4.9), "silu": (2.5, 4.6),
                     "gelu_tanh": (2.6, 6.1), "tanh": (2.8, 6.0), "gelu_erf": (2.6, 5.9), "relu6": (1.3, 1.3),
                     "hard_swish": (2.0, 4.6)}  # fmt: skip
# Instructions per number of an activation, and of its gradient, by disassembly. Groups that take turns have a copy each
# for all numbers of a thread; code that the instruction cache does not hold took twice to three times as long.
INSTRUCTIONS = {"hard_swish": (8, 9), "sigmoid": (10, 14), "silu": (10, 15), "tanh": (15, 18), "gelu_erf": (13, 20),
                "gelu_tanh": (14, 23)}  # fmt: skip
INSTRUCTION_BYTES, CODE_BYTES, CROWDED = 16, 92 << 10, 3.0
# An operand like the output: one that TMA brought or a kernel of another kind reads, with all warps on a tile (nothing
# hides that) and with half of them; and one that the threads of wgmma read through pointers, a few bytes at a time.
SUMMAND, SCATTERED = (2.5, 0.5), 6.0


@kept_by_kernel
def epilogue_weight(spec: KernelSpec) -> float:
    """Return how much work the epilogue is, in units of a plain store."""
    s = spec.signature
    a = spec.algorithm
    activation = ACTIVATION_WEIGHT[s.activation][a.consumers - 1]
    if a.consumers == 2 and s.activation in INSTRUCTIONS:
        numbers = a.tile_m * a.tile_n * a.consumers // (32 * a.warps)  # of a thread
        code = a.consumers * numbers * INSTRUCTIONS[s.activation][s.combine == "gradient"] * INSTRUCTION_BYTES
        activation *= CROWDED if code > CODE_BYTES else 1.0
    pipeline = pipeline_of(a)
    brought = range(len(s.d)) if not pipeline.tma else (pipeline.residual(spec),)
    like = SUMMAND[a.consumers - 1] if pipeline.tma else SUMMAND[1]
    operands = sum(0.1 if d.broadcast != "none" else like if i in brought else SCATTERED for i, d in enumerate(s.d))
    return float(activation + operands + 0.15 * ((s.scale_a == "row") + (s.scale_b == "row")))


def preference(candidate: Candidate, problem: GemmProblem, device: Device) -> tuple[float, str]:
    """Return (score, reason) by rules of thumb: useful work, a full GPU, large tiles, no detours."""
    a = candidate.spec.algorithm
    shape = geometry(problem, a, candidate.launch, device.units)
    m, n = kernel_sizes(problem, a)
    useful = max(1, m * n) / (ceil_div(m, a.tile_m) * a.tile_m * ceil_div(n, a.tile_n) * a.tile_n)
    room = device.units * a.blocks_per_unit
    pipeline = pipeline_of(a)
    waves = ceil_div(shape.tiles, shape.programs) if pipeline.stays else ceil_div(shape.programs, room)
    busy = shape.tiles / (room * waves) if shape.programs <= shape.tiles else shape.programs / (room * waves)
    detour = pipeline.detour * (1.5 if a.operands == "staged" else 1.0)
    detour *= 1.2 if shape.programs > shape.tiles else 1.0
    intensity = a.tile_m * a.tile_n / (a.tile_m + a.tile_n)
    score = detour * (1 + 30 / intensity) / (useful * max(busy, 1e-6))
    return score, f"{100 * useful:.0f}% useful, {100 * min(busy, 1):.0f}% of the GPU, {intensity:.0f} products per load"
