"""The launches of an attention on a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....model.kernel import Candidate, KernelSpec
from ....model.tensor import Addresses, Views
from ....ops.fmha.problem import FmhaProblem
from ...gpu.call import GpuCall, gpu_call
from ...gpu.stage import GpuKernels, GpuStage
from .bind import LIST_SIZE, steps, workspace
from .lower import jobs_of, kinds_of


def open_kernels(spec: KernelSpec, folder: Path) -> GpuKernels:
    """Return the kernels of one artifact; opening touches no GPU."""
    return GpuKernels(spec, folder, jobs_of(spec))


class FmhaStage(GpuStage):
    """One attention of a plan: forward alone, splits and their combination, or the steps of a backward pass."""

    def __init__(self, candidate: Candidate, problem: FmhaProblem, kernel: GpuKernels) -> None:
        spec, launch = candidate.spec, candidate.launch
        prefixes = dict(zip(kinds_of(spec), kernel.prefixes, strict=True))

        def ready(driver: Any, addresses: Addresses, space: int) -> list[GpuCall]:
            found = steps(spec, problem, launch, addresses, space)
            return [gpu_call(kernel.other(prefixes[kind]), driver, grid, args) for kind, grid, args in found]

        super().__init__(kernel, workspace(problem, spec.algorithm, launch).bytes, ready)

    def sizes(self, views: Views) -> dict[str, int]:
        """Return the number of entries of a list of pages."""
        return {LIST_SIZE: views["page_table"].shape[0]} if "page_indptr" in views else {}
