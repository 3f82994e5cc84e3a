"""Contests of candidates: each verified alone, the fastest timed again beside the peers, failures recorded."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from small_kernels import make_all, small_problem

from tilewright.backends import get_backend_op
from tilewright.dispatcher import Dispatcher
from tilewright.settings import Settings
from tilewright.tune.bench.peers import get_peer
from tilewright.tune.measure.timer import Policy

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks/gpu"))
from contest import contest

QUICK = Policy(threads=1, rounds=3, warmup_ms=0.0, min_sample_ms=0.1, settle_ms=0.0)
HOWS = ["slow", "good", "wrong", "oom", "good"]


pytest.importorskip("torch")


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, list[Any]]:
    """A dispatcher that loads kernels that behave as HOWS says in place of those of the specs."""
    cache = str(tmp_path_factory.mktemp("cache"))
    candidates, built = make_all(HOWS, cache)
    dispatcher = Dispatcher(settings=Settings.from_env(cache_dir=cache, threads=1))
    op = get_backend_op("cpu", "gemm")
    dispatcher.load = lambda spec: op.load(  # type: ignore[method-assign]
        spec, dispatcher.cache.find(built[spec.digest].build_key)
    )
    return dispatcher, candidates


def test_each_is_judged_alone_and_the_fastest_are_timed_again(field: tuple[Any, list[Any]]) -> None:
    dispatcher, candidates = field
    heard: list[Any] = []
    problem = small_problem()
    found = contest(dispatcher, problem, candidates, [get_peer("numpy")], QUICK, finalists=1, on_start=heard.append)
    slow, good, wrong, failing, again = found.entrants
    assert heard == candidates
    assert slow.right
    assert good.right
    assert again.right
    assert not wrong.right  # the output of the one before, which was right, does not help it
    assert wrong.error is not None
    assert wrong.error > 1
    assert "out of memory" in failing.failure
    assert wrong.quick is failing.quick is None
    # The first one given and the fastest are timed to the end.
    assert slow.seconds is not None
    assert [good.seconds is None, again.seconds is None].count(False) == 1
    assert found.best in (good, again)
    assert found.peers["numpy"] > 0


def test_the_line_of_the_results_is_plain_data(field: tuple[Any, list[Any]]) -> None:
    dispatcher, candidates = field
    found = contest(dispatcher, small_problem(), candidates[1:2], [get_peer("torch_compile")], QUICK)
    line = json.loads(json.dumps(found.to_dict()))
    assert line["candidates"][0]["us"] > 0
    assert line["candidates"][0]["place"] == 0
    assert "only on a GPU" in line["unable"]["torch_compile"]
    assert "torch_compile_us" not in line
