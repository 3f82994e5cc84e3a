"""Small convolutions that take a Triton kernel along its paths: each shape of the filter, and splits."""

from __future__ import annotations

from collections.abc import Sequence

from ....arch import get_arch
from ....model.kernel import KernelSpec, Launch
from ....model.trial import Trial
from ...gpu.trials import conv_loops, conv_pool, fewest

SPLIT = 2


def counted(spec: KernelSpec, place: str) -> tuple[Trial, ...]:
    """Return two convolutions whose main loop runs differently often; empty if none fit."""
    from . import OP

    arch = get_arch(spec.arch)
    pool = ((what, p) for what, p in conv_pool(spec.signature, place) if not OP.check(spec, arch, p, Launch()))
    return conv_loops([("", Trial(what, problem)) for what, problem in pool])


def trials(spec: KernelSpec, place: str) -> Sequence[Trial]:
    """Return the cheapest legal convolution of each shape; of backward weight also one with shares."""
    from . import OP

    arch, found = get_arch(spec.arch), list[Trial]()
    for what, problem in conv_pool(spec.signature, place):
        if not OP.check(spec, arch, problem, Launch()):
            found.append(Trial(what, problem))
        split = Launch(split_k=SPLIT)
        if spec.signature.direction == "backward_weight" and not OP.check(spec, arch, problem, split):
            found.append(Trial("splits", problem, split))
    return fewest(found)
