"""The launches worth considering, what a kernel does in a turn of its loop, and its price: each by its pipeline.

`features` counts what a launch does, `cost_parts.seconds` prices it. Products of the gemm backend keep its own model,
which prices the hopper pipeline too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....arch import get_arch
from ....model.arch import AmdArch
from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch, kept_by_kernel
from ....ops.conv.problem import ConvProblem
from .cost_parts import Constants
from .pipelines import PIPELINES, get_pipeline, pipeline_of

FEW_CHANNELS = 32  # per group
PRICED = tuple(name for name in PIPELINES if not get_pipeline(name).product_rules)
HOPPER: dict[str, Constants] = {f: c for name in PRICED for f, c in get_pipeline(name).prices.items()}


def prices_of(spec: KernelSpec) -> Constants:
    """Return the prices of a kernel's work.

    Some shares that were fitted to an H200 are above 1: they make up for other prices. An AMD GPU has no such fit.
    """
    found = HOPPER[pipeline_of(spec.algorithm).family(spec)]
    if not isinstance(get_arch(spec.arch), AmdArch):
        return found
    return replace(found, memory=min(1.0, found.memory), matrix=min(1.0, found.matrix))


def launches(spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
    """Return the launches worth considering: splits of backward weight that fill the GPU; those of a product."""
    return pipeline_of(spec.algorithm).launches(spec, problem, device)


@kept_by_kernel
def resident(spec: KernelSpec) -> int:
    """Programs that share a multiprocessor."""
    return pipeline_of(spec.algorithm).resident(spec)


@kept_by_kernel
def turn(spec: KernelSpec) -> tuple[float, float, float]:
    """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
    return pipeline_of(spec.algorithm).turn(spec)


def preference(candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, str]:
    """Return (score, reason) by rules of thumb: products for 1x1, windows for few channels, large tiles for many."""
    p, a = problem, candidate.spec.algorithm
    pipeline = pipeline_of(a)
    if not pipeline.own:
        return pipeline.preference(candidate, problem, device)
    few = p.g > 1 and max(p.c_group, p.k_group) <= FEW_CHANNELS
    shape = pipeline.geometry(p, a, candidate.launch, device.units)
    busy = min(1.0, shape.programs / (device.units * resident(candidate.spec)))
    tile = a.tile_m * a.tile_n / (a.tile_m + a.tile_n)
    score = 100.0 * pipeline.rank[few] + 10 / max(busy, 0.01) + 100 / tile + 4 * (16 / a.vector_bytes)
    why = f"{p.c_group} -> {p.k_group} channels per group: {a.pipeline}, {100 * busy:.0f}% of the GPU"
    return score + (5 if a.merge else 0), why
