"""State that cannot go stale: a fused model after every change gives the model's own answer, or the way is listed."""

from __future__ import annotations

import gc
import random
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing can be fused")
import numpy as np
from model_changes import LISTED, MEMORY, WAYS, inputs, made
from torch import nn

import tilewright as tw
from tilewright.torch import layer_turns, patch, state
from tilewright.torch.fused_forward import FusedForward
from tilewright.torch.state import PythonWatch, State


def own(patched: Any, run: Any, x: Any) -> Any:
    """What the model's own forward pass computes, by torch's layers."""
    patched.report.fuses = False
    try:
        return run(x.clone())
    finally:
        patched.report.fuses = True


def close(got: Any, want: Any, limit: float = 1e-3) -> None:
    torch.testing.assert_close(got, want, rtol=limit, atol=limit * float(want.abs().max()))


def is_fused(patched: Any) -> bool:
    return any(e.path.endswith("(forward)") for e in patched.report.taken)


class Both:
    """The comparison in C and the one in Python, which must agree."""

    def __init__(self, *given: Any) -> None:
        self.watches = made_in_c(*given), PythonWatch(*given)

    def compare(self) -> Any:
        found, again = (watch.compare() for watch in self.watches)
        assert found == again
        return found


made_in_c = state._watch


@pytest.fixture(autouse=True)
def no_grad() -> Iterator[None]:
    with torch.no_grad():
        yield


@pytest.mark.parametrize("name", WAYS)
def test_a_change_shows_in_the_next_result(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "_watch", Both)
    model, x = made(), inputs()
    with patch(model, fuse=True, only=()) as patched:
        before = own(patched, model, x)
        close(model(x), before)
        assert is_fused(patched)
        assert not patched.report.left_calls
        run = WAYS[name](model) or model
        want = own(patched, run, x)
        assert want.shape != before.shape or not torch.allclose(want, before, rtol=1e-3, atol=1e-3), "nothing changed"
        limit = 0.02 if name == "in_bfloat16" else 1e-3
        for _ in range(2):
            close(run(x), want, limit)
        patched.refresh()
        for _ in range(2):
            close(run(x), own(patched, run, x), limit)
            for tensor in model.state_dict().values():  # once more, in the form that the model has now
                if tensor.is_floating_point() and not tensor.is_inference():
                    tensor.mul_(0.8)


@pytest.mark.parametrize("name", LISTED)
def test_what_leaves_no_trace_is_listed_and_can_be_refreshed(name: str) -> None:
    way, phrase = LISTED[name]
    assert phrase in " ".join((patch.__doc__ or "").split())
    model, x = made(), inputs()
    with patch(model, fuse=True, only=()) as patched:
        model(x)
        run = way(model) or model
        if name == "environment":  # it is different during the call only, so that refresh() cannot see it
            return
        patched.refresh()
        close(run(x), own(patched, run, x))


@pytest.mark.parametrize("name", MEMORY)
@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("only", [(), None])
def test_checksums_see_what_leaves_no_trace(name: str, every: int, only: Any) -> None:
    model, x = made(), inputs()
    with patch(model, fuse="verify", verify_every=every, only=only) as patched:
        model(x)
        LISTED[name][0](model)
        for _ in range(every):
            found = model(x)
        close(found, own(patched, model, x))
        assert not patched.report.left_calls


def test_a_model_that_changed_is_fused_again_by_refresh() -> None:
    model, x = made(), inputs()
    with patch(model, fuse=True, only=()) as patched:
        model(x)
        model.norm.eps = 0.9
        model(x)
        ((path, reason),) = patched.report.left_calls
        assert path == "(model)"
        assert reason == "norm.eps has changed; refresh() of the patch fuses it again"
        patched.refresh()
        close(model(x), own(patched, model, x))
        assert sum(patched.report.left_calls.values()) == 1
        assert is_fused(patched)
    assert "forward" not in vars(model)


def test_a_change_that_is_taken_back_is_forgotten() -> None:
    model, x = made(), inputs()
    with patch(model, fuse=True, only=()) as patched:
        want = model(x)
        for change, back in ((0.9, 1e-5), (0.5, 1e-5)):
            model.norm.eps = change
            model(x)
            model.norm.eps = back
            close(model(x), want)
        assert sum(patched.report.left_calls.values()) == 2


def test_marks_that_no_function_reads_are_no_change() -> None:
    model, x = made(), inputs()
    with patch(model, fuse=True, only=()) as patched:
        model(x)
        model._is_torch_compile, model.first.name_for_logs = True, "first"  # type: ignore[assignment]
        model.first.weight.mul_(2.0)
        for _ in range(2):
            close(model(x), own(patched, model, x))
        assert not patched.report.left_calls


def test_layers_that_are_left_to_torch_in_training_are_no_change() -> None:
    net = nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU()).eval()
    with patch(net, fuse=True) as patched:
        for rows in (2, 3):
            x = torch.randn(1, 3, rows, rows)
            net(x)
            layer_turns.note_left(net[0], patched.report, x, True)
        net(x)
        assert is_fused(patched)
        assert patched.report.to_dict()["left_calls"] == []


def test_undo_leaves_a_forward_that_others_have_set() -> None:
    model, x = made(), inputs()
    patched = patch(model, fuse=True, only=())
    fused = model.forward
    model.forward = lambda images: fused(images)
    model.first.weight.mul_(2.0)
    patched.undo()
    close(model(x), type(model).forward(model, x))
    assert "forward" in vars(model)


def test_a_wrong_call_is_torchs_error() -> None:
    model, x = made(), inputs()
    with patch(model, fuse=True, only=()):
        for call in (lambda: model(), lambda: model(x, x), lambda: model(image=x), lambda: model(x, images=x)):
            with pytest.raises(TypeError, match="argument"):
                call()


@pytest.mark.parametrize(("fuse", "every"), [("always", 1), (1.5, 1), ("verify", 0), ("verify", True)])
def test_wrong_options_are_refused(fuse: Any, every: Any) -> None:
    with pytest.raises(tw.TilewrightError, match="it must be"):
        patch(made(), fuse=fuse, verify_every=every)


def test_a_fused_model_is_collected() -> None:
    model = made()
    patch(model, fuse=True, only=())
    model(inputs())
    known = weakref.ref(model)
    del model
    gc.collect()
    assert known() is None


class Chain(nn.Module):
    """A chain, and `extra` by a subclass."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.act = nn.Linear(64, 64), nn.ReLU()
        self.last, self.calls, self.seen = None, 0, list[Any]()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x: Any) -> Any:
        return self.extra(self.act(self.layer(x)))


class Noise(Chain):
    def extra(self, y: Any) -> Any:
        return y + torch.randn(64)


class Constant(Chain):
    def extra(self, y: Any) -> Any:
        total = torch.zeros(64)
        total += y.sum()
        return y + total


class Drawn(Chain):
    def extra(self, y: Any) -> Any:
        return y * random.random()


class DrawnByNumpy(Chain):
    def extra(self, y: Any) -> Any:
        return y * float(np.random.rand())


class Remembers(Chain):
    def extra(self, y: Any) -> Any:
        self.last = y
        return y


class Appends(Chain):
    def extra(self, y: Any) -> Any:
        self.seen.append(y)
        return y


class Counts(Chain):
    def extra(self, y: Any) -> Any:
        self.calls += 1
        return y * self.calls


class CountsInBuffer(Chain):
    def extra(self, y: Any) -> Any:
        self.count += 1
        return y * self.count


class AsksForGradients(Chain):
    def extra(self, y: Any) -> Any:
        return y * 2 if torch.is_grad_enabled() else y


@pytest.mark.parametrize(
    "kind",
    [Noise, Constant, Drawn, DrawnByNumpy, Remembers, Appends, Counts, CountsInBuffer, AsksForGradients],
    ids=lambda kind: kind.__name__,
)
def test_what_python_decides_in_forward_is_not_frozen(kind: Any) -> None:
    torch.manual_seed(3)
    model, x = kind().eval(), torch.randn(3, 64)
    other = kind().eval()
    other.load_state_dict(model.state_dict())
    random_states = torch.random.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    with patch(model, fuse=True, only=()) as patched:
        assert not is_fused(patched)
        assert any("its forward" in (e.reason or "") for e in patched.report.left), patched.report
        assert torch.equal(torch.random.get_rng_state(), random_states[0])
        assert (random.getstate(), np.random.get_state()[1].tolist()) == random_states[1:]
        assert model.last is None
        assert model.calls == 0
        assert model.seen == []
        assert model.count.item() == 0
        for grad in (False, True, False):
            with torch.set_grad_enabled(grad):
                want = _seeded(other, x)
                torch.testing.assert_close(_seeded(model, x), want)
        assert not isinstance(model.last, torch.fx.Proxy)


def _seeded(model: Any, x: Any) -> Any:
    torch.manual_seed(4)
    random.seed(4)
    np.random.seed(4)
    return model(x)


class Inside(nn.Module):
    """A part with a hook in a model that has none."""

    def __init__(self) -> None:
        super().__init__()
        self.part, self.seen = nn.Sequential(nn.Linear(64, 64), nn.ReLU()), list[Any]()
        self.part.register_forward_hook(lambda module, given, found: self.seen.append(found))

    def forward(self, x: Any) -> Any:
        return self.part(x)


def test_hooks_of_parts_are_called_in_every_call() -> None:
    model, x = Inside().eval(), torch.randn(3, 64)
    with patch(model, fuse=True, only=()) as patched:
        assert any(e.reason == "part has hooks" for e in patched.report.left)
        assert model.seen == []
        for _ in range(2):
            model(x)
        assert [type(found) for found in model.seen] == [torch.Tensor] * 2
        assert is_fused(patched)  # the part itself: its hooks are called around its forward pass


def test_layers_that_are_called_as_they_are_may_change() -> None:
    model, x = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Softmax(-1), nn.Linear(64, 8)).eval(), torch.randn(3, 64)
    with patch(model, fuse=True, only=()) as patched:
        model(x)
        model[2].dim, calls = 0, list[Any]()
        model[2].register_forward_hook(lambda *given: calls.append(given))
        model[3].weight.data.mul_(2.0)
        found = model(x)
        assert len(calls) == 1
        close(found, own(patched, model, x))
        assert not patched.report.left_calls


def test_a_shared_layer_is_watched_although_it_is_also_called_as_it_is() -> None:
    class Shares(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.act = nn.Linear(64, 64), nn.ReLU()

        def forward(self, x: Any) -> Any:
            return self.act(self.act(self.layer(x)) - 1)

    model, x, calls = Shares().eval(), torch.randn(3, 64), list[Any]()
    with patch(model, fuse=True, only=()) as patched:
        model(x)
        assert is_fused(patched)
        model.act.register_forward_hook(lambda *given: calls.append(given))
        model(x)
    assert len(calls) == 2


def test_a_compiler_gets_the_weights_of_now() -> None:
    model, x = nn.Sequential(nn.Linear(64, 64), nn.ReLU()).eval(), torch.randn(3, 64)
    with patch(model, fuse=True, only=()) as patched:
        model(x)
        model[0].weight.mul_(2.0)
        model[0].bias.data = torch.ones(64)
        found = torch.compile(model, backend="eager", fullgraph=True)(x)
        close(found, own(patched, model, x))
        model[1].register_forward_hook(lambda module, given, found: found * 2)
        torch._dynamo.reset()
        close(torch.compile(model, backend="eager")(x), own(patched, model, x))


def test_a_weight_of_inference_mode_is_not_fused() -> None:
    with torch.inference_mode():
        model = nn.Sequential(nn.Linear(64, 64), nn.ReLU()).eval()
    x = torch.randn(3, 64)
    with patch(model, fuse=True, only=()) as patched, torch.inference_mode():
        assert not is_fused(patched)
        assert any("inference mode" in (e.reason or "") for e in patched.report.left)
        model(x)
        model[0].weight.mul_(2.0)
        close(model(x), torch.relu(nn.functional.linear(x, model[0].weight, model[0].bias)))


@pytest.mark.parametrize("change", ["format", "dtype", "patch"])
def test_weights_that_were_made_in_inference_mode_are_made_anew_outside_of_it(change: str) -> None:
    model = nn.Sequential(nn.Conv2d(4, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).eval()
    x = torch.randn(1, 4, 6, 6)
    patched = None if change == "patch" else patch(model, fuse=True, only=())
    with torch.inference_mode():
        patched = patched or patch(model, fuse=True, only=())
        if change == "dtype":
            model.bfloat16(), model(x.bfloat16())
        model(x.to(memory_format=torch.channels_last) if change == "format" else x.to(model[0].weight.dtype))
    if change == "dtype":
        model.float()
    with patched:
        assert is_fused(patched)
        for _ in range(2):
            model[0].weight.mul_(2.0)
            close(model(x), own(patched, model, x))


def test_too_many_objects_are_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "MAX_BOXES", 3)
    with patch(made(), fuse=True, only=()) as patched:
        assert not is_fused(patched)
        assert any("more than 3 objects" in (e.reason or "") for e in patched.report.left)


def boxes(kind: int, container: Any, items: Any) -> list[Any]:
    return [state._watch(((kind, container, items),), ()), PythonWatch(((kind, container, items),), ())]


@pytest.mark.parametrize("which", [0, 1], ids=["c", "python"])
def test_values_are_compared_by_identity_then_by_value(which: int) -> None:
    inner = object()
    found: dict[str, Any] = {"a": 1.5, "b": (1, "x", inner), "c": None, "t": torch.ones(1)}
    watch = boxes(state.DICT, found, tuple(x for item in found.items() for x in item))[which]
    assert watch.compare() == 0
    found["a"], found["b"] = float("1.5"), (1, "x", inner)
    assert watch.compare() == 0
    found["a"] = found.pop("a")  # in another order
    assert watch.compare() == 0
    found["t"] = torch.ones(1)
    assert watch.compare() == 1
    for key, value in (("a", 1), ("a", True), ("b", (1, "y", inner)), ("b", (1, "x", object())), ("c", 0), ("t", None)):
        before, found[key] = found[key], value
        assert watch.compare() == (0, key)
        found[key] = before
    found["d"] = 1
    assert watch.compare() == (0, None)


def test_a_watch_checks_what_it_is_given() -> None:
    for wrong in (
        (state.LIST, {}, ()),
        (state.DICT, [], ()),
        (state.DICT, {}, (1,)),
        (state.CELL, 1, (1,)),
        (9, {}, ()),
    ):
        with pytest.raises(ValueError, match="does not fit"):
            state._watch((wrong,), ())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="no tensor"):
        state._watch((), (1,))  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform != "linux", reason="where torch's library is, is known for Linux only")
def test_versions_are_read_without_python_and_nothing_is_held() -> None:
    tensor, other = nn.Parameter(torch.ones(4)), nn.Parameter(torch.ones(4))
    watch = state._watch((), (tensor,))
    assert state._functions() is not None
    before = [sys.getrefcount(tensor), tensor._use_count()]  # type: ignore[attr-defined]
    assert [watch.compare() for _ in range(3)] == [0, 0, 0]
    assert [sys.getrefcount(tensor), tensor._use_count()] == before  # type: ignore[attr-defined]
    torch.utils.swap_tensors(tensor, other)  # torch refuses that if somebody holds one of them
    assert watch.compare() == 1
    torch.utils.swap_tensors(tensor, other)
    assert watch.compare() == 0
    with torch.no_grad():
        tensor.add_(1.0)
    assert watch.compare() == 1


def test_the_state_holds_the_memory_of_its_weights() -> None:
    layer = nn.Linear(64, 64)
    kept = State(layer, (), (layer.weight,))
    for _ in range(8):
        layer.weight.data = layer.weight.data * 2
        assert kept.compare() == 1


def test_the_fused_forward_is_found() -> None:
    model = made()
    with patch(model, fuse=True, only=()):
        held = [c.cell_contents for c in model.forward.__closure__]
        assert sum(isinstance(value, FusedForward) for value in held) == 1
