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
    """Return A, B and out as the problem has them; a packed B with the strides inside of one block of k."""
    p = problem
    found = {
        "a": Operand(addresses["a"], p.stride("a"), (p.m, p.k), p.dtype_a),
        "b": Operand(addresses["b"], p.stride("b"), (p.k, p.n), p.dtype_b),
        "out": Operand(addresses["out"], p.stride("out"), (p.m, p.n), p.dtype_out),
    }
    if problem.b_format != "plain":
        found["b"] = found["b"]._replace(strides=(0, 1, packed_block(problem.dtype_b)))
    return found


def seen_by_kernel(found: Mapping[str, Operand], algorithm: TritonGemm) -> tuple[Operand, Operand, Operand]:
    """Return A, B and out as the kernel sees them."""
    a, b, out = found["a"], found["b"], found["out"]
    return (b.transposed(), a.transposed(), out.transposed()) if algorithm.swap_ab else (a, b, out)


def kernel_sizes(problem: GemmProblem, algorithm: TritonGemm) -> tuple[int, int]:
    """Return rows and columns of the product as the kernel sees it."""
    return (problem.n, problem.m) if algorithm.swap_ab else (problem.m, problem.n)
