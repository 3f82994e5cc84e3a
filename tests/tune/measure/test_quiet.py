"""Samples are taken on CPUs that nobody else uses. The machine's speeds are given; moving is real in one test."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from tilewright.jit.library import reserve_threads
from tilewright.tune.measure import quiet
from tilewright.tune.measure.quiet import QuietCpus


class Machine:
    """CPUs with a time of the loop each; it knows where the thread is and where the process may run.

    Two CPUs of the same core take twice as long if both work. Without `cores` each CPU has its own.
    """

    def __init__(self, *microseconds: float, cores: Sequence[int] = ()) -> None:
        self.times = list(microseconds)
        self.cores = cores or range(len(microseconds))
        self.at: tuple[int, ...] = ()
        self.process: tuple[int, ...] = ()
        self.looked: list[int] = []

    def move(self, cpus: Sequence[int], whole: bool) -> None:
        self.at = tuple(cpus)
        if whole:
            self.process = tuple(cpus)

    def seconds(self, cpus: Sequence[int]) -> list[float]:
        assert len(cpus) > 1 or tuple(cpus) == self.at, "one loop runs where the thread is"
        self.looked += cpus
        busy = [self.cores[cpu] for cpu in cpus]
        return [self.times[cpu] * busy.count(self.cores[cpu]) for cpu in cpus]

    def cpus(self, threads: int, monkeypatch: pytest.MonkeyPatch) -> QuietCpus:
        monkeypatch.setattr(quiet, "_allowed", lambda: list(range(len(self.times))))
        return QuietCpus(threads, seconds=self.seconds, move=self.move)


def test_takes_a_quiet_cpu_and_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(2.9, 1.6, 3.0, 1.5)
    cpus = machine.cpus(1, monkeypatch)
    assert cpus.settle()
    assert machine.at == (3,)
    assert sorted(machine.looked) == [0, 1, 2, 3]
    machine.looked.clear()
    assert cpus.settle()
    assert cpus.quiet()
    assert machine.looked == [3, 3]


def test_leaves_a_cpu_that_became_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(2.9, 1.6, 3.0, 1.5)
    cpus = machine.cpus(1, monkeypatch)
    cpus.settle()
    machine.times[3] = 2.8
    assert not cpus.quiet()
    assert cpus.settle()
    assert machine.at == (1,)


def test_says_so_if_none_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(1.5, 1.6)
    cpus = machine.cpus(1, monkeypatch)
    assert cpus.settle()
    machine.times = [3.1, 2.9]
    assert not cpus.settle()
    assert machine.at == (1,)
    assert not cpus.quiet()
    machine.times[1] = 1.7
    assert cpus.quiet()


def test_a_change_of_clocks_is_no_neighbour(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(1.5)
    cpus = machine.cpus(1, monkeypatch)
    cpus.settle()
    machine.times[0] = 1.5 * 1.2
    assert cpus.quiet()


def test_threads_get_a_quiet_cpu_each(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(2.9, 1.6, 1.7, 1.5)
    cpus = machine.cpus(2, monkeypatch)
    assert cpus.settle()
    assert sorted(machine.process) == [1, 3]
    assert sorted(machine.at) == [1, 3]
    machine.times[1] = 2.9
    assert not cpus.quiet()
    assert sorted(machine.at) == [1, 3]  # a look does not leave the thread on one of them
    assert cpus.settle()
    assert sorted(machine.process) == [2, 3]


def test_threads_are_not_in_each_others_way(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(1.5, 1.5, 1.6, 1.6, 1.7, 1.7, cores=(0, 0, 1, 1, 2, 2))
    cpus = machine.cpus(2, monkeypatch)
    for _ in range(9):
        assert cpus.settle()
        first, second = machine.process
        assert machine.cores[first] != machine.cores[second]
        machine.times = [3.1 if cpu == first else 1.5 for cpu in range(6)]


def test_cpus_that_came_to_share_a_core_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(1.5, 1.5, 1.6, cores=(0, 1, 2))
    cpus = machine.cpus(2, monkeypatch)
    assert cpus.settle()
    machine.cores = tuple(0 if cpu in machine.process else 1 for cpu in range(3))
    assert not cpus.quiet()
    assert cpus.settle()
    assert len({machine.cores[cpu] for cpu in machine.process}) == 2


def test_threads_of_one_core_are_as_fast_as_it_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(1.5, 1.5, cores=(0, 0))
    cpus = machine.cpus(2, monkeypatch)
    assert cpus.settle()
    assert cpus.quiet()
    machine.times[1] = 2.9
    assert not cpus.quiet()
    assert not cpus.settle()
    assert machine.process == (0, 1)


def test_many_threads_get_a_core_each(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(*[1.5] * 8, cores=[cpu // 2 for cpu in range(8)])
    cpus = machine.cpus(4, monkeypatch)
    assert cpus.settle()
    assert {machine.cores[cpu] for cpu in machine.process} == set(range(4))
    first = machine.process[3]
    machine.times[first] = 3.1  # somebody else came to its core
    for _ in range(9):  # a few sets are tried for each sample
        assert not cpus.quiet()
        if cpus.settle():
            break
    assert first not in machine.process
    assert {machine.cores[cpu] for cpu in machine.process} == set(range(4))


def test_the_calling_thread_keeps_off_the_workers_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(1.5, 1.5, 1.5)
    cpus = machine.cpus(2, monkeypatch)
    cpus.settle()
    with cpus.held():
        assert machine.at == machine.process[:1]
    assert machine.at == machine.process  # threads that start now may run on both


def test_one_look_serves_two_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(1.5, 1.5)
    cpus = machine.cpus(2, monkeypatch)
    cpus.settle()
    machine.looked.clear()
    assert cpus.quiet()
    assert cpus.settle()
    assert machine.looked == [0, 1]
    assert cpus.settle()  # not looked at since then
    assert machine.looked == [0, 1, 0, 1]


@pytest.mark.parametrize("threads", [quiet.MAX_THREADS + 1, 9])
def test_many_threads_are_not_checked(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(*[1.0] * 8)
    cpus = machine.cpus(threads, monkeypatch)
    assert cpus.settle()
    assert cpus.quiet()
    assert not machine.looked
    assert machine.at == ()


def test_a_sandbox_that_refuses_affinities_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("not here")

    monkeypatch.setattr(os, "sched_setaffinity", refuse, raising=False)
    cpus = QuietCpus(1)
    assert cpus.settle()
    assert cpus.quiet()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinities")
def test_really_runs_on_several_cpus_at_once() -> None:
    before = os.sched_getaffinity(0)
    some = sorted(before)[:2]
    assert all(0 < seconds < 10 for seconds in quiet.loop_seconds([some[0], some[-1]]))
    assert os.sched_getaffinity(0) == before


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinities")
def test_workers_get_a_cpu_each() -> None:
    before = sorted(os.sched_getaffinity(0))
    reserve_threads(3)
    end = time.monotonic() + 60
    while not {1, 2} <= set(workers().values()) and time.monotonic() < end:
        time.sleep(0.001)  # a worker names itself when it first runs
    try:
        quiet._move(before, True)
        assert {1, 2} <= set(workers().values())
        assert all(os.sched_getaffinity(task) == {before[i % len(before)]} for task, i in workers().items())
        assert os.sched_getaffinity(0) == set(before)
    finally:
        for task in workers():
            os.sched_setaffinity(task, before)


def workers() -> dict[int, int]:
    """The indices of the pool's threads by their ids."""
    names = {}
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread of somebody else has ended
            names[int(task.name)] = (task / "comm").read_text()
    return {task: int(name.split("-")[1]) for task, name in names.items() if name.startswith("tilewright-")}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system has no affinities")
def test_really_moves_this_thread() -> None:
    before = os.sched_getaffinity(0)
    try:
        QuietCpus(1).settle()
        assert len(os.sched_getaffinity(0)) == 1
        assert os.sched_getaffinity(0) <= before
    finally:
        os.sched_setaffinity(0, before)
