"""GEMM in the ck_tile backend: rules, sets, cost, and the build of a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import Any, ClassVar

from ....arch import get_arch
from ....model.backend import Stage
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.kernel_set import KernelSet
from ....model.rule import Rule, Subject, judge
from ....model.trial import Trial
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.signature import GemmSignature
from ....settings import Settings
from ..op import CkTileOp, split_error
from .algorithm import CkTileGemm
from .config import read_config
from .preselected import all_sets
from .rules import PROBLEM_RULES, RULES
from .space import default_sets

SPLITS = (2, 4, 8, 16)
MOST_LAUNCHES = 3
LEAST_STEPS = 4  # tiles along k below which a split does not help


class CkTileGemmOp(CkTileOp[GemmProblem]):
    """GEMM on AMD GPUs by CK Tile."""

    op: ClassVar[str] = "gemm"
    algorithm: ClassVar[type] = CkTileGemm
    rules: ClassVar[tuple[Rule, ...]] = RULES

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> float:
        """Return 0 for exact products. Splits of K are added in the output's dtype, and so are D operands: CK rounds
        the product on its way through LDS before it combines it with them.
        """
        s = spec.signature
        rounded = get_dtype(s.dtype_out).unit_roundoff / 2 if s.d else 0.0
        return rounded + split_error(s.dtype_out, s.dtype_acc, launch.split_k if launch is not None else 1)

    def storage_bytes(self, candidate: Candidate, problem: GemmProblem, kernel: Any) -> Mapping[str, int]:
        """Return the bytes of a pre-shuffled B: its elements in another order."""
        if problem.b_format == "plain":
            return {}
        return {"b": int(problem.batch * problem.k * problem.n * get_dtype(problem.dtype_b).bytes)}

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """Return the preselected sets, one per part (see `preselected`)."""
        return all_sets()

    def default_sets(self) -> tuple[KernelSet, ...]:
        """Return the open space of every AMD arch."""
        return default_sets()

    def stages(self, candidate: Candidate, problem: GemmProblem, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage: the product."""
        from .launch import GemmStage

        return (GemmStage(candidate, problem, kernel),)

    def trials(self, spec: KernelSpec, place: str) -> Sequence[Trial]:
        """Return products for every device kernel, several blocks, tails and splits of K."""
        from .trials import trials

        return tuple(trials(spec, place))

    def stored(self, spec: KernelSpec, tensors: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the tensors with a B that pre-shuffle kernels read."""
        from .packing import shuffled

        name = spec.signature.b_format
        return tensors if name == "plain" else {**tensors, "b": shuffled(tensors["b"], name)}

    def read_sweep(self, path: str | Path, wanted: Sequence[GemmSignature] = ()) -> tuple[KernelSet, ...]:
        """Return the sets of a sweep file (JSON or TOML); `wanted` signatures fill in what it leaves open."""
        return read_config(path, wanted=wanted)

    def launches(self, spec: KernelSpec, problem: GemmProblem, device: Device) -> Sequence[Launch]:
        """Return no split, and splits that use idle compute units while blocks have enough work; best guess first."""
        if problem.split_k is not None:
            return (Launch(split_k=problem.split_k),)
        a = spec.algorithm
        tiles = ceil(problem.m / a.tile_m) * ceil(problem.n / a.tile_n)
        splits = [s for s in SPLITS if tiles * s <= 2 * device.units and problem.k >= s * a.tile_k * LEAST_STEPS]
        found = [Launch(), *(Launch(split_k=s) for s in splits if tiles < device.units)]
        legal = [x for x in found if x.split_k == 1 or not _refused(spec, problem, x)]
        return sorted(legal, key=lambda launch: self.predict(Candidate(spec, launch), problem, device))[:MOST_LAUNCHES]

    def preference(self, candidate: Candidate, problem: GemmProblem, device: Device) -> tuple[float, str]:
        """Return a rule of thumb: large tiles while they fill the device, minus wasted work and idle units."""
        a, units = candidate.spec.algorithm, device.units
        grid, split = ceil(problem.m / a.tile_m) * ceil(problem.n / a.tile_n), candidate.launch.split_k
        steps, tiles = max(1, ceil(problem.k / (split * a.tile_k))), max(1, grid * split * problem.batch)
        useful = problem.m * problem.n * problem.k / (grid * a.tile_m * a.tile_n * split * steps * a.tile_k or 1)
        rounds = ceil(tiles / units)
        filled = tiles / (rounds * units)
        intensity = a.tile_m * a.tile_n / (a.tile_m + a.tile_n)  # multiplications per element loaded
        skinny = min(problem.m, problem.n) <= 64
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


def _refused(spec: KernelSpec, problem: GemmProblem, launch: Launch) -> bool:
    return bool(judge(PROBLEM_RULES, Subject(spec, get_arch(spec.arch), problem, launch)))


OP = CkTileGemmOp()
