"""One order of summation for all batches of an invariant problem: what is declared, chosen, refused and shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_cpu_kernels import ARCH, gemm_tile

import tilewright as tw
from tilewright.backends import get_backend_op
from tilewright.bundle.pick import Wanted, rank_kernels
from tilewright.cpp.engine import problem_of
from tilewright.dispatcher import Dispatcher
from tilewright.dispatcher.nominal import nominal_device
from tilewright.errors import ProblemError, SelectionError
from tilewright.jit import Cache
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import Registry, default_registry
from tilewright.settings import Settings

GEMM = {"op": "gemm", "m": 64, "n": 4096, "k": 14336, "dtype": "bf16", "layout": "rcr", "summation": "invariant"}
FMHA = {"op": "fmha", "batch": 2, "heads_q": 32, "heads_kv": 8, "seqlen_q": 100, "hdim_q": 128, "dtype": "bf16",
        "summation": "invariant"}  # fmt: skip
ROWS = (1, 2, 7, 16, 17, 33, 48, 100, 160, 255, 256, 257, 352, 720, 1100, 4096, 4097, 9000)
ARCHS = ("sm_90", "sm_80", "x86_64_amx", "x86_64_v4", "x86_64_v3", "x86_64", "aarch64", "aarch64_sve", "generic")
CASES = [
    *((arch, "bf16", "rcr") for arch in ARCHS),
    *((arch, dtype, layout) for arch in ("sm_90", "x86_64_v3", "aarch64")
      for dtype, layout in (("fp32", "rrr"), ("int8", "rcr"), ("fp32", "crr"), ("bf16", "rcc"))),
]  # fmt: skip
LENGTHS = ((1, 1), (1, 17), (3, 128), (64, 300), (1, 5000))


@pytest.fixture(scope="module")
def dispatcher() -> Dispatcher:
    return Dispatcher(settings=Settings(vendor=False))


def orders(explanation: Any) -> set[str]:
    """The orders of all ranked candidates, by their backends."""
    problem = explanation.problem
    return {
        get_backend_op(r.candidate.spec.backend, problem.op).order_of(r.candidate, problem) for r in explanation.ranked
    }


@pytest.mark.parametrize(("arch", "dtype", "layout"), CASES)
def test_one_order_serves_every_number_of_rows(dispatcher: Dispatcher, arch: str, dtype: str, layout: str) -> None:
    found = set()
    for m in ROWS if (layout, dtype) == ("rcr", "bf16") else ROWS[::4]:
        for batch in (1, 3):
            sizes = {"m": m, "batch": batch, "dtype": dtype, "layout": layout, "k": 1500 if layout == "rrr" else 4096}
            explanation = dispatcher.explain(problem_from_dict({**GEMM, **sizes}), arch)
            assert orders(explanation) == {explanation.summation}
            found.add(explanation.summation)
    assert len(found) == 1


@pytest.mark.parametrize("form", [{}, {"mask": "causal_bottom_right"}, {"bias": "elementwise"}, {"dtype": "fp32"},
                                  {"hdim_q": 40}, {"family": "fwd_splitkv", "seqlen_k": 3000}])  # fmt: skip
@pytest.mark.parametrize("arch", ["sm_90", "sm_80", "x86_64_amx", "x86_64_v3", "aarch64"])
def test_one_order_serves_every_batch_of_an_attention(dispatcher: Dispatcher, arch: str, form: dict[str, Any]) -> None:
    found = set()
    for batch, rows in LENGTHS:
        keys = {"seqlen_k": 37 * rows + 1000} if "family" in form else {}
        sizes = {"batch": batch, "seqlen_q": 1 if "family" in form else rows, **keys}
        explanation = dispatcher.explain(problem_from_dict({**FMHA, **form, **sizes}), arch)
        assert orders(explanation) == {explanation.summation}
        found.add(explanation.summation)
    assert len(found) == 1


def test_libraries_and_orders_of_their_own_are_rejected_by_name() -> None:
    explanation = Dispatcher(settings=Settings(vendor=True)).explain(
        problem_from_dict({**GEMM, "n": 64, "k": 64, "dtype": "fp32"}), "x86_64_v3"
    )
    said = {str(rejections[0]) for spec, rejections in explanation.rejected if rejections[0].rule == "summation"}
    assert {r.candidate.spec.backend for r in explanation.ranked} == {"cpu"}
    assert any("declares no order of summation" in text for text in said)
    assert explanation.to_dict(1)["summation"] == explanation.summation


def test_what_was_chosen_for_the_number_of_rows_has_no_name() -> None:
    problem = problem_from_dict({**GEMM, "dtype": "fp32", "summation": "any"})
    op, sm90 = get_backend_op("triton", "gemm"), problem_from_dict(GEMM)
    spec = next(c.spec for c in default_registry(["triton"]).legal(sm90, nominal_device("sm_90"))
                if c.spec.algorithm.split and c.spec.algorithm.pipeline == "hopper")  # fmt: skip
    assert op.order_of(Candidate(spec, Launch(split_k=4)), sm90) == ""
    assert op.order_of(Candidate(spec, Launch(grid=(132,))), sm90) == ""
    assert op.order_of(Candidate(spec, Launch()), sm90) == "triton:hopper:wgmma"
    assert ":x4" in op.order_of(Candidate(spec, Launch(split_k=4)), replace(sm90, split_k=4))
    cpu = KernelSpec("gemm", "cpu", ARCH, problem.signature, gemm_tile(kc=128))
    tiled = get_backend_op("cpu", "gemm")
    assert tiled.order_of(Candidate(cpu, Launch(split_k=2)), problem) == ""
    assert tiled.order_of(Candidate(cpu), problem).endswith(":k128")
    assert not tiled.order_of(Candidate(cpu), replace(problem, k=100)).endswith(":k128")


def test_a_registry_without_an_order_for_all_rows_says_so() -> None:
    registry = Registry()
    problem = problem_from_dict({**GEMM, "m": 4, "n": 64, "k": 600, "dtype": "fp32", "layout": "rcr"})
    few_rows = gemm_tile(kc=512, pipeline="skinny", mr=1, nr=4)
    registry.add(KernelSpec("gemm", "cpu", ARCH, problem.signature, few_rows))
    with pytest.raises(SelectionError, match="declare no order of summation"):
        Dispatcher(registry).explain(problem)
    with pytest.raises(SelectionError, match="no batch-invariant result"):
        Dispatcher(registry).plan(problem)


def test_a_stand_in_never_sums_in_another_order(tmp_path: Path) -> None:
    problem = problem_from_dict({**GEMM, "m": 8, "n": 24, "k": 300, "dtype": "fp32", "layout": "rrr"})
    registry = Registry()
    for priority, kc in enumerate((64, 128)):  # the last is preferred
        registry.add(KernelSpec("gemm", "cpu", ARCH, problem.signature, gemm_tile(kc=kc)), priority)
    settings = Settings.from_env()
    given = []

    def stand_in(problem: Any, tensors: Any) -> bool:
        given.append(problem)
        return False

    made = Dispatcher(registry, "first_fit", settings, Cache(tmp_path / "c", settings=settings), build="background",
                      stand_in=stand_in)  # fmt: skip
    order = made.explain(problem).summation
    other = next(e.spec for e in registry if not order.endswith(f":k{e.spec.algorithm.kc}"))
    made.load(other)  # built, but of another order
    tensors = get_op("gemm").random_tensors(problem, 0)
    made.run(problem, **tensors)
    plan = made.plan(problem)
    assert plan.candidate is not None
    assert plan.awaits is None
    assert not given
    assert order.endswith(f":k{plan.candidate.spec.algorithm.kc}")


def test_the_order_stays_when_measurements_come(dispatcher: Dispatcher) -> None:
    decisions = dispatcher._decisions_of(problem_from_dict(GEMM), "sm_90")
    before = decisions.with_one_order(problem_from_dict(GEMM))
    decisions._changes = -2  # other models: shared decisions are made anew
    assert decisions.with_one_order(problem_from_dict({**GEMM, "m": 3})).summation == before.summation


def test_values_and_places_that_are_refused() -> None:
    with pytest.raises(ProblemError, match="summation"):
        problem_from_dict({**GEMM, "summation": 3})
    with pytest.raises(ProblemError, match="summation"):
        problem_from_dict({**FMHA, "summation": ""})
    with pytest.raises(ProblemError, match="forward"):
        problem_from_dict({**FMHA, "family": "bwd"})
    with pytest.raises(ProblemError, match="no invariant results"):
        problem_of(GEMM)
    with pytest.raises(SelectionError, match="bundles do not choose"):
        rank_kernels([Wanted(problem_from_dict(GEMM))], default_registry(["cpu"]), nominal_device("x86_64_v3"), 3)


def test_the_default_leaves_keys_as_they_were() -> None:
    plain = {name: value for name, value in GEMM.items() if name != "summation"}
    a, b = problem_from_dict(plain), problem_from_dict({**plain, "summation": "any"})
    assert a.exact_key == b.exact_key
    assert "summation" not in b.to_dict()
    asked = problem_from_dict(GEMM)
    assert asked.exact_key != a.exact_key
    assert asked.tuning_key == a.tuning_key


def test_a_name_pins_an_order() -> None:
    a, b = np.ones((3, 600), np.float32), np.ones((600, 8), np.float32)
    dispatcher = tw.Dispatcher()
    with dispatcher.rehearsal() as problems:
        tw.gemm(a, b, invariant=True, dispatcher=dispatcher)
    (problem,) = problems.values()
    pinned = replace(problem, summation="cpu:fma:k256")
    if "fma" in dispatcher.explain(problem).summation:
        assert dispatcher.explain(pinned).summation == "cpu:fma:k256"
