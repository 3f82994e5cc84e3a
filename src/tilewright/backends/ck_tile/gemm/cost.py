"""An analytical estimate of one launch on the nominal device. Nobody has checked it on AMD hardware: it ranks, no more.

The time is the launch overhead plus a little more than the largest of what the matrix units, LDS, L2 and memory each
need (they overlap, but not perfectly), with waste counted where it arises: whole tiles, whole rounds of compute units,
blocks that too little LDS or too few registers keep alone, steps along k that wait for their loads, and the extra
stores of split-K.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import cast

from ....arch import get_arch
from ....model.arch import AmdArch
from ....model.device import Device
from ....model.kernel import Candidate
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.signature import GemmSignature
from .algorithm import CkTileGemm
from .geometry import element_bytes, operand_bytes, threads

# Assumptions, not measurements.
LAUNCH_S = 4e-6
MEMORY_LATENCY_S = 0.5e-6
L2_BYTES_PER_UNIT_CLOCK = 64
PADDING = 1.03  # bounds checks
REGISTER_FILE = {"mfma": 512, "wmma": 1536}  # vector registers per lane of a SIMD
OTHER_REGISTERS = 40  # addresses, loop counters, epilogue
OVERLAP = {"mem": 0.70, "compv3": 0.88, "compv4": 0.93, "compv5": 0.80, "preshufflev2": 0.93}
STAGES = {"mem": 3, "compv3": 1, "compv4": 2, "compv5": 1, "preshufflev2": 2}  # tiles in flight per block
WARP_WIDTH = {32: 1.0, 16: 0.95}  # narrower warp tiles issue more instructions for the same work


@dataclass(frozen=True)
class Estimate:
    """Where the time of one launch goes, in seconds; `seconds` is the whole."""

    seconds: float
    compute: float
    lds: float
    l2: float
    memory: float
    overhead: float
    tiles: int
    rounds: int
    resident: int
    useful: float  # share of the multiplications that the problem asked for
    filled: float  # share of the compute units busy, averaged over the rounds

    @property
    def bound(self) -> str:
        """What the launch waits for: compute, lds, l2 or memory."""
        return max(("compute", "lds", "l2", "memory"), key=lambda name: float(getattr(self, name)))


def estimate(candidate: Candidate, problem: GemmProblem, device: Device) -> Estimate:
    """Return the estimated time of one launch and its parts."""
    a, s, split = candidate.spec.algorithm, candidate.spec.signature, candidate.launch.split_k
    arch = cast(AmdArch, get_arch(candidate.spec.arch))
    clock = device.clock_mhz * 1e6
    grid = ceil(problem.m / a.tile_m) * ceil(problem.n / a.tile_n)
    tiles = max(1, grid * split * problem.batch)
    steps = max(1, ceil(problem.k / (split * a.tile_k)))
    rounds, resident = ceil(tiles / device.units), resident_blocks(a, s, arch)
    busy = min(tiles, device.units)

    spilled = max(1.0, registers(a, s, arch) / arch.max_vgprs_per_thread)
    math_cycles = _math_cycles(a, s, arch, min(resident, ceil(tiles / busy))) * spilled
    compute = rounds * steps * math_cycles / clock
    lds = rounds * steps * _lds_bytes(a, s) / (4 * arch.lds_banks) / clock
    loaded = _useful_bytes(a, s, problem) * steps * tiles
    l2 = loaded / (busy * L2_BYTES_PER_UNIT_CLOCK * clock)
    turns = ceil(tiles / (device.units * resident))
    waiting = turns * steps * MEMORY_LATENCY_S / STAGES.get(a.pipeline, 1)
    memory = max(_memory_seconds(problem, device, loaded), waiting)
    overhead = LAUNCH_S + _edges(a, rounds, resident) + _split_cost(s, problem, device, split)
    return Estimate(
        seconds=overhead + _together(compute, lds, l2, memory) * (PADDING if a.pad_m or a.pad_n or a.pad_k else 1.0),
        compute=compute,
        lds=lds,
        l2=l2,
        memory=memory,
        overhead=overhead,
        tiles=tiles,
        rounds=rounds,
        resident=resident,
        useful=problem.m * problem.n * problem.k / (grid * a.tile_m * a.tile_n * split * steps * a.tile_k or 1),
        filled=tiles / (rounds * device.units),
    )


def resident_blocks(a: CkTileGemm, s: GemmSignature, arch: AmdArch) -> int:
    """Blocks that share one compute unit: limited by LDS, wave slots and registers; at least 1."""
    lds = operand_bytes(a, s) * (2 if a.double_smem_buffer else 1)
    per_simd = ceil(a.wave_count / arch.simds_per_unit)
    by_lds = arch.lds_bytes // max(1, lds)
    by_slots = arch.max_waves_per_simd // per_simd
    by_registers = REGISTER_FILE[arch.matrix_isa] // (registers(a, s, arch) * per_simd)
    return max(1, min(by_lds, by_slots, by_registers))


def registers(a: CkTileGemm, s: GemmSignature, arch: AmdArch) -> int:
    """Vector registers that a thread needs: accumulators, tiles on their way to LDS, and operands of the next step."""
    block = threads(a, arch)
    accumulators = a.tile_m * a.tile_n * a.waves_k / block
    in_flight = operand_bytes(a, s) / (4 * block)
    rows = a.tile_m / a.waves_m * element_bytes(s.dtype_a) + a.tile_n / a.waves_n * element_bytes(s.dtype_b)
    operands = rows * a.warp_tile_k / (4 * arch.wave_size)
    return ceil(accumulators + in_flight + operands) + OTHER_REGISTERS


def _math_cycles(a: CkTileGemm, s: GemmSignature, arch: AmdArch, sharing: int) -> float:
    """Cycles of the matrix units for one tile and one step; a block of few waves leaves units idle unless it shares."""
    peak = min(arch.ops_per_cycle.get(s.dtype_a, 0.0), arch.ops_per_cycle.get(s.dtype_b, 0.0))
    if not peak:
        return float("inf")
    occupied = min(1.0, a.wave_count * sharing / arch.simds_per_unit)
    overlap = min(0.97, OVERLAP.get(a.pipeline, 0.7) + 0.05 * (sharing - 1))
    width = WARP_WIDTH.get(min(a.warp_tile_m, a.warp_tile_n), 0.5)
    return 2 * a.tile_m * a.tile_n * a.tile_k / (peak * occupied * overlap * width)


def _lds_bytes(a: CkTileGemm, s: GemmSignature) -> float:
    """Bytes that one step writes to and reads from LDS: each row of waves reads all of B, each column all of A."""
    one_a = a.tile_m * a.tile_k * element_bytes(s.dtype_a)
    one_b = a.tile_n * a.tile_k * element_bytes(s.dtype_b)
    if a.pipeline == "preshufflev2":
        return one_a * (1 + a.waves_n)
    return one_a * (1 + a.waves_n) + one_b * (1 + a.waves_m)


def _together(*parts: float) -> float:
    """Parts that overlap imperfectly: at least the largest, at most 1.6 times it (four equal parts)."""
    return float(sum(p**3 for p in parts) ** (1 / 3))


def _useful_bytes(a: CkTileGemm, s: GemmSignature, problem: GemmProblem) -> float:
    """Bytes of one A and one B tile that lie within the problem; the rest is never loaded."""
    rows = min(a.tile_m, problem.m) * element_bytes(s.dtype_a) + min(a.tile_n, problem.n) * element_bytes(s.dtype_b)
    return rows * min(a.tile_k, max(1, problem.k))


def _memory_seconds(problem: GemmProblem, device: Device, loaded: float) -> float:
    """Return each operand once where the last cache holds it; else a share of what the tiles load again."""
    held = max(device.l2_bytes, device.llc_bytes)
    missed = 1 - min(1.0, held / max(1, problem.bytes))
    again = missed * max(0.0, loaded - problem.bytes) / 4
    return (problem.bytes + again) / (device.bandwidth_gbps * 1e9)


def _edges(a: CkTileGemm, rounds: int, resident: int) -> float:
    """Return the first load and the last store of each round, which only other resident or persistent blocks hide."""
    each = 2 * MEMORY_LATENCY_S
    return each + (rounds - 1) * each * (0.25 if a.persistent else 1.0) / resident


def _split_cost(s: GemmSignature, problem: GemmProblem, device: Device, split: int) -> float:
    """Zero-filling the output first, and adding each split's part to it."""
    if split == 1:
        return 0.0
    out = problem.m * problem.n * element_bytes(s.dtype_out)
    return LAUNCH_S + out * (1 + 2 * split) / (device.bandwidth_gbps * 1e9)
