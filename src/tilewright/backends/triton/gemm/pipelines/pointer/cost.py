"""pointer: the work of one k-step, as formulas."""

from __future__ import annotations

from typing import Any


def step(k: Any, load: Any) -> tuple[Any, Any]:
    """Return (matrix cycles, bytes that the copies amount to) of one k-step; `load`: the bytes of its tiles."""
    # Threads copy in pieces of vector_bytes; narrow pieces cost more instructions than bytes.
    slow = 1.5 * (16.0 / k["vector_bytes"]) ** 0.75
    return 1.4 * 2.0 * k["tile_m"] * k["tile_n"] * k["tile_k"] / k["peak_rate"], load * slow
