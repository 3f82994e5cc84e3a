"""What the work of a CPU GEMM costs on Arm, where no prices were fitted: 16 and 8-bit operands, tiles of one's own.

fp32 tiles have prices in `cost_constants.json`, fitted to times on a Neoverse-N1. The others stand on rates of one core
of it at 2.5 GHz, with gcc 12: fmla 39.9 GFLOP/s, sdot 160 GOP/s, memory 18.6 GB/s; kernels reach 36 to 38 GFLOP/s by
lanes, 131 to 148 GOP/s in int8, and 19 to 27 GFLOP/s if rows of A are broadcast instead. The rates of `mm` are taken
from the instructions: twice the products of a dot product; nothing with these instructions was timed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ....arch import get_arch
from ....model.arch import CpuArch
from ....model.kernel import KernelSpec

CYCLE = 1 / 2.5e9
REGISTER_PRODUCT = CYCLE / 2  # two products of registers per cycle
WORD = {"dot": 4, "mm": 8}  # k elements of int8 in the products of one register; half as many of bf16
ARM_INNERS = tuple(WORD)
BROADCAST = 1.5  # what a tile costs more if its rows of A are broadcast
TILED = {
    "load": 1e-11, "tile": 2e-8, "accumulator": 1e-9, "pack_a_r": 6e-10, "pack_a_c": 3e-10, "pack_b_r": 3e-10,
    "pack_b_c": 6e-10, "in_place_a_r": 8e-11, "in_place_a_c": 8e-11, "in_place_b": 1e-10, "in_place_tile": 1e-9,
    "beyond_l1": 1e-12, "beyond_l2": 2e-11, "a_beyond_l2": 4e-12, "spill": 5e-11, "stream": 5e-12, "reduce": 5e-11,
    "launch": 3e-6,
}  # fmt: skip
SKINNY = {"block": 4e-8, "memory": 6e-11, "page": 1.4e-9, "stage": 1e-9, "stream": 5e-12, "launch": 4e-6}


@cache
def arm_prices(spec: KernelSpec) -> Mapping[str, float]:
    """Return the prices of a kernel for Arm: seconds per unit of each term."""
    a, arch = spec.algorithm, get_arch(spec.arch)
    assert isinstance(arch, CpuArch), spec.arch
    word = WORD.get(a.inner, 1) // (1 if spec.signature.dtype_a == "int8" or a.inner not in WORD else 2)
    if a.pipeline == "skinny":
        return {**SKINNY, "step": _skinny_step(spec, arch, word)}
    factor = 1.0 if a.inner in WORD or lanes_fit(a, arch, spec.signature.layout[0] == "r") else BROADCAST
    return {**TILED, "multiply": REGISTER_PRODUCT * factor / word}


def lanes_fit(a: Any, arch: CpuArch, along_k: bool) -> bool:
    """Return whether a tile multiplies by lanes of registers of A, as `MicroLanes::fits` of the headers decides."""
    vectors = a.nr // arch.lanes
    rows = a.mr if along_k and not a.pack_a else a.mr // 4
    needed = (a.mr + 1) * vectors + rows
    return bool(a.mr % 4 == 0 and needed <= arch.vector_registers and (arch.lanes == 4 or rows <= 8))


def _skinny_step(spec: KernelSpec, arch: CpuArch, word: int) -> float:
    """The seconds of one k for a tile of rows and columns: products and loads of registers, and conversions."""
    a, g = spec.algorithm, spec.signature
    if g.b_format == "plain" and g.layout[1] == "c":  # dot products along k
        multiplies, loads = a.mr * a.nr / arch.lanes, (a.mr + a.nr) / arch.lanes
    else:
        multiplies, loads = a.mr * a.nr / arch.lanes, a.mr + a.nr / arch.lanes
    conversions = 0.0 if g.dtype_b == "fp32" or a.inner == "dot" else loads
    return float((max(multiplies, loads) / (2 * word) + conversions) * CYCLE)
