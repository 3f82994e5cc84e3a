"""The timer on a made-up clock, so that every number is known; and once on the real one."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

from tilewright.errors import DeviceError, TilewrightError, UnknownNameError
from tilewright.tune.measure.timer import TWIN, Comparison, CpuTimer, Policy, Timing, timer_for

FAST = Policy(rounds=5, warmup_ms=0.0, min_sample_ms=1.0, settle_ms=0.0, rewarm_ms=0.0)


class Clock:
    """A clock that only calls move."""

    def __init__(self) -> None:
        self.now = 0
        self.calls: list[str] = []

    def __call__(self) -> int:
        return self.now

    def call(self, name: str, *microseconds: float) -> Callable[[], None]:
        """A call that takes these times in turn, the last one for ever."""
        left = list(microseconds)

        def run() -> None:
            self.calls.append(name)
            self.now += int(1000 * (left.pop(0) if len(left) > 1 else left[0]))

        return run


def test_a_known_call_has_its_known_time() -> None:
    clock = Clock()
    result = CpuTimer(clock).compare({"a": clock.call("a", 100)}, FAST)
    assert result.timings["a"].seconds == pytest.approx(100e-6)
    assert result.timings["a"].calls == 10  # 1 ms of samples at 100 us each
    assert result.noise_floor == 0.0
    assert result.timings["a"].spread == 0.0


def test_ratio_is_theirs_over_ours() -> None:
    clock = Clock()
    result = CpuTimer(clock).compare({"ours": clock.call("o", 100), "theirs": clock.call("t", 250)}, FAST)
    assert result.first == "ours"
    assert result.ratio("theirs") == pytest.approx(2.5)


def test_calls_are_interleaved_and_the_order_turns() -> None:
    clock = Clock()
    policy = Policy(rounds=3, warmup_ms=0.0, min_sample_ms=0.001, settle_ms=0.0, rewarm_ms=0.0)
    CpuTimer(clock).compare({"a": clock.call("a", 100), "b": clock.call("b", 100)}, policy)
    samples = "".join(clock.calls[6:])  # after 3 calls of warm-up each
    rounds = [samples[i : i + 6 : 2] for i in range(0, len(samples), 6)]  # a sample is one untimed and one timed call
    assert [sorted(r) for r in rounds] == [["a", "a", "b"]] * 3
    assert len(set(rounds)) > 1


def test_a_machine_that_drifts_slows_both_sides_alike() -> None:
    """Both get slower in every round: separate runs would disagree, round by round the ratio stays exact."""
    clock = Clock()
    factor = [1.0]

    def drifting(base: float) -> Callable[[], None]:
        def run() -> None:
            clock.now += int(1000 * base * factor[0])
            factor[0] *= 1.001

        return run

    result = CpuTimer(clock).compare({"ours": drifting(100), "theirs": drifting(200)}, FAST)
    assert result.timings["ours"].spread > 0.02
    assert result.ratio("theirs") == pytest.approx(2.0, rel=0.04)


def test_the_noise_of_a_comparison_includes_the_peers() -> None:
    ours, theirs = Timing.of([1.0] * 11, 1), Timing.of([9.0, 0.1, *[2.0] * 6, 3.0, 3.0, 11.0], 1)
    found = Comparison({"ours": ours, "theirs": theirs}, ours, Policy())
    assert found.ratio("theirs") == 2.0
    assert found.interval("theirs") == (2.0, 9.0), "the outer tenth on each side is left out"
    assert found.noise_floor == 0.0
    assert found.noise == pytest.approx(7.0 / 4.0)


def test_noise_floor_is_the_first_call_against_itself() -> None:
    """Call 7 and call 9 are the first two timed calls of the twin; both are 30% slow, so the median ratio is 1.3."""
    clock, turns = Clock(), [0]

    def uneven() -> None:
        turns[0] += 1
        clock.now += 130_000 if turns[0] in (7, 9) else 100_000

    policy = Policy(rounds=3, warmup_ms=0.0, min_sample_ms=0.001, settle_ms=0.0, rewarm_ms=0.0)
    result = CpuTimer(clock).compare({"a": uneven}, policy)
    assert result.noise_floor == pytest.approx(0.3)
    assert TWIN not in result.timings


def test_the_time_limit_leaves_at_least_three_rounds() -> None:
    clock = Clock()
    policy = Policy(rounds=100, warmup_ms=0.0, min_sample_ms=1.0, settle_ms=0.0, rewarm_ms=0.0, max_seconds=0.001)
    result = CpuTimer(clock).compare({"slow": clock.call("s", 10_000)}, policy)
    assert len(result.timings["slow"].samples) == 3


def test_cold_evicts_before_each_timed_call() -> None:
    clock = Clock()
    policy = Policy(rounds=3, cache="cold", warmup_ms=0.0, settle_ms=0.0, rewarm_ms=0.0)
    timer = CpuTimer(clock, evict=lambda: clock.calls.append("evict"))
    result = timer.compare({"a": clock.call("a", 5)}, policy)
    assert result.timings["a"].calls == 1
    samples = clock.calls[2:]
    assert samples[:3] == ["a", "evict", "a"]
    assert samples.count("evict") == 6  # three rounds of the call and of its twin


def test_warm_up_runs_until_it_is_warm() -> None:
    clock = Clock()
    policy = Policy(rounds=3, warmup_ms=1.0, min_sample_ms=1.0, settle_ms=0.0, rewarm_ms=0.0)
    result = CpuTimer(clock).compare({"a": clock.call("a", 5000, 100)}, policy)
    assert result.timings["a"].seconds == pytest.approx(100e-6)  # the slow first call is in no sample


def test_a_sample_waits_for_others_to_sleep_and_for_itself_to_wake(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, slept = Clock(), []
    monkeypatch.setattr("tilewright.tune.measure.timer.time.sleep", slept.append)
    policy = Policy(rounds=3, warmup_ms=0.0, min_sample_ms=0.1, settle_ms=7.0, rewarm_ms=1.0)
    result = CpuTimer(clock).compare({"a": clock.call("a", 100)}, policy)
    assert slept == [0.007] * 6
    assert len(clock.calls) == 3 + 6 * (10 + result.timings["a"].calls)  # 1 ms of waking is ten calls
    assert Policy.for_threads(2).settle_ms > 30 > Policy.for_threads(1).settle_ms
    assert Policy.for_threads(2, settle_ms=1.0, rounds=5).settle_ms == 1.0


def test_the_garbage_collector_is_held_back_and_given_back() -> None:
    seen: list[bool] = []
    CpuTimer().compare(
        {"a": lambda: seen.append(gc.isenabled())}, Policy(rounds=3, min_sample_ms=0.001, settle_ms=0.0, rewarm_ms=0.0)
    )
    assert not any(seen)
    assert gc.isenabled()


def test_the_collector_is_given_back_when_a_call_fails() -> None:
    with pytest.raises(ZeroDivisionError):
        CpuTimer().compare({"a": lambda: 1 / 0}, FAST)
    assert gc.isenabled()


def test_quartiles() -> None:
    timing = Timing.of([5.0, 1.0, 2.0, 4.0, 3.0], calls=1)
    assert (timing.low, timing.seconds, timing.high) == (2.0, 3.0, 4.0)
    assert timing.spread == pytest.approx(2 / 3)


def test_wrong_policies_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="hot"):
        Policy(cache="luke-warm")
    with pytest.raises(TilewrightError, match="at least 3"):
        Policy(rounds=2)
    with pytest.raises(TilewrightError, match="nothing was given"):
        CpuTimer().compare({}, FAST)
    with pytest.raises(DeviceError, match="tpu"):
        timer_for("tpu")


@pytest.mark.timing
def test_on_the_real_clock_twice_the_work_takes_about_twice_as_long() -> None:
    work = {"once": lambda: sum(range(20_000)), "twice": lambda: (sum(range(20_000)), sum(range(20_000)))}
    result = CpuTimer().compare(work, Policy(rounds=9, min_sample_ms=2.0, settle_ms=0.0, rewarm_ms=0.0))
    assert 1.3 < result.ratio("twice") < 3.0
