"""Lengths, offsets and page tables in host memory are checked by `run`, by `bind`, and by each call of a bound plan."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tilewright.dispatcher import Dispatcher
from tilewright.errors import TensorError
from tilewright.jit.arrays import view_of
from tilewright.model.problem import Problem
from tilewright.ops import get_op, problem_from_dict
from tilewright.plan import BoundPlan
from tilewright.settings import Settings

SIZES = {"op": "fmha", "batch": 2, "heads_q": 2, "heads_kv": 1, "seqlen_q": 4, "seqlen_k": 24, "hdim_q": 32}
PAGES = {"page_size": 8, "num_pages": 6}
PROBLEMS: dict[str, dict[str, Any]] = {
    "lengths": {**SIZES, "kv_lengths": True},
    "group": {**SIZES, "mode": "group", "total_q": 6, "total_k": 30},
    "pages": {**SIZES, **PAGES, "family": "fwd_splitkv", "lookup": "vllm"},
    "listed pages": {**SIZES, **PAGES, "family": "batch_prefill", "mode": "group", "total_q": 6, "lookup": "sglang"},
    "append": {**SIZES, "family": "fwd_appendkv", "seqlen_new": 2, "seqlen_q": 2},
    "append to pages": {**SIZES, **PAGES, "family": "fwd_appendkv", "seqlen_new": 2, "seqlen_q": 2, "lookup": "vllm"},
    "groups": {"op": "gemm", "m": 8, "n": 8, "k": 8, "groups": 3},
}


def _problem(name: str) -> Problem:
    return problem_from_dict({"dtype": "fp32", **PROBLEMS[name]})


def _indices(name: str) -> list[str]:
    problem = _problem(name)
    op = get_op(problem.op)
    return [role for role in op.roles(problem) if role in op.index_roles]


CASES = [(name, role) for name in PROBLEMS for role in _indices(name)]


def test_every_index_role_is_tried() -> None:
    assert {role for _, role in CASES} == {*get_op("fmha").index_roles, *get_op("gemm").index_roles}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("call", ["run", "bind", "bind_to"])
@pytest.mark.parametrize(("name", "role"), CASES)
def test_wrong_contents_are_refused(name: str, role: str, call: str, strict: bool) -> None:
    problem = _problem(name)
    tensors = get_op(problem.op).random_tensors(problem, 0)
    tensors[role][...] = 10**6
    dispatcher = Dispatcher(settings=replace(Settings.from_env(), strict=strict))
    first = (None,) if call == "bind_to" else ()  # no candidate: it is not reached
    with pytest.raises(TensorError, match=role):
        getattr(dispatcher, call)(*first, problem, **tensors)


def test_a_last_page_that_holds_more_keys_than_the_longest_sequence_is_refused() -> None:
    """A kernel would read a bias past its columns."""
    problem = _problem("listed pages")
    tensors = get_op("fmha").random_tensors(problem, 0)
    for keys in range(17, 25):
        whole, end = replace(problem, seqlen_k=keys), keys - 16
        tensors["page_indptr"][:], tensors["last_page_lens"][:] = [0, 3, 6], [end, end]
        Dispatcher().bind(whole, **tensors)
        if end == 8:
            continue
        tensors["last_page_lens"][1] += 1
        with pytest.raises(TensorError, match=rf"sequence 1 has {keys + 1} keys; the longest may have {keys}"):
            Dispatcher().bind(whole, **tensors)


@pytest.mark.parametrize("hand_made", [False, True])
@pytest.mark.parametrize(("name", "role"), [case for case in CASES if case[0] != "groups"])
def test_each_call_of_a_bound_plan_reads_them(name: str, role: str, hand_made: bool) -> None:
    problem = _problem(name)
    tensors = get_op(problem.op).random_tensors(problem, 0)
    kept, given = tensors[role].copy(), {**tensors}
    if hand_made:  # a view that does not say whose memory it is
        view = view_of(tensors[role])
        given[role] = type(view)(view.address, view.dtype, view.shape, view.strides, view.device, view.readonly)
    bound = Dispatcher().bind(problem, **given)
    first = np.array(bound())
    tensors[role][...] = 10**6
    with pytest.raises(TensorError, match=role):
        bound()
    tensors[role][...] = kept
    if "append" not in name:
        np.testing.assert_array_equal(np.array(bound()), first)


def test_plans_without_indices_are_of_the_class_that_reads_none() -> None:
    problem = problem_from_dict({"op": "gemm", "m": 4, "n": 3, "k": 2, "dtype": "fp32"})
    assert type(Dispatcher().bind(problem, **get_op("gemm").random_tensors(problem, 0))) is BoundPlan
