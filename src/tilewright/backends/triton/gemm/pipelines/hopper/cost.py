"""hopper: the matrix cycles of one k-step, as formulas. Kernels of tma_persistent use the same instructions."""

from __future__ import annotations

from typing import Any

from ......model.expr import is_true, most, pick

ABREAST = 2.0  # the place of that order among the choices
SLAB_READ = 16.0  # cycles in which 64 rows of 32 bytes are read from shared memory; each column takes another quarter


def matrix_cycles(k: Any, p: Any, size: Any) -> Any:
    """Return the cycles of one k-step at the matrix units' peak; `size`: bytes of an element of A."""
    first: Any = 8.0
    for power in (16.0, 32.0, 64.0, 128.0, 256.0):
        first = pick(is_true(">=", k["tile_n"], power), power, first)
    rest = k["tile_n"] - first
    two: Any = 0.0  # of other widths one instruction has all columns, see `is_narrowed`
    for width in (96.0, 160.0, 192.0):
        two = two + is_true("==", k["tile_n"], width)
    two = two * (1.0 - k["one_block"]) * is_true("<", k["order"], ABREAST)
    columns = pick(two, _block_cycles(first) + _block_cycles(rest), _block_cycles(k["tile_n"]))
    slabs = k["tile_m"] / 64.0 * (k["tile_k"] * size / 32.0)
    # The matrix rate as if operands had 16 bits: an instruction takes 32 bytes of K at any width.
    return slabs * columns * 4096.0 / (k["peak_rate"] * p["size_a"] / 2.0)


def _block_cycles(columns: Any) -> Any:
    return most(columns / 2.0, SLAB_READ + columns / 4.0)
