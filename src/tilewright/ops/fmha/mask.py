"""Which keys a query row sees: one definition for counting, reference and tests.

Row i is at position i + shift. The shift is 0 for the top-left masks and seqlen_k - seqlen_q for the others, so that
the last row sees the last key. A row sees keys from position - left to position + right, and the sink tokens.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


def shift(p: Any, rows: int, keys: int) -> int:
    """Return the position of a row minus its number; also the origin of ALiBi distances.

    >>> from types import SimpleNamespace as N
    >>> shift(N(mask="causal_bottom_right"), 2, 5), shift(N(mask="causal_top_left"), 2, 5)
    (3, 0)
    """
    return 0 if p.mask.endswith("top_left") else keys - rows


def row_bounds(p: Any, rows: int, keys: int) -> tuple[Ints, Ints, Ints]:
    """Return for each row the first key of its window, one past the last, and the sink tokens before it.

    >>> from types import SimpleNamespace as N
    >>> low, high, sink = row_bounds(N(mask="window", window_left=1, window_right=0, sink_tokens=1), 3, 4)
    >>> low.tolist(), high.tolist(), sink.tolist()
    ([0, 1, 2], [2, 3, 4], [0, 1, 1])
    """
    position = np.arange(rows, dtype=np.int64) + shift(p, rows, keys)
    left, right = window_of(p)
    high = np.full(rows, keys) if right < 0 else np.clip(position + right + 1, 0, keys)
    low = np.zeros(rows, np.int64) if left < 0 else np.clip(position - left, 0, keys)
    return low, high, np.minimum(np.minimum(p.sink_tokens, low), high)


def visible(p: Any, rows: int, keys: int) -> npt.NDArray[np.bool_]:
    """Return [rows, keys]: whether a row sees a key.

    >>> from types import SimpleNamespace as N
    >>> visible(N(mask="causal_top_left", sink_tokens=0), 2, 3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0]]
    """
    low, high, sink = row_bounds(p, rows, keys)
    key = np.arange(keys)
    return np.asarray((key < high[:, None]) & ((key >= low[:, None]) | (key < sink[:, None])))


def count_visible(p: Any, rows: int, keys: int) -> int:
    """Return how many pairs of a row and a key the mask leaves: the total of `row_bounds`, without an array of rows.

    >>> from types import SimpleNamespace as N
    >>> count_visible(N(mask="window", window_left=1, window_right=0, sink_tokens=1), 3, 4)
    8
    """
    first, (left, right) = shift(p, rows, keys), window_of(p)
    high = rows * keys if right < 0 else _sum_clipped(first + right + 1, rows, keys)
    if left < 0:
        return high
    low = _sum_clipped(first - left, rows, keys)
    return high - low + _sum_clipped(first - left, rows, min(keys, p.sink_tokens))


def _sum_clipped(first: int, count: int, top: int) -> int:
    """Return the sum of `count` numbers from `first` on, each kept between 0 and `top`."""

    def up_to(last: int) -> int:
        rising = max(0, min(last, top))
        return rising * (rising + 1) // 2 + max(0, last - top) * top

    return up_to(first + count - 1) - up_to(first - 1)


def window_of(p: Any) -> tuple[int, int]:
    """Return (left, right) of the mask, -1 if unbounded.

    >>> from types import SimpleNamespace as N
    >>> window_of(N(mask="causal_top_left"))
    (-1, 0)
    """
    if p.mask == "none":
        return -1, -1
    return (p.window_left, p.window_right) if "window" in p.mask else (-1, 0)
