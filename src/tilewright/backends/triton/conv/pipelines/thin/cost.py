"""thin: what a launch costs."""

from __future__ import annotations

from ......model.kernel import KernelSpec
from ...cost_parts import Constants, share_launches

__all__ = ["PRICES", "RANK", "family", "launches", "resident", "turn"]

PRICES = {
    "thin": Constants(2.76e-06, 0.809, 382.7, 34.38, 27.7, 0.4094, 190.6, 213.4),
}
RANK = (0, 3)
launches = share_launches


def family(spec: KernelSpec) -> str:
    """Return the name under which the prices are kept: one for every direction."""
    return "thin"


def resident(spec: KernelSpec) -> int:
    """Programs that share a multiprocessor."""
    return int(spec.algorithm.blocks_per_unit)


def turn(spec: KernelSpec) -> tuple[float, float, float]:
    """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
    a = spec.algorithm
    return a.tile_m * a.tile_k, 2.0 * a.tile_m * a.tile_n * a.tile_k, 1.5 * a.tile_m * (a.tile_k + a.tile_n)
