"""Samples are taken on CPUs that nobody else uses. The machine's speeds are given; moving is real in one test."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from tilewright.tune.measure import quiet
from tilewright.tune.measure.quiet import QuietCpus


class Machine:
    """CPUs with a time of the loop each; it knows where the thread is and where the process may run."""

    def __init__(self, *microseconds: float) -> None:
        self.times = list(microseconds)
        self.at: tuple[int, ...] = ()
        self.process: tuple[int, ...] = ()
        self.looked: list[int] = []

    def move(self, cpus: Sequence[int], whole: bool) -> None:
        self.at = tuple(cpus)
        if whole:
            self.process = tuple(cpus)

    def seconds(self) -> float:
        assert len(self.at) == 1, "the loop must know on which CPU it runs"
        self.looked.append(self.at[0])
        return self.times[self.at[0]]

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


@pytest.mark.parametrize("threads", [quiet.MOST_THREADS + 1, 9])
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
def test_really_moves_this_thread() -> None:
    before = os.sched_getaffinity(0)
    try:
        QuietCpus(1).settle()
        assert len(os.sched_getaffinity(0)) == 1
        assert os.sched_getaffinity(0) <= before
    finally:
        os.sched_setaffinity(0, before)
