"""Ways that are compared are timed in turn, so that what slows the machine down for a while slows all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar("T")


def in_turn(samplers: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Return the samples of each way: one of each in every round."""
    samples: dict[str, list[T]] = {name: [] for name in samplers}
    for _ in range(rounds):
        for name, sample in samplers.items():
            samples[name].append(sample())
    return samples
