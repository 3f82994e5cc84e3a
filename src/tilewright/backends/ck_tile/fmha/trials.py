"""Small attentions that take a kernel along its paths; kernels of single stages run with the main one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec, Launch
from ....model.trial import Trial
from ...gpu.trials import attention_loops, attention_trials

MAIN = ("attend", "dq_dk_dv")


def counted(spec: KernelSpec, place: str) -> tuple[Trial, ...]:
    """Return two attentions whose main loop runs differently often; empty for kernels without products, or if the
    rules refuse one."""
    from .op import OP

    a = spec.algorithm
    if a.stage not in MAIN:
        return ()
    found = attention_loops(spec.signature, place, a.tile_m0, a.tile_n0)
    problems: list[Any] = [t.problem for t in found]
    return () if any(OP.check(spec, get_arch(spec.arch), p, Launch()) for p in problems) else found


def trials(spec: KernelSpec, place: str) -> Iterator[Trial]:
    """Yield attentions: whole blocks, tails, few keys, one row, grouped heads."""
    a = spec.algorithm
    if a.stage in MAIN:
        yield from attention_trials(spec.signature, place, a.tile_m0, a.tile_n0)
