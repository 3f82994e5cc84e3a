"""Small attentions that take a Triton kernel along its paths: whole blocks, tails, few keys, one row, splits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec, Launch
from ....model.trial import Trial
from ....ops.fmha.problem import FmhaProblem
from ...gpu.trials import attention_loops, attention_trials

SPLITS = 2


def counted(spec: KernelSpec, place: str) -> tuple[Trial, ...]:
    """Return two attentions whose main loop runs differently often; empty if the rules refuse one."""
    from . import OP

    a, arch = spec.algorithm, get_arch(spec.arch)
    found = attention_loops(spec.signature, place, a.tile_m, a.tile_n)
    problems: list[Any] = [t.problem for t in found]
    return () if any(OP.check(spec, arch, problem, Launch()) for problem in problems) else found


def trials(spec: KernelSpec, place: str) -> Iterator[Trial]:
    """Yield the legal ones of some attentions."""
    from . import OP

    a, arch = spec.algorithm, get_arch(spec.arch)
    splits = (1, SPLITS) if spec.signature.family == "fwd_splitkv" else (1,)
    for trial in attention_trials(spec.signature, place, a.tile_m, a.tile_n):
        for count in splits:
            launch = Launch(num_splits=count)
            assert isinstance(trial.problem, FmhaProblem)
            if not OP.check(spec, arch, trial.problem, launch):
                yield Trial(trial.path if count == 1 else f"{trial.path}, split", trial.problem, launch)
