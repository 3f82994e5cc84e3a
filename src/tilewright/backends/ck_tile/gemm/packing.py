"""Packing of B into the formats that pre-shuffle kernels read."""

from __future__ import annotations

import re
from typing import Any

from ....errors import TensorError, UnknownNameError

FORMAT = re.compile(r"ck_tile_n(\d+)_v(\d+)")


def shuffled(b: Any, name: str) -> Any:
    """Return B of shape [k, n] in a packed format: [N/n, n, K/v, v] stored in the order 0, 2, 1, 3.

    B is a NumPy array or a torch tensor, and so is the result.

    >>> import numpy as np
    >>> shuffled(np.arange(8).reshape(4, 2), "ck_tile_n2_v2").ravel().tolist()
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    found = FORMAT.fullmatch(name)
    if found is None:
        raise UnknownNameError("packed format of ck_tile", name, ("ck_tile_n32_v8", "ck_tile_n16_v8"))
    strip, depth = int(found[1]), int(found[2])
    if len(b.shape) != 2:
        raise TensorError(f"B has shape {tuple(b.shape)}; {name} holds one [k, n] matrix", remedy="pack each matrix")
    k, n = b.shape
    if n % strip or k % depth:
        raise TensorError(f"B is {k} x {n}; {name} holds whole strips of {strip} columns, {depth} deep", remedy="pad B")
    out = _empty_like(b, (n // strip, k // depth, strip, depth))
    # [k / depth, depth, n / strip, strip] as a view of B, for any strides
    for i in range(n // strip):
        columns = b[:, i * strip : (i + 1) * strip]
        out[i] = columns.reshape(k // depth, depth, strip).swapaxes(1, 2)
    return out


def _empty_like(b: Any, shape: tuple[int, ...]) -> Any:
    """Return a new tensor of the library, dtype and device of `b`."""
    if hasattr(b, "new_empty"):
        return b.new_empty(shape)
    import numpy as np

    return np.empty(shape, b.dtype)
