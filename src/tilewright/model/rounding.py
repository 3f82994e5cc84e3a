"""Sizes that change from call to call, rounded up for a ranking: sizes near each other share one.

Rows of one matrix instruction cost the same whether they are used or not, and a few rows more in a thousand do not
change which kernel is best. Steps are powers of two, so that a step holds whole tiles, or lies within one.
"""

from __future__ import annotations

EXACT_ROWS = 8  # so few rows have kernels of their own
INSTRUCTION_ROWS = 16
ROW_STEPS = 32  # from a power of two to the next
COUNT_STEPS = 8
CPU_STEPS = 16


def round_rows(rows: int) -> int:
    """Return a number of rows or tokens rounded up.

    >>> [round_rows(n) for n in (0, 1, 7, 9, 17, 500, 520, 1000, 5000)]
    [0, 1, 7, 16, 32, 512, 528, 1008, 5120]
    """
    return rows if rows <= EXACT_ROWS else _up(rows, INSTRUCTION_ROWS, ROW_STEPS)


def round_count(count: int) -> int:
    """Return a number of images or sequences rounded up.

    >>> [round_count(n) for n in (0, 1, 15, 17, 33, 64, 100)]
    [0, 1, 15, 18, 36, 64, 104]
    """
    return count if count <= 2 * COUNT_STEPS else _up(count, 1, COUNT_STEPS)


def round_on_cpu(size: int) -> int:
    """Return any size rounded up for a CPU, whose tiles have odd numbers of rows.

    >>> [round_on_cpu(n) for n in (0, 1, 31, 33, 65, 100, 1000)]
    [0, 1, 31, 34, 68, 100, 1024]
    """
    return size if size <= 2 * CPU_STEPS else _up(size, 1, CPU_STEPS)


def _up(size: int, step: int, steps: int) -> int:
    while 2 * step * steps < size:
        step *= 2
    return -(-size // step) * step
