"""CountedOp: an op whose kernels for AMD GPUs are judged by their counts, if those are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ...arch import get_arch
from ...model.arch import AmdArch
from ...model.backend import Stage
from ...model.device import Device, is_emulated
from ...model.kernel import Candidate, KernelSpec, kept_by_kernel
from ...model.problem import P
from ...settings import Settings
from ..formula_cost import device_numbers, least_seconds, problem_numbers
from ..package_op import PackageOp
from .counted_cost import relative_time
from .kernel_counts import KernelCounts, amd_arch, cost_basis, counts_of
from .launch_template import TemplateStage

known_counts = kept_by_kernel(counts_of)


def _is_counted(spec: KernelSpec) -> bool:
    return known_counts(spec) is not None


@cache
def _is_amd(arch: str) -> bool:
    return isinstance(get_arch(arch), AmdArch)


class CountedOp(PackageOp[P]):
    """An op of several makes of GPUs with one set of formulas, which know tile sizes only: models were trained on them.

    A counted kernel of an AMD GPU has a time of its own. Subclasses name the dtype that its matrix units read.
    """

    def plan_stages(
        self, candidate: Candidate, problem: P, kernel: Any, settings: Settings
    ) -> tuple[Stage, ...] | None:
        """Return the stages of a plan; on a GPU they are prepared like those of earlier sizes, if they can be."""
        if is_emulated(problem.device):
            return self.stages(candidate, problem, kernel, settings)

        def make(sized: P) -> Any:
            (stage,) = self.stages(candidate, sized, kernel, settings) or ()
            return stage

        return (TemplateStage(candidate, problem, kernel, make),)

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return the kernels of an artifact; the GPU is touched at the first bind."""
        return self.part("launch").open_kernels(spec, artifact.path)

    def read_dtype(self, spec: KernelSpec) -> str:
        """Return the dtype of the operands of a kernel's products."""
        raise NotImplementedError

    def predict(self, candidate: Candidate, problem: P, device: Device) -> float:
        """Return the predicted seconds of the analytical model, by counts of the kernel if it has some.

        Prices are fitted to an H200, some above its bandwidth and peak to make up for others. On an AMD GPU, for which
        there is no fit, no time is below that of the bytes and the products.
        """
        counts = known_counts(candidate.spec)
        if counts is not None:
            found = self.counted_seconds(candidate, problem, device, counts)
        else:
            found = super().predict(candidate, problem, device)
        return max(found, self.least_seconds(problem, device))

    def least_seconds(self, problem: P, device: Device) -> float:
        """Return the time of the bytes and the products on an AMD GPU; 0 on others."""
        if not _is_amd(device.arch):
            return 0.0
        return least_seconds(problem_numbers(problem), device_numbers(device, problem.operand_dtype))

    def counted_seconds(self, candidate: Candidate, problem: P, device: Device, counts: KernelCounts) -> float:
        """Return the seconds of a counted kernel: by tile sizes, times what its counts say of its main loop."""
        factor = relative_time(candidate.spec, self.peak_rate)
        return super().predict(candidate, problem, device) * factor

    def peak_rate(self, spec: KernelSpec) -> float:
        """Return the operations per cycle of a unit's matrix units for a kernel's operands."""
        rates = amd_arch(spec.arch).ops_per_cycle
        return rates.get(self.read_dtype(spec)) or rates["fp16"]

    def has_custom_cost(self, arch: str) -> Callable[[KernelSpec], bool] | None:
        """Return whether a kernel is judged by its counts; None on archs whose kernels are not counted."""
        return _is_counted if isinstance(get_arch(arch), AmdArch) else None

    def cost_basis(self, spec: KernelSpec) -> str:
        """Return what the prediction rests on: counts of the compiled kernel, or tile sizes."""
        return cost_basis(spec)
