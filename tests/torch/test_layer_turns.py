"""A layer that torch computes faster is left to torch, by measurement, and the report says so."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch import nn

import tilewright.torch as tt
from tilewright.dispatcher import Dispatcher, contest
from tilewright.frontends import default
from tilewright.settings import Settings


class Clock:
    """A clock on which torch takes `seconds[1]`."""

    waiting = False
    seconds = (36e-6, 31e-6)

    def __init__(self) -> None:
        self.found: list[tuple[int, float]] = []

    def measure(self, side: int, run: Any) -> Any:
        self.found.append((side, self.seconds[side]))
        return run()

    def results(self) -> list[tuple[int, float]]:
        found, self.found = self.found, []
        return found


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setattr(contest, "HostClock", Clock)
    monkeypatch.setattr(Clock, "seconds", (36e-6, 31e-6))
    settings = Settings.from_env(vendor=True, data_dir=str(tmp_path))
    monkeypatch.setattr(default, "made", Dispatcher(settings=settings))


def model_of() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 4), nn.ReLU())


@pytest.mark.usefixtures("vendor")
def test_a_slow_layer_is_left_to_torch() -> None:
    model, x = model_of(), torch.ones(3, 8)
    expected = model(x)
    with tt.patch(model) as patched, torch.no_grad():
        for _ in range(260):
            torch.testing.assert_close(model(x), expected)
        (entry,) = patched.report.left
        assert entry.reason == "torch is faster here: 0.031 against 0.036 ms (input 3x8)"
        assert patched.report.taken == []
        assert "left: torch is faster here" in str(patched.report)
        assert patched.report.to_dict()["left"][0]["reason"] == entry.reason
        for _ in range(5):
            model(torch.ones(2, 8))  # other inputs are measured for themselves
        copies = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
        for other in copies:
            torch.testing.assert_close(other(x), expected)


@pytest.mark.usefixtures("vendor")
def test_a_fast_layer_stays_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Clock, "seconds", (31e-6, 36e-6))
    model, x = model_of(), torch.ones(3, 8)
    with tt.patch(model) as patched, torch.no_grad():
        for _ in range(400):
            model(x)
        assert patched.report.left == []
        assert "ours" in patched.report.turns.values()


@pytest.mark.usefixtures("vendor")
def test_nothing_is_compared_in_training_and_deterministic_mode() -> None:
    model, x = model_of(), torch.ones(3, 8)
    with tt.patch(model) as patched:
        for _ in range(3):
            model(x).sum().backward()
        assert not patched.report.turns
        torch.use_deterministic_algorithms(True)
        try:
            with torch.no_grad():
                model(x)
        finally:
            torch.use_deterministic_algorithms(False)
        assert [*patched.report.turns.values()] == ["ours"]


def test_without_vendor_kernels_every_layer_is_ours() -> None:
    model, x = model_of(), torch.ones(3, 8)
    with tt.patch(model) as patched, torch.no_grad():
        model(x)
        assert [*patched.report.turns.values()] == ["ours"]
