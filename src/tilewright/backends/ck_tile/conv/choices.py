"""The launches of a convolution that are worth considering, and a rule of thumb that ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ....arch import get_arch
from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.rule import Subject, judge
from ....ops.conv.features import numbers
from ....ops.conv.geometry import implicit_gemm
from ....ops.conv.problem import ConvProblem
from ..gemm.algorithm import PIPELINES
from .features import shape
from .rules import split_k as split_rule

SPLITS = (2, 4, 8, 16)


def launches(spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
    """Return no split, and for backward weight the splits that use idle compute units."""
    if problem.split_k is not None:
        return (Launch(split_k=problem.split_k),)
    a, gemm = spec.algorithm, implicit_gemm(problem)
    tiles = ceil(gemm.m / a.tile_m) * ceil(gemm.n / a.tile_n) * ceil(gemm.count / a.groups_to_merge)
    if problem.direction != "backward_weight" or tiles >= device.units:
        return (Launch(),)
    splits = [s for s in SPLITS if tiles * s <= 2 * device.units and gemm.k >= 4 * s * a.tile_k]
    return (Launch(), *(x for x in (Launch(split_k=s) for s in splits) if not _refused(spec, problem, x)))


def _refused(spec: KernelSpec, problem: ConvProblem, launch: Launch) -> bool:
    """Return whether the kernel cannot add the sums of splits."""
    return bool(judge((split_rule,), Subject(spec, get_arch(spec.arch), problem, launch)))


def preference(candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, str]:
    """Return a rule of thumb: little wasted work and busy compute units; never checked on hardware."""
    a = candidate.spec.algorithm
    k = {
        "tile_m": float(a.tile_m), "tile_n": float(a.tile_n), "groups_to_merge": float(a.groups_to_merge),
        "warp_tile_m": float(a.warp_tile_m), "vector_a": float(a.vector_a),
        "pipeline": float(PIPELINES.index(a.pipeline)), "launch_split_k": float(candidate.launch.split_k),
    }  # fmt: skip
    found = shape(k, numbers(problem), {"units": float(device.units)})
    score, useful, blocks, filled = [float(found[name]) for name in ("score", "useful", "blocks", "filled")]
    return (score, f"{useful:.0%} of the work is useful, {blocks:,.0f} blocks keep {filled:.0%} of the units busy")
