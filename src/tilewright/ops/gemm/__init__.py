"""GEMM: out = activation(alpha * A*B combine D...), batched, scaled, in any layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...model.abi import AbiLayout
from ...model.op import Op
from ...model.problem import round_rows
from ...model.tensor import Tensors
from ..package_op import PackageOp
from .epilogue import SCALARS, DTensor, Epilogue
from .problem import INDEX_ROLES, MAX_D, GemmProblem, is_list
from .prologue import MAX_OPERANDS, PrologueStep
from .signature import GemmSignature

__all__ = ["OP", "DTensor", "Epilogue", "GemmProblem", "GemmSignature", "PrologueStep"]

MORE = range(1, MAX_OPERANDS + 1)


class GemmOp(PackageOp[GemmProblem]):
    """The GEMM operation, as generic code sees it."""

    name = "gemm"
    package = __name__
    signature_type = GemmSignature
    index_roles: tuple[str, ...] = INDEX_ROLES
    scalar_roles: tuple[str, ...] = INDEX_ROLES
    extents: tuple[str, ...] = ("m",)
    rounding: tuple[Callable[[int], int], ...] = (round_rows,)
    also_called: tuple[str, ...] = ()
    abi = AbiLayout(
        roles=("a", "b", "out", "scale_a", "scale_b", *(f"d{i}" for i in range(MAX_D)), "ends"),
        sizes=("m", "n", "k", "batch", "groups"),
        scalars=SCALARS,
    )

    # With prologues, their tensors take the slots of the last D operands.
    prologue_abi = AbiLayout(
        roles=(*abi.roles[:10], *(f"a{i}" for i in MORE), *(f"b{i}" for i in MORE)),
        sizes=abi.sizes,
        scalars=abi.scalars,
    )

    def abi_for(self, problem: GemmProblem) -> AbiLayout:
        """Return the slots that a problem uses."""
        return self.prologue_abi if problem.has_prologue else self.abi

    def batches(self, problem: GemmProblem) -> tuple[GemmProblem, ...]:
        """Return the product with few and many rows, alone and in a batch."""
        from .batches import batches

        return batches(problem)

    def problem_from_dict(self, data: Mapping[str, Any]) -> GemmProblem:
        """Return a problem from its JSON form."""
        return GemmProblem.from_dict(data)

    def plain_problem(self, dtype: str) -> GemmProblem:
        """Return the product that represents a dtype."""
        return GemmProblem.from_dict({"m": 1024, "n": 1024, "k": 1024, "dtype": dtype, "layout": "rcr"})

    def out_roles(self, problem: GemmProblem) -> tuple[str, ...]:
        """Return the only output."""
        return ("out",)

    def may_alias(self, problem: GemmProblem) -> Mapping[str, str]:
        """Return the tensors that may share the memory of a written one, and which one that is."""
        from .tensors import may_alias

        return may_alias(problem)

    def sizes(self, problem: GemmProblem) -> tuple[int, ...]:
        """Return the sizes in the order of the ABI."""
        return (problem.m, problem.n, problem.k, problem.batch, problem.groups)

    def content_mistakes(self, problem: GemmProblem, tensors: Tensors) -> list[str]:
        """Return what is wrong with the ends of groups."""
        from .groups import end_mistakes

        return end_mistakes(problem, tensors["ends"])

    def strides(self, problem: GemmProblem, role: str) -> tuple[int, ...]:
        """Return the strides of a role as the ABI needs them: 0 along a dimension of extent 1."""
        if is_list(role) and len(problem.shape(role)) == 1:
            return problem.strides.get(role, (1, 0, 0))
        extents = (problem.matrices(role), *problem.shape(role))
        return tuple(s if n > 1 else 0 for s, n in zip(problem.stride(role), extents, strict=True))

    def scalars(self, problem: GemmProblem) -> tuple[float, ...]:
        """Return the scalars in the order of the ABI."""
        return problem.epilogue.scalars

    def packed(self, problem: GemmProblem) -> Mapping[str, tuple[str, str, tuple[int, ...]]]:
        """Return the format, dtype and shape of a packed B."""
        p = problem
        return {} if p.b_format == "plain" else {"b": (p.b_format, p.dtype_b, p.shape("b"))}

    def is_empty(self, problem: GemmProblem) -> bool:
        """Return whether the output has no elements, so that there is nothing to do."""
        return 0 in (problem.m, problem.n, problem.batch)


OP: Op[GemmProblem] = GemmOp()
