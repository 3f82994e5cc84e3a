"""Benchmark records: verified, timed, with every field of the contract, in this process and in workers."""

from __future__ import annotations

import json
import os
import signal
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tilewright.dispatcher import Dispatcher
from tilewright.errors import TilewrightError
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.bench import isolate
from tilewright.tune.bench.peers import PeerCall, Unable, get_peer
from tilewright.tune.bench.record import BenchRecord, bench_problem, bench_problems, merge_records, prebuild
from tilewright.tune.measure.timer import Policy

FIELDS = [
    "problem", "kernel", "digest", "backend", "arch", "device", "time_ms", "tflops", "gbps", "error", "tolerance",
    "tier", "ok", "selector", "peers", "policy",
]  # fmt: skip
QUICK = Policy(threads=1, rounds=3, warmup_ms=0.0, min_sample_ms=0.1, settle_ms=0.0)
SMALL = {"op": "gemm", "m": 48, "n": 40, "k": 32, "dtype": "fp32", "layout": "rrr"}


@pytest.fixture(scope="module")
def dispatcher() -> Dispatcher:
    return Dispatcher(settings=Settings.from_env(threads=1))


def test_a_record_has_every_field_of_the_contract(dispatcher: Dispatcher) -> None:
    problem = problem_from_dict(SMALL)
    record = bench_problem(dispatcher, problem, [get_peer("numpy")], QUICK)
    data = json.loads(json.dumps(record.to_dict()))
    assert list(data) == FIELDS
    assert problem_from_dict(data["problem"]) == problem
    assert data["ok"] is True
    assert 0 <= data["error"] <= data["tolerance"]
    assert data["kernel"].endswith(data["digest"][:8])
    assert data["tflops"] == pytest.approx(problem.flops / data["time_ms"] / 1e9)
    assert data["gbps"] == pytest.approx(problem.bytes / data["time_ms"] / 1e6)
    assert data["peers"]["numpy"]["ratio"] > 0
    assert {"threads", "cache", "mode", "rounds", "spread", "noise_floor", "timer"} <= set(data["policy"])


def test_a_peer_that_cannot_is_recorded_with_its_reason(dispatcher: Dispatcher) -> None:
    record = bench_problem(dispatcher, problem_from_dict({**SMALL, "dtype": "fp16"}), [get_peer("numpy")], QUICK)
    assert record.peers["numpy"]["time_ms"] is None
    assert "fp16" in record.peers["numpy"]["reason"]


class Failing:
    """A library that raises when it is prepared, or when it is called."""

    name = "failing"

    def __init__(self, prepared: bool) -> None:
        self._prepared = prepared

    def version(self) -> str:
        return "failing 1.0"

    def limit_threads(self, threads: int) -> str | None:
        return None

    def prepare(self, problem: Any, tensors: Any) -> PeerCall | Unable:
        if self._prepared:
            return PeerCall(self.call, None, "a call")
        raise RuntimeError("out of memory\nand advice")

    def call(self) -> None:
        raise ValueError


@pytest.mark.parametrize(
    ("prepared", "reason"), [(False, "failing: RuntimeError: out of memory"), (True, "failing: ValueError")]
)
def test_a_peer_that_raises_is_recorded_and_stops_nothing(prepared: bool, reason: str, dispatcher: Dispatcher) -> None:
    problems = [problem_from_dict({**SMALL, "m": m}) for m in (4, 8)]
    first, second = bench_problems(dispatcher, problems, [Failing(prepared)], QUICK)
    assert first.ok
    assert second.ok
    assert first.peers["failing"]["reason"] == second.peers["failing"]["reason"] == reason


def test_a_problem_without_a_kernel_does_not_stop_the_others(dispatcher: Dispatcher) -> None:
    problems = [problem_from_dict({**SMALL, "dtype": "fp64"}), problem_from_dict(SMALL)]
    failed, fine = bench_problems(dispatcher, problems, policy=QUICK)
    assert not failed.ok
    assert "fp64" in (failed.failure or "")
    assert failed.to_dict()["failure"] == failed.failure
    assert fine.ok


def test_an_empty_problem_is_timed_too(dispatcher: Dispatcher) -> None:
    record = bench_problem(dispatcher, problem_from_dict({**SMALL, "m": 0}), policy=QUICK)
    assert (record.ok, record.kernel, record.tflops) == (True, "-", 0.0)


def test_prebuild_counts_each_kernel_once(dispatcher: Dispatcher) -> None:
    assert prebuild(dispatcher, [problem_from_dict(SMALL)] * 2) == 1


def test_merging_keeps_every_peer_and_pools_our_samples() -> None:
    one = BenchRecord(
        {}, "p", time_ms=1.0, tflops=4.0, gbps=1.0, ok=True, samples=(1e-3,), peers={"numpy": {}},
        policy={"noise_floor": 0.1, "noise": 0.4, "quiet": False}, events=("x",),
    )  # fmt: skip
    other = BenchRecord(
        {}, "p", time_ms=3.0, tflops=4 / 3, gbps=1 / 3, ok=False, samples=(3e-3,), peers={"torch": {}},
        policy={"noise_floor": 0.2, "noise": 0.3, "quiet": True}, events=("x",),
    )  # fmt: skip
    merged = merge_records([one, other])
    assert set(merged.peers) == {"numpy", "torch"}
    assert (merged.time_ms, merged.tflops, merged.ok) == (2.0, 2.0, False)
    assert merged.policy == {"noise_floor": 0.2, "noise": 0.4, "quiet": False}
    assert merged.events == ("x",)
    assert merge_records([one, BenchRecord({}, "p", failure="no")]).failure == "no"


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("worst", "ok"), [((0.4, 0.5, "rows"), True), ((3.0, 0.5, "rows"), False), ((float("nan"), 0.5, "rows"), False)]
)
def test_merging_keeps_the_worst_error(worst: tuple[float, float, str], ok: bool, order: int) -> None:
    first = BenchRecord({}, "p", error=0.6, tolerance=1.0, tier="float64", ok=True, time_ms=1.0, samples=(1e-3,))
    other = replace(first, error=worst[0], tolerance=worst[1], tier=worst[2], ok=ok)
    merged = merge_records([first, other][::order])
    assert (merged.ok, repr((merged.error, merged.tolerance, merged.tier))) == (ok, repr(worst))


def test_times_of_different_kernels_are_not_merged() -> None:
    first = BenchRecord({}, "p", kernel="a", digest="1", ok=True, time_ms=1.0, samples=(1e-3,))
    merged = merge_records([first, replace(first, kernel="b", digest="2", time_ms=9.0, samples=(9e-3,))])
    assert merged.failure == "its processes chose different kernels: a, b"
    assert not merged.ok


def test_a_worker_gives_the_same_kind_of_record() -> None:
    [record] = isolate.bench_isolated([SMALL], ["numpy"], QUICK, {"threads": 1, "selector": "analytical"})
    assert record.ok
    assert list(record.to_dict()) == FIELDS
    assert len(record.samples) == 3


def test_a_worker_measures_only_while_its_record_is_awaited() -> None:
    """Else two peers that are timed in processes of their own would disturb each other."""
    before = set(children())
    records = isolate.bench_isolated([SMALL] * 2, ["numpy"], replace(QUICK, min_sample_ms=50.0), {"threads": 1})
    assert next(records).ok
    [worker] = set(children()) - before
    spent = cpu_seconds(worker)
    time.sleep(1.0)
    assert cpu_seconds(worker) - spent < 0.05
    assert next(records).ok
    assert list(records) == []


def children() -> list[int]:
    """The processes that this one has started."""
    return [int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()]


def cpu_seconds(pid: int) -> float:
    """How long a process has computed."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("problems", [1, 3000])  # a job that fits into the pipe, and one that is cut off for sure
def test_a_worker_that_dies_says_so(problems: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    script = tmp_path / "dies.py"
    script.write_text(f"import os, sys\nprint('last words', file=sys.stderr)\nos.kill(os.getpid(), {signal.SIGKILL})\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path) + os.pathsep + os.environ.get("PYTHONPATH", ""))
    monkeypatch.setattr(isolate, "MODULE", "dies")
    with pytest.raises(TilewrightError, match=r"signal 9.*last words"):
        list(isolate.bench_isolated([SMALL] * problems, ["numpy"], QUICK, {}))


def test_a_worker_that_refuses_its_job_gives_the_reason() -> None:
    with pytest.raises(TilewrightError, match="unknown selector"):
        list(isolate.bench_isolated([SMALL], [], QUICK, {"selector": "wishful"}))


@pytest.mark.parametrize(("peers", "blas"), [(["torch"], "1"), (["numpy"], "3")])
def test_only_the_peer_that_is_timed_gets_threads(peers: list[str], blas: str) -> None:
    env: dict[str, Any] = isolate.worker_env(peers, 3)
    assert (env["OPENBLAS_NUM_THREADS"], env["OMP_NUM_THREADS"]) == (blas, "3")
    assert env["PATH"] == os.environ["PATH"]
