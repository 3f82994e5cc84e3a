"""gemm: a 1x1 convolution as a product of the gemm backend."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .....jit.artifact import BuildRequest
from .....model.backend import Stage
from .....model.device import Device
from .....model.kernel import Candidate, KernelSpec, Launch
from .....model.kernel_set import KernelSet
from .....ops.conv.problem import ConvProblem
from .....ops.conv.product import as_gemm
from .....settings import Settings
from ....product_rules import product_rule
from ...gemm import cost as gemm_cost
from ...gemm.rules import RULES as GEMM_RULES
from ...gemm.set_parts import SIXTEEN_BIT
from ...gemm.sets import DEFAULT_SETS
from ..algorithm import TritonConv, gemm_algorithm, gemm_spec
from ..geometry import Geometry
from ..pipeline import Pipeline
from ..set_parts import Maps, conv_set

GEMM_PROBLEM_RULES = tuple(r for r in GEMM_RULES if r.kind == "problem")


class Gemm(Pipeline):
    """No kernel of this op: the gemm backend's own."""

    own = False
    product_rules = True
    last_rules = (product_rule("triton.conv.gemm", GEMM_PROBLEM_RULES, gemm_spec),)

    def label(self, a: TritonConv) -> str:
        """Return the label of the product."""
        return f"gemm_{gemm_algorithm(a).label()}"

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Not known here: a product is cut by the gemm backend."""
        raise NotImplementedError("the geometry of a product is that of the gemm backend")

    def request(self, spec: KernelSpec, settings: Settings) -> BuildRequest:
        """Return the build of the product's kernel."""
        from ...gemm.lower import request_of

        return request_of(gemm_spec(spec), settings)

    def open_kernels(self, spec: KernelSpec, folder: Path) -> Any:
        """Return the product's kernels."""
        from ...gemm.launch import open_kernels

        return open_kernels(gemm_spec(spec), folder)

    def stage(self, candidate: Candidate, problem: ConvProblem, kernels: Any) -> Stage:
        """Return the product over the same memory."""
        from ..launch import ProductStage

        return ProductStage(candidate, problem, kernels)

    def launches(self, spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
        """Return those of the product."""
        return gemm_cost.launches(gemm_spec(spec), as_gemm(problem), device)

    def preference(self, candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, str]:
        """Return that of the product."""
        inner = Candidate(gemm_spec(candidate.spec), candidate.launch)
        score, why = gemm_cost.preference(inner, as_gemm(problem), device)
        return score, f"1x1 is a product: {why}"


PIPELINE = Gemm()


def _gemm_maps(kernel_set: KernelSet) -> Maps:
    return tuple({**m, "pipeline": "gemm", "inner": m["pipeline"]} for m in kernel_set.algorithms)


# For products of a few hundred rows; convolutions have more pixels, and their models were not shown these kernels.
LEFT_OUT = ("triton_hopper_columns", "triton_hopper_loose")


def _gemm_sets() -> tuple[KernelSet, ...]:
    """1x1 convolutions through every other gemm set of these dtypes."""
    found = []
    for s in DEFAULT_SETS:
        dtype = s.signature.get("dtype_a")
        if s.name in LEFT_OUT or s.signature.keys() != {"dtype_a"}:
            continue
        if dtype == SIXTEEN_BIT or dtype == "fp32":
            name = s.name.removeprefix("triton_")
            found.append(conv_set(f"gemm_{name}", f"1x1: {s.description}", s.archs, _gemm_maps(s), dtype_input=dtype))
    return tuple(found)


# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {7: _gemm_sets()}
