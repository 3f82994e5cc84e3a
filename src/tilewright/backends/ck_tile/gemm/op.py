"""GEMM in the ck_tile backend: rules, sets, cost, and the build of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ....model.backend import Stage
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.inexact import Inexact
from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.kernel_set import KernelSet
from ....model.tensor import TensorView
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.prologue import prologue_error
from ....ops.gemm.signature import GemmSignature
from ....settings import Settings
from ..op import CkTileOp, split_error
from .algorithm import STREAM_K, CkTileGemm
from .choices import MAX_LAUNCHES, legal_launches, preference
from .config import read_config
from .cost import counted_as
from .geometry import packed_formats
from .preselected import all_sets
from .rules import RULES
from .space import default_sets


class CkTileGemmOp(CkTileOp[GemmProblem]):
    """GEMM on AMD GPUs by CK Tile."""

    op = "gemm"
    package = __name__.rpartition(".")[0]
    algorithm = CkTileGemm
    rules = RULES

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """Products are exact, but for prologues, whose roundings may differ. Splits of K and parts of tiles are added
        in the output's dtype, and so are D operands: CK rounds the product on its way through LDS before it combines
        it with them, or applies an activation.
        """
        s = spec.signature
        rounded = get_dtype(s.dtype_out).unit_roundoff if s.d or s.activation != "none" else 0.0
        parts = launch.split_k if launch is not None else 1
        if spec.algorithm.family == "stream_k_atomic":  # at most all blocks share a tile
            from ...gpu.stage import units_of

            parts = launch.grid[0] if launch is not None and launch.grid else units_of(spec.arch)
        split = split_error(s.dtype_out, s.dtype_acc, parts)
        before = prologue_error(s.dtype_a, s.prologue_a) + prologue_error(s.dtype_b, s.prologue_b)
        return Inexact(product=before, partial=rounded + split)

    def cost_basis(self, spec: KernelSpec) -> str:
        """Return what the prediction rests on: counts of the compiled kernel's main loop, or tile sizes."""
        return super().cost_basis(counted_as(spec))

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
        from .grouped import GroupedStage
        from .launch import GemmStage
        from .stream_k import StreamKStage

        stages: dict[str, type[Stage]] = {"grouped": GroupedStage, **dict.fromkeys(STREAM_K, StreamKStage)}
        stage: Any = stages.get(candidate.spec.algorithm.family, GemmStage)
        return (stage(candidate, problem, kernel),)

    def packed_forms(self, problem: GemmProblem, plain: Sequence[KernelSpec], arch: Any) -> Sequence[GemmProblem]:
        """Return the problem with B pre-shuffled for each warp tile; such a B is called column-major."""
        return [problem.with_packed_b(name, "c") for name in sorted(packed_formats(problem.signature, arch))]

    def pack(self, spec: KernelSpec, weights: TensorView, kernel: Callable[[], Any]) -> Any:
        """Return B in the order that pre-shuffle kernels read."""
        from .packing import shuffled

        return shuffled(weights.owner, spec.signature.b_format)

    def read_sweep(self, path: str | Path, wanted: Sequence[GemmSignature] = ()) -> tuple[KernelSet, ...]:
        """Return the sets of a sweep file (JSON or TOML); `wanted` signatures fill in what it leaves open."""
        return read_config(path, wanted=wanted)

    def launches(self, spec: KernelSpec, problem: GemmProblem, device: Device) -> Sequence[Launch]:
        """Return no split, and splits that use idle compute units while blocks have enough work; best guess first."""
        found = legal_launches(spec, problem, device)
        if len(found) == 1:
            return found
        return sorted(found, key=lambda launch: self.predict(Candidate(spec, launch), problem, device))[:MAX_LAUNCHES]

    def preference(self, candidate: Candidate, problem: GemmProblem, device: Device) -> tuple[float, str]:
        """Return a rule of thumb: large tiles while they fill the device, minus wasted work and idle units."""
        return preference(candidate, problem, device)


OP = CkTileGemmOp()
