"""Small convolutions that take a kernel along its paths: every device kernel, each shape of the filter, splits of K."""

from __future__ import annotations

from collections.abc import Sequence

from ....arch import get_arch
from ....model.kernel import KernelSpec, Launch
from ....model.trial import Trial
from ....ops.conv.geometry import implicit_gemm
from ....ops.conv.problem import ConvProblem
from ...gpu.trials import conv_loops, conv_pool, fewest
from .generate import instances
from .launch import instance_of

SPLIT = 2


def trials(spec: KernelSpec, place: str) -> Sequence[Trial]:
    """Return the cheapest legal convolution of each shape and for each device kernel.

    >>> from tilewright.backends.ck_tile.conv.request import ConvRequest, requested
    >>> spec = requested(ConvRequest("gfx942")).specs[0]
    >>> [t.path for t in trials(spec, "emu:gfx942")][0]
    '3x3 filter'
    """
    shapes, kernels = list[Trial](), list[Trial]()
    atomic = any(x.atomic for x in instances(spec))
    for what, problem in conv_pool(spec.signature, place, max(1, spec.algorithm.groups_to_merge)):
        for split_k in (1, SPLIT) if atomic else (1,):
            launch = Launch(split_k=split_k)
            if _legal(spec, problem, launch):
                shapes += [Trial(what, problem)] if split_k == 1 else []
                kernels.append(Trial(instance_of(spec, implicit_gemm(problem).k, split_k), problem, launch))
    return _covering(spec, fewest(shapes), fewest(kernels))


def counted(spec: KernelSpec, place: str) -> tuple[Trial, ...]:
    """Return two convolutions by the kernel for long K, whose main loop runs differently often; empty if none fit."""
    main, legal = instances(spec)[0].name, list[tuple[str, Trial]]()
    for what, problem in conv_pool(spec.signature, place, max(1, spec.algorithm.groups_to_merge)):
        name = instance_of(spec, implicit_gemm(problem).k, 1)
        if name == main and _legal(spec, problem, Launch()):
            legal.append((name, Trial(what, problem)))
    return conv_loops(legal)


def _covering(spec: KernelSpec, shapes: Sequence[Trial], kernels: Sequence[Trial]) -> list[Trial]:
    """Return the shapes, and trials of the device kernels that none of them takes."""
    taken = {instance_of(spec, _depth(t), t.launch.split_k) for t in shapes}
    return [*shapes, *(t for t in kernels if t.path not in taken)]


def _depth(trial: Trial) -> int:
    assert isinstance(trial.problem, ConvProblem)
    return implicit_gemm(trial.problem).k


def _legal(spec: KernelSpec, problem: ConvProblem, launch: Launch) -> bool:
    from .op import OP

    return not OP.check(spec, get_arch(spec.arch), problem, launch)
