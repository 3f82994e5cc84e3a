"""Layers that torch computes faster are left to torch: their first calls take turns (`Turns`).

A layer is compared as the program calls it, with everything around the kernel; in training together with its backward
pass (`StepClock`). The report of the patch says which side was faster, and how much.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..dispatcher.contest import BETTER, Turns
from ..dispatcher.policy import runs_must_agree
from ..frontends import default
from .report import Report
from .step_clock import StepClock
from .ways import is_transformed

Tensor = torch.Tensor
MAX_KINDS = 4096  # kinds of calls that are remembered; calls of further kinds are ours
OURS, TORCHS = "ours", "torch"
is_compiling = torch.compiler.is_compiling
is_grad_enabled = torch.is_grad_enabled
saved_tensors_hooks = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", lambda _: "unknown")
any_autocast = torch._C._is_any_autocast_enabled


def faster(
    report: Report | None, path: str, input: Any, ours: Callable[[Any], Any], torchs: Callable[[Any], Any]
) -> Any:
    """Return the result of a layer by the side that is faster for inputs like this one, as far as that is known.

    >>> faster(None, "fc", 2, lambda x: x + 1, lambda x: x - 1)
    3
    """
    if report is None or is_compiling() or type(input) is not Tensor or is_transformed():
        return ours(input)
    trains = is_grad_enabled()
    if trains and not can_compare_steps(input):
        return ours(input)
    key = (path, input.shape, input.dtype, trains)
    state = report.turns.get(key)
    if state is None:
        state = begun(report, key, path, "x".join(map(str, input.shape)), input)
    if state is OURS:
        return ours(input)
    return torchs(input) if state is TORCHS else state(input, ours, torchs)


def can_compare_steps(input: Tensor) -> bool:
    """Return whether a step of training may be measured: its input has a gradient, and nobody looks at saved tensors.

    A checkpoint computes a layer twice, and both times the same tensors must be saved. Under autocast torch keeps
    converted weights from one layer to the next, which depends on more than this layer.

    >>> can_compare_steps(torch.ones(1)), can_compare_steps(torch.ones(1, requires_grad=True))
    (False, True)
    """
    return input.requires_grad and not any_autocast() and saved_tensors_hooks(True) is None


def begun(report: Report, key: Any, path: str, shape: str, input: Tensor) -> Any:
    """Return the state of a kind of call that is new: taking turns, or ours if nothing may be compared."""
    dispatcher = default.made or default.default_dispatcher()
    settings = dispatcher.settings
    closed = not settings.vendor or runs_must_agree(settings) or len(report.turns) >= MAX_KINDS
    trains = is_grad_enabled()
    what = f"in training, input {shape}" if trains else f"input {shape}"

    def decided(seconds: tuple[float, float] | None) -> None:
        wins = seconds is not None and seconds[1] < BETTER * seconds[0]
        if seconds is not None and wins:
            times = f"{seconds[1] * 1e3:.3f} against {seconds[0] * 1e3:.3f} ms"
            report.leave(path, f"torch is faster here: {times} ({what})")
        report.turns[key] = TORCHS if wins else OURS

    place = str(input.device)
    clock = StepClock(place) if trains else None
    made: Any = OURS
    if not closed:
        agrees = lambda: runs_must_agree(settings)  # noqa: E731
        made = LayerTurns(Turns(place, decided, agrees, clock, lambda: dispatcher.wait_for_builds(0)), clock)
    report.turns[key] = made
    return made


class LayerTurns:
    """Calls of one kind that take turns; in training their input is seen by the clock."""

    def __init__(self, turns: Turns, clock: StepClock | None) -> None:
        self._turns, self._clock = turns, clock

    def __call__(self, input: Any, ours: Callable[[Any], Any], torchs: Callable[[Any], Any]) -> Any:
        """Return what one of both returns."""
        clock = self._clock
        if clock is None:
            return self._turns.take_turn(lambda: ours(input), lambda: torchs(input))
        return self._turns.take_turn(lambda: ours(clock.entered(input)), lambda: torchs(clock.entered(input)))
