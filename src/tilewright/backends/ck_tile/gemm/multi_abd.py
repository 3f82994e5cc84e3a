"""Kernels with several tensors for A and B (CK's "multi-ABD"): their C++, their argument and its values."""

from __future__ import annotations

from typing import Any

from ....model.tensor import Addresses
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.prologue import MAX_OPERANDS, STEPS, PrologueStep, with_tensor
from ....ops.gemm.signature import GemmSignature
from ...cpp_text import CppText, cpp, cpp_join, cpp_name

# Arguments of the pipeline's problem; the names are those of the generated header.
MULTI_ABD = {
    "ADataType": cpp("As"),
    "BDataType": cpp("Bs"),
    "AElementWise": cpp("PrologueA"),
    "BElementWise": cpp("PrologueB"),
    "ComputeDataType": cpp("A"),  # CK's default is the tuple
}


def several(s: GemmSignature) -> dict[str, Any]:
    """Return how many tensors A and B are combined with, and the steps in C++."""
    return {
        "a": len(with_tensor(s.prologue_a)),
        "b": len(with_tensor(s.prologue_b)),
        "steps_a": _steps(s.prologue_a),
        "steps_b": _steps(s.prologue_b),
    }


def _steps(steps: tuple[PrologueStep, ...]) -> CppText:
    return cpp_join(cpp("tilewright_ck::Step::{}", cpp_name(STEPS, s.op, "step of a prologue")) for s in steps)


def more_addresses(problem: GemmProblem, addresses: Addresses) -> dict[str, list[int]]:
    """Return the addresses of the tensors that A and B are combined with, as lists of a fixed length."""
    found = {}
    for side, steps in (("a", problem.prologue_a), ("b", problem.prologue_b)):
        given = [addresses[f"{side}{i + 1}"] for i in range(len(with_tensor(steps)))]
        found[f"more_{side}"] = [*given, *([0] * (MAX_OPERANDS - len(given)))]
    return found
