"""gemm: what a product costs, by the gemm backend's model."""

from __future__ import annotations

from collections.abc import Sequence

from ......model.device import Device
from ......model.kernel import Candidate, KernelSpec, Launch
from ......ops.conv.problem import ConvProblem
from ......ops.conv.product import as_gemm
from ....gemm import cost as gemm_cost
from ...algorithm import gemm_spec


def launches(spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
    """Return those of the product."""
    return gemm_cost.launches(gemm_spec(spec), as_gemm(problem), device)


def preference(candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, str]:
    """Return that of the product."""
    inner = Candidate(gemm_spec(candidate.spec), candidate.launch)
    score, why = gemm_cost.preference(inner, as_gemm(problem), device)
    return score, f"1x1 is a product: {why}"
