"""Contests between our kernels and those of libraries: who decides, what it costs, and where there is none."""

from __future__ import annotations

import ctypes
import gc
import json
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from host_cpu_kernels import ARCH, gemm_tile

import tilewright as tw
from tilewright.backends.vendor import cost
from tilewright.dispatcher import clocks, contest
from tilewright.dispatcher.contest import WithLibraries
from tilewright.dispatcher.library_check import LibraryCheck
from tilewright.frontends import default
from tilewright.model.kernel import KernelSpec
from tilewright.model.kernel_set import KernelSet
from tilewright.model.selector import Ranked
from tilewright.ops import get_op, problem_from_dict
from tilewright.registry import Registry
from tilewright.settings import Settings

P = problem_from_dict({"op": "gemm", "m": 24, "n": 40, "k": 32, "dtype": "fp32", "layout": "rrr"})


class Clock:
    """A clock that knows how long each side takes."""

    waiting, least_s = False, 0.0
    seconds = (2e-3, 1e-3)
    measured: list[int]

    def __init__(self) -> None:
        self.found: list[tuple[int, float]] = []
        Clock.measured = []

    def measure(self, side: int, run: Any) -> None:
        run()
        Clock.measured.append(side)
        self.found.append((side, self.seconds[side]))

    def results(self) -> list[tuple[int, float]]:
        found, self.found = self.found, []
        return found


@pytest.fixture
def open_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "prices", dict)  # nothing is known about libraries
    monkeypatch.setattr(contest, "HostClock", Clock)
    monkeypatch.setattr(Clock, "seconds", (2e-3, 1e-3))


def dispatcher_of(folder: Path, selector: Any = "analytical", library: str = "blas", **more: Any) -> tw.Dispatcher:
    registry = Registry()
    registry.add(KernelSpec("gemm", "cpu", ARCH, P.signature, gemm_tile(kc=128)))
    registry.declare(KernelSet("library", "gemm", "vendor", ({"library": library},)))
    settings = Settings.from_env(data_dir=str(folder), vendor=True, build="wait", **more)
    return tw.Dispatcher(registry, selector, settings)


def call(dispatcher: tw.Dispatcher, times: int, rows: int = 24) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((rows, 32), np.float32), rng.standard_normal((32, 40), np.float32)
    for _ in range(times):
        out = tw.gemm(a, b, dispatcher=dispatcher)
        np.testing.assert_allclose(out, a @ b, rtol=1e-4, atol=1e-4)


def backend_of(dispatcher: tw.Dispatcher) -> str:
    candidate = dispatcher.plan(P).candidate
    assert candidate is not None
    return candidate.spec.backend


@pytest.mark.usefixtures("open_case")
def test_the_first_calls_decide_and_are_remembered(tmp_path: Path) -> None:
    dispatcher = dispatcher_of(tmp_path)
    call(dispatcher, 150)
    assert not dispatcher.events  # too few calls for 1%
    call(dispatcher, 150)
    assert backend_of(dispatcher) == "vendor"
    event = dispatcher.events[-1]
    assert (event.kind, "1 ms against 2 ms" in event.message) == ("contest", True)
    assert backend_of(dispatcher_of(tmp_path)) == "vendor"  # another process knows it
    assert json.loads((tmp_path / "contests.jsonl").read_text())["problem"] == P.label()


@pytest.mark.usefixtures("open_case")
def test_the_winner_runs_before_calls_are_prepared_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A net has many contests: each of them would let all of its calls be prepared again."""
    dispatcher = dispatcher_of(tmp_path)
    ran: list[str] = []
    while not dispatcher.events:
        call(dispatcher, 1)
    prepared = dispatcher.calls
    turns = next(plan.contest for plan in dispatcher._plans.all() if plan.contest is not None)._turns
    assert turns.take_turn(lambda: ran.append("ours"), lambda: ran.append("theirs")) is None
    assert (ran, turns.library_won) == (["theirs"], True)
    monkeypatch.setattr("tilewright.dispatcher.dispatcher.DETOURS", 8)
    call(dispatcher, 5)
    assert dispatcher.calls is prepared  # these went the way of the contest
    call(dispatcher, 5)
    assert dispatcher.calls is not prepared
    kept = dispatcher.calls
    call(dispatcher, 20)
    assert dispatcher.calls is kept


def test_calls_that_decide_nothing_take_no_turn() -> None:
    turns = contest.Turns("cpu", lambda seconds: False, lambda: False, Clock())
    ran = list[str]()
    for _ in range(50):
        turns.take_turn(lambda: ran.append("ours"), lambda: ran.append("theirs"))
    assert ran == ["ours"] * 50
    assert [turns.rests() for _ in range(100)] == [True] * 100  # the library may be tried after 200 calls


@pytest.mark.usefixtures("open_case")
def test_measuring_on_a_gpu_costs_one_percent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "costs", clocks.EVENTS_COST, raising=False)
    ends: list[Any] = []
    turns = contest.Turns("cpu", ends.append, lambda: False, Clock())
    for count in range(1, 1000):
        turns.take_turn(lambda: None, lambda: None)
        assert Clock.measured.count(0) * clocks.EVENTS_COST <= contest.SHARE * count + clocks.EVENTS_COST
        if ends:
            break
    assert ends == [(2e-3, 1e-3)]


class Waves(Clock):
    """A clock of a GPU that waits for the host, but for one call of ours, which found work before it."""

    typical = staticmethod(clocks.GpuClock.typical)
    seconds = (2e-3, 1e-3)

    def measure(self, side: int, run: Any) -> None:
        super().measure(side, run)
        if side == 0 and Clock.measured.count(0) in (2, 8):
            self.found[-1] = (0, 1e-5)


@pytest.mark.usefixtures("open_case")
def test_the_middle_time_counts_on_a_gpu() -> None:
    ends: list[Any] = []
    turns = contest.Turns("cpu", ends.append, lambda: False, Waves())
    while not ends:
        turns.take_turn(lambda: None, lambda: None)
    assert ends == [(2e-3, 1e-3)]


@pytest.mark.usefixtures("open_case")
def test_a_slow_library_costs_one_percent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "seconds", (1e-3, 2e-3))
    dispatcher = dispatcher_of(tmp_path)
    spent = []
    for count in range(1, 900):
        call(dispatcher, 1)
        spent.append(2 * Clock.measured.count(1) / count)  # a call that is measured follows one that is not
        if dispatcher.events:
            break
    assert max(spent) <= 0.0101
    assert backend_of(dispatcher) == "cpu"
    assert dispatcher.events[-1].kind == "contest"


@pytest.mark.usefixtures("open_case")
def test_no_contest_where_runs_must_be_equal(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    reproducible = dispatcher_of(tmp_path / "a", reproducible=True)
    call(reproducible, 2)
    assert reproducible.plan(P).contest is None
    torch.use_deterministic_algorithms(True)
    try:
        deterministic = dispatcher_of(tmp_path / "b")
        call(deterministic, 2)
        assert deterministic.plan(P).contest is None
    finally:
        torch.use_deterministic_algorithms(False)
    assert dispatcher_of(tmp_path / "c").plan(P).contest is not None


@pytest.mark.usefixtures("open_case")
def test_the_deterministic_mode_may_begin_after_a_contest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's kernel, which a time had chosen, went on."""
    torch = pytest.importorskip("torch")
    import tilewright.torch as tt

    dispatcher = dispatcher_of(tmp_path)
    monkeypatch.setattr(default, "made", dispatcher)
    a, b = torch.randn(24, 2000), torch.randn(2000, 40)
    problem = problem_from_dict({**P.to_dict(), "k": 2000})

    def results() -> list[Any]:
        """By Python, by the words of an earlier call, and as a layer calls."""
        with torch.no_grad():
            return [f(a, b) for f in (tw.gemm, tw.gemm, tt.matmul, lambda a, b: tt.linear(a, b.mT))]

    def backend() -> str:
        found = dispatcher.plan(problem).candidate
        return "" if found is None else found.spec.backend

    while not dispatcher.events:
        tw.gemm(a, b)
    theirs = results()[0]
    assert backend() == "vendor"
    prepared = dispatcher.calls
    for _ in range(2):
        torch.use_deterministic_algorithms(True)
        try:
            ours = results()
            assert backend() == "cpu"
            assert dispatcher.plan(problem).contest is None
        finally:
            torch.use_deterministic_algorithms(False)
        assert not torch.equal(ours[0], theirs)  # else this shows nothing
        assert all(torch.equal(found, ours[0]) for found in ours)
        assert all(torch.equal(found, theirs) for found in results())
        assert (backend(), dispatcher.calls) == ("vendor", prepared)


@pytest.mark.usefixtures("open_case")
def test_nothing_takes_turns_in_a_capture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dispatcher = dispatcher_of(tmp_path)
    call(dispatcher, 40)
    monkeypatch.setattr(contest, "captures", lambda place: True)
    call(dispatcher, 400)
    assert 1 not in Clock.measured


@pytest.mark.usefixtures("open_case")
def test_outcomes_of_other_versions_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call(dispatcher_of(tmp_path), 400)
    assert backend_of(dispatcher_of(tmp_path)) == "vendor"
    monkeypatch.setattr("tilewright.backends.vendor.op.version_of", lambda library: "another version")
    assert backend_of(dispatcher_of(tmp_path)) == "cpu"


@pytest.mark.usefixtures("open_case")
def test_a_damaged_file_is_reported(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    tmp_path.joinpath("contests.jsonl").write_text('not JSON\n{"ours": 1}\n[]\n')
    assert backend_of(dispatcher_of(tmp_path)) == "cpu"
    assert "3 of 3 lines" in caplog.text


def test_a_prediction_decides_beyond_its_doubt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for factor, backend, is_open in ((1e-3, "vendor", False), (1.0, "cpu", True), (1e3, "cpu", False)):
        dispatcher = dispatcher_of(tmp_path)
        own = dispatcher.registry.legal(P, dispatcher.device_for(P))[0]
        seconds = dispatcher.explain(P).ranked
        mine = next(r.seconds for r in seconds if r.candidate.spec == own.spec) or 0.0
        monkeypatch.setattr(cost, "seconds", lambda spec, problem, device, t=mine * factor: t)
        monkeypatch.setattr(cost, "doubt", lambda spec, problem: 1.5)
        plan = dispatcher_of(tmp_path).plan(P)
        assert (plan.candidate.spec.backend, plan.contest is not None) == (backend, is_open)  # type: ignore[union-attr]


def test_measurements_decide(tmp_path: Path) -> None:
    from tilewright.model.selector import Ranked

    dispatcher = dispatcher_of(tmp_path)
    selector, device = dispatcher.selector, dispatcher.device_for(P)
    assert isinstance(selector, WithLibraries)
    ours, theirs = dispatcher.registry.legal(P, device)[:2]
    sides = Ranked(ours, 2.0, "measured: 2 s"), Ranked(theirs, 1.0, "measured: 1 s")
    assert selector._standing(P, *sides, device) == "theirs"
    assert selector._standing(P, *sides[::-1], device) == "ours"


def test_explain_ranks_both(tmp_path: Path) -> None:
    ranked = dispatcher_of(tmp_path).explain(P).ranked
    assert {r.candidate.spec.backend for r in ranked} == {"cpu", "vendor"}


def test_a_library_that_fails_has_lost(caplog: pytest.LogCaptureFixture) -> None:
    ends: list[Any] = []
    turns = contest.Turns("cpu", ends.append, lambda: False)

    def refuse() -> str:
        raise RuntimeError("not for these strides")

    assert {turns.take_turn(lambda: "ours", refuse) for _ in range(3000)} == {"ours"}
    ((ours, theirs),) = ends
    assert 0 < ours < theirs == float("inf")
    assert "not for these strides" in caplog.text


@pytest.mark.usefixtures("open_case")
def test_problems_of_nearly_the_same_size_share_a_contest(tmp_path: Path) -> None:
    dispatcher = dispatcher_of(tmp_path, "chain")
    call(dispatcher, 400, rows=97)
    assert dispatcher.events[-1].kind == "contest"
    near = [problem_from_dict({**P.to_dict(), "m": m}) for m in (97, 99, 140)]
    assert [dispatcher.choose(p).candidate.spec.backend for p in near] == ["vendor", "vendor", "cpu"]
    assert len((tmp_path / contest.CONTESTS).read_text().splitlines()) == 1


@pytest.mark.usefixtures("open_case")
@pytest.mark.parametrize("library", ["blas", "torch"])
def test_a_library_that_is_wrong_has_lost(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """On addresses and on tensors. Its result is checked before any caller gets one."""
    if library == "torch":
        pytest.importorskip("torch", reason="torch is not installed")
    dispatcher = dispatcher_of(tmp_path, library=library)
    kind = contest.PointerTurns if library == "blas" else contest.TensorTurns
    begin = kind.__init__

    def wrong(self: Any, turns: Any, mine: Any, other: Any, check: Any) -> None:
        begin(self, turns, mine, other, check)
        right = self._other

        def spoilt(*given: Any) -> None:
            right(*given)
            last = given[-1]
            (ctypes.c_float * 1).from_address(last if isinstance(last, int) else last.ctypes.data)[0] += 1.0

        self._other = spoilt

    monkeypatch.setattr(kind, "__init__", wrong)
    call(dispatcher, 400)
    assert "is wrong for gemm 24x40x32" in caplog.text
    assert backend_of(dispatcher) == "cpu"


@pytest.mark.usefixtures("open_case")
@pytest.mark.parametrize("library", ["blas", "torch"])
def test_calls_of_a_dispatcher_decide_too(library: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    dispatcher = dispatcher_of(tmp_path, library=library)
    tensors = get_op("gemm").random_tensors(P, 0)
    for _ in range(400):
        out = dispatcher.run(P, **tensors)
    assert out is tensors["out"]
    np.testing.assert_allclose(out, tensors["a"] @ tensors["b"], rtol=1e-4, atol=1e-4)
    assert dispatcher.open_contests == 0
    assert backend_of(dispatcher) == "vendor"


@pytest.mark.usefixtures("open_case")
@pytest.mark.parametrize("kind", ["read-only", "of-torch"])
def test_tensors_that_a_library_does_not_take_decide_nothing(kind: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    dispatcher = dispatcher_of(tmp_path, library="torch")
    tensors = get_op("gemm").random_tensors(P, 0)
    expected = tensors["a"] @ tensors["b"]
    if kind == "read-only":
        tensors["a"].setflags(write=False)
    else:
        tensors["a"] = torch.from_numpy(tensors["a"])
    for _ in range(500):
        dispatcher.run(P, **tensors)
    np.testing.assert_allclose(tensors["out"], expected, rtol=1e-4, atol=1e-4)
    assert dispatcher.open_contests == 1
    plain = get_op("gemm").random_tensors(P, 0)
    for _ in range(500):
        dispatcher.run(P, **plain)
    assert backend_of(dispatcher) == "vendor", "other tensors decide"


@pytest.mark.usefixtures("open_case")
@pytest.mark.parametrize(("least_s", "samples"), [(0.0, 2), (1.0, contest.SAMPLES)])
def test_short_calls_are_measured_more_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, least_s: float, samples: int
) -> None:
    monkeypatch.setattr(Clock, "least_s", least_s)
    call(dispatcher_of(tmp_path), 1500)
    assert Clock.measured.count(1) == samples


@pytest.mark.usefixtures("open_case")
def test_a_library_that_computes_on_tensors_may_win(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed")
    dispatcher = dispatcher_of(tmp_path, library="torch")
    call(dispatcher, 400)
    assert backend_of(dispatcher) == "vendor"


@pytest.mark.usefixtures("open_case")
@pytest.mark.parametrize("library", ["blas", "torch"])
def test_a_contest_keeps_no_tensor_alive(library: str, tmp_path: Path) -> None:
    """CUDA graphs of torch refuse to be recorded while a tensor of their memory is alive."""
    pytest.importorskip("torch", reason="torch is not installed")
    dispatcher = dispatcher_of(tmp_path, library=library)
    a, b = np.ones((24, 32), np.float32), np.ones((32, 40), np.float32)
    out = tw.gemm(a, b, dispatcher=dispatcher)
    contest_of = dispatcher.plan(P).contest
    assert contest_of is not None
    alive = [weakref.ref(t) for t in (a, b, out)]
    del a, b, out
    gc.collect()
    assert [ref() for ref in alive] == [None] * 3


@pytest.mark.usefixtures("open_case")
@pytest.mark.parametrize("library", ["blas", "torch"])
@pytest.mark.parametrize("calls", [1, 3, 250])
def test_a_dispatcher_with_an_open_contest_is_collected(library: str, calls: int, tmp_path: Path) -> None:
    """Its memo in C holds the call that takes turns, and that holds the dispatcher."""
    pytest.importorskip("torch", reason="torch is not installed")
    dispatcher = dispatcher_of(tmp_path, library=library)
    call(dispatcher, calls)
    assert dispatcher.open_contests == (calls < 250)
    alive, in_c = weakref.ref(dispatcher), dispatcher.calls.in_c
    assert in_c is None or gc.is_tracked(in_c)
    del dispatcher, in_c
    gc.collect()
    assert alive() is None


@pytest.mark.usefixtures("open_case")
def test_a_check_that_fails_decides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Any, *args: Any) -> Any:
        raise MemoryError("no room for the reference")

    monkeypatch.setattr(LibraryCheck, "_verified", fail)
    dispatcher = dispatcher_of(tmp_path)
    call(dispatcher, 400)
    assert "no room for the reference" in caplog.text
    assert backend_of(dispatcher) == "vendor"


def test_a_selector_of_the_program_is_asked_about_our_kernels_only(tmp_path: Path) -> None:
    class SmallestTile:
        name = "smallest_tile"

        def rank(self, problem: Any, candidates: Any, device: Any) -> list[Ranked]:
            ordered = sorted(candidates, key=lambda c: c.spec.algorithm.mr)  # kernels of libraries have no tiles
            return [Ranked(c, None, "the smallest tile") for c in ordered]

    ranked = dispatcher_of(tmp_path, SmallestTile()).explain(P).ranked
    assert [r.candidate.spec.backend for r in ranked] == ["cpu", "vendor"]


def test_times_of_interrupted_calls_are_dropped_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program had the core meanwhile; a machine that is always busy still comes to a decision."""
    count = iter(range(1000))
    monkeypatch.setattr(clocks, "interruptions", lambda: next(count))
    clock = clocks.HostClock()
    for _ in range(clocks.MAX_DROPPED):
        assert clock.measure(1, lambda: "result") == "result"
    assert clock.results() == []
    clock.measure(1, lambda: None)
    clock.measure(0, lambda: None)
    assert [side for side, _ in clock.results()] == [1]
    monkeypatch.setattr(clocks, "interruptions", lambda: 7)
    clock.measure(0, lambda: None)
    assert [side for side, _ in clock.results()] == [0]
