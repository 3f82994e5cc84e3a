"""The analytical cost model: how long a launch takes, from tile, problem and device.

A program's k-step lasts as long as the slowest of: the matrix units, the way from L2 to shared memory, and the latency
that the ring of stages has to hide. Device memory bounds the whole. The constants were fitted to a sweep of kernels and
shapes on an H200 (`benchmarks/gemm_gpu.py`, results in `benchmarks/results/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ....arch import get_arch
from ....model.arch import NvidiaArch
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch
from ....ops.gemm.problem import GemmProblem
from .algorithm import TritonGemm, hopper_stages, view_of
from .bind import ceil_div, copies, geometry, kernel_sizes, tile_count

SPLITS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128)


@dataclass(frozen=True)
class Constants:
    """What the sweep taught. Rates are per multiprocessor and cycle, times in seconds."""

    launch: float = 2.0e-6  # one launch in a graph, with its first loads and last stores
    second_launch: float = 1.2e-6
    matrix: float = 0.9  # share of the matrix units' peak that large tiles reach
    narrow: float = 40.0  # cycles that every step of a group of warps loses
    l2_bytes: float = 64.0  # bytes per cycle from L2
    latency: float = 1500.0  # cycles from asking for a stage to having it
    store_bytes: float = 40.0  # bytes per cycle of an epilogue
    epilogue: float = 900.0  # cycles of an epilogue beside its bytes
    bandwidth: float = 0.92  # share of device memory bandwidth
    share_bytes: float = 30.0  # bytes per cycle at which the last program adds shares
    share: float = 3000.0  # cycles of handing in and being last
    power: float = 0.80  # share of the peak rate that the power limit leaves to long kernels


HOPPER = Constants()


@lru_cache(maxsize=65536)
def _stages(spec: KernelSpec) -> int:
    arch = get_arch(spec.arch)
    if spec.algorithm.pipeline == "hopper" and isinstance(arch, NvidiaArch):
        return hopper_stages(spec.signature, spec.algorithm, arch)
    return max(1, int(spec.algorithm.stages))


def launches(spec: KernelSpec, problem: GemmProblem, device: Device) -> Sequence[Launch]:
    """The launches worth considering: plain, splits that fill the GPU once or twice, stream-K."""
    a = spec.algorithm
    if problem.split_k is not None:
        return (Launch(split_k=problem.split_k),) if problem.split_k > 1 else (Launch(),)
    if not a.split:
        return (Launch(),)
    tiles, steps = tile_count(problem, a), ceil_div(problem.k, a.tile_k)
    room = device.units * a.blocks_per_unit
    found = [] if a.reduce == "after" else [Launch()]
    if tiles <= room:
        fill = [s for s in SPLITS if steps >= 2 * s and 0.45 * room <= tiles * s <= 2.1 * room]
        found += [Launch(split_k=s) for s in fill]
    stream = a.pipeline == "hopper" and a.reduce == "inside"
    if stream and tiles % room and 4 * room <= tiles * steps and tiles < 12 * room:
        found.append(Launch(grid=(room,)))
    return tuple(found)


def predict(candidate: Candidate, problem: GemmProblem, device: Device, c: Constants = HOPPER) -> float:
    """Predicted seconds of one launch."""
    spec, a = candidate.spec, candidate.spec.algorithm
    shape = geometry(problem, a, candidate.launch, device.units)
    clock = device.clock_mhz * 1e6 or 1.5e9
    step = step_cycles(spec, problem, device, shape.programs, c)
    per_program = _steps_per_program(shape.tiles, shape.steps, shape.programs, shape.whole)
    resident = min(a.blocks_per_unit, ceil_div(shape.programs, device.units))
    waves = ceil_div(shape.programs, device.units * max(1, a.blocks_per_unit))
    cycles = per_program * step * waves + _epilogues(spec, problem, shape.tiles, shape.programs, resident, c)
    shared = shape.tiles - shape.whole
    if shared:
        cycles += _share_cycles(a, shape.programs, shape.slots, shared, c)
    seconds = cycles / clock
    seconds = max(seconds, _memory_seconds(problem, device, c), problem.flops / (_peak(spec, device) * c.power))
    seconds += c.launch
    if a.reduce == "after" and a.split:
        seconds += c.second_launch + 2 * shape.partial_bytes / (3 * device.bandwidth_gbps * 1e9)
    for copy in copies(problem, a, {"a": 0, "b": 0, "out": 0}, 0):
        seconds += c.second_launch + 2 * copy.bytes / (0.5 * device.bandwidth_gbps * 1e9)
    return seconds


def _steps_per_program(tiles: int, steps: int, programs: int, whole: int) -> float:
    """k-steps of the busiest program."""
    return ceil_div(whole, programs) * steps + ceil_div((tiles - whole) * steps, programs)


def _peak(spec: KernelSpec, device: Device) -> float:
    """Operations per second of all matrix units at full clock."""
    arch, s = get_arch(spec.arch), spec.signature
    name = "tf32" if s.dtype_a == "fp32" and spec.algorithm.precision == "tf32" else s.dtype_a
    per_cycle = arch.ops_per_cycle.get(name) or arch.ops_per_cycle.get("fp16") or 1024.0
    return per_cycle * device.units * (device.clock_mhz * 1e6 or 1.5e9)


def step_cycles(spec: KernelSpec, problem: GemmProblem, device: Device, programs: int, c: Constants) -> float:
    """Cycles that one k-step takes a program, the others on its multiprocessor working too."""
    a, view = spec.algorithm, view_of(spec.signature, spec.algorithm)
    resident = min(a.blocks_per_unit, ceil_div(programs, device.units))
    rate = _peak(spec, device) / (device.units * (device.clock_mhz * 1e6 or 1.5e9))
    rows = a.tile_m
    matrix = 2 * rows * a.tile_n * a.tile_k / (rate * c.matrix) + c.narrow
    size = get_dtype(view.a).bytes * a.tile_m + get_dtype(view.b).bytes * a.tile_n
    load = size * a.tile_k / (c.l2_bytes * _load_share(problem))
    if a.pipeline == "pointer":
        # Threads copy through registers or 16-byte pieces at best; the rate falls with the width of a piece.
        load *= 2.0 * (16 / a.vector_bytes) ** 0.5
        matrix *= 1.3 if spec.arch == "sm_90" else 1.1
    return float(max(matrix * resident, load * resident, c.latency / _stages(spec)))


def _load_share(problem: GemmProblem) -> float:
    """Rows that do not begin on a cache line touch one line more."""
    lines = [problem.stride(r)[1 + (problem.layout[i] != "r")] for i, r in enumerate(("a", "b"))]
    size = get_dtype(problem.dtype_a).bytes
    return 1.0 if all(int(line * size) % 128 == 0 for line in lines) else 0.75


def _epilogues(spec: KernelSpec, problem: GemmProblem, tiles: int, programs: int, resident: int, c: Constants) -> float:
    """Cycles of the epilogues that nothing hides."""
    a = spec.algorithm
    one = c.epilogue + a.tile_m * a.tile_n * get_dtype(spec.signature.dtype_out).bytes * resident / c.store_bytes
    if spec.signature.activation != "none":
        one *= 1.3
    one *= 1.0 + 0.3 * sum(d.broadcast == "none" for d in spec.signature.d)
    exposed = ceil_div(tiles, programs) if a.consumers == 1 else 1
    return float(one * exposed)


def _share_cycles(a: TritonGemm, programs: int, slots: int, shared: int, c: Constants) -> float:
    """Cycles of handing in shares and, for the last program, of adding them."""
    tile = 4 * a.tile_m * a.tile_n
    if a.reduce == "after":
        return tile / c.store_bytes
    most = ceil_div(programs, shared) + (slots - 1)
    return c.share + tile / c.store_bytes + most * tile / c.share_bytes


def _memory_seconds(problem: GemmProblem, device: Device, c: Constants) -> float:
    return problem.bytes / (device.bandwidth_gbps * 1e9 * c.bandwidth)


def preference(candidate: Candidate, problem: GemmProblem, device: Device) -> tuple[float, str]:
    """(score, reason) by rules of thumb: waves times work per wave, then the tile."""
    a = candidate.spec.algorithm
    shape = geometry(problem, a, candidate.launch, device.units)
    m, n = kernel_sizes(problem, a)
    room = device.units * a.blocks_per_unit
    waves = shape.tiles * shape.steps / max(1, shape.programs) / max(1, shape.steps)
    waste = ceil_div(m, a.tile_m) * a.tile_m * ceil_div(n, a.tile_n) * a.tile_n / max(1, m * n)
    idle = room / min(room, shape.programs)
    penalty = {"hopper": 1.0, "tma_persistent": 1.1, "pointer": 2.5}[a.pipeline]
    penalty *= 1.5 if a.operands == "staged" else 1.0
    intensity = (a.tile_m * a.tile_n) / (a.tile_m + a.tile_n)
    score = penalty * waste * idle * (1 + 30 / intensity) * (1 + 0.2 * (shape.programs > shape.tiles))
    return score, f"{waves:.2f} tiles per program, {100 / waste:.0f}% useful, {100 / idle:.0f}% of the GPU"
