"""window: what a launch costs."""

from __future__ import annotations

from ......model.kernel import KernelSpec
from ...algorithm import is_weight
from ...cost_parts import Constants, by_registers, family, share_launches

__all__ = ["PRICES", "RANK", "family", "launches", "resident", "turn"]

PRICES = {
    "window": Constants(3.818e-06, 0.6733, 23.3, 24.86, 67.3, 0.1093, 345.6, 3420.0),
    "window_weight": Constants(3.5e-06, 1.055, 13.02, 22.6, 74.16, 0.05836, 516.5, 21170.0),
}
RANK = (3, 2)
launches = share_launches
resident = by_registers


def turn(spec: KernelSpec) -> tuple[float, float, float]:
    """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
    a = spec.algorithm
    loads, taps = window_loads(spec, a.tile_n)
    return loads, 2.0 * taps * a.tile_m * a.tile_n * a.tile_k, 1.0 * loads


def window_loads(spec: KernelSpec, outputs: int) -> tuple[float, float]:
    """Return (elements loaded, taps that meet pixels) of a turn; a filter has `outputs` channels on the other side."""
    a, direction = spec.algorithm, spec.signature.direction
    wide = (a.span - 1) * a.stride_w + a.filter_w if direction != "backward_data" else (
        (a.span + a.filter_w - 1) / a.stride_w)  # fmt: skip
    rows = max(1, a.filter_h)
    taps = a.span * a.filter_w * rows / (a.stride_w if direction == "backward_data" else 1)
    pixels = a.tile_m * a.tile_k * (wide * rows + (a.span if is_weight(spec) else 0))
    return pixels + (0 if is_weight(spec) else a.filter_w * a.tile_k * outputs), taps
