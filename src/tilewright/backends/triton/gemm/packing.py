"""Packing of B into blocks along k, so that a kernel's loads are contiguous."""

from __future__ import annotations

from typing import Any


def blocked(b: Any, block: int) -> Any:
    """Return a matrix [k, n] rearranged to [k / block, n, block], with zeros after the last k.

    B is a NumPy array or a torch tensor, and so is the result.

    >>> import numpy as np
    >>> blocked(np.arange(6).reshape(3, 2), 2).tolist()
    [[[0, 2], [1, 3]], [[4, 0], [5, 0]]]
    """
    k, n = b.shape
    blocks = -(-k // block)
    out = _zeros_like(b, (blocks, n, block))
    # Whole blocks of k are filled a row of blocks at a time, the rest separately: no padded copy of B is made.
    whole = k // block
    out[:whole] = b[: whole * block].reshape(whole, block, n).swapaxes(1, 2)
    if whole < blocks:
        out[whole, :, : k - whole * block] = b[whole * block :].T
    return out


def _zeros_like(b: Any, shape: tuple[int, ...]) -> Any:
    """Return zeros of the library, dtype and device of `b`."""
    if hasattr(b, "new_zeros"):
        return b.new_zeros(shape)
    import numpy as np

    return np.zeros(shape, b.dtype)
