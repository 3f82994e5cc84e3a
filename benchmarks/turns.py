"""Ways that are compared are timed in turn, so that what slows the machine down for a while slows all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from tilewright.tune.measure.timer import turned

T = TypeVar("T")


def in_turn(samplers: Mapping[str, Callable[[], T]], rounds: int) -> dict[str, list[T]]:
    """Return the samples of each way: one of each in every round, in another order than in the round before."""
    samples: dict[str, list[T]] = {name: [] for name in samplers}
    for number in range(rounds):
        for name in turned(list(samplers), number):
            samples[name].append(samplers[name]())
    return samples
