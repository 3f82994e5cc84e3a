"""Grouped convolution: forward, backward data and backward weight, in one to three spatial dimensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...model.abi import AbiLayout
from ...model.op import Op
from ...model.problem import round_count
from ..gemm.epilogue import SCALARS, DTensor, Epilogue
from ..package_op import PackageOp
from .checks import MAX_D
from .problem import NAME, ConvProblem
from .shapes import three
from .signature import ConvSignature

__all__ = ["OP", "ConvProblem", "ConvSignature", "DTensor", "Epilogue"]

# Kernels have three spatial dimensions (depth, height, width); missing ones have extent 1.
AXES = ("d", "h", "w")
PER_AXIS = ("input", "filter", "output", "stride", "dilation", "pad")


class ConvOp(PackageOp[ConvProblem]):
    """The convolution operation, as generic code sees it."""

    name = "conv"
    package = __name__
    signature_type = ConvSignature
    extents: tuple[str, ...] = ("n",)
    rounding: tuple[Callable[[int], int], ...] = (round_count,)
    also_called: tuple[str, ...] = (NAME,)
    abi = AbiLayout(
        roles=("input", "weight", "output", *(f"d{i}" for i in range(MAX_D))),
        sizes=("n", "g", "c", "k", *(f"{what}_{axis}" for what in PER_AXIS for axis in AXES)),
        scalars=SCALARS,
    )

    def problem_from_dict(self, data: Mapping[str, Any]) -> ConvProblem:
        """Return a problem from its JSON form."""
        return ConvProblem.from_dict(data)

    def plain_problem(self, dtype: str) -> ConvProblem:
        """Return the dense 3x3 convolution that represents a dtype."""
        size = {"n": 32, "c": 64, "k": 64, "input": [56, 56], "filter": [3, 3], "pad": 1}
        return ConvProblem.from_dict({"direction": "forward", "dtype": dtype, **size})

    def out_roles(self, problem: ConvProblem) -> tuple[str, ...]:
        """Return the tensor that the direction computes."""
        return (problem.result,)

    def may_alias(self, problem: ConvProblem) -> Mapping[str, str]:
        """Return the tensors that may share the memory of a written one, and which one that is."""
        from .tensors import may_alias

        return may_alias(problem)

    def sizes(self, problem: ConvProblem) -> tuple[int, ...]:
        """Return the sizes in the order of the ABI; the padding is the left one (the output implies the right one)."""
        p, left = problem, tuple(pair[0] for pair in problem.pad)
        values = (p.input, p.filter, p.output, p.stride, p.dilation, left)
        return (p.n, p.g, p.c, p.k, *(v for i, axis in enumerate(values) for v in three(axis, 0 if i == 5 else 1)))

    def strides(self, problem: ConvProblem, role: str) -> tuple[int, ...]:
        """Return six strides along the canonical axes as the ABI needs them: 0 along a dimension of extent 1."""
        pairs = zip(problem.stride_of(role), problem.extents(role), strict=True)
        used = tuple(s if n > 1 else 0 for s, n in pairs)
        return (*used[:3], *three(used[3:], 0))

    def scalars(self, problem: ConvProblem) -> tuple[float, ...]:
        """Return the scalars in the order of the ABI."""
        return problem.epilogue.scalars

    def is_empty(self, problem: ConvProblem) -> bool:
        """Return False: a convolution has at least one element."""
        return False

    def copy_in(self, problem: ConvProblem, padded: ConvProblem, role: str, source: Any, target: Any) -> None:
        """Copy one tensor into its zero-filled padded form."""
        from .padding import copy_in

        copy_in(problem, padded, role, source, target)

    def copy_out(self, problem: ConvProblem, padded: ConvProblem, role: str, source: Any, target: Any) -> None:
        """Copy the result out of its padded form."""
        from .padding import copy_out

        copy_out(problem, padded, role, source, target)


OP: Op[ConvProblem] = ConvOp()
