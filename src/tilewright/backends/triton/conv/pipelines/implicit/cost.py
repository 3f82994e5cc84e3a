"""implicit: what a launch costs."""

from __future__ import annotations

from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec
from ...cost_parts import Constants, by_registers, family, share_launches

__all__ = ["PRICES", "RANK", "family", "launches", "resident", "turn"]

PRICES = {
    "implicit": Constants(1.798e-06, 1.01, 381.1, 24.13, 78.68, 1.191, 400.3, 10900.0),
    "implicit_weight": Constants(6.908e-06, 1.868, 392.4, 29.33, 120.5, 0.4548, 708.0, 6630.0),
}
RANK = (2, 5)  # among pipelines by rules of thumb: of many channels per group, and of few
launches = share_launches


def resident(spec: KernelSpec) -> int:
    """Programs that share a multiprocessor, by registers and the shared memory of their stages."""
    a, size = spec.algorithm, get_dtype(spec.signature.dtype_read[0]).bytes
    room = int(227 * 1024 // max(1, (a.tile_m + a.tile_n) * a.tile_k * size * a.stages))
    return max(1, min(by_registers(spec), room))


def turn(spec: KernelSpec) -> tuple[float, float, float]:
    """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
    a = spec.algorithm
    loads = (a.tile_m + a.tile_n) * a.tile_k
    return loads, 2.0 * a.tile_m * a.tile_n * a.tile_k, 1.5 * loads
