"""Fuzz target for calls that are found by their arguments: other words after words that are kept."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from fuzz_functions import small_dispatcher
from fuzz_targets import AcceptedError
from fuzz_values import bad_value

import tilewright
from tilewright.errors import TilewrightError

CANARY = np.float32(-12345.5)
KEPT: tuple[dict[str, Any], ...] = (
    {},
    {"alpha": 0.5},
    {"alpha": 1.0, "beta": 1.0},
    {"activation": "relu"},
    {"activation": "none", "combine": "add"},
    {"scale_block": 128},
    {"split_k": None, "out_dtype": None},
    {"invariant": False},
)
NEAR: tuple[Any, ...] = (
    *(
        True,
        False,
        1,
        0,
        1.0,
        0.5,
        -0.0,
        0.0,
        2,
        "1.0",
        "relu",
        "none",
        "add",
        "multiply",
        b"relu",
        (0.5,),
        [0.5],
        None,
    ),
    *(np.float32(0.5), np.float64(1.0), np.bool_(True), np.array(0.5), np.ones(2), float("nan"), float("inf"), 2**70),
)


class Odd(str):
    """A name that says that it equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("relu")


def words(rng: Random) -> None:
    """A call in other words after one that is kept is computed as these words say, or refused with nothing written."""
    a = np.arange(-16, 16, dtype=np.float32).reshape(4, 8)
    b, bias = np.arange(32, dtype=np.float32).reshape(8, 4) % 5, np.arange(4, dtype=np.float32)
    kept = dict(rng.choice(KEPT))
    if rng.random() < 0.3:
        kept["d"] = bias
    for _ in range(3):  # planned, found by choices, found by arguments
        tilewright.gemm(a, b, out=np.empty((4, 4), np.float32), **kept)
    names = [*kept, "alpha", "beta", "activation", "combine", "scale_block", "invariant", "out_dtype", "split_k", "d"]
    value = rng.choice((*NEAR, Odd("relu"), bad_value(rng)))
    other = {**kept, rng.choice(names): value}
    out = np.full((4, 4), CANARY)
    try:
        found = tilewright.gemm(a, b, out=out, **other)
    except TilewrightError:
        if not (out == CANARY).all():
            raise AcceptedError(f"{kept} and then {other}: refused, and written") from None
        raise
    if other.get("invariant"):
        return  # the reference declares no order of summation
    try:
        wanted = tilewright.gemm(a, b, out=np.empty((4, 4), np.float32), **other, dispatcher=small_dispatcher())
    except TilewrightError as error:
        raise AcceptedError(f"{kept} and then {other}: taken, and refused by the reference: {error}") from None
    if found is not out or not np.allclose(found, wanted, rtol=1e-5, atol=1e-5, equal_nan=True):
        raise AcceptedError(f"{kept} and then {other}: {found.tolist()}, not {wanted.tolist()}")


WORDS: dict[str, Callable[[Random], None]] = {"words": words}
