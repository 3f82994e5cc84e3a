"""How much Python one call runs: functions, and the files of the package that they are in."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tilewright

PACKAGE = str(Path(tilewright.__file__).parent)


def profiled(function: Callable[[], Any]) -> tuple[int, set[str]]:
    """Return how many Python functions of the package a call runs, and the files that they are in."""
    calls, files = 0, set[str]()

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal calls
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            calls += 1
            files.add(frame.f_code.co_filename.removeprefix(PACKAGE))

    gc.collect()  # what earlier tests left is not finalised while it counts
    gc.disable()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
        gc.enable()
    return calls, files
