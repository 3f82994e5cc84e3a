"""Rules of a 1x1 convolution that a backend computes by its own GEMM kernels: the rules of those kernels hold."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.arch import Arch
from ..model.kernel import KernelSpec
from ..model.rule import Broken, Rule, Subject, broken, judge
from ..ops.conv.problem import ConvProblem
from ..ops.conv.product import as_gemm, not_a_product


def kernel_broken(rules: Iterable[Rule], gemm: KernelSpec, arch: Arch) -> Broken | None:
    """The first of `rules` that the GEMM kernel breaks, told as this op's own."""
    return _first(rules, Subject(gemm, arch))


def product_broken(rules: Iterable[Rule], gemm: KernelSpec, arch: Arch, problem: ConvProblem) -> Broken | None:
    """Why `problem` is no product for the GEMM kernel; `rules` are those that look at a problem."""
    why = not_a_product(problem)
    if why:
        return broken(f"no plain matrix product: {why}", "use the implicit pipeline")
    return _first(rules, Subject(gemm, arch, as_gemm(problem)))


def _first(rules: Iterable[Rule], subject: Subject) -> Broken | None:
    for said in judge(rules, subject):
        return broken(f"{said.rule}: {said.message}", said.remedy, **said.values)
    return None
