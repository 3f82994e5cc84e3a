"""axpy: out = alpha * x + y over vectors. A whole op in two files, to read beside docs/adding-an-op.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...model.abi import AbiLayout
from ...model.dtype import numpy_dtype
from ...model.fields import field_value, fields_from
from ...model.op import Expected, Op
from ...model.problem import refitted
from ...model.tensor import TensorView
from ..tensors import drawn, mismatches_of, poison
from ..tolerance import Tolerance
from ..verify import Verification, compare
from .problem import AxpyProblem, AxpySignature


class AxpyOp(Op[AxpyProblem]):
    """The operation, as generic code sees it."""

    name = "axpy"
    also_called: tuple[str, ...] = ()
    abi = AbiLayout(roles=("x", "y", "out"), sizes=("n",), scalars=("alpha",))

    def problem_from_dict(self, data: Mapping[str, Any]) -> AxpyProblem:
        return AxpyProblem.from_dict(data)

    def signature_from_dict(self, data: Mapping[str, Any]) -> AxpySignature:
        return AxpySignature(**fields_from(AxpySignature, data, "axpy signature"))

    def signature_value(self, name: str, value: Any) -> Any:
        return field_value(AxpySignature, name, value, "axpy signature")

    def plain_problem(self, dtype: str) -> AxpyProblem:
        return AxpyProblem(1 << 20, dtype)

    def roles(self, problem: AxpyProblem) -> tuple[str, ...]:
        return problem.roles

    def out_roles(self, problem: AxpyProblem) -> tuple[str, ...]:
        return ("out",)

    def may_alias(self, problem: AxpyProblem) -> Mapping[str, str]:
        return {"x": "out", "y": "out"}  # each element is read before it is written

    def sizes(self, problem: AxpyProblem) -> tuple[int, ...]:
        return (problem.n,)

    def mismatches(self, problem: AxpyProblem, views: Mapping[str, TensorView]) -> list[str]:
        def fit(problem: AxpyProblem, role: str, view: TensorView) -> list[str]:
            return [] if view.shape == (problem.n,) else [f"{role} has shape {view.shape}, needs ({problem.n},)"]

        return mismatches_of(problem, views, lambda role: problem.dtype, fit, ("out",), self.may_alias(problem))

    def fitted(self, problem: AxpyProblem, views: Mapping[str, TensorView]) -> AxpyProblem:
        return refitted(problem, strides={role: view.strides for role, view in views.items()})

    def strides(self, problem: AxpyProblem, role: str) -> tuple[int, ...]:
        return problem.strides.get(role, (1,))

    def scalars(self, problem: AxpyProblem) -> tuple[float, ...]:
        return (problem.alpha,)

    def is_empty(self, problem: AxpyProblem) -> bool:
        return problem.n == 0

    def random_tensors(self, problem: AxpyProblem, seed: int) -> dict[str, Any]:
        rng, kind = np.random.default_rng(seed), numpy_dtype(problem.dtype)
        made = {role: drawn(rng, (problem.n,), problem.dtype).astype(kind) for role in ("x", "y")}
        return {**made, "out": np.full(problem.n, poison(problem.dtype), kind)}

    def expected(self, problem: AxpyProblem, tensors: Mapping[str, Any]) -> Expected:
        x, y = (np.asarray(tensors[role]).astype(np.float64) for role in ("x", "y"))
        return Expected(problem.alpha * x + y, abs(problem.alpha) * np.abs(x) + np.abs(y))

    def verify(self, problem: AxpyProblem, tensors: Mapping[str, Any], out: Any, **options: Any) -> Verification:
        tolerance = Tolerance.of(problem.dtype, "fp32", 1, options.get("product_error", 0.0))
        return compare(self.expected(problem, tensors), np.asarray(out), tolerance, problem.dtype, "float64")


OP: Op[AxpyProblem] = AxpyOp()
