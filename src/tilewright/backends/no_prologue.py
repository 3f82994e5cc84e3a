"""The rule of backends whose products multiply A and B as they are."""

from __future__ import annotations

from ..model.rule import Broken, Rule, broken, rule
from ..ops.gemm.problem import GemmSubject as Subject
from ..ops.gemm.prologue import prologue_label


def no_prologue(prefix: str) -> Rule:
    """Return the rule that refuses prologues of A and B.

    >>> no_prologue("cpu.gemm").id
    'cpu.gemm.prologue'
    """

    @rule(f"{prefix}.prologue", "semantic", "no prologue of A or B")
    def prologue(s: Subject) -> Broken | None:
        g = s.spec.signature
        if not g.has_prologue:
            return None
        asked = [f"{n}: {prologue_label(p)}" for n, p in (("A", g.prologue_a), ("B", g.prologue_b)) if p]
        remedy = "compute it before the product, or use triton, ck_tile or the kernel set reference_gemm"
        return broken(f"{', '.join(asked)}; these kernels multiply A and B as they are", remedy)

    return prologue
