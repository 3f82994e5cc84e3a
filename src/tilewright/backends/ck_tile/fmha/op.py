"""Attention in the ck_tile backend: rules, sets, splits and a rough estimate."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from ....model.backend import Stage
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.inexact import Inexact
from ....model.kernel import Candidate, KernelSpec, Launch, PlanStep
from ....model.kernel_set import KernelSet
from ....ops.fmha.problem import FmhaProblem
from ....ops.fmha.signature import EIGHT_BIT
from ....ops.fmha.work import choose_splits
from ....settings import Settings
from ..op import CkTileOp
from .algorithm import CkTileFmha
from .rules import RULES
from .space import default_sets


class CkTileFmhaOp(CkTileOp[FmhaProblem]):
    """Attention on AMD GPUs by CK Tile."""

    op = "fmha"
    package = __name__.rpartition(".")[0]
    algorithm = CkTileFmha
    rules = RULES

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """CK rounds the probabilities of 8-bit operands to 8 bits. It cuts those of fp16 off (v_cvt_pkrtz_f16_f32): on
        average by the unit roundoff."""
        s = spec.signature
        if s.dtype in EIGHT_BIT:
            return Inexact(product=get_dtype(s.dtype).unit_roundoff)
        return Inexact(shared=get_dtype("fp16").unit_roundoff if s.dtype == "fp16" else 0.0)

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """Return none: kernels are declared by the tables of each arch."""
        return ()

    def default_sets(self) -> tuple[KernelSet, ...]:
        """Return the tile tables of every AMD arch."""
        return default_sets()

    def launches(self, spec: KernelSpec, problem: FmhaProblem, device: Device) -> Sequence[Launch]:
        """Return enough splits of the keys to fill the device, if the family splits them; else the problem's own."""
        if problem.family != "fwd_splitkv":
            return (Launch(),)
        if problem.num_splits is not None:
            return (Launch(num_splits=problem.num_splits),)
        a = spec.algorithm
        blocks = problem.batch * problem.heads_q * ceil(problem.seqlen_q / a.tile_m0)
        return (Launch(num_splits=choose_splits(blocks, device.units, ceil(problem.seqlen_k / max(a.tile_n0, 1)))),)

    def steps(self, candidate: Candidate, problem: FmhaProblem) -> tuple[PlanStep, ...]:
        """Return the forward pass; splits and their combination; or dO . O, gradients, and the conversion of dQ."""
        from .launch import Held
        from .launch_backward import Gradients, companions

        if problem.family == "fwd_splitkv":
            from .launch_split import Partials

            space = Partials.of(problem, candidate.spec, candidate.launch.num_splits)
            return (PlanStep("attend", (("partial_results", space.bytes),)), PlanStep("combine"))
        if problem.family != "bwd":
            own = Held.of(problem, candidate.spec)
            buffers = (("seeds", own.seeds), ("page_table", own.pages))
            return (PlanStep(candidate.spec.algorithm.stage, tuple(b for b in buffers if b[1])),)
        held = Gradients.of(problem, candidate.spec)
        sums = (("dq_sums", 4 * held.sums * held.slices),) if held.sums else ()
        parts = (("dk_dv_of_query_heads", sum(held.parts)),) if any(held.parts) else ()
        seeds = (("seeds", held.seeds),) if held.seeds else ()
        needed = companions(candidate.spec, grouped=any(held.parts))
        last = [PlanStep(stage) for stage in needed if stage in ("convert_dq", "sum_heads")]
        return (PlanStep("dot_do_o", (("d", 4 * held.rows),)), PlanStep("dq_dk_dv", (*sums, *parts, *seeds)), *last)

    def stages(self, candidate: Candidate, problem: FmhaProblem, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage: the forward pass, or a pass of several kernels; the other ones are built if needed."""
        from .launch import ForwardStage
        from .launch_backward import BackwardStage, companions
        from .launch_split import SplitStage, combiner

        if problem.family == "fwd_splitkv":
            combine = self._loaded(combiner(candidate.spec, candidate.launch.num_splits), settings)
            return (SplitStage(candidate, problem, kernel, combine),)
        if problem.family == "fwd_appendkv":
            from .launch_append import AppendStage

            return (AppendStage(candidate, problem, kernel),)
        if problem.family != "bwd":
            return (ForwardStage(candidate, problem, kernel),)
        needed = companions(candidate.spec, grouped=problem.heads_q != problem.heads_kv)
        others = {stage: self._loaded(spec, settings) for stage, spec in needed.items()}
        return (BackwardStage(candidate, problem, kernel, others),)

    def _loaded(self, spec: KernelSpec, settings: Settings) -> Any:
        from ....jit.cache import Cache
        from ....jit.use import load_built

        request = self.request(spec, settings)
        cache = Cache.from_settings(settings)
        return load_built(request, cache, lambda a: self.load(spec, a), may_build=settings.may_build)


OP = CkTileFmhaOp()
