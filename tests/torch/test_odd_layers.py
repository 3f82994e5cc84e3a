"""Layers and inputs that a program changes, makes or keeps in unusual ways, in a patched model as in torch."""

from __future__ import annotations

import copy
import pickle
import random
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")

from torch import nn
from torch.nn.utils import parametrizations, prune

import tilewright.torch as tt
from tilewright.torch import op_sdpa
from tilewright.torch.layer_turns import MAX_KINDS, OURS, TORCHS
from tilewright.torch.model_turns import All, _Blocks


@pytest.fixture(autouse=True)
def comparing(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Libraries are compared with, as they are where nobody says otherwise."""
    from tilewright import Dispatcher, Settings
    from tilewright.frontends import default

    settings = Settings.from_env(data_dir=str(tmp_path), vendor=True)
    monkeypatch.setattr(default, "made", Dispatcher(settings=settings))


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, or that it fails."""
    try:
        return call()
    except (RuntimeError, AssertionError, ValueError):
        return "fails"


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "nested": lambda x: torch.nested.nested_tensor([x, x[:1]]),
    "nested, jagged": lambda x: torch.nested.nested_tensor([x, x[:1]], layout=torch.jagged),
    "coo": lambda x: x.to_sparse(),
    "csr": lambda x: x.to_sparse_csr(),
    "mkldnn": lambda x: x.to_mkldnn(),
}
CALLS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "linear": (lambda: nn.Linear(8, 8), (2, 8)),
    "weight": (lambda: nn.Linear(8, 8), (2, 8)),  # the weight has the layout
    "conv": (lambda: nn.Conv1d(2, 2, 3), (2, 8)),
    "multihead": (lambda: nn.MultiheadAttention(8, 2, batch_first=True), (2, 3, 8)),
    "sdpa": (lambda: nn.Linear(8, 8), (2, 3, 8)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", CALLS)
def test_tensors_of_other_layouts_are_torchs(kind: str, layout: str) -> None:
    torch.manual_seed(0)
    make, shape = CALLS[kind]
    model, x = nn.Sequential(make()).eval(), torch.randn(shape)
    given = outcome(lambda: LAYOUTS[layout](x))
    layer: Any = model[0]
    if kind == "weight":
        weight = outcome(lambda: LAYOUTS[layout](layer.weight.detach()))
        if isinstance(weight, str) or outcome(lambda: nn.Parameter(weight, requires_grad=False)) == "fails":
            pytest.skip("torch has no such weight")
        layer.weight, given = nn.Parameter(weight, requires_grad=False), x

    def call(x: Any = given) -> Any:
        if kind == "multihead":
            return layer(x, x, x)[0]
        if kind == "sdpa":
            q = x if x is given else x[:, None]
            return nn.functional.scaled_dot_product_attention(q, q, q)
        return model(x)

    with torch.no_grad():
        before = torch.backends.mha.get_fastpath_enabled()
        torch.backends.mha.set_fastpath_enabled(False)  # as `patch` does
        try:
            want = outcome(call)
        finally:
            torch.backends.mha.set_fastpath_enabled(before)
        with tt.patch(model):
            if kind != "weight":
                outcome(lambda: call(x))
            got = [outcome(call) for _ in range(3)]
    for found in got:
        if isinstance(want, str):
            assert found == want
        else:
            same = [t.to_padded_tensor(0) if t.is_nested else t.to_dense() for t in (found, want)]
            torch.testing.assert_close(*same)


@pytest.mark.parametrize("change", ["prune", "weight_norm", "spectral_norm"])
@pytest.mark.parametrize("grad", [False, True])
def test_a_weight_that_is_no_parameter_any_more(change: str, grad: bool) -> None:
    model, x = nn.Sequential(nn.Linear(8, 8), nn.ReLU()), torch.randn(2, 8)
    patched = tt.patch(model)
    with torch.set_grad_enabled(grad):
        model(x), model(x)
        if change == "prune":
            prune.l1_unstructured(model[0], "weight", 0.5)
        else:
            getattr(parametrizations, change)(model[0].eval())
        got = [model(x) for _ in range(3)]
        patched.undo()
        want = model(x)
        assert not isinstance(model[0], tt.modules.Taken)
        if change != "prune":
            nn.utils.parametrize.remove_parametrizations(model[0], "weight")
            assert type(model[0]) is nn.Linear
            torch.testing.assert_close(model(x), want)
    for found in got:
        torch.testing.assert_close(found, want)


class Halved(nn.Module):
    """A parametrization."""

    def forward(self, weight: Any) -> Any:
        return weight * 0.5


@pytest.mark.parametrize("how", ["parametrized", "another class"])
@pytest.mark.parametrize("kind", ["norm", "linear"])
def test_undo_leaves_the_class_that_a_layer_got_meanwhile(how: str, kind: str) -> None:
    model, x = nn.Sequential(nn.LayerNorm(8) if kind == "norm" else nn.Linear(8, 8), nn.Flatten()), torch.randn(2, 8)
    torchs = type(model[0])
    layer_class = type("Doubled", (torchs,), {"forward": lambda self, x: 2 * torchs.forward(self, x)})
    with tt.patch(model):
        if how == "parametrized":
            nn.utils.parametrize.register_parametrization(model[0], "weight", Halved())
        else:
            model[0].__class__ = layer_class
        want = model(x)
    torch.testing.assert_close(model(x), want)
    if how == "parametrized":
        nn.utils.parametrize.remove_parametrizations(model[0], "weight")
    assert type(model[0]) is (torchs if how == "parametrized" else layer_class)


def test_any_attribute_of_a_layer_is_allowed() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    model[0].notes = ("a list", [1], torch.ones(1))
    with tt.patch(model) as patched, torch.no_grad():
        model(torch.ones(2, 8))
        assert patched.report.contests


class Own(nn.Linear):
    """A program's own layer."""


def test_pickles_of_own_layers_and_of_what_a_patch_promises() -> None:
    x = torch.ones(2, 8)
    with tt.patch(nn.Sequential(Own(8, 8), nn.Conv1d(2, 2, 1)), invariant=True) as patched:
        for again in (pickle.loads(pickle.dumps(patched.model)), copy.deepcopy(patched.model)):
            assert type(again[0]) is type(patched.model[0])
            assert torch.equal(again(x), patched.model(x))
            assert again[0].tilewright_report.invariant


def test_frozen_layers_keep_nothing() -> None:
    """As in torch, the input is free to change if only its own gradient is wanted, and the weight if only its own."""
    model = nn.Sequential(nn.Linear(8, 8), nn.Identity())
    with tt.patch(model):
        model.requires_grad_(False)
        x = torch.randn(4, 8, requires_grad=True)
        h = x * 2
        y = model(h)
        h.add_(1)
        y.sum().backward()
        torch.testing.assert_close(x.grad, (2 * model[0].weight.sum(0)).expand(4, 8))
        model.requires_grad_(True)
        y = model(torch.ones(4, 8))
        with torch.no_grad():
            model[0].weight.zero_()
        y.sum().backward()
        assert model[0].weight.grad.eq(4).all()
    a, b = torch.ones(2, 3), torch.ones(3, 4, requires_grad=True)
    for call in (lambda: tt.matmul(a, b), lambda: tt.addmm(torch.ones(4), a, b)):
        product = call()
        with torch.no_grad():
            b.add_(0)  # another version
        product.sum().backward()


@pytest.mark.parametrize("change", ["device", "autocast", "format"])
def test_a_decision_counts_for_its_own_kind_of_call(change: str) -> None:
    model = nn.Sequential(nn.Conv2d(4, 4, 3), nn.ReLU())
    x = torch.randn(1, 4, 8, 8)
    with tt.patch(model) as patched, torch.no_grad():
        if change == "device":
            model.to("meta")(x.to("meta"))
            model.to_empty(device="cpu")
        model(x)
        before = len(patched.report.contests)
        assert before == 1
        if change == "autocast":
            with torch.autocast("cpu"):
                model(x)
        elif change == "format":
            model(x.to(memory_format=torch.channels_last))
    assert len(patched.report.contests) == (1 if change == "device" else 2)


def test_kinds_of_calls_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.torch.layer_turns.MAX_KINDS", 8)
    assert MAX_KINDS > 8
    model = nn.Sequential(nn.Linear(8, 8))
    with tt.patch(model) as patched, torch.no_grad():
        for rows in range(1, 40):
            model(torch.ones(rows, 8))
        assert len(patched.report.turns) == 8
        q = torch.ones(1, 1, 2, 32)
        for number in range(2 * op_sdpa.MAX_NAMES):
            nn.functional.scaled_dot_product_attention(q, q, q, scale=1 + number / 100)
        assert len(op_sdpa._names) <= op_sdpa.MAX_NAMES


def test_a_failed_call_locks_no_other_thread_out() -> None:
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    with tt.patch(model) as patched, torch.no_grad():
        thread = threading.Thread(target=lambda: outcome(lambda: model(torch.ones(4, 9))))
        thread.start()
        thread.join()
        model(torch.ones(4, 8))
        assert patched._turns is not None
        assert any((4, 8) in kind[4] for kind in patched._turns._kinds)


def test_attention_follows_the_model_whose_call_runs() -> None:
    first, second = (tt.patch(nn.Sequential(nn.Linear(8, 8), nn.ReLU())) for _ in range(2))
    q = torch.randn(1, 2, 4, 32)
    with first, second, torch.no_grad():
        first.report.table = All(TORCHS)
        first._turns._torchs = first.report.table  # type: ignore[union-attr]
        for patched, want in ((first, TORCHS), (second, OURS), (first, TORCHS)):
            op_sdpa.follow(patched.report)
            second.report.table = All(OURS)
            assert op_sdpa._state_of(q, q, q, None, 0.0, False, None, False) is want
        second.model(torch.ones(2, 8))
        assert op_sdpa._deciding is second.report
    assert op_sdpa._deciding is None


def test_dropout_draws_the_same_numbers_whoever_wins() -> None:
    q, found = torch.randn(1, 2, 8, 32, requires_grad=True), []
    with tt.patch(nn.Sequential(nn.Linear(8, 8), nn.ReLU())) as patched:
        for side in (OURS, TORCHS):
            patched.report.table = All(side)
            torch.manual_seed(1)
            nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=0.5)
            found.append(torch.rand(1).item())
    assert found[0] == found[1]


def test_a_model_without_hooks_can_be_asked_for() -> None:
    """`torch.cuda.make_graphed_callables` refuses models with hooks."""
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    with tt.patch(model) as patched:
        assert model._forward_hooks
        patched.stop_comparing()
        assert not model._forward_hooks
        assert not model._forward_pre_hooks
        model(torch.ones(2, 8))
        patched.refresh()
        assert model._forward_hooks
    assert not model._forward_hooks


def decided(trains: bool, own: float, other: float, rest: Callable[[int], float], slow: int = -1) -> bool | None:
    """Who wins, by times of a call, what comes after each, and one call that a pause made long."""
    now, blocks = [0.0], _Blocks("cpu", trains, lambda *_: None)
    blocks._mark = lambda: now[0]
    for number in range(20_000):
        torchs = blocks.begin(True, lambda: True)
        if blocks.is_over:
            break
        now[0] += (other if torchs else own) + (5.0 if number == slow else 0.0)
        blocks.end()
        now[0] += rest(number)
    return blocks.torch_won


@pytest.mark.parametrize("slow", range(8, 40))
def test_one_pause_decides_nothing(slow: int) -> None:
    assert decided(False, 1.0, 1.2, lambda n: 0.0, slow) is False
    assert decided(False, 1.2, 1.0, lambda n: 0.0, slow) is True


@pytest.mark.parametrize("each", [8, 16, 32])
def test_steps_of_many_calls_are_compared_by_their_usual_ones(each: int) -> None:
    for phase in range(each):
        for own, other in ((1.0, 1.1), (1.1, 1.0), (1.0, 1.05)):
            won = decided(True, own, other, lambda n, p=phase: 1.0 if (n + p) % each == 0 else 0.0)
            assert won is (other < own), (phase, own, other)


def test_requests_that_come_at_random_decide_nothing() -> None:
    """A server in evaluation mode that forgets `no_grad`: a call lasts from its begin to its end."""
    rng = random.Random(3)
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    for training in (False, True):
        with tt.patch(model.train(training)) as patched:
            model(torch.ones(2, 8, requires_grad=True))
            (blocks,) = patched._turns._kinds.values()  # type: ignore[union-attr]
            assert blocks is not None
            assert blocks._trains is training
    assert decided(False, 1.0, 1.2, lambda n: rng.expovariate(0.02)) is False


def test_a_copy_of_a_model_is_compared_where_it_is() -> None:
    """A copy has the hooks of the model; they keep neither alive."""
    model = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    patched = tt.patch(model)
    other = copy.deepcopy(model).double()
    turns = patched._turns
    assert turns is not None
    for _ in range(2):
        for one in (model, other):
            weight = turns._weight_of(one)
            assert weight is next(one.parameters())
    other[0].weight = nn.Parameter(torch.ones(8, 8))
    assert turns._weight_of(other) is other[0].weight
    assert turns._weight_of(nn.Sequential(nn.ReLU())) is None
    gone = weakref.ref(other)
    del other, one, weight
    assert gone() is None
    patched.undo()
