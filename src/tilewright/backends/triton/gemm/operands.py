"""The matrices of a product in memory: as the problem has them, and as a kernel sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ....model.tensor import Addresses
from ....ops.gemm.problem import GemmProblem
from .algorithm import TritonGemm, packed_block


def ceil_div(a: int, b: int) -> int:
    """Return `a / b` rounded up.

    >>> ceil_div(5, 2)
    3
    """
    return -(-a // b)


class Operand(NamedTuple):
    """Address, (batch, row, col) strides and (rows, cols) of a matrix, in elements."""

    address: int
    strides: tuple[int, int, int]
    shape: tuple[int, int]
    dtype: str

    def transposed(self) -> Operand:
        """Return the same memory with rows and columns exchanged."""
        batch, row, col = self.strides
        return Operand(self.address, (batch, col, row), (self.shape[1], self.shape[0]), self.dtype)


def matrices(problem: GemmProblem, addresses: Addresses) -> dict[str, Operand]:
    """Return A, B, out and D operands like it as the problem has them; a packed B with the strides inside a block."""
    p = problem
    found = {
        "a": Operand(addresses["a"], p.stride("a"), (p.m, p.k), p.dtype_a),
        "b": Operand(addresses["b"], p.stride("b"), (p.k, p.n), p.dtype_b),
        "out": Operand(addresses["out"], p.stride("out"), (p.m, p.n), p.dtype_out),
    }
    for i, d in enumerate(p.d):
        if d.broadcast == "none":
            found[f"d{i}"] = Operand(addresses.get(f"d{i}", 0), p.stride(f"d{i}"), (p.m, p.n), d.dtype)
    if problem.b_format != "plain":
        found["b"] = found["b"]._replace(strides=(0, 1, packed_block(problem.dtype_b)))
    return found


def seen_by_kernel(found: Mapping[str, Operand], algorithm: TritonGemm, residual: int | None) -> tuple[Operand, ...]:
    """Return A, B, out and the D operand of this number, if there is one, as the kernel sees them."""
    roles = ("b", "a") if algorithm.swap_ab else ("a", "b")
    seen = (*(found[role] for role in (*roles, "out")), *([] if residual is None else [found[f"d{residual}"]]))
    return tuple(x.transposed() for x in seen) if algorithm.swap_ab else seen


def kernel_sizes(problem: GemmProblem, algorithm: TritonGemm) -> tuple[int, int]:
    """Return rows and columns of the product as the kernel sees it."""
    return (problem.n, problem.m) if algorithm.swap_ab else (problem.m, problem.n)
