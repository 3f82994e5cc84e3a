"""Every rule of ck_tile GEMM kernels, in the order in which rejections are reported.

The numbers in the module docstrings are those of the ten validity rules of CK's dispatcher. A number with several
formulas is several rules here, each with its own id.
"""

from __future__ import annotations

from .....ops.gemm.epilogue import PAIRS
from ....gemm_rules import known_combines, unapplied_scalars
from . import epilogue, family, grouped, memory, preshuffle, problem, prologue, shape, traits, types

RULES = (
    *types.RULES,
    known_combines("ck_tile.gemm", PAIRS),
    *shape.RULES,
    *traits.RULES,
    *memory.RULES,
    *epilogue.RULES,
    *preshuffle.RULES,
    *family.RULES,
    *grouped.RULES,
    *prologue.RULES,
    *problem.RULES,
    *family.PROBLEM_RULES,
    *grouped.PROBLEM_RULES,
    *prologue.PROBLEM_RULES,
    *unapplied_scalars("ck_tile.gemm"),
)
KERNEL_RULES = tuple(r for r in RULES if r.kind != "problem")
PROBLEM_RULES = tuple(r for r in RULES if r.kind == "problem")

__all__ = ["KERNEL_RULES", "PROBLEM_RULES", "RULES"]
