"""A patched model is compared as a whole: if its calls are slower than torch's, all layers are left to torch."""

from __future__ import annotations

import copy
import pickle
import threading
import time
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn
from torch.utils.checkpoint import checkpoint

from tilewright.dispatcher import Dispatcher
from tilewright.frontends import default
from tilewright.settings import Settings
from tilewright.torch import model_turns, op_linear, patch, warm_up
from tilewright.torch.layer_turns import OURS, TORCHS, faster, is_left, kind_of, mode_now
from tilewright.torch.model_turns import BLOCK, BLOCKS, All, ModelTurns, _Blocks
from tilewright.torch.modules import TilewrightLinear


class Times:
    """A clock that a test moves on."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def decided(own: float, other: float, trains: bool, calls: int = 10_000) -> tuple[bool | None, int, int]:
    """Return who won, calls of torch's side until then, and all calls until then."""
    clock, recorded = Times(), []
    blocks = _Blocks("cpu", trains, lambda mine, theirs: recorded.append((mine, theirs)))
    blocks._mark = clock
    theirs = 0
    for number in range(calls):
        side = blocks.begin(True, lambda: True)
        if blocks.torch_won is not None:
            assert bool(recorded) is blocks.torch_won
            return blocks.torch_won, theirs, number
        clock.now += other if side else own
        theirs += side
        blocks.end()
        clock.now += 0.0 if trains else 50.0  # what a program does between two calls does not count
    return None, theirs, calls


@pytest.mark.parametrize("trains", [False, True])
def test_the_faster_side_wins(trains: bool) -> None:
    sure = BLOCK * (BLOCKS if trains else 1)
    assert decided(1.0, 0.7, trains)[:2] == (True, sure)
    assert decided(1.0, 1.4, trains)[:2] == (False, sure)
    assert decided(1.0, 0.95, trains)[:2] == (True, BLOCK * BLOCKS)
    assert decided(1.0, 1.0, trains)[0] is False


@pytest.mark.parametrize("other", [1.02, 1.08])
def test_calls_of_a_slower_torch_cost_a_share_of_the_time(other: float) -> None:
    won, theirs, calls = decided(1.0, other, True)
    assert won is False
    assert (theirs - BLOCK) * (other - 1) <= 0.0101 * calls


@pytest.mark.parametrize("each", [2, 3, 4, 6])
@pytest.mark.parametrize("phase", range(6))
def test_steps_of_several_calls_are_compared_as_a_whole(each: int, phase: int) -> None:
    """An optimizer after every second call, say, takes as long as a call of ours."""
    for own, other in ((1.0, 1.3), (1.3, 1.0)):
        clock = Times()
        blocks = _Blocks("cpu", True, lambda mine, theirs: None)
        blocks._mark = clock
        for number in range(phase, 10_000):
            side = blocks.begin(True, lambda: True)
            if blocks.is_over:
                break
            clock.now += other if side else own
            blocks.end()
            clock.now += 1.0 if number % each == 0 else 0.0
        assert blocks.torch_won is (other < own)


@pytest.mark.parametrize("kinds", [2, 3])
def test_steps_that_never_follow_each_other_end_as_ours(kinds: int) -> None:
    """Two shapes in turn, or an evaluation after each step: no time of a step can be measured."""
    every = [_Blocks("cpu", True, lambda mine, theirs: None) for _ in range(kinds)]
    theirs = 0
    for number in range(400 * kinds):
        theirs += every[number % kinds].begin(False, lambda: True)
        every[number % kinds].end()
    assert [blocks.torch_won for blocks in every] == [False] * kinds
    assert theirs == BLOCK * BLOCKS * kinds


def test_calls_of_other_kinds_are_no_part_of_a_step() -> None:
    clock = Times()
    blocks = _Blocks("cpu", True, lambda own, other: None)
    blocks._mark = clock
    for number in range(200):
        blocks.begin(number % 3 != 0, lambda: True)
        blocks.end()
        clock.now += 1.0 if number % 3 != 2 else 1000.0  # a long evaluation before every third call
    assert sorted(blocks._seconds) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert {seconds for block in blocks._seconds.values() for seconds in block} == {1.0}


@pytest.fixture
def vendor(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    settings = Settings.from_env(vendor=True, data_dir=str(tmp_path))
    monkeypatch.setattr(default, "made", Dispatcher(settings=settings))


def settled(patched: Any, model: nn.Module, x: Any) -> None:
    """Let the layers be decided for ours."""
    model(x)
    patched.report.turns.update(dict.fromkeys(patched.report.turns, OURS))


@pytest.mark.usefixtures("vendor")
@pytest.mark.parametrize("trains", [False, True])
def test_a_model_that_is_slower_as_a_whole_is_left_to_torch(monkeypatch: pytest.MonkeyPatch, trains: bool) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 8))
    x = torch.randn(4, 8, requires_grad=trains)
    right = model(x)
    ours = TilewrightLinear._ours
    slow = [0]

    def slower(*args: Any) -> Any:
        slow[0] += 1
        time.sleep(0.003)
        return ours(*args)

    with torch.set_grad_enabled(trains), patch(model, only=["linear"]) as patched:
        settled(patched, model, x)
        monkeypatch.setattr(TilewrightLinear, "_ours", slower)
        monkeypatch.setattr(op_linear, "recalled", lambda *args: None)  # a known call would not come that far
        for _ in range(60):
            result = model(x)
            if trains:
                result.sum().backward()
        torch.testing.assert_close(result, right)
        calls = slow[0]
        assert calls > 0
        model(x)
        assert slow[0] == calls  # torch computes all layers
        assert [entry.path for entry in patched.report.left] == ["0", "2", "4"]
        assert all("torch is faster here" in str(e.reason) for e in patched.report.left)
        assert "the whole model" in str(patched.report)
        other = torch.randn(5, 8, requires_grad=trains)
        model(other)
        assert patched.report.table is patched.report.turns  # other inputs are decided for themselves
        assert patched.report.turns.keys() >= {(path, *kind_of(other), mode_now(True)) for path in "024"}
        patched.refresh()
        assert not patched.report.left
        assert patched._turns is not None
    assert not model._forward_pre_hooks
    assert not model._forward_hooks


@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("sides", [(OURS, TORCHS), (TORCHS, OURS), (TORCHS, TORCHS)])
def test_a_checkpoint_drops_the_same_numbers_twice(sides: tuple[str, str], reentrant: bool) -> None:
    """Another call of the model between both passes may have changed who computes the layers."""
    x, seed = torch.randn(1, 2, 16, 32), 5

    def gradient(*sides: str, **how: Any) -> Any:
        q = x.clone().requires_grad_()
        patched.report.table = All(sides[0])
        torch.manual_seed(seed)
        result = checkpoint(attention, q, **how) if how else attention(q)
        patched.report.table = All(sides[-1])
        result.square().sum().backward()
        return result.detach(), q.grad

    def attention(q: Any) -> Any:
        return nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=0.5)

    with patch(nn.Sequential(nn.Linear(8, 8), nn.ReLU())) as patched:
        for got, want in zip(gradient(*sides, use_reentrant=reentrant), gradient(OURS), strict=True):
            torch.testing.assert_close(got, want)


@pytest.mark.parametrize("trains", [False, True])
def test_a_call_that_fails_is_not_measured(trains: bool) -> None:
    clock = Times()
    blocks = _Blocks("cpu", trains, lambda own, other: None)
    blocks._mark = clock
    for number in range(100):
        blocks.begin(True, lambda: True)
        clock.now += 1.0
        if number % 2:
            blocks.end()
        clock.now += 0.0 if number % 2 else 1000.0
    assert blocks._seconds
    assert {seconds for block in blocks._seconds.values() for seconds in block} == {1.0}


def test_few_kinds_of_inputs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_turns, "MAX_KINDS", 3)
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    with patch(model, only=["linear"]) as patched, torch.no_grad():
        for rows in range(1, 8):
            model(torch.ones(rows, 8))
        assert patched._turns is not None
        assert len(patched._turns._kinds) == 3


def test_copies_and_files_of_a_patched_model() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    x = torch.randn(4, 8)
    right = model(x)
    with patch(model, only=["linear"]):
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            torch.testing.assert_close(other(x), right)
            assert [type(hook.__self__) for hook in other._forward_pre_hooks.values()] == [ModelTurns]


@pytest.mark.usefixtures("vendor")
def test_a_model_whose_layers_are_all_torchs_needs_no_kernels() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    x = torch.ones(4, 8)
    with patch(model, only=["linear"]) as patched, torch.no_grad():
        model(x)
        patched.report.turns.update(dict.fromkeys(patched.report.turns, TORCHS))
        patched.report.leave("0", "torch is faster here")
        assert warm_up(model, x, backward=False) == []


@pytest.mark.usefixtures("vendor")
def test_a_rehearsal_takes_no_part() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    with patch(model, only=["linear"]) as patched:
        for _ in range(3):
            warm_up(model, torch.ones(4, 8), backward=False)
        assert patched._turns._kinds == {}  # type: ignore[union-attr]


@pytest.mark.usefixtures("vendor")
def test_a_call_in_another_thread_takes_no_part() -> None:
    began, go_on = threading.Event(), threading.Event()

    class Waits(nn.Module):
        def forward(self, x: Any) -> Any:
            if threading.current_thread() is not threading.main_thread():
                began.set()
                assert go_on.wait(60)
            return x

    model = nn.Sequential(nn.Linear(8, 8), Waits())
    with patch(model, only=["linear"]) as patched, torch.no_grad():
        turns = patched._turns
        assert turns is not None
        thread = threading.Thread(target=model, args=(torch.ones(4, 8),))
        thread.start()
        assert began.wait(60)
        model(torch.ones(5, 8))
        assert len(turns._kinds) == 1
        go_on.set()
        thread.join()
        assert turns._thread is None
        model(torch.ones(5, 8))
        assert len(turns._kinds) == 2


def test_only_devices_with_a_clock_are_compared() -> None:
    model = nn.Sequential(nn.Linear(8, 8, device="meta"), nn.ReLU())
    with patch(model, only=["linear"]) as patched:
        for _ in range(60):
            model(torch.ones(4, 8, device="meta"))
        assert patched._turns._kinds == {}  # type: ignore[union-attr]
        assert set(patched.report.turns.values()) <= {OURS}


@pytest.mark.usefixtures("vendor")
@pytest.mark.parametrize("kind", [nn.Linear, lambda i, o: nn.Conv1d(i, o, 1)])
def test_what_was_measured_does_not_count_where_runs_must_agree(kind: Any) -> None:
    layer = kind(8, 8)
    x = torch.randn(2, 8, 8)
    with patch(layer, only=["linear", "conv"]) as patched, torch.no_grad():
        layer(x)
        patched.report.turns.update(dict.fromkeys(patched.report.turns, TORCHS))
        layer(x)
        assert is_left(vars(layer), x)
        torch.use_deterministic_algorithms(True)
        try:
            assert not is_left(vars(layer), x)
            asked: list[Any] = []
            faster(layer, x, asked.append, lambda x: None)
            assert len(asked) == 1
        finally:
            torch.use_deterministic_algorithms(False)


@pytest.mark.usefixtures("vendor")
def test_nothing_is_compared_where_runs_must_agree() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    torch.use_deterministic_algorithms(True)
    try:
        with patch(model, only=["linear"]) as patched:
            for _ in range(60):
                model(torch.ones(4, 8))
                assert patched.report.table.get("any call") is OURS
            torch.use_deterministic_algorithms(False)
            model(torch.ones(4, 8))
            assert patched.report.table is patched.report.turns
    finally:
        torch.use_deterministic_algorithms(False)
