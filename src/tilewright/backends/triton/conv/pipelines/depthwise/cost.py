"""depthwise: what a launch costs."""

from __future__ import annotations

from ......model.kernel import KernelSpec
from ...cost_parts import Constants, by_registers, family, share_launches
from ..window.cost import window_loads

__all__ = ["PRICES", "RANK", "family", "launches", "resident", "turn"]

PRICES = {
    "depthwise": Constants(6.381e-06, 1.018, 74.84, 35.0, 91.98, 0.437, 1465.0, 3573.0),
    "depthwise_weight": Constants(2.971e-06, 1.013, 42.73, 55.27, 49.72, 0.5417, 1896.0, 13870.0),
}
RANK = (4, 1)
launches = share_launches
resident = by_registers


def turn(spec: KernelSpec) -> tuple[float, float, float]:
    """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
    a = spec.algorithm
    loads, taps = window_loads(spec, 1)
    return loads, 0.0, a.tile_m * a.tile_k * taps + 2.0 * loads
