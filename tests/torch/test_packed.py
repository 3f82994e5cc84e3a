"""Packed weights of linear layers on the CPU: right results, never stale, built by `warm_up`, no part of the model."""

from __future__ import annotations

import copy
import pickle
import threading
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: no weight is packed")
from torch import nn
from torch.nn import functional

import tilewright.torch as tt
from tilewright.dispatcher import Dispatcher
from tilewright.frontends import default
from tilewright.jit import Cache
from tilewright.settings import Settings
from tilewright.torch.packed import LEAST_ROWS, PackedLinear, PackedWeight, fits


def close(got: Any, want: Any) -> None:
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)


def torchs(model: Any, x: Any) -> Any:
    """Return what torch computes with the weights as they are now."""
    y = functional.gelu(functional.linear(x, model[0].weight, model[0].bias))
    return functional.linear(y, model[2].weight, model[2].bias)


def net() -> Any:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.Linear(96, 64)).eval()


def is_packed(layer: Any) -> bool:
    return layer._tilewright_packed._held is not None


def in_place(layer: Any) -> None:
    layer.weight.mul_(1.5)


def replaced(layer: Any) -> None:
    layer.weight.data = layer.weight.data * 1.5


def trained(layer: Any) -> None:
    with torch.enable_grad():
        layer(torch.ones(1, 96)).sum().backward()
    layer.weight.data.mul_(1.5)  # raises no version, as some optimizers do


def through_data(layer: Any) -> None:
    layer.weight.data.mul_(1.5)  # without a call in training before it, as averaged models are updated


def loaded(layer: Any) -> None:
    layer.load_state_dict({name: value * 1.5 for name, value in layer.state_dict().items()})


@torch.no_grad()
@pytest.mark.parametrize("change", [in_place, replaced, trained, through_data, loaded])
def test_a_changed_weight_is_packed_again(change: Any) -> None:
    model, x = net(), torch.randn(3, 5, 64)
    with tt.patch(model, fuse="verify" if change is through_data else True):
        close(model(x), torchs(model, x))
        assert isinstance(model[2], PackedLinear)
        assert is_packed(model[2])
        change(model[2])
        close(model(x), torchs(model, x))
        assert is_packed(model[2])
    assert type(model[2]) is nn.Linear
    assert "_tilewright_packed" not in vars(model[2])


VIEWS: dict[str, Any] = {
    "fewer rows": lambda w: w[:64],
    "turned": lambda w: w.t(),
    "one row": lambda w: w[:1].expand(96, 96),
}


@torch.no_grad()
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("how", ["parameter", "data"])
def test_a_view_of_the_weight_in_its_place_is_packed_anew(view: str, how: str) -> None:
    layer, x = nn.Linear(96, 96, bias=False), torch.randn(3, 96)
    with tt.patch(layer, fuse=True):
        close(layer(x), functional.linear(x, layer.weight))
        assert is_packed(layer)
        other = VIEWS[view](layer.weight.detach())  # of the same version, at the same address
        if how == "parameter":
            layer.weight = nn.Parameter(other)
        else:
            layer.weight.data = other
        close(layer(x), functional.linear(x, layer.weight))


@torch.no_grad()
def test_a_fused_layer_follows_its_weights() -> None:
    model, x = net(), torch.randn(5, 64)
    with tt.patch(model, fuse=True, only=()):
        close(model(x), torchs(model, x))
        model[0].weight.mul_(-2.0)
        close(model(x), torchs(model, x))
        with torch.enable_grad():
            model(x).sum().backward()
        model[0].weight.data.mul_(0.5)
        close(model(x), torchs(model, x))


@torch.no_grad()
def test_rows_bias_residual_and_activation() -> None:
    torch.manual_seed(1)
    weight, bias, packed = torch.randn(80, 64), torch.randn(80), PackedWeight()
    for lead in ((1,), (7,), (2, 9), (3, 2, 4)):
        x, residual = torch.randn(*lead, 64), torch.randn(*lead, 80)
        close(packed.linear(0, x, weight, None), functional.linear(x, weight))
        want = torch.relu(functional.linear(x, weight, bias) + residual)
        for _ in range(2):  # planned, then remembered
            close(packed.linear(0, x, weight, bias, residual, "relu"), want)
    turned = torch.randn(64, 6, 2).permute(1, 2, 0)  # rows that cannot be read as one dimension
    close(packed.linear(0, turned, weight, bias), functional.linear(turned, weight, bias))


def test_a_single_row_is_packed_unless_its_kernel_reads_the_weight_as_it_lies() -> None:
    weight = torch.ones(96, 64)
    with torch.no_grad():
        assert fits(torch.ones(1, 1, 64), weight) == (LEAST_ROWS == 1)
        assert fits(torch.ones(2, 64), weight)
        assert not fits(torch.ones(0, 64), weight)
        assert not fits(torch.ones(()), weight)


def test_what_is_not_packed() -> None:
    x, weight = torch.ones(4, 64), torch.ones(64, 64)
    assert not fits(x, weight)  # gradients may be wanted
    with torch.no_grad():
        assert fits(x, weight)
        assert not fits(x.double(), weight)
        assert not fits(x.to("meta"), weight)
        assert not fits(x[:0], weight)
        assert not fits(torch.ones(4, 32), weight)
        assert not fits(x, torch.ones(8, 64))
        with torch.autocast("cpu"):
            assert not fits(x, weight)
        with torch.inference_mode():
            assert not fits(x, torch.ones(64, 64))
            assert fits(torch.ones(4, 64), weight)


@torch.no_grad()
def test_copies_pack_their_own_weights() -> None:
    model, x = net(), torch.randn(4, 64)
    with tt.patch(model, fuse=True):
        model(x)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert not is_packed(other[2])
            other[2].weight.mul_(2.0)
            close(other(x), torchs(other, x))
            close(model(x), torchs(model, x))
        assert set(model.state_dict()) == {f"{i}.{name}" for i in (0, 2) for name in ("weight", "bias")}


def dispatcher(folder: Path, build: str) -> Dispatcher:
    return Dispatcher(settings=Settings.from_env(data_dir=str(folder)), cache=Cache(folder), build=build)


@torch.no_grad()
def test_warm_up_builds_the_kernels_of_packed_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serving = dispatcher(tmp_path, "never")
    monkeypatch.setattr(default, "made", serving)
    model, x = net(), torch.randn(4, 64)
    with tt.patch(model, fuse=True):
        problems = tt.warm_up(model, x)
        assert {p.b_format for p in problems} != {"plain"}
        assert not is_packed(model[2])
        told = len(serving.events)
        close(model(x), torchs(model, x))
        assert is_packed(model[2])
    assert len(serving.events) == told


@torch.no_grad()
def test_packing_does_not_wait_for_a_compiler_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    serving = dispatcher(tmp_path, "background")
    monkeypatch.setattr(default, "made", serving)
    model, x = nn.Linear(64, 96).eval(), torch.randn(4, 64)
    with tt.patch(model, fuse=True):
        close(model(x), functional.linear(x, model.weight, model.bias))
        assert not is_packed(model)
        assert serving.wait_for_builds(60)
        close(model(x), functional.linear(x, model.weight, model.bias))


def test_two_threads_and_a_weight_that_changes() -> None:
    model, wrong = nn.Linear(64, 64, bias=False).eval(), list[str]()
    with torch.no_grad():
        model.weight.fill_(1.0)

    @torch.no_grad()
    def call() -> None:
        x = torch.ones(2, 64)
        for _ in range(50):
            found = set(model(x).flatten().tolist())
            if not found <= {64.0, 128.0}:
                wrong.append(str(found))

    with tt.patch(model, fuse=True):
        threads = [threading.Thread(target=call) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with torch.no_grad():
            model.weight.fill_(2.0)
            assert model(torch.ones(2, 64))[0, 0].item() == 128.0
    assert not wrong
