"""Rules of thumb: a readable choice without a model."""

from __future__ import annotations

from ....model.device import Device
from ....model.kernel import Candidate
from ....ops.gemm.problem import GemmProblem

# The place of each way to form products, the strongest first; those of one CPU never meet those of another.
INNER_ORDER = {"amx": 0, "amx_bf16x3": 1, "mm": 1, "vnni": 2, "dot": 2, "fma": 3, "portable": 4}


def preference(candidate: Candidate, problem: GemmProblem, device: Device) -> tuple[float, str]:
    """Prefer the strongest instructions, then the register tile that wastes least, then packing for large sizes."""
    a = candidate.spec.algorithm
    waste = (-problem.m % a.mr) / max(problem.m, 1) + (-problem.n % a.nr) / max(problem.n, 1)
    large = problem.m > 64 and problem.n > 64
    packs = (a.pack_a != large) + (a.pack_b != large)
    tile = 1.0 / (a.mr * a.nr)
    score = 100.0 * INNER_ORDER[a.inner] + 10.0 * waste + packs + 100.0 * tile
    return score, f"{a.inner}, {waste:.0%} of the register tiles wasted, {'packs' if large else 'reads in place'}"
