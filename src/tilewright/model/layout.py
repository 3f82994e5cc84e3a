"""Matrix layouts as letters: r (row-major) or c (column-major), in the order A, B, C and optionally D."""

from __future__ import annotations

from itertools import product

from ..errors import UnknownNameError

GEMM_LAYOUTS = tuple("".join(p) for p in product("rc", repeat=3))


def check_layout(layout: str) -> str:
    """Return `layout` if it is one of the eight GEMM layouts (a fourth letter for D may follow).

    >>> check_layout("rcr")
    'rcr'
    """
    if isinstance(layout, str) and layout[:3] in GEMM_LAYOUTS and layout[3:] in ("", "r", "c"):
        return layout
    raise UnknownNameError("gemm layout", layout, GEMM_LAYOUTS)


def dense_strides(letter: str, rows: int, cols: int) -> tuple[int, int, int]:
    """Return (batch, row, col) strides in elements of a dense rows x cols matrix.

    >>> dense_strides("r", 3, 5), dense_strides("c", 3, 5)
    ((15, 5, 1), (15, 1, 3))
    """
    return (rows * cols, cols, 1) if letter == "r" else (rows * cols, 1, rows)


def letter_of(strides: tuple[int, ...], rows: int, cols: int) -> str:
    """Return the layout letter of a matrix with these (.., row, col) strides.

    >>> letter_of((5, 1), 3, 5), letter_of((1, 3), 3, 5)
    ('r', 'c')
    """
    row, col = strides[-2:]
    if col == 1 and row != 1:
        return "r"
    if row == 1 and col != 1:
        return "c"
    if row == 1 and col == 1:  # a vector: either letter describes it
        return "r" if cols > 1 else "c"
    return "r" if abs(col) <= abs(row) else "c"
