"""The launches of a product that are worth considering, and a rule of thumb that ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ....arch import get_arch
from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.rule import Subject, judge
from ....ops.gemm.problem import GemmProblem
from .rules import PROBLEM_RULES

SPLITS = (2, 4, 8, 16)
MAX_LAUNCHES = 3  # those with the smallest predicted times
LEAST_STEPS = 4  # tiles along k below which a split does not help


def legal_launches(spec: KernelSpec, problem: GemmProblem, device: Device) -> Sequence[Launch]:
    """Return no split, and splits that use idle compute units while blocks have enough work."""
    if problem.split_k is not None:
        return (Launch(split_k=problem.split_k),)
    a = spec.algorithm
    if a.ends_at_run_time:  # shares out the steps along k by itself, or only stores
        return (Launch(),)
    tiles = ceil(problem.rows_each / a.tile_m) * ceil(problem.n / a.tile_n) * problem.products
    splits = [s for s in SPLITS if tiles * s <= 2 * device.units and problem.k >= s * a.tile_k * LEAST_STEPS]
    found = [Launch(), *(Launch(split_k=s) for s in splits if tiles < device.units)]
    return [x for x in found if x.split_k == 1 or not _refused(spec, problem, x)]


def _refused(spec: KernelSpec, problem: GemmProblem, launch: Launch) -> bool:
    return bool(judge(PROBLEM_RULES, Subject(spec, get_arch(spec.arch), problem, launch)))


def preference(candidate: Candidate, problem: GemmProblem, device: Device) -> tuple[float, str]:
    """Return a rule of thumb: large tiles while they fill the device, minus wasted work and idle units."""
    a, units = candidate.spec.algorithm, device.units
    rows = problem.rows_each
    grid, split = ceil(rows / a.tile_m) * ceil(problem.n / a.tile_n), candidate.launch.split_k
    steps, tiles = max(1, ceil(problem.k / (split * a.tile_k))), max(1, grid * split * problem.products)
    useful = rows * problem.n * problem.k / (grid * a.tile_m * a.tile_n * split * steps * a.tile_k or 1)
    rounds = ceil(tiles / units)
    filled = tiles / (rounds * units)
    intensity = a.tile_m * a.tile_n / (a.tile_m + a.tile_n)  # multiplications per element loaded
    skinny = min(rows, problem.n) <= 64
    suits = (a.pipeline == "mem") == skinny or a.pipeline == "preshufflev2"
    waves = max(a.waves_m, a.waves_n) / min(a.waves_m, a.waves_n)  # a square of waves reads least from LDS
    handy = 1 + 0.01 * waves + 0.02 * (a.pad_m + a.pad_n + a.pad_k) + (0.05 if a.warp_tile_m < 32 else 0.0)
    score = 1 / max(1e-9, useful * filled * intensity * (1.0 if suits else 0.7) / handy)
    kind = "memory-bound" if skinny else "compute-bound"
    reason = (
        f"{a.tile_m}x{a.tile_n} tiles: {useful:.0%} of the work is useful, {tiles:,} tiles keep {filled:.0%} "
        f"of {units} units busy in {rounds:,} round{'s' * (rounds > 1)}; {a.pipeline} "
        f"{'suits' if suits else 'does not suit'} a {kind} product"
    )
    return (score, reason)
