"""1x1 convolutions that a backend computes by its own GEMM kernels: the rules of those kernels hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ..model.arch import Arch
from ..model.kernel import KernelSpec
from ..model.rule import Broken, Check, Rejection, Rule, Subject, broken, judge
from ..ops.conv.planes import as_planes, not_planes
from ..ops.conv.problem import ConvProblem
from ..ops.conv.product import as_gemm, not_a_product
from ..ops.gemm.problem import GemmProblem

PRODUCTS = ("gemm", "planes")  # pipelines that are products: of channels-last and of channels-first images


def kernel_broken(rules: Iterable[Rule], gemm: KernelSpec, arch: Arch) -> Broken | None:
    """Return the first of `rules` that the GEMM kernel breaks, as a rule of this op."""
    return _first(rules, Subject(gemm, arch))


def product_rule(id: str, rules: Iterable[Rule], gemm_spec: Callable[[KernelSpec], KernelSpec]) -> Rule:
    """Return the rule that a problem is a product for the GEMM kernel `gemm_spec`; `rules` are GEMM's problem rules."""
    text = "pipelines gemm, planes: 1x1, stride 1, no padding, pixels as rows or columns; the gemm rules hold"
    parts: tuple[Check, ...] = (_is_product, *(partial(_holds, gemm_spec, r) for r in rules))
    return Rule(id, "problem", text, partial(_first_broken, parts), parts)


def product_of(pipeline: str, problem: ConvProblem) -> GemmProblem:
    """Return the product that a pipeline makes of a 1x1 convolution."""
    return as_planes(problem) if pipeline == "planes" else as_gemm(problem)


def _is_product(s: Subject[Any]) -> Broken | None:
    why = None
    if s.algorithm.pipeline in PRODUCTS:
        why = not_planes(s.problem) if s.algorithm.pipeline == "planes" else not_a_product(s.problem)
    return broken(f"not a plain matrix product: {why}", "use the implicit pipeline") if why else None


def _holds(gemm_spec: Callable[[KernelSpec], KernelSpec], one: Rule, s: Subject[Any]) -> Broken | None:
    if s.algorithm.pipeline not in PRODUCTS:
        return None
    said = one.check(Subject(gemm_spec(s.spec), s.arch, product_of(s.algorithm.pipeline, s.problem), s.launch))
    return None if said is None else _retold(one.id, said)


def _first_broken(parts: Iterable[Check], s: Subject[Any]) -> Broken | None:
    return next((found for part in parts if (found := part(s)) is not None), None)


def _first(rules: Iterable[Rule], subject: Subject[Any]) -> Broken | None:
    for said in judge(rules, subject):
        return _retold(said.rule, said)
    return None


def _retold(id: str, said: Broken | Rejection) -> Broken:
    return broken(f"{id}: {said.message}", said.remedy, **said.values)
