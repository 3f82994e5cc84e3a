"""GpuPattern: images of launches in C. What it is given is checked once, when the pattern is made."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from tilewright.jit.launcher import launcher

NOTHING = ctypes.cast(ctypes.CDLL(None).pthread_equal, ctypes.c_void_p).value or 0  # takes anything, returns 0
GOOD: dict[str, Any] = {
    "entries": (NOTHING, NOTHING, NOTHING),
    "roles": 2,
    "image": bytes(512),
    "packed": 12,
    "pieces": ((0, 0, 8), (8, 200, 4)),
    "pointers": ((64, 128),),
    "launches": ((0, 5, 64),),
    "maps": ((128, 384, 2, 6, 3),),
    "cells": ((256, 1, False, 16), (128, 0, True, 0)),
    "failed": print,
    "ordinal": 0,
}


def pattern(**changed: Any) -> Any:
    return launcher().module.GpuPattern(*{**GOOD, **changed}.values())


def test_launches_of_a_pattern_take_addresses() -> None:
    made = pattern().launches(bytes(12), None, None, None)
    made.run(0, 1 << 40, 2 << 40)
    with pytest.raises(TypeError, match="2 addresses"):
        made.run(0, 1)


@pytest.mark.parametrize(
    "changed",
    [
        {"roles": -1}, {"roles": 1000}, {"packed": -1}, {"packed": 11}, {"image": bytes(255)}, {"image": "text"},
        {"pieces": ((0, 508, 8),)}, {"pieces": ((2**63, 0, 2**63),)}, {"pieces": ((0, 0),)}, {"pieces": (3,)},
        {"pointers": ((508, 0),)}, {"pointers": ((0, 512),)}, {"launches": ((500, 5, 0),)},
        {"launches": ((0, 5, 510),)},
        {"maps": ((128, 384, 6, 6, 3),)}, {"maps": ((128, 384, 0, 6, 3),)}, {"maps": ((448, 0, 2, 6, 3),)},
        {"maps": ((128, 480, 2, 6, 3),)}, {"maps": ((130, 384, 2, 6, 3),)}, {"entries": (NOTHING, NOTHING)},
        {"cells": ((0, 2, False, 0),)}, {"cells": ((508, 0, False, 0),)}, {"cells": ((448, 0, True, 0),)},
        {"entries": (0, NOTHING, NOTHING)}, {"ordinal": None},
    ],
)  # fmt: skip
def test_what_does_not_lie_in_the_image_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError)):
        pattern(**changed)


@pytest.mark.parametrize("given", [(bytes(11), None, None, None), ("text", None, None, None), (bytes(12),)])
def test_other_numbers_than_those_of_the_pattern_are_refused(given: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match="takes 12 bytes"):
        pattern().launches(*given)


def test_a_stream_that_is_no_number_is_refused() -> None:
    with pytest.raises((TypeError, OverflowError)):
        pattern().launches(bytes(12), "stream", None, None)
