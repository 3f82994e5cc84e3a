"""The launches of a convolution: the convolution and the sum of its shares, or a product of the gemm backend."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from ....model.kernel import Candidate, KernelSpec, Launch
from ....model.tensor import Addresses, Views
from ....ops.conv.problem import ConvProblem
from ....ops.conv.product import as_gemm, gemm_roles
from ...gpu.call import GpuCall, gpu_call
from ...gpu.launches import PointerCall
from ...gpu.stage import GpuKernels, GpuStage, NamedKernels, units_of
from ..gemm.launch import GemmStage
from .algorithm import gemm_spec
from .bind import finish_values, geometry, values
from .pipelines import pipeline_of

T = TypeVar("T")


def open_kernels(spec: KernelSpec, folder: Path) -> GpuKernels:
    """Return the kernels of one artifact; opening touches no GPU."""
    return pipeline_of(spec.algorithm).open_kernels(spec, folder)


def prepare(
    kernels: NamedKernels,
    driver: Any,
    problem: ConvProblem,
    launch: Launch,
    addresses: Addresses,
    workspace: int,
) -> list[GpuCall]:
    """Return the launches of one convolution, in order: copies, the convolution, the sum of its shares."""
    spec = kernels.spec
    pipeline = pipeline_of(spec.algorithm)
    units = driver.attribute("units") if pipeline.stays or pipeline.walks else 0
    copies = pipeline.before(problem, spec.algorithm, addresses, workspace)
    calls = [gpu_call(kernels.other(prefix), driver, grid, args) for prefix, grid, args in copies]
    grid, args = values(spec, problem, launch, addresses, workspace, units)
    calls.append(gpu_call(kernels.product, driver, grid, args))
    if pipeline.sums_shares(spec):
        grid, args = finish_values(spec, problem, launch, addresses, workspace)
        calls.append(gpu_call(kernels.other("finish"), driver, grid, args))
    return calls


class ConvStage(GpuStage):
    """One convolution of a plan."""

    def __init__(self, candidate: Candidate, problem: ConvProblem, kernels: GpuKernels) -> None:
        launch, units = candidate.launch, units_of(kernels.spec.arch)
        shape = geometry(problem, candidate.spec.algorithm, launch, units)

        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[GpuCall]:
            return prepare(kernels, driver, problem, launch, addresses, workspace)

        super().__init__(kernels, shape.workspace, ready)


class ProductStage:
    """A 1x1 convolution as a product of the gemm backend over the same memory."""

    def __init__(self, candidate: Candidate, problem: ConvProblem, kernels: GpuKernels) -> None:
        self.name = candidate.spec.name
        inner = Candidate(gemm_spec(candidate.spec), candidate.launch)
        self._inner = GemmStage(inner, as_gemm(problem), kernels, units_of(kernels.spec.arch))
        self.workspace_bytes = self._inner.workspace_bytes
        self._roles = gemm_roles(problem)

    def prepare(self, driver: Any, addresses: Addresses, workspace: int) -> list[Any]:
        """Return the launches on tensors at these addresses."""
        found: list[Any] = self._inner.prepare(driver, self._as_gemm(addresses), workspace)
        return found

    def bind(self, views: Views) -> Callable[[Any], None]:
        """Return a function of the stream that launches on `views`."""
        return self._inner.bind(self._as_gemm(views))

    def bind_sets(self, sets: Sequence[Views], space: int) -> list[Callable[[Any], None]]:
        """Return one function of the stream for each set of tensors, on the caller's workspace."""
        return self._inner.bind_sets([self._as_gemm(views) for views in sets], space)

    def call(self, views: Views) -> PointerCall:
        """Return the launches on any tensors that look like `views`, as a function of their addresses."""
        return self._inner.call(views, self._roles)

    def _as_gemm(self, of: Mapping[str, T]) -> dict[str, T]:
        """Return the same by the roles of the product."""
        return {gemm: of[conv] for gemm, conv in self._roles.items()}
