"""Calls of new sizes run like earlier ones: the same problem, results and errors as by the whole way."""

from __future__ import annotations

import functools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from profiled_calls import profiled

import tilewright as tw
from tilewright.dispatcher import Dispatcher
from tilewright.errors import TensorError
from tilewright.frontends import call
from tilewright.frontends.call_series import SPANS
from tilewright.frontends.call_template import CallTemplate, dense
from tilewright.model.problem import identity_of, round_on_cpu
from tilewright.plan import plan
from tilewright.select.chain import Chain
from tilewright.settings import Settings

ARRAYS = np.random.default_rng(0).standard_normal(1 << 16).astype(np.float32)


def array(*shape: int, order: str = "C") -> Any:
    count = int(np.prod(shape))
    return np.array(ARRAYS[:count].reshape(shape), order=order)  # type: ignore[call-overload]


def gemm(size: int, where: Dispatcher) -> Any:
    return tw.gemm(array(size, 16), array(16, 24), dispatcher=where)


def gemm_batch(size: int, where: Dispatcher) -> Any:
    return tw.gemm(array(3, size, 16), array(16, 8), d=array(8), activation="relu", dispatcher=where)


def gemm_columns(size: int, where: Dispatcher) -> Any:
    return tw.gemm(array(size, 16, order="F"), array(16, 8), dispatcher=where)  # strides follow the rows


def gemm_out(size: int, where: Dispatcher) -> Any:
    return tw.gemm(array(size, 16), array(16, 8), out=np.empty((size, 8), np.float32), dispatcher=where)


def conv(size: int, where: Dispatcher) -> Any:
    return tw.conv(array(size, 4, 6, 6), array(8, 4, 3, 3), padding=1, dispatcher=where)


def attention(size: int, where: Dispatcher) -> Any:
    q = array(2, size, 2, 32)
    return tw.attention(q, q, q, causal=True, return_lse=True, dispatcher=where)


def attention_heads_first(size: int, where: Dispatcher) -> Any:
    q, k = array(1, 2, 5, 32), array(1, size, 2, 32).transpose(0, 2, 1, 3)
    return tw.attention(q, k, k, layout="bhsd", dispatcher=where)


def decode(size: int, where: Dispatcher) -> Any:
    return tw.attention(array(2, 2, 1, 32), *[array(2, 2, size, 32)] * 2, layout="bhsd", dispatcher=where)


def decode_slices(size: int, where: Dispatcher) -> Any:
    k = array(2, 2, 211, 32)[:, :, :size]  # no multiple of a size
    return tw.attention(array(2, 2, 1, 32), k, k, layout="bhsd", dispatcher=where)


CALLS = [gemm, gemm_batch, gemm_columns, gemm_out, conv, attention, attention_heads_first, decode, decode_slices]


def templates(where: Dispatcher) -> list[CallTemplate]:
    return [t for known in where.calls.templates.values() for t in known._known.values() if isinstance(t, CallTemplate)]


def scaled(i: int, where: Dispatcher) -> Any:
    return tw.gemm(array(4, 16), array(16, 8), alpha=1.0 + i, dispatcher=where)


def rescaled(i: int, where: Dispatcher) -> Any:
    q = array(2, 5, 2, 32)
    return tw.attention(q, q, q, scale=1.0 + i, dispatcher=where)


def ragged(i: int, where: Dispatcher) -> Any:
    q, ends = array(40, 2, 32), np.array([0, 20, 40], np.int32)
    return tw.attention_varlen(q, q, q, ends, ends, 20 + i, 20 + i, dispatcher=where)


@pytest.mark.parametrize("function", [scaled, rescaled, ragged])
def test_options_that_change_with_each_call_keep_few_templates(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "MAX_TEMPLATES", 4)
    where = Dispatcher()
    most = 0
    for i in range(11):
        function(i, where)
        most = max(most, len(where.calls.templates))
    assert most == (0 if function is ragged else 4), "calls without sizes that may change need none"


@pytest.fixture(scope="module")
def whole_way() -> Dispatcher:
    return Dispatcher()


def by_the_whole_way(function: Any, size: int, where: Dispatcher) -> Any:
    where.forget_calls()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(call._Request, "template", lambda *_: None)
        return function(size, where)


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_a_new_size_gives_what_the_whole_way_gives(function: Any, whole_way: Dispatcher, monkeypatch: Any) -> None:
    where, posed = Dispatcher(), []
    plan = Dispatcher.plan
    monkeypatch.setattr(Dispatcher, "plan", lambda self, problem: posed.append(problem) or plan(self, problem))
    for size in (7, 9, 12, 5, 16, 2, 11, 1):
        got = function(size, where)
        want = by_the_whole_way(function, size, whole_way)
        np.testing.assert_array_equal(
            np.concatenate([np.ravel(x) for x in got]), [x for y in want for x in np.ravel(y)]
        )
        assert identity_of(posed[-1]) == identity_of(posed[-2]), size
    assert templates(where), function


def refused(*_: Any) -> Any:
    raise AssertionError("a call goes the whole way")


def test_later_sizes_need_no_views(monkeypatch: pytest.MonkeyPatch) -> None:
    where = Dispatcher()
    gemm(7, where)
    monkeypatch.setattr(call, "_Request", refused)
    assert gemm(13, where).shape == (13, 24)


@pytest.mark.parametrize("function", [decode, decode_slices], ids=lambda f: f.__name__)
def test_a_decoder_ranks_once_for_near_sizes(
    function: Any, whole_way: Dispatcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, predicted, ranked = Dispatcher(), Chain.predicted, list[Any]()
    for size in (7, 9, 12):
        function(size, where)
    with monkeypatch.context() as patched:
        patched.setattr(call, "_Request", refused)
        patched.setattr(Chain, "predicted", lambda self, p, *rest: ranked.append(p) or predicted(self, p, *rest))
        found = [function(size, where) for size in range(33, 72)]
    # A series is made of the sizes from 34 on: its second and its last size are ranked for it. CPUs that take another
    # kernel for the last one make several series of fewer sizes.
    assert [problem.seqlen_k for problem in ranked[:3]] == [*map(round_on_cpu, (33, 35, 97))]
    assert len(ranked) <= 3 * -(-len(found) // SPANS[-1])
    for size, got in zip(range(33, 72), found, strict=True):
        np.testing.assert_allclose(got, function(size, whole_way), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_a_new_size_of_a_known_bucket_runs_little_python(
    function: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sizes from 129 to 136 share a decision: nothing is ranked, and the launch comes from the first one's template."""
    monkeypatch.setattr("tilewright.select.chain.UNSEEN_S", 1e9)  # it may be time to look at the store again
    where = Dispatcher(settings=Settings.from_env(vendor=False, build="wait", data_dir=str(tmp_path)))
    function(129, where)
    for size in (131, 134):
        calls, files = profiled(functools.partial(function, size, where))
        assert calls <= 150, calls
        assert len(files) <= 15, sorted(files)


def test_tensors_that_contradict_each_other_are_refused() -> None:
    where = Dispatcher()
    for size in (7, 9, 12):
        gemm_out(size, where)
    with pytest.raises(TensorError, match="out has shape"):
        tw.gemm(array(13, 16), array(16, 8), out=np.empty((14, 8), np.float32), dispatcher=where)
    with pytest.raises(TensorError, match="columns"):
        tw.gemm(array(13, 15), array(16, 8), out=np.empty((13, 8), np.float32), dispatcher=where)


def test_a_result_that_overlaps_an_operand_is_refused() -> None:
    where = Dispatcher()
    for size in (7, 9, 12):
        gemm_out(size, where)
    assert templates(where)
    memory = array(40 * 16)
    with pytest.raises(TensorError, match="overlaps"):
        tw.gemm(memory[: 20 * 16].reshape(20, 16), array(16, 8), out=memory[:160].reshape(20, 8), dispatcher=where)


@pytest.mark.exhaustive
@pytest.mark.parametrize("function", CALLS, ids=lambda f: f.__name__)
def test_many_new_sizes_pose_the_problem_of_the_whole_way(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    where, whole_way, posed = Dispatcher(), Dispatcher(), list[Any]()
    plan = Dispatcher.plan
    monkeypatch.setattr(Dispatcher, "plan", lambda self, problem: posed.append(problem) or plan(self, problem))
    draw = random.Random(0)
    for size in draw.sample(range(1, 200), 80):
        got = function(size, where)
        want = by_the_whole_way(function, size, whole_way)
        assert identity_of(posed[-1]) == identity_of(posed[-2]), size
        assert np.shape(got[0]) == np.shape(want[0])


def test_dense_strides() -> None:
    assert dense((2, 3, 4)) == (12, 4, 1)
    assert dense(()) == ()
