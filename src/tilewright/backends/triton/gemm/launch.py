"""The launches of a GEMM: copies of the operands, the product, the reduction of its shares."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.tensor import Addresses
from ....ops.gemm.problem import GemmProblem
from ...gpu.call import GpuCall, gpu_call
from ...gpu.stage import GpuKernels, GpuStage, NamedKernels
from .bind import copies, copy_values, values, workspace_bytes
from .lower import jobs_of
from .pipelines import pipeline_of


def open_kernels(spec: KernelSpec, folder: Path) -> GpuKernels:
    """Return the kernels of one artifact; opening touches no GPU."""
    return GpuKernels(spec, folder, jobs_of(spec))


def prepare(
    kernel: NamedKernels,
    driver: Any,
    problem: GemmProblem,
    launch: Launch,
    units: int,
    addresses: Addresses,
    workspace: int,
    early: bool = True,
) -> list[GpuCall]:
    """Return the launches of one product, in order: copies, product, reduction."""
    spec = kernel.spec
    calls = []
    found = copies(problem, spec.algorithm, addresses, 0)
    if found:
        start = workspace_bytes(problem, spec.algorithm, launch, units) - sum(c.bytes for c in found)
        found = copies(problem, spec.algorithm, addresses, start)
        grid, args, width = copy_values(found, problem, workspace)
        calls.append(gpu_call(kernel.other(f"stage{width}"), driver, grid, args, early))
    grid, args = values(spec, problem, launch, units, addresses, workspace)
    calls.append(gpu_call(kernel.product, driver, grid, args, early))
    for prefix, grid, args in pipeline_of(spec.algorithm).after(spec, problem, launch, units, addresses, workspace):
        calls.append(gpu_call(kernel.other(prefix), driver, grid, args, early))
    return calls


class GemmStage(GpuStage):
    """One GEMM of a plan."""

    def __init__(self, candidate: Candidate, problem: GemmProblem, kernel: GpuKernels, units: int) -> None:
        algorithm, launch = candidate.spec.algorithm, candidate.launch

        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[GpuCall]:
            return prepare(kernel, driver, problem, launch, units, addresses, workspace)

        super().__init__(kernel, workspace_bytes(problem, algorithm, launch, units), ready)
