"""Rules that the products (and convolutions) of several backends share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from ..model.rule import Broken, Rule, Subject, broken, rule
from ..ops.gemm.epilogue import SCALARS, Epilogue
from ..ops.gemm.prologue import prologue_label

COMBINE_REMEDY = {
    "add": "add it afterwards",
    "multiply": "multiply afterwards",
    "multiply_add": "multiply B, or the weight, by the factor before the product",
    "gradient": "compute the gradient of the activation afterwards, or use cpu or triton",
}


def split_of(s: Subject[Any]) -> int:
    """Return the parts of K: those of the launch or, without a launch, those that the problem asks for."""
    return s.launch.split_k if s.launch is not None else s.problem.split_k or 1


def unapplied_scalars(prefix: str, applied: Sequence[str] = ("alpha", "beta")) -> tuple[Rule, ...]:
    """Return the rule that refuses scalars of the epilogue that kernels do not apply; none if they apply all.

    >>> unapplied_scalars("cpu.gemm"), [rule.formula for rule in unapplied_scalars("cpu.gemm", ["alpha"])]
    ((), ['beta has its default value'])
    """
    default = {f.name: f.default for f in fields(Epilogue)}
    others = [name for name in SCALARS if name not in applied]

    @rule(f"{prefix}.unapplied", "problem", f"{', '.join(others)} has its default value")
    def unapplied(s: Subject[Any]) -> Broken | None:
        asked = {name: v for name in others if (v := getattr(s.problem.epilogue, name)) != default[name]}
        text = ", ".join(f"{name} = {v:g}" for name, v in asked.items())
        return broken(f"{text}; these kernels do not apply it", "use another backend", **asked) if asked else None

    return (unapplied,) if others else ()


def known_combines(prefix: str, known: Sequence[str]) -> Rule:
    """Return the rule that refuses ways to apply the D operands that kernels do not have.

    >>> known_combines("triton.conv", ["add", "multiply"]).formula
    'combine is add or multiply'
    """
    names = " or ".join(known)

    @rule(f"{prefix}.combine", "semantic", f"combine is {names}")
    def combine(s: Subject[Any]) -> Broken | None:
        found = s.signature.combine
        if found in known:
            return None
        return broken(f"combine {found}; these kernels have {names}", COMBINE_REMEDY[found], combine=found)

    return combine


def no_prologue(prefix: str) -> Rule:
    """Return the rule that refuses prologues of A and B.

    >>> no_prologue("cpu.gemm").id
    'cpu.gemm.prologue'
    """

    @rule(f"{prefix}.prologue", "semantic", "no prologue of A or B")
    def prologue(s: Subject[Any]) -> Broken | None:
        g = s.signature
        if not g.has_prologue:
            return None
        asked = [f"{n}: {prologue_label(p)}" for n, p in (("A", g.prologue_a), ("B", g.prologue_b)) if p]
        remedy = "compute it before the product, or use triton, ck_tile or the kernel set reference_gemm"
        return broken(f"{', '.join(asked)}; these kernels multiply A and B as they are", remedy)

    return prologue
