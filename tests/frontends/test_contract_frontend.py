"""Contractions: those that fold are one batched product without a copy; the others are refused by the dimension."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.ops.gemm import GemmProblem

RNG = np.random.default_rng(0)


@pytest.fixture(scope="module")
def reference() -> tw.Dispatcher:
    registry = tw.Registry("the reference")
    registry.declare(tw.KernelSet("reference.gemm", "gemm", "reference", ({},)))
    return tw.Dispatcher(registry, "first_fit")


def array(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("spec", "a", "b"),
    [
        ("mk,kn->mn", (3, 4), (4, 5)),
        ("ghxyk,ghnk->ghxyn", (2, 3, 4, 5, 6), (2, 3, 7, 6)),  # CK's contraction: G, M, N and K of several dimensions
        ("gxyij,gnij->gxyn", (2, 3, 4, 5, 6), (2, 7, 5, 6)),
        ("xyk,kpq->xpqy", (2, 3, 4), (4, 5, 6)),  # the result in another order
        ("kxy,kn->nxy", (4, 2, 3), (4, 5)),
        ("gk,gk->g", (3, 4), (3, 4)),
        ("ij,ij->", (3, 4), (3, 4)),
        ("x,y->xy", (3,), (4,)),
        ("gxk,gk->gx", (1, 3, 4), (1, 4)),
        ("xk,kn->xn", (0, 4), (4, 5)),
        ("xk,kn->xn", (3, 0), (0, 5)),
    ],
)
def test_a_contraction_is_einsum(spec: str, a: Any, b: Any, reference: tw.Dispatcher) -> None:
    left, right = array(*a), array(*b)
    got = tw.contract(spec, left, right, dispatcher=reference)
    want = np.einsum(spec, left, right)
    assert got.shape == want.shape
    assert np.allclose(got, want, atol=1e-4)
    out = np.array(got, order="C")
    if spec not in ("xyk,kpq->xpqy", "kxy,kn->nxy"):  # a given result has to fold, too
        assert tw.contract(spec, left, right, out=out, dispatcher=reference) is out


def test_strides_and_epilogues_fold(reference: tw.Dispatcher) -> None:
    a, b, d = array(2, 3, 8, 5)[:, :, ::2], array(2, 6, 5).transpose(0, 2, 1), array(2, 3, 4, 6)
    got = tw.contract("gxyk,gkn->gxyn", a, b, d=d, activation="relu", dispatcher=reference)
    assert np.allclose(got, np.maximum(np.einsum("gxyk,gkn->gxyn", a, b) + d, 0), atol=1e-4)


def test_dimensions_that_do_not_lie_together_are_named(reference: tw.Dispatcher) -> None:
    a, b = array(2, 3, 4), array(4, 5)
    with pytest.raises(tw.TilewrightError, match=r"a: 'x' .* and 'y' .* are no one dimension"):
        tw.contract("xyk,kn->xyn", a[:, :2], b, dispatcher=reference)
    with pytest.raises(tw.TilewrightError, match=r"b: .*no one dimension"):
        tw.contract("xij,jin->xn", array(2, 3, 4), array(4, 3, 5), dispatcher=reference)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("mk,kn", "contraction 'mk,kn'"),
        (5, "contraction 5"),
        (["mk,kn->mn"], "contraction"),
        ("mm,mn->n", "a has a letter twice"),
        ("mkj,kn->mn", "a has 2 dimensions"),
        ("mk,nk->mn", "'k' is 4 in a and 5 in b"),
        ("mk,kn->m", "'n' is in one tensor only"),
        ("mk,kn->mnz", "'z' is in one tensor only"),
    ],
)
def test_mistakes_are_named(spec: Any, words: str, reference: tw.Dispatcher) -> None:
    with pytest.raises(tw.TilewrightError, match=words):
        tw.contract(spec, array(3, 4), array(4, 5), dispatcher=reference)


def test_the_product_has_the_strides_of_the_tensors(reference: tw.Dispatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[GemmProblem] = []
    plan = reference.plan
    monkeypatch.setattr(reference, "plan", lambda problem: asked.append(problem) or plan(problem))
    tw.contract("hxyk,hnk->hxyn", array(2, 3, 4, 8), array(2, 6, 8), dispatcher=reference)
    [problem] = asked
    assert (problem.batch, problem.m, problem.n, problem.k, problem.layout) == (2, 12, 6, 8, "rcr")
