"""Sweeps: every outcome is recorded, nothing ends the sweep, and whoever is killed leaves a whole store."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from small_kernels import device, make_all, small_problem

from tilewright.errors import TilewrightError
from tilewright.settings import Settings
from tilewright.store import Store
from tilewright.tune.measure import worker
from tilewright.tune.measure.show import SweepLines
from tilewright.tune.measure.station import LocalStation
from tilewright.tune.measure.sweep import Progress, Sweep, SweepReport
from tilewright.tune.measure.task import Event, SweepPolicy, Task

QUICK = SweepPolicy(rounds=3, sample_ms=0.1)
SUPPORT = Path(__file__).parents[2] / "support"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


def sweep(
    store: Store, cache: str, hows: list[str], problems: int = 1, patience: float = 20.0, **options: Any
) -> tuple[SweepReport, LocalStation]:
    candidates, built = make_all(hows, cache)
    station = LocalStation(Settings.from_env(cache_dir=cache, threads=1), patience=patience)
    run = Sweep(store, [station], device(), built, QUICK, **options)  # type: ignore[arg-type]
    try:
        return run.run([(small_problem(m=8 + i), candidates) for i in range(problems)]), station
    finally:
        station.close()


def test_the_measuring_process_has_the_settings_of_the_program(cache: str, tmp_path: Path) -> None:
    """Kernels of a shared cache that only the program's settings name were not found."""
    candidates, built = make_all(["good"], cache)
    settings = Settings.from_env(cache_dir=str(tmp_path / "own"), shared_cache=cache, threads=1)
    station = LocalStation(settings, patience=20.0)
    store = Store(tmp_path / "s.sqlite")
    try:
        Sweep(store, [station], device(), built, QUICK).run([(small_problem(), candidates)])
    finally:
        station.close()
    assert [(row.status, row.message) for row in store.rows()] == [("ok", "")]


def test_every_outcome_is_recorded_and_the_sweep_goes_on(cache: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    report, _ = sweep(store, cache, ["good", "crash", "wrong", "oom", "good"], problems=2)
    assert dict(report.statuses) == {"ok": 4, "crash": 2, "wrong": 2, "oom": 2}
    rows = list(store.rows())
    by_status = {r.status: r for r in rows}
    assert "SIGABRT" in by_status["crash"].message
    assert "tolerance" in by_status["wrong"].message
    assert "99 GB" in by_status["oom"].message
    good = by_status["ok"]
    assert good.tier == "float64"
    assert good.error is not None
    assert good.error <= (good.tolerance or 0)
    assert good.host == os.uname().nodename
    assert good.toolchain == "a test"
    assert good.policy["rounds"] == 3
    assert len(good.samples) == 3
    assert all(not r.samples for r in rows if r.status != "ok")
    assert store.check() == []


def test_a_kernel_that_hangs_is_ended(cache: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    report, _ = sweep(store, cache, ["good", "hang", "good"], patience=10.0)
    assert dict(report.statuses) == {"ok": 2, "hang": 1}
    [hung] = store.rows(status="hang")
    assert "10 s" in hung.message


def test_what_a_kernel_prints_is_no_result(cache: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    report, _ = sweep(store, cache, ["prints", "good"], problems=2)
    assert dict(report.statuses) == {"ok": 4}
    assert store.check() == []


def test_what_is_known_is_not_measured_again(cache: str, tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    sweep(store, cache, ["good", "crash"])
    before = list(store.rows())
    report, _ = sweep(store, cache, ["good", "crash"])
    assert (report.measurements, report.skipped, list(store.rows())) == (0, 2, before)
    more, _ = sweep(store, cache, ["good", "crash", "slow"])  # the best one is sampled again beside the new one
    assert (more.measurements, more.skipped, len(store)) == (2, 2, 3)
    again, _ = sweep(store, cache, ["good", "crash"], refresh=True)
    assert (again.measurements, len(store)) == (2, 3)
    elsewhere = Store(tmp_path / "elsewhere.sqlite")  # an equal device may be slower there
    elsewhere.put(replace(row, host="another", samples=tuple(9 * s for s in row.samples)) for row in store.rows())
    report, _ = sweep(elsewhere, cache, ["good"])
    assert (report.measurements, report.skipped) == (1, 0)


def test_rows_of_an_earlier_build_of_the_same_bytes_are_known(cache: str, tmp_path: Path) -> None:
    first, second = Store(tmp_path / "first.sqlite"), Store(tmp_path / "second.sqlite")
    sweep(first, cache, ["good"])
    second.put(replace(row, build_key="e" * 64) for row in first.rows())
    candidates, built = make_all(["good"], cache)
    for earlier, known in (("f" * 64, 0), ("e" * 64, 1)):
        station = LocalStation(Settings.from_env(cache_dir=cache, threads=1))
        named = {digest: replace(b, earlier=(earlier,)) for digest, b in built.items()}
        store = Store(tmp_path / f"{known}.sqlite")
        store.put(second.rows())
        report = Sweep(store, [station], device(), named, QUICK).run([(small_problem(m=8), candidates)])  # type: ignore[arg-type]
        station.close()
        assert (report.skipped, report.measurements) == (known, 1 - known)


def test_the_deadline_ends_a_sweep(cache: str, tmp_path: Path) -> None:
    candidates, built = make_all(["good"], cache)
    station = LocalStation(Settings.from_env(cache_dir=cache, threads=1))
    run = Sweep(Store(tmp_path / "s.sqlite"), [station], device(), built, QUICK)  # type: ignore[arg-type]
    report = run.run([(small_problem(m=8 + i), candidates) for i in range(3)], deadline=time.monotonic() - 1)
    assert (report.problems, report.unfinished) == (0, 3)


class StoppedClock(LocalStation):
    """A station whose clock stands still."""

    def measure(self, task: Task) -> Iterator[Event]:
        """The events of the real one, with other times."""
        for event in super().measure(task):
            yield replace(event, samples=tuple(0.0 for _ in event.samples))


def test_times_that_no_clock_gives_are_errors_and_the_sweep_goes_on(cache: str, tmp_path: Path) -> None:
    candidates, built = make_all(["good", "slow"], cache)
    store = Store(tmp_path / "s.sqlite")
    station = StoppedClock(Settings.from_env(cache_dir=cache, threads=1))
    report = Sweep(store, [station], device(), built, QUICK).run([(small_problem(), candidates)])  # type: ignore[arg-type]
    station.close()
    assert report.problems == 1
    assert {(r.status, r.samples) for r in store.rows()} == {("error", ())}
    assert "sample of 0.0" in next(store.rows()).message
    assert store.check() == []


class Scripted(LocalStation):
    """A station that tells what it was given: errors by the digest of the kernel, or what it raises."""

    def __init__(self, errors: dict[str, float] | None = None, raises: BaseException | None = None) -> None:
        super().__init__(Settings.from_env(threads=1), name="scripted")
        self._errors, self._raises = errors or {}, raises

    def measure(self, task: Task) -> Iterator[Event]:
        """One outcome and one further sample of each candidate."""
        if self._raises is not None:
            raise self._raises
        for index, choice in enumerate(task.choices):
            error = self._errors.get(choice.digest, 0.1)
            first = Event(index, "ok", (2e-6,), error=error, tolerance=1.0, tier="float64", clocks={"load": error})
            yield replace(first, host=self.host)
            yield Event(index, "ok", (1e-6,), more=True, host=self.host, clocks={"load": error, "shared": index})


def test_the_worst_error_of_all_runs_is_kept(cache: str, tmp_path: Path) -> None:
    """The best candidate is run and verified again with new ones."""
    candidates, built = make_all(["good", "good"], cache)
    store, first = Store(tmp_path / "s.sqlite"), candidates[0].spec.digest
    for error, known in ((0.7, 1), (0.2, 2), (0.9, 2)):
        run = Sweep(store, [Scripted({first: error})], device(), built, QUICK, refresh=error == 0.9)  # type: ignore[arg-type]
        run.run([(small_problem(), candidates[:known])])
        [row] = [r for r in store.rows() if r.spec_digest == first]
        assert row.error == {0.2: 0.7}.get(error, error)
        assert row.clocks == {"load": error, "shared": 0}, "of the last samples"
    assert len(row.samples) == 2, "a refreshed row has only its own samples"


@pytest.mark.parametrize("error", [TilewrightError("it burns"), RuntimeError("it burns")])
def test_a_problem_of_a_station_that_fails_goes_to_the_others_or_is_counted(
    error: Exception, cache: str, tmp_path: Path
) -> None:
    candidates, built = make_all(["good"], cache)
    work = [(small_problem(m=8 + i), candidates) for i in range(6)]
    stations = [Scripted(), Scripted(raises=error)]
    report = Sweep(Store(tmp_path / "s.sqlite"), stations, device(), built, QUICK).run(work)  # type: ignore[arg-type]
    assert report.problems + report.unfinished == 6
    assert all("it burns" in text for text in report.lost)
    with pytest.raises(TilewrightError, match=r"no station is left.*it burns"):
        Sweep(Store(tmp_path / "t.sqlite"), stations[1:], device(), built, QUICK).run(work)  # type: ignore[arg-type]


def test_each_machine_measures_its_own_builds(cache: str, tmp_path: Path) -> None:
    """Compilers may differ: a kernel was looked for under the key of another machine."""
    candidates, built = make_all(["good", "good"], cache)
    first, second = (c.spec.digest for c in candidates)
    there = {first: replace(built[first], build_key="other"), second: replace(built[second], failure="no")}
    for name, known, keys in (
        ("here", {}, {built[first].build_key, built[second].build_key}),
        ("there", there, {"other"}),
    ):
        store, station = Store(tmp_path / f"{name}.sqlite"), Scripted()
        Sweep(store, [station], device(), built, QUICK, built_at={"scripted": known} if known else None).run(  # type: ignore[arg-type]
            [(small_problem(), candidates)]
        )
        assert {row.build_key for row in store.rows()} == keys


def test_known_problems_count_as_done_in_the_progress(cache: str, tmp_path: Path) -> None:
    candidates, built = make_all(["good"], cache)
    store, work = Store(tmp_path / "s.sqlite"), [(small_problem(m=8 + i), candidates) for i in range(4)]
    shown: list[str] = []

    class Lines(SweepLines):
        def step(self, report: SweepReport, label: str) -> None:
            shown.append(self.text(report))

    for part in (work[:3], work):
        shown.clear()
        Sweep(store, [Scripted()], device(), built, QUICK).run(part, progress=Lines(io.StringIO()))  # type: ignore[arg-type]
    assert [text.split("]")[0] for text in shown] == ["[1/4", "[2/4", "[3/4", "[4/4"]
    assert shown[-1].endswith(" 0 s left")


def test_samples_on_shared_cpus_are_counted(cache: str, tmp_path: Path) -> None:
    candidates, built = make_all(["good", "good"], cache)
    out = io.StringIO()
    report = Sweep(Store(tmp_path / "s.sqlite"), [Scripted()], device(), built, QUICK).run(  # type: ignore[arg-type]
        [(small_problem(m=8 + i), candidates) for i in range(3)], progress=SweepLines(out)
    )
    assert report.shared == 3
    assert "3 samples on CPUs that others used too" in out.getvalue()


def test_the_display_is_taken_away_if_a_sweep_breaks_off(cache: str, tmp_path: Path) -> None:
    candidates, built = make_all(["good"], cache)
    stopped: list[bool] = []

    class Bar(Progress):
        def stop(self) -> None:
            stopped.append(True)

    run = Sweep(Store(tmp_path / "s.sqlite"), [Scripted(raises=KeyboardInterrupt())], device(), built, QUICK)  # type: ignore[arg-type]
    with pytest.raises(KeyboardInterrupt):
        run.run([(small_problem(), candidates)], progress=Bar())
    assert stopped == [True]


def test_a_long_round_gives_signs_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parent stops a process that is silent for longer than its patience."""
    monkeypatch.setattr(worker, "SIGN_SECONDS", 0.0)
    meter: Any = SimpleNamespace(sample=lambda call: 1e-3, clocks=lambda: {"shared": 1})
    said: list[Any] = []
    calls = dict.fromkeys(range(4))
    worker._rounds(meter, calls, {i: [1e-3] for i in calls}, replace(QUICK, rounds=3), said.append, alone=False)
    assert [m.get("begin") for m in said] == [[0, 1, 2, 3]] * 8 + [None]
    assert [event["clocks"] for event in said[-1]["found"]] == [{"shared": 1}] * 4


def test_a_killed_worker_costs_one_measurement(cache: str, tmp_path: Path) -> None:
    candidates, built = make_all(["good", "slow", "good"], cache)
    store, problems = Store(tmp_path / "s.sqlite"), [small_problem(m=8 + i) for i in range(8)]
    station = LocalStation(Settings.from_env(cache_dir=cache, threads=1))
    killed: list[int] = []

    def kill() -> None:
        while len(store) < 4:
            time.sleep(0.01)
        if station.pid is not None:
            os.kill(station.pid, signal.SIGKILL)
            killed.append(station.pid)

    killer = threading.Thread(target=kill)
    killer.start()
    run = Sweep(store, [station], device(), built, QUICK)  # type: ignore[arg-type]
    report = run.run([(p, candidates) for p in problems])
    killer.join()
    station.close()
    assert killed
    assert report.problems == len(problems)
    assert report.statuses["crash"] <= 1
    assert len(store) == 3 * len(problems)
    assert store.check() == []


def test_a_killed_sweep_leaves_a_whole_store_and_goes_on(cache: str, tmp_path: Path) -> None:
    path, problems, each = tmp_path / "s.sqlite", 12, 4
    command = [sys.executable, str(SUPPORT / "sweep_main.py"), str(path), cache, str(problems)]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert first.stdout is not None
    assert first.stdout.readline() == "sweeping\n"
    store = Store(path)
    end = time.monotonic() + 60
    while len(store) < 9:
        assert time.monotonic() < end, "the sweep does not start"
        time.sleep(0.005)
    first.send_signal(signal.SIGKILL)
    first.wait()
    first.stdout.close()
    had = {r.id: r for r in store.rows()}
    assert store.check() == []
    assert 9 <= len(had) < problems * each
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    finished, measured, skipped = map(int, done.stdout.split()[1:])
    rows = list(store.rows())
    assert store.check() == []
    assert len(rows) == len({r.id for r in rows}) == problems * each
    assert skipped >= len(had) - 1
    assert finished >= problems - len(had) // each - 1
    assert measured <= problems * each - len(had) + 2 * each


def test_a_worker_ends_with_the_process_that_started_it(cache: str, tmp_path: Path) -> None:
    code = (
        "import time\n"
        "from tilewright.tune.measure.station import LocalStation\n"
        "s = LocalStation(); s._start(1); print(s.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    end = time.monotonic() + 60
    while Path(f"/proc/{child}").exists() and "Z" not in Path(f"/proc/{child}/stat").read_text().split()[2]:
        assert time.monotonic() < end, "the worker outlived its parent"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("env", "number", "seen"),
    [
        ({}, 1, ("1", "1")),
        ({"CUDA_VISIBLE_DEVICES": "2,3"}, 0, ("2", "2")),
        ({"CUDA_VISIBLE_DEVICES": "GPU-a, GPU-b"}, 1, ("GPU-b", "GPU-b")),
        ({"CUDA_VISIBLE_DEVICES": "2"}, 1, ("-1", "-1")),
        ({"HIP_VISIBLE_DEVICES": "4,5"}, 1, ("1", "5")),
        ({"CUDA_VISIBLE_DEVICES": "0,1", "HIP_VISIBLE_DEVICES": "4,5"}, 1, ("1", "5")),
    ],
)
def test_a_station_takes_one_of_the_gpus_that_are_left_to_this_process(
    env: dict[str, str], number: int, seen: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES")
    for name in names:
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    station = LocalStation(Settings.from_env(), gpu=number)
    worker = station._env(1)
    assert tuple(worker[name] for name in names) == seen
    task = Task({**small_problem().to_dict(), "device": f"cuda:{number}"}, (), QUICK)
    assert station._message(task, [], False)["problem"]["device"] == "cuda:0"
    assert task.problem["device"] == f"cuda:{number}"
