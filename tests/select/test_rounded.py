"""Problems near each other are ranked as one on GPUs; which candidates are legal stays the problem's own question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.arch import get_nominal_devices
from tilewright.dispatcher import Dispatcher
from tilewright.model.rounding import round_count, round_rows
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.select import get_selector
from tilewright.select.rounded import rounded
from tilewright.settings import Settings

H200 = next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))
GEMM = {"op": "gemm", "n": 512, "k": 512, "dtype": "fp16", "layout": "rcr", "device": "cuda:0"}
CONV = {"op": "grouped_conv", "direction": "forward", "c": 64, "k": 64, "input": [28, 28], "filter": [3, 3], "pad": 1,
        "dtype": "fp16", "device": "cuda:0"}  # fmt: skip
FMHA = {"op": "fmha", "batch": 2, "heads_q": 8, "hdim_q": 64, "dtype": "fp16", "device": "cuda:0"}
NEAR: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({**GEMM, "m": 500}, {**GEMM, "m": 511}),
    ({**CONV, "n": 65}, {**CONV, "n": 71}),
    ({**FMHA, "seqlen_q": 1000, "seqlen_k": 1000}, {**FMHA, "seqlen_q": 1007, "seqlen_k": 1007}),
]


@pytest.mark.parametrize(("rounding", "finest"), [(round_rows, 16), (round_count, 1)])
@given(size=st.integers(0, 1 << 20))
def test_a_size_is_rounded_up_by_a_few_percent(rounding: Any, finest: int, size: int) -> None:
    found = rounding(size)
    assert size <= found < size + max(finest, size / 8)
    assert rounding(found) == found
    assert rounding(size + 1) >= found


def chain(folder: Path) -> Any:
    return get_selector("chain", Settings.from_env(data_dir=str(folder)))


@pytest.mark.parametrize(("one", "other"), NEAR)
def test_near_problems_share_a_ranking(one: dict[str, Any], other: dict[str, Any], tmp_path: Path) -> None:
    registry, selector = default_registry(["triton"]), chain(tmp_path)
    first, second = problem_from_dict(one), problem_from_dict(other)
    candidates = registry.legal(first, H200)
    found = selector.rank(first, candidates, H200)
    assert selector.rank(second, candidates, H200) is found
    assert found[0] == selector.rank(rounded(first, H200), candidates, H200)[0]
    fresh = chain(tmp_path).rank(second, candidates, H200)  # it does not depend on who came first
    assert fresh[0] == found[0]


def test_another_device_or_other_candidates_are_ranked_anew(tmp_path: Path) -> None:
    registry, selector = default_registry(["triton"]), chain(tmp_path)
    problem = problem_from_dict(NEAR[0][0])
    candidates = registry.legal(problem, H200)
    found = selector.rank(problem, candidates, H200)
    assert selector.rank(problem, list(candidates), H200) is not found
    assert selector.rank(problem, candidates, replace(H200, units=66)) is not found


def test_a_new_model_on_the_shelf_is_used_at_once(tmp_path: Path) -> None:
    registry, selector = default_registry(["triton"]), chain(tmp_path)
    problem = problem_from_dict(NEAR[0][0])
    candidates = registry.legal(problem, H200)
    found = selector.rank(problem, candidates, H200)
    shelf = selector.learned.shelf
    shelf.put(shelf.find("gemm_16bit", "triton", "sm_90"))
    assert selector.rank(problem, candidates, H200) is not found


def test_a_measured_problem_is_itself(tmp_path: Path) -> None:
    """A time of one size says nothing certain about those that share its ranking."""
    from tilewright.store import Store

    registry, selector = default_registry(["triton"]), chain(tmp_path)
    first, second = (problem_from_dict(fields) for fields in NEAR[0])
    candidates = registry.legal(first, H200)
    slowest = list(selector.rank(first, candidates, H200))[-1].candidate
    known = selector.measured
    assert isinstance(known.store, Store)

    def told(problem: Any, given: Any, device: Any) -> Any:
        from tilewright.model.selector import Ranked

        if problem is not first:
            return [], [], given
        return [Ranked(slowest, 1e-9, "measured: now")] * 4, [], [c for c in given if c is not slowest]

    known.known = told
    assert selector.rank(first, candidates, H200)[0].candidate is slowest
    assert selector.rank(second, candidates, H200)[0].candidate is not slowest


def test_cpus_and_exact_selectors_do_not_round(tmp_path: Path) -> None:
    problem = problem_from_dict({**GEMM, "m": 500, "device": "cpu", "dtype": "fp32"})
    cpu = get_nominal_devices("x86_64_v3")[0]
    assert rounded(problem, cpu) is problem


def test_explain_says_as_what_a_problem_was_ranked() -> None:
    dispatcher = Dispatcher(default_registry(["triton"]))
    told = dispatcher.explain(problem_from_dict({**GEMM, "m": 500}), "sm_90")
    assert told.predicted_as == "gemm 512x512x512 fp16_rcr"
    assert told.to_dict(1)["predicted_as"] == told.predicted_as
    assert "predicted_as" not in dispatcher.explain(problem_from_dict({**GEMM, "m": 512}), "sm_90").to_dict(1)
    exact = Dispatcher(default_registry(["triton"]), selector="first_fit")
    assert not exact.explain(problem_from_dict({**GEMM, "m": 500}), "sm_90").predicted_as
