"""The numbers of a counted Triton GEMM on an AMD GPU that the formulas of `gpu/amd_gemm.py` take."""

from __future__ import annotations

from ....model.kernel import Candidate
from ...gpu.amd_gemm import NUMBERS, counted_step
from ...gpu.counted_cost import ALONE
from ...gpu.kernel_counts import KernelCounts, amd_arch


def kernel_numbers(candidate: Candidate, counts: KernelCounts, ops_per_cycle: float) -> dict[str, float]:
    """Return the numbers of a candidate by name. Its tiles are masked at every edge."""
    a, launch = candidate.spec.algorithm, candidate.launch
    rows, columns = (a.tile_n, a.tile_m) if a.swap_ab else (a.tile_m, a.tile_n)
    step = counted_step(counts, float(rows * columns * a.tile_k), ops_per_cycle)
    shared = counts.waves / amd_arch(counts.arch).simds_per_unit
    values = (float(counts.resident), shared, *step, ALONE, float(max(1, a.stages - 1)))
    return {
        **dict(zip(NUMBERS, values, strict=True)),
        "tile_m": rows, "tile_n": columns, "tile_k": a.tile_k, "persistent": 0.0,
        "pad_m": 1.0, "pad_n": 1.0, "pad_k": float(not a.even_k), "launch_split_k": launch.split_k,
    }  # fmt: skip
