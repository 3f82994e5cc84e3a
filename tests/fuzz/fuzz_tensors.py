"""Tensors of every kind, right and wrong, small enough that each call is quick."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

DTYPES = (
    "float32",
    "float32",
    "float32",
    "float64",
    "float16",
    "int8",
    "int32",
    "uint8",
    "complex64",
    "bool",
    ">f4",
    "O",
)
SIZES = (0, 1, 2, 3, 4, 8)


def any_tensor(rng: Random, shape: tuple[int, ...] | None = None) -> Any:
    """A tensor, or something that is none."""
    kind = rng.randrange(24)
    if kind == 0:
        return rng.choice((None, 1, 2.5, "a", [1, 2], {}, object(), np.float32(2), np.int64(3)))
    if shape is None or rng.random() < 0.06:
        shape = tuple(rng.choice(SIZES) for _ in range(rng.randrange(6)))
    array = np.ones(shape, rng.choice(DTYPES) if rng.random() < 0.06 else np.float32)
    if kind == 1 and array.ndim:
        return np.ma.masked_array(array)
    if kind == 2 and array.ndim:
        return array[..., ::-1]
    if kind == 3 and array.size:
        strides = tuple(rng.choice((0, 4, 8, 12, 16)) for _ in shape)
        return np.lib.stride_tricks.as_strided(np.ones(1024, np.float32), shape, strides)
    if kind == 4:
        array.flags.writeable = False
    if kind == 5 and array.ndim > 1:
        return array.swapaxes(-1, -2)
    return array


def number(rng: Random, *usual: Any) -> Any:
    """A usual value, or seldom one that is wrong."""
    from fuzz_values import bad_value

    if rng.random() < 0.93:
        return rng.choice(usual)
    return rng.choice((np.float32(2), np.int64(1), np.array(1.0), [1], (1,), bad_value(rng)))
