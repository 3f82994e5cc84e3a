"""The formulas of a product on an AMD GPU: what a launch needs of each part of the device. Never checked on hardware.

They are written in `tilewright.model.expr`, over a kernel's tile and numbers `k`, the problem `p`, the device `d`.
The time is the launch overhead plus a little more than the largest of what the matrix units, the vector units, LDS, L2
and memory each need (they overlap, but not perfectly), with waste counted where it arises: whole tiles, whole rounds of
compute units, blocks that too little LDS or too few registers keep alone, steps along k that wait for their loads, and
the extra stores of split-K.
"""

from __future__ import annotations

from typing import Any

from ...model.expr import ceil_div, is_true, least, most, pick
from .counted_cost import CACHE_BYTES_PER_CLOCK, MAX_OVERLAP, SHARED, loop_cycles, together
from .kernel_counts import KernelCounts

# Blocks that share a unit; waves of a block that each SIMD gets; cycles of one step: matrix, vector, LDS; spilled bytes
# of one step; share of the time in which a block alone keeps the matrix units busy; steps in flight.
NUMBERS = ("resident", "waves_per_simd", "matrix_cycles", "vector_cycles", "lds_cycles", "spilled_bytes", "overlap",
           "in_flight")  # fmt: skip
LAUNCH_S = 4e-6
MEMORY_LATENCY_S = 0.5e-6
PADDING = 1.03  # bounds checks


def counted_step(counts: KernelCounts, products: float, ops_per_cycle: float) -> tuple[float, float, float, float]:
    """Return the matrix, vector and LDS cycles and the spilled bytes of one step of so many products."""
    c = loop_cycles(counts, ops_per_cycle)
    spilled = products * counts.per_product("scratch_bytes")
    return products * c.matrix, products * c.vector, products * c.lds, spilled


def launch_parts(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Return the seconds of a launch, and what they are made of.

    `k` has `NUMBERS`, the tile, `pad_m`, `pad_n`, `pad_k`, `persistent` and `launch_split_k`.
    """
    s, clock = _shape(k, p, d), d["clock"]
    each = s["rounds"] * s["steps"] / clock
    sharing = least(k["resident"], ceil_div(s["tiles"], s["busy"]))
    occupied = least(1.0, k["waves_per_simd"] * sharing)
    overlap = least(MAX_OVERLAP, k["overlap"] + SHARED * (sharing - 1.0))
    loaded = s["step_bytes"] * s["steps"] * s["tiles"]
    parts = {
        "compute": each * k["matrix_cycles"] / (occupied * overlap),
        "issue": each * k["vector_cycles"] / occupied,
        "lds": each * k["lds_cycles"],
        "l2": loaded / (s["busy"] * CACHE_BYTES_PER_CLOCK * clock),
        "memory": _memory(k, p, d, s, loaded),
    }
    spills = each * k["spilled_bytes"] / CACHE_BYTES_PER_CLOCK  # a spilled value is waited for
    busy = together(list(parts.values())) + spills
    padded = most(k["pad_m"], most(k["pad_n"], k["pad_k"]))
    around = LAUNCH_S + _edges(k, s) + _split(k, p, d)
    return {
        "seconds": around + busy * pick(padded, PADDING, 1.0),
        **parts,
        "spills": spills,
        "overhead": around,
        "tiles": s["tiles"],
        "rounds": s["rounds"],
    }


def _shape(k: Any, p: Any, d: Any) -> dict[str, Any]:
    """Tiles and steps of a launch, rounds of the compute units, and the bytes of one step within the problem."""
    split = k["launch_split_k"]
    tiles = most(1.0, ceil_div(p["m"], k["tile_m"]) * ceil_div(p["n"], k["tile_n"]) * split * p["batch"])
    rows = least(k["tile_m"], p["m"]) * p["size_a"] + least(k["tile_n"], p["n"]) * p["size_b"]
    return {
        "tiles": tiles,
        "steps": most(1.0, ceil_div(p["k"], split * k["tile_k"])),
        "rounds": ceil_div(tiles, d["units"]),
        "busy": least(tiles, d["units"]),
        "step_bytes": rows * least(k["tile_k"], most(1.0, p["k"])),
    }


def _memory(k: Any, p: Any, d: Any, s: dict[str, Any], loaded: Any) -> Any:
    """Each operand once if the last cache holds it, else a share of what tiles load again; or the wait for loads."""
    held = most(d["l2"], d["llc"])
    missed = 1.0 - least(1.0, held / most(1.0, p["bytes"]))
    again = missed * most(0.0, loaded - p["bytes"]) / 4.0
    turns = ceil_div(s["tiles"], d["units"] * k["resident"])
    waiting = turns * s["steps"] * MEMORY_LATENCY_S / k["in_flight"]
    return most((p["bytes"] + again) / d["bandwidth"], waiting)


def _edges(k: Any, s: dict[str, Any]) -> Any:
    """The first load and the last store of each round, which only other resident or persistent blocks hide."""
    each = 2.0 * MEMORY_LATENCY_S
    return each + (s["rounds"] - 1.0) * each * pick(k["persistent"], 0.25, 1.0) / k["resident"]


def _split(k: Any, p: Any, d: Any) -> Any:
    """Zero-filling the output first, and adding each split's part to it."""
    split, out = k["launch_split_k"], p["m"] * p["n"] * p["batch"] * p["size_out"]
    return pick(is_true(">", split, 1.0), LAUNCH_S + out * (1.0 + 2.0 * split) / d["bandwidth"], 0.0)
