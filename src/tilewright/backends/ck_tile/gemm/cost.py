"""The numbers of a CK Tile kernel that cost models use: from the counts of the compiled kernel, else from tile sizes.

Assumptions, not measurements. `features` has the formulas.
"""

from __future__ import annotations

from math import ceil, inf

from ....model.arch import AmdArch
from ....model.kernel import KernelSpec
from ....ops.gemm.signature import GemmSignature
from ...gpu.amd_gemm import counted_step
from ...gpu.kernel_counts import KernelCounts, amd_arch
from ...gpu.occupancy import REGISTERS_PER_LANE
from .algorithm import CkTileGemm
from .geometry import element_bytes, operand_bytes, threads

OTHER_REGISTERS = 40  # addresses, loop counters, epilogue
# Shares of the loads that hide behind products, and tiles in flight per block.
OVERLAP = {"mem": 0.70, "compv3": 0.88, "compv4": 0.93, "compv5": 0.80, "compv6": 0.93, "comp_async": 0.93,
           "preshufflev2": 0.93}  # fmt: skip
STAGES = {"mem": 3, "compv3": 1, "compv4": 2, "compv5": 1, "compv6": 2, "comp_async": 2,
          "preshufflev2": 2}  # fmt: skip
# What counts make of the time by tile sizes: the median of the shipped kernels of an arch on a product of 2048 x 2048 x
# 2048 (a test computes it). Kernels without counts get this factor, so that they are not preferred because less is
# known about them; it keeps their order.
USUAL_RATIO = {"gfx908": 1.151, "gfx90a": 1.018, "gfx942": 1.052, "gfx950": 1.061, "gfx1100": 1.389, "gfx1200": 1.110,
               "gfx1201": 1.099}  # fmt: skip
WARP_WIDTH = {32: 1.0, 16: 0.95}  # narrower warp tiles issue more instructions for the same work


def counted_as(spec: KernelSpec) -> KernelSpec:
    """Return the kernel whose counts describe a kernel's main loop: that of one product, which others repeat or share.

    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> spec = preselected_kernels("fp16_rcr_essential", "gfx942")[0]
    >>> counted_as(spec.with_algorithm(family="stream_k_atomic")) == spec
    True
    """
    same = spec.algorithm.family in ("universal", "quant")
    return spec if same else spec.with_algorithm(family="universal")


def kernel_numbers(spec: KernelSpec, counts: KernelCounts | None) -> tuple[float, ...]:
    """Return `amd_gemm.NUMBERS` of a kernel, by its counts or by its tile sizes."""
    a, s, arch = spec.algorithm, spec.signature, amd_arch(spec.arch)
    peak = peak_rate(s, arch)
    if counts is not None and peak:
        matrix, *others = counted_step(counts, float(a.tile_m * a.tile_n * a.tile_k), peak)
        loop = (matrix / _width(a), *others)
    else:
        loop = _assumed_loop(a, s, arch, peak)
    resident = counts.resident if counts is not None else resident_blocks(a, s, arch)
    overlap, in_flight = OVERLAP.get(a.pipeline, 0.7), float(STAGES.get(a.pipeline, 1))
    return (float(resident), a.wave_count / arch.simds_per_unit, *loop, overlap, in_flight)


def peak_rate(s: GemmSignature, arch: AmdArch) -> float:
    """Return the operations per cycle of a unit's matrix units; 0 if they do not know the operands."""
    return min(arch.ops_per_cycle.get(s.dtype_a, 0.0), arch.ops_per_cycle.get(s.dtype_b, 0.0))


def _assumed_loop(a: CkTileGemm, s: GemmSignature, arch: AmdArch, peak: float) -> tuple[float, float, float, float]:
    """Return `counted_step` by tile sizes: vector instructions are hidden, and spills slow the products down."""
    spilled = max(1.0, registers(a, s, arch) / arch.max_vgprs_per_thread)
    matrix = 2 * a.tile_m * a.tile_n * a.tile_k / (peak * _width(a)) * spilled if peak else inf
    return matrix, 0.0, _lds_bytes(a, s) / (4 * arch.lds_banks), 0.0


def _width(a: CkTileGemm) -> float:
    return WARP_WIDTH.get(min(a.warp_tile_m, a.warp_tile_n), 0.5)


def resident_blocks(a: CkTileGemm, s: GemmSignature, arch: AmdArch) -> int:
    """Blocks that share one compute unit: limited by LDS, wave slots and registers; at least 1."""
    lds = operand_bytes(a, s) * (2 if a.double_smem_buffer else 1)
    per_simd = ceil(a.wave_count / arch.simds_per_unit)
    by_lds = arch.lds_bytes // max(1, lds)
    by_slots = arch.max_waves_per_simd // per_simd
    by_registers = REGISTERS_PER_LANE[arch.wave_size] // (registers(a, s, arch) * per_simd)
    return max(1, min(by_lds, by_slots, by_registers))


def registers(a: CkTileGemm, s: GemmSignature, arch: AmdArch) -> int:
    """Vector registers that a thread needs: accumulators, tiles on their way to LDS, and operands of the next step."""
    block = threads(a, arch)
    accumulators = a.tile_m * a.tile_n * a.waves_k / block
    in_flight = operand_bytes(a, s) / (4 * block)
    rows = a.tile_m / a.waves_m * element_bytes(s.dtype_a) + a.tile_n / a.waves_n * element_bytes(s.dtype_b)
    operands = rows * a.warp_tile_k / (4 * arch.wave_size)
    return ceil(accumulators + in_flight + operands) + OTHER_REGISTERS


def _lds_bytes(a: CkTileGemm, s: GemmSignature) -> float:
    """Bytes that one step writes to and reads from LDS: each row of waves reads all of B, each column all of A."""
    one_a = a.tile_m * a.tile_k * element_bytes(s.dtype_a)
    one_b = a.tile_n * a.tile_k * element_bytes(s.dtype_b)
    if a.pipeline == "preshufflev2":
        return one_a * (1 + a.waves_n)
    return one_a * (1 + a.waves_n) + one_b * (1 + a.waves_m)
