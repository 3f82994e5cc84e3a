"""Problems near each other share a decision; which candidates are legal stays the problem's own question."""

from __future__ import annotations

import random
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.arch import get_nominal_devices
from tilewright.backends import get_backend_op
from tilewright.dispatcher import Dispatcher
from tilewright.model.device import Device
from tilewright.model.problem import round_count, round_on_cpu, round_rows
from tilewright.model.rule import broken, rule
from tilewright.model.selector import Ranked
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.select import get_selector
from tilewright.select.decisions import Decisions
from tilewright.settings import Settings

H200 = next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))
CPU = get_nominal_devices("x86_64_v3")[0]
GEMM = {"op": "gemm", "n": 512, "k": 512, "dtype": "fp16", "layout": "rcr", "device": "cuda:0"}
CONV = {"op": "grouped_conv", "direction": "forward", "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3], "pad": 1,
        "dtype": "fp16", "device": "cuda:0"}  # fmt: skip
FMHA = {"op": "fmha", "batch": 2, "heads_q": 8, "hdim_q": 64, "dtype": "fp16", "device": "cuda:0"}
NEAR: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({**GEMM, "m": 500}, {**GEMM, "m": 511}),
    ({**CONV, "n": 65}, {**CONV, "n": 71}),
    ({**FMHA, "seqlen_q": 1000, "seqlen_k": 1000}, {**FMHA, "seqlen_q": 1007, "seqlen_k": 1007}),
]


@pytest.mark.parametrize(("rounding", "finest"), [(round_rows, 16), (round_count, 1), (round_on_cpu, 1)])
@given(size=st.integers(0, 1 << 20))
def test_a_size_is_rounded_up_by_a_few_percent(rounding: Any, finest: int, size: int) -> None:
    found = rounding(size)
    assert size <= found < size + max(finest, size / 8)
    assert rounding(found) == found
    assert rounding(size + 1) >= found


def chain(folder: Path) -> Any:
    return get_selector("chain", Settings.from_env(data_dir=str(folder)))


def decisions(folder: Path, device: Device = H200) -> Decisions:
    return Decisions(default_registry(["cpu" if device is CPU else "triton"]), chain(folder), device)


@pytest.mark.parametrize(("one", "other"), NEAR)
def test_near_problems_share_a_decision(one: dict[str, Any], other: dict[str, Any], tmp_path: Path) -> None:
    made, first, second = decisions(tmp_path), problem_from_dict(one), problem_from_dict(other)
    asked: list[Any] = []
    legal = made.registry.legal
    made.registry.legal = lambda *given: asked.append(given) or legal(*given)  # type: ignore[method-assign,func-returns-value]
    found = made.rank(first)[0]
    assert made.rank(second)[0] is found
    assert len(asked) == 1
    assert decisions(tmp_path).rank(second)[0] == found  # it does not depend on who came first
    assert next(iter(made.rank(first))) is found
    assert len(made.rank(first)) == len(legal(first, H200))


@pytest.mark.parametrize("device", [H200, CPU], ids=lambda device: device.arch)
def test_a_shared_decision_is_a_legal_candidate_of_the_problem(device: Device, tmp_path: Path) -> None:
    made, rng, on_cpu = decisions(tmp_path, device), random.Random(5), device is CPU
    for fields, name in ((GEMM, "m"), (CONV, "n"), ({**FMHA, "seqlen_q": 100}, "seqlen_k")):
        for _ in range(12):
            given = {**fields, name: rng.randint(1, 900)}
            problem = problem_from_dict({**given, "device": "cpu", "dtype": "fp32"} if on_cpu else given)
            best = made.rank(problem)[0].candidate
            found = [(c.spec.digest, c.launch) for c in made.registry.legal(problem, device)]
            assert (best.spec.digest, best.launch) in found, problem.label()


def test_a_kernel_that_rules_refuse_is_not_taken_over(tmp_path: Path) -> None:
    made = decisions(tmp_path)
    first, second = (problem_from_dict(fields) for fields in NEAR[0])
    refused = made.rank(first)[0].candidate.spec
    op, own = get_backend_op(refused.backend, refused.op), astuple(refused.algorithm)
    never = rule("test.never", "problem", "m is another")(
        lambda s: broken("refused") if s.problem.m == second.m and astuple(s.spec.algorithm) == own else None
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(op), "rules", (*op.rules, never))
        made = decisions(tmp_path)
        assert made.rank(first)[0].candidate.spec == refused
        assert made.rank(second)[0].candidate.spec != refused


def test_a_launch_that_a_size_does_not_have_is_replaced_by_its_best(tmp_path: Path) -> None:
    """A small problem runs on one thread, one of the next size on all; both have the same rounded sizes."""
    made = decisions(tmp_path, CPU)
    gemm = {"op": "gemm", "n": 64, "k": 64, "dtype": "fp32"}
    small, large = (problem_from_dict({**gemm, "m": m}) for m in (47, 49))
    threads = [made.rank(problem)[0].candidate.launch.threads for problem in (small, large)]
    assert threads == [1, CPU.threads]


def test_a_new_model_on_the_shelf_is_used_at_once(tmp_path: Path) -> None:
    made, problem = decisions(tmp_path), problem_from_dict(NEAR[0][0])
    found = made.rank(problem)[0]
    assert made.rank(problem)[0] is found
    models = made.selector.learned.models  # type: ignore[attr-defined]
    models.put(models.find("gemm_16bit", "triton", "sm_90"))
    assert made.rank(problem)[0] is not found


def test_a_measured_problem_is_itself(tmp_path: Path) -> None:
    """A time of one size says nothing certain about those that share its decision."""
    made = decisions(tmp_path)
    first, second = (problem_from_dict(fields) for fields in NEAR[0])
    slowest = [*made.rank(first)][-1].candidate
    known: Any = made.selector.measured  # type: ignore[attr-defined]
    known.rows = lambda problem, device: {"some": []} if problem is first else {}

    def told(problem: Any, given: Any, device: Any) -> Any:
        if problem is not first:
            return [], [], given
        return [Ranked(slowest, 1e-9, "measured: now")] * 4, [], [c for c in given if c is not slowest]

    known.known = told
    assert made.rank(first)[0].candidate is slowest
    assert made.rank(second)[0].candidate is not slowest


def test_explain_says_as_what_a_problem_was_ranked() -> None:
    dispatcher = Dispatcher(default_registry(["triton"]))
    told = dispatcher.explain(problem_from_dict({**GEMM, "m": 500}), "sm_90")
    assert told.predicted_as == "gemm 512x512x512 fp16_rcr"
    assert told.to_dict(1)["predicted_as"] == told.predicted_as
    assert "predicted_as" not in dispatcher.explain(problem_from_dict({**GEMM, "m": 512}), "sm_90").to_dict(1)
    exact = Dispatcher(default_registry(["triton"]), selector="first_fit")
    assert not exact.explain(problem_from_dict({**GEMM, "m": 500}), "sm_90").predicted_as
