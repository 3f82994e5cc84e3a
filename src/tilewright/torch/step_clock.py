"""The clock of a contest in training: a call of a layer and its backward pass, where the program runs them.

The backward pass of a layer begins when the gradient of its result is there, and ends when that of its input is. The
engine runs what belongs to one layer without anything between. Hooks note these moments, only for calls that are
measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from statistics import median_low
from typing import Any

import torch

from ..dispatcher.clocks import EVENTS_COST, is_reached, mark, seconds_between

Tensor = torch.Tensor
PATIENCE = 16  # questions of each layer after which a call without a backward pass is given up
MARKS = 4  # begin and end of both passes


class StepClock:
    """Measures calls with their backward passes; nobody waits for a GPU.

    >>> clock, x = StepClock("cpu"), torch.ones(2, requires_grad=True)
    >>> clock.measure(0, lambda: clock.entered(x) * 2).sum().backward()
    >>> [(side, seconds > 0) for side, seconds in clock.results()], x.grad.tolist()
    ([(0, True)], [2.0, 2.0])
    """

    least_s = float("inf")  # the first steps of the other side allocate other memory: two samples are never enough
    samples = 7  # of each side: a step has more that varies than a call

    def __init__(self, place: str) -> None:
        self.costs = 0.0 if place == "cpu" else EVENTS_COST
        self.typical: Callable[[Sequence[float]], float] = min if place == "cpu" else median_low  # as in a `GpuClock`
        self._mark: Callable[[], Any] = partial(mark, place)
        self._begun: list[tuple[int, list[Any]]] = []
        self._asked = 0
        self.members = 1  # layers whose calls it measures
        self._marks: list[Any] | None = None  # of the call that runs now

    @property
    def waiting(self) -> bool:
        """Whether a call was measured whose time is not known yet. A backward pass that never comes is given up."""
        self._asked += 1
        if self._asked > PATIENCE * self.members:
            self._begun.clear()
        return bool(self._begun)

    def entered(self, input: Tensor) -> Tensor:
        """Return the input of the layer; in a call that is measured, one that notes when its gradient is there."""
        marks = self._marks
        if marks is None:
            return input
        own = input.view_as(input)  # other layers may read the same input
        own.register_hook(lambda gradient: _note(marks, MARKS - 1, self._mark))  # type: ignore[no-untyped-call]
        return own

    def measure(self, side: int, run: Callable[[], Any]) -> Any:
        """Return the result of a call of a side, and note its moments."""
        marks = [self._mark()]
        self._marks = marks
        try:
            result = run()
        finally:
            self._marks = None
        marks.append(self._mark())
        first = result[0] if isinstance(result, tuple) else result
        if first.requires_grad:
            first.register_hook(lambda gradient: _note(marks, MARKS - 2, self._mark))
            self._begun.append((side, marks))
            self._asked = 0
        return result

    def results(self) -> list[tuple[int, float]]:
        """Return the times of steps that are done: (side, seconds)."""
        done = [entry for entry in self._begun if len(entry[1]) == MARKS and is_reached(entry[1][-1])]
        self._begun = [entry for entry in self._begun if entry not in done]
        return [(side, seconds_between(m[0], m[1]) + seconds_between(m[2], m[3])) for side, m in done]


def _note(marks: list[Any], number: int, mark: Callable[[], Any]) -> None:
    """Note a moment if it is the next one: a second backward pass through the same call changes nothing."""
    if len(marks) == number:
        marks.append(mark())
