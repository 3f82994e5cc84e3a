"""CountedOp: an op whose kernels for AMD GPUs are judged by their counts, if those are known."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

from ...arch import get_arch
from ...model.arch import AmdArch
from ...model.device import Device
from ...model.kernel import Candidate, KernelSpec, kept_by_kernel
from ...model.problem import P
from ..package_op import PackageOp
from .counted_cost import relative_time
from .kernel_counts import amd_arch, cost_basis, counts_of


class CountedOp(PackageOp[P]):
    """An op of several makes of GPUs with one set of formulas.

    The formulas know tile sizes only, and models were trained on them. For a counted kernel of an AMD GPU their time is
    multiplied by a factor; subclasses name the dtype that its matrix units read.
    """

    def read_dtype(self, spec: KernelSpec) -> str:
        """Return the dtype of the operands of a kernel's products."""
        raise NotImplementedError

    def predict(self, candidate: Candidate, problem: P, device: Device) -> float:
        """Return the predicted seconds of the analytical model, corrected by counts of the kernel."""
        seconds = super().predict(candidate, problem, device)
        factor = self.cost_factor(candidate.spec.arch)
        return seconds if factor is None else seconds * factor(candidate.spec)

    def cost_factor(self, arch: str) -> Callable[[KernelSpec], float] | None:
        """Return what a kernel's time by tile sizes is multiplied by; None on archs whose kernels are not counted."""
        return self._factor if isinstance(get_arch(arch), AmdArch) else None

    @cached_property
    def _factor(self) -> Callable[[KernelSpec], float]:
        return kept_by_kernel(self._relative_time)

    def _relative_time(self, spec: KernelSpec) -> float:
        counts = counts_of(spec)
        if counts is None:
            return 1.0
        rates = amd_arch(spec.arch).ops_per_cycle
        return relative_time(counts, rates.get(self.read_dtype(spec)) or rates["fp16"])

    def cost_basis(self, spec: KernelSpec) -> str:
        """Return what the prediction rests on: counts of the compiled kernel, or tile sizes."""
        return cost_basis(spec)
