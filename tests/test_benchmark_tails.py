"""The benchmarks of CPU problems against torch: like is compared with like, and a wrong kernel is in no table."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: there is no peer")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks" / "cpu"))
import peer_runs
import tails_cpu
import tails_threads
from conv_cpu import all_candidates

from tilewright.dispatcher import Dispatcher
from tilewright.errors import VerificationError
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.verify import Verification
from tilewright.settings import Settings

PROBLEM = {"op": "gemm", "m": 48, "n": 64, "k": 32, "dtype": "fp32"}


def test_numbers_of_threads_are_compared_on_the_same_problems() -> None:
    """With a budget, four threads reach more of the list than one: their means were of other problems."""

    def line(m: int, ratio: float) -> dict[str, Any]:
        return {"problem": {**PROBLEM, "m": m}, "class": f"M={m}", "ratio": ratio}

    found = tails_threads.by_class({1: [line(1, 2.0)], 4: [line(1, 1.0), line(2, 9.0)]})
    assert {name: dict(by_threads) for name, by_threads in found.items()} == {
        "M=1": {1: [2.0], 4: [1.0]},
        "all": {1: [2.0], 4: [1.0]},
    }
    assert "| all | 2.00 (2.00) | 1.00 (1.00) |" in tails_threads.table(found, [1, 4])
    nothing = tails_threads.by_class({1: [], 4: [line(1, 1.0)]})
    assert tails_threads.table(nothing, [1, 4]).count("\n") == 1


def test_every_launch_of_a_kernel_is_a_candidate(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last of several launches stood for all: the best of all kernels was that of the worst launches."""
    monkeypatch.setattr("conv_cpu.prebuild", lambda *_, **__: None)
    dispatcher = Dispatcher(settings=Settings.from_env(threads=1, vendor=False))
    monkeypatch.setattr(dispatcher, "bind_to", lambda candidate, problem: candidate)
    problem = problem_from_dict({**PROBLEM, "m": 512, "n": 512, "k": 512})
    ranked = [r.candidate for r in dispatcher.explain(problem).ranked]
    found = all_candidates(dispatcher, problem, {})
    assert list(found.values()) == ranked
    assert next(iter(found)) == ranked[0].spec.algorithm.label()


@pytest.mark.parametrize("right", [True, False])
def test_a_wrong_result_ends_a_run_that_checks(right: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    args = SimpleNamespace(check=True, threads=1, rounds=3, own_pool=True, vendor=False, out=None)
    op = get_op("gemm")
    verify = lambda *_, **__: Verification(right, "float64", 1.0, 1.0, 0.5 + right, 2.0 - right)  # noqa: E731
    monkeypatch.setattr(peer_runs, "get_op", lambda _: SimpleNamespace(random_tensors=op.random_tensors, verify=verify))
    dispatcher = Dispatcher(settings=Settings.from_env(threads=1, vendor=False, build="wait"))
    if right:
        assert peer_runs.measure(dispatcher, PROBLEM, args)["ok"] is True
        return
    with pytest.raises(VerificationError, match=r"gemm 48x64x32.*error 1 > tolerance 0\.5"):
        peer_runs.measure(dispatcher, PROBLEM, args)


def test_a_list_without_problems_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["tails_cpu.py", "--op", "gemm", "--only", "nothing", "--own-pool", "--threads", "1"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit, match="no problem is left to time"):
        tails_cpu.main()
