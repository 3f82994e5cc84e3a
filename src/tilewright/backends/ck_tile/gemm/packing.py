"""Packing of B into the formats that pre-shuffle kernels read."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ....errors import TensorError, UnknownNameError

FORMAT = re.compile(r"ck_tile_n(\d+)_v(\d+)")


def shuffled(b: Any, name: str) -> Any:
    """Return B of shape [k, n] in a packed format: [N/n, n, K/v, v] stored in the order 0, 2, 1, 3.

    >>> shuffled(np.arange(8).reshape(4, 2), "ck_tile_n2_v2").ravel().tolist()
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    found = FORMAT.fullmatch(name)
    if found is None:
        raise UnknownNameError("packed format of ck_tile", name, ("ck_tile_n32_v8", "ck_tile_n16_v8"))
    strip, depth = int(found[1]), int(found[2])
    k, n = b.shape
    if n % strip or k % depth:
        raise TensorError(f"B is {k} x {n}; {name} holds whole strips of {strip} columns, {depth} deep", remedy="pad B")
    parts = np.ascontiguousarray(b.T).reshape(n // strip, strip, k // depth, depth)
    return np.ascontiguousarray(parts.transpose(0, 2, 1, 3))
