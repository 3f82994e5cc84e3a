"""What counts of a compiled kernel mean for its time: a model of an AMD compute unit, never checked on hardware.

A multiply-add of the main loop keeps each part of the unit busy for some cycles: the matrix units, the vector units,
LDS (with its bank conflicts) and the caches that spilled registers go through. Cost models take these numbers as
constants of a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from ...model.kernel import KernelSpec
from .kernel_counts import KernelCounts, amd_arch, counts_of, shipped_counts

CACHE_BYTES_PER_CLOCK = 64  # between a unit and its caches
VECTOR_CYCLES = {64: 4.0, 32: 1.0}  # of a SIMD for one vector instruction, by the size of a wave
ALONE, SHARED, MAX_OVERLAP = 0.85, 0.05, 0.97  # share of the time that matrix units work: alone, more per neighbour
TYPICAL_SLOWDOWN = 1.25  # of kernels, if none of the same op and arch have counts
POWER = 3.0  # how sharply the busiest part decides


@dataclass(frozen=True)
class LoopCycles:
    """Cycles of one compute unit for each multiply-add of a kernel's main loop, by the part that is busy."""

    matrix: float
    vector: float
    lds: float
    spills: float


def loop_cycles(counts: KernelCounts, ops_per_cycle: float) -> LoopCycles:
    """Return the cycles of each part; `ops_per_cycle` is the peak of the matrix units for the kernel's operands."""
    arch = amd_arch(counts.arch)
    vector = counts.per_product("vector") * VECTOR_CYCLES[arch.wave_size] / arch.simds_per_unit
    spills = counts.per_product("scratch_bytes") / CACHE_BYTES_PER_CLOCK
    return LoopCycles(2.0 / ops_per_cycle, vector, counts.per_product("lds_cycles"), spills)


def together(parts: Sequence[Any]) -> Any:
    """Return parts that overlap imperfectly: at least the largest, more if several are close.

    >>> together([3.0]), round(together([1.0, 1.0]), 2)
    (3.0, 1.26)
    """
    total: Any = 0.0
    for part in parts:
        total = total + part**POWER
    return total ** (1.0 / POWER)


_typical: dict[tuple[str, str, str], float] = {}


def relative_time(spec: KernelSpec, peak_rate: Callable[[KernelSpec], float]) -> float:
    """Return how much longer a kernel takes than the median of the counted ones of its op and arch; 1 without counts.

    So kernels with counts are judged like those without, on average. `peak_rate` are a kernel's operations per cycle.
    """
    counts = counts_of(spec)
    if counts is None:
        return 1.0
    where = (spec.backend, spec.op, spec.arch)
    if where not in _typical:
        found = [slowdown(known, peak_rate(kernel)) for kernel, known in shipped_counts(*where)]
        _typical[where] = median(found) if found else TYPICAL_SLOWDOWN
    return slowdown(counts, peak_rate(spec)) / _typical[where]


def slowdown(counts: KernelCounts, ops_per_cycle: float) -> float:
    """Return how much longer the loop of a kernel takes than its products alone on a well filled unit.

    Few resident waves leave units idle or latencies visible; the other parts add what they do not hide.
    """
    arch, c = amd_arch(counts.arch), loop_cycles(counts, ops_per_cycle)
    occupied = min(1.0, counts.waves * counts.resident / arch.simds_per_unit)
    overlap = min(MAX_OVERLAP, ALONE + SHARED * (counts.resident - 1))
    busy = float(together((c.matrix / overlap, c.vector, c.lds))) + c.spills  # a spilled value is waited for
    return busy / (c.matrix * occupied)
