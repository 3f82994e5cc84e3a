"""Attention by NumPy in float64, rounded once to the output dtype; every family, every feature."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....errors import TensorError
from ....model.rule import Broken, broken, rule
from ....ops.fmha.problem import FmhaProblem
from ....ops.fmha.problem import FmhaSubject as Subject
from ..op import ReferenceOp, rounded


@rule("reference.fmha.dropout_rng", "semantic", "dropout in (none, philox): the generator of CK is not implemented")
def _dropout_rng(s: Subject) -> Broken | None:
    if s.signature.dropout not in ("none", "philox"):
        return broken(f"dropout by {s.signature.dropout}", "use the philox generator")
    return None


class ReferenceFmhaOp(ReferenceOp[FmhaProblem]):
    """How the reference computes attention."""

    op = "fmha"
    rules = (_dropout_rng,)

    def compute(self, problem: FmhaProblem, arrays: Mapping[str, Any]) -> None:
        """Write every output into its tensor; check the index tensors first."""
        from ....ops.fmha.contents import content_mistakes
        from ....ops.fmha.reference import all_expected

        mistakes = content_mistakes(problem, arrays)
        if mistakes:
            raise TensorError.of(f"tensors of {problem.label()}", mistakes)
        for role, expected in all_expected(problem, arrays).items():
            arrays[role][...] = rounded(expected.value, arrays[role].dtype)


OP = ReferenceFmhaOp()
