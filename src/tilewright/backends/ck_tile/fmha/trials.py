"""Small attentions that take a kernel along its paths; kernels of single stages run with the main one."""

from __future__ import annotations

from collections.abc import Iterator

from ....model.kernel import KernelSpec
from ....model.trial import Trial
from ...gpu.trials import attention_trials

MAIN = ("attend", "dq_dk_dv")


def trials(spec: KernelSpec, place: str) -> Iterator[Trial]:
    """Yield attentions: whole blocks, tails, few keys, one row, grouped heads."""
    a = spec.algorithm
    if a.stage in MAIN:
        yield from attention_trials(spec.signature, place, a.tile_m0, a.tile_n0)
