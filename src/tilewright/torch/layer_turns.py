"""Layers that torch computes faster are left to torch: their first calls in inference take turns (`Turns`).

A layer is compared as the program calls it, with everything around the kernel. The report of the patch says which side
was faster, and how much. In training nothing is compared: a forward pass says nothing about the gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ..dispatcher.contest import BETTER, Turns
from ..dispatcher.policy import runs_must_agree
from ..frontends import default
from .report import Report

Tensor = torch.Tensor
MAX_KINDS = 4096  # kinds of calls that are remembered; calls of further kinds are ours
OURS, TORCHS = "ours", "torch"


def faster(
    report: Report | None, path: str, input: Any, ours: Callable[[Any], Any], torchs: Callable[[Any], Any]
) -> Any:
    """Return the result of a layer by the side that is faster for inputs like this one, as far as that is known.

    >>> faster(None, "fc", 2, lambda x: x + 1, lambda x: x - 1)
    3
    """
    if report is None or torch.compiler.is_compiling() or torch.is_grad_enabled() or type(input) is not Tensor:
        return ours(input)
    key = (path, input.shape, input.dtype)
    state = report.turns.get(key)
    if state is None:
        state = _begin(report, key, path, input)
    if state is OURS:
        return ours(input)
    return torchs(input) if state is TORCHS else state.take_turn(lambda: ours(input), lambda: torchs(input))


def _begin(report: Report, key: Any, path: str, input: Tensor) -> Any:
    """Return the state of a kind of call that is new: taking turns, or ours if nothing may be compared."""
    settings = default.default_dispatcher().settings
    closed = not settings.vendor or runs_must_agree(settings) or len(report.turns) >= MAX_KINDS
    shape = "x".join(map(str, input.shape))

    def decided(seconds: tuple[float, float] | None) -> None:
        wins = seconds is not None and seconds[1] < BETTER * seconds[0]
        if seconds is not None and wins:
            times = f"{seconds[1] * 1e3:.3f} against {seconds[0] * 1e3:.3f} ms"
            report.leave(path, f"torch is faster here: {times} (input {shape})")
        report.turns[key] = TORCHS if wins else OURS

    made: Any = OURS if closed else Turns(str(input.device), decided, lambda: runs_must_agree(settings))
    report.turns[key] = made
    return made
