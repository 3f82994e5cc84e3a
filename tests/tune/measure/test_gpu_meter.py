"""The GPU meter's way through the candidates of a problem, with a queue and kernels of the host in place of a GPU's."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from statistics import median
from types import SimpleNamespace
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from tilewright.ops.gemm import OP, on_device
from tilewright.ops.gemm.device_checker import device_checker
from tilewright.tune.measure import worker
from tilewright.tune.measure.gpu_sampler import GpuBound, pauses_before
from tilewright.tune.measure.meter_gpu import FEW_SETS, GpuMeter
from tilewright.tune.measure.task import SweepPolicy

PROBLEM = {"op": "gemm", "m": 24, "n": 40, "k": 16, "dtype": "fp16"}

# (kernel, how many times it ran on a set, the set): where something holds up the GPU for a moment.
HICCUPS = {("held up at first", 1, 0), ("held up later", 3, 1)}


class HostQueue:
    """A queue that is done with each launch before the next; its clock moves with the launches alone."""

    stream = 7

    def __init__(self) -> None:
        self.waits, self.now, self.caught_up = 0, 0.0, 0

    def zeros(self, size: int) -> Any:
        return torch.zeros(size, dtype=torch.uint8)

    def pause(self, seconds: float) -> None:
        assert 0 < seconds < 1e-2

    def mark(self) -> float:
        return self.now

    def reached(self, mark: float) -> bool:
        self.caught_up -= 1
        return self.caught_up >= 0

    def wait(self) -> None:
        self.waits += 1

    def seconds(self, begin: float, end: float) -> float:
        return end - begin


class HostMeter(GpuMeter):
    """Kernels by what a choice says of them: their duration, and what they do wrong."""

    def __init__(self, policy: SweepPolicy) -> None:
        super().__init__(policy, HostQueue())
        self.used: list[int] = []
        self.launched: dict[int, int] = {}
        self.held_up = 0

    def bind(self, choice: Mapping[str, Any]) -> GpuBound:
        if choice["how"] == "unbound":
            raise RuntimeError("out of memory")

        def call_on(number: int, tensors: Mapping[str, Any]) -> Any:
            def call(stream: int) -> None:
                assert stream == HostQueue.stream
                self.used.append(number)
                if choice["how"] == "fault":
                    raise RuntimeError("CUDA error: an illegal memory access was encountered")
                product = tensors["a"].float() @ tensors["b"].float()
                tensors["out"].copy_(product * (1.01 if choice["how"] == "wrong" else 1.0))
                self._queue.now += {"slow": 3e-3, "short": 3e-6}.get(choice["how"], 2e-5)
                self.launched[id(call)] = self.launched.get(id(call), 0) + 1
                if (choice["how"], self.launched[id(call)], number) in HICCUPS:
                    self._queue.now += 4e-3
                    self.held_up += 1

            return call

        return GpuBound([call_on(i, t) for i, t in enumerate(self._sets)], 0.0)


@pytest.fixture
def meter(monkeypatch: pytest.MonkeyPatch) -> HostMeter:
    monkeypatch.setattr("tilewright.tune.measure.meter_gpu.get_op", lambda name: SimpleNamespace(
        random_tensors=on_device.random_tensors, checker=device_checker, out_roles=OP.out_roles))  # fmt: skip
    return HostMeter(SweepPolicy())


def run(meter: HostMeter, hows: list[str], **fields: Any) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    task = {"problem": PROBLEM, "policy": SweepPolicy(rounds=4, sample_ms=0.3, cache="rotate").to_dict(),
            "choices": {str(i): {"how": how} for i, how in enumerate(hows)}, **fields}  # fmt: skip
    worker.measure(task, lambda e: events.append(dict(e)), {"cpu": meter})  # type: ignore[dict-item]
    return events


def test_all_candidates_in_three_waits(meter: HostMeter) -> None:
    begin, told, end = run(meter, ["good", "wrong", "unbound", "good", "slow"])
    assert begin == {"begin": [0, 1, 2, 3, 4]}
    assert end == {"end": True}
    found = {e["index"]: e for e in told["found"]}
    assert {i: e["status"] for i, e in found.items()} == {0: "ok", 1: "wrong", 2: "oom", 3: "ok", 4: "ok"}
    assert "tolerance" in found[1]["message"]
    assert found[1]["samples"] == []
    assert found[0]["error"] <= found[0]["tolerance"]
    assert found[0]["tier"] == "device"
    assert found[4]["samples"] == pytest.approx([3e-3] * 2), "the first launch and one more: it is hopelessly slow"
    assert len(found[3]["samples"]) == 4
    assert found[0]["samples"] == pytest.approx([2e-5] * 4)
    assert meter._queue.waits == 2, "and one inside of the comparison"


@pytest.mark.parametrize("how", ["held up at first", "held up later"])
def test_a_moment_that_holds_up_the_gpu_spoils_no_time(meter: HostMeter, how: str) -> None:
    _, told, _ = run(meter, ["good", how])
    assert meter.held_up
    assert median(told["found"][1]["samples"]) == pytest.approx(2e-5)


def test_a_sample_in_which_the_gpu_waited_for_the_host_is_taken_again(meter: HostMeter) -> None:
    meter._queue.caught_up = 3
    _, told, _ = run(meter, ["short", "short"])
    assert [len(e["samples"]) for e in told["found"]] == [4, 4]
    assert meter._queue.waits == 3, "one more for the samples that were worth nothing"


def test_launches_rotate_over_the_sets(meter: HostMeter) -> None:
    run(meter, ["good"])
    timed = meter.used[1:]  # the first one was verified
    assert set(timed) == set(range(FEW_SETS))
    assert all(b == (a + 1) % FEW_SETS for a, b in pairwise(timed))


def test_alone_each_candidate_is_named_before_it_is_touched(meter: HostMeter) -> None:
    events = run(meter, ["good", "wrong"], alone=True)
    assert events[0] == {"begin": 0}
    assert [e["status"] for e in events if e.get("index") == 1] == ["wrong"]
    assert [e["begin"] for e in events if "begin" in e] == [0, 1, 0, 0]
    assert events[-2]["found"] == [
        {"index": 0, "status": "ok", "more": True, "clocks": {}, "samples": events[-2]["found"][0]["samples"]}
    ]
    assert len(events[-2]["found"][0]["samples"]) == 2


def test_a_fault_of_the_gpu_ends_the_process_and_blames_nobody(meter: HostMeter) -> None:
    with pytest.raises(RuntimeError, match="illegal"):
        run(meter, ["good", "fault"])


def test_pauses_give_the_host_a_lead_where_kernels_are_short() -> None:
    from tilewright.tune.measure.gpu_sampler import MAX_QUEUED

    assert pauses_before([1e-3, 1e-3], [3, 3]) == [0.0, 0.0]
    short = pauses_before([2e-6] * 40, [48] * 40)
    assert short[0] > 0
    filled = [i for i, p in enumerate(short) if p]
    assert all(49 * (b - a) <= MAX_QUEUED for a, b in pairwise([*filled, len(short)]))
    assert sum(short) >= 40 * 49 * 4e-6
