"""strip: which problems a strip fits."""

from __future__ import annotations

from ......model.rule import Broken, broken, rule
from ......ops.conv.problem import ConvSubject as Subject
from .course import strip_problem


@rule("triton.conv.strip", "problem", "strips: filter, stride, phase as the problem's on both axes; dilation 1")
def strip(s: Subject) -> Broken | None:
    wrong = strip_problem(s.spec.algorithm, s.problem)
    return broken(wrong, "use a kernel for that filter, window or implicit") if wrong else None
