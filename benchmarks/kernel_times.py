"""The GPU kernels of a call and their times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

CALLS = 10


def longest_kernels(call: Callable[[], Any], calls: int = CALLS) -> list[tuple[str, int, float]]:
    """Return (name, launches, microseconds) of the kernels of one call, the longest first."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
    found = [
        (e.key[:110], e.count // calls, round(e.self_device_time_total / calls, 1)) for e in profile.key_averages()
    ]
    return sorted((f for f in found if f[2] > 0), key=lambda f: -f[2])
