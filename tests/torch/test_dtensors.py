"""Tensor subclasses that know only torch's operators: DTensors and nested tensors are left to torch, with a record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: nothing is left to it")
distributed = pytest.importorskip("torch.distributed", reason="torch has no distributed package")
if not distributed.is_available():
    pytest.skip("torch has no distributed package", allow_module_level=True)

from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate, distribute_tensor
from torch.distributed.tensor.experimental import implicit_replication
from torch.nn import functional

import tilewright as tw
import tilewright.torch as tt
from tilewright.frontends import default
from tilewright.settings import Settings

Make = Callable[[Any], Any]


@pytest.fixture(scope="module")
def shared() -> Iterator[Make]:
    """A function that makes a DTensor, in a process group of this process alone."""
    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    try:
        mesh = init_device_mesh("cpu", (1,))
        yield lambda t: distribute_tensor(t, mesh, [Replicate()])
    finally:
        distributed.destroy_process_group()


A, B, ROW = torch.randn(4, 8), torch.randn(8, 6), torch.zeros(6)
IMAGE, FILTERS = torch.randn(1, 2, 6, 6), torch.randn(2, 2, 3, 3)
CALLS: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "linear": (tt.linear, functional.linear, (A, B.mT.contiguous(), ROW)),
    "matmul": (tt.matmul, torch.matmul, (A, B)),
    "addmm": (tt.addmm, torch.addmm, (ROW, A, B)),
    "baddbmm": (tt.baddbmm, torch.baddbmm, (torch.zeros(1, 4, 6), A[None], B[None])),
    "conv": (tt.conv, functional.conv2d, (IMAGE, FILTERS)),
    "conv_transpose": (tt.conv_transpose, functional.conv_transpose2d, (IMAGE, FILTERS)),
    "sdpa": (tt.sdpa, functional.scaled_dot_product_attention, (torch.randn(1, 2, 4, 16),) * 3),
}


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("name", CALLS)
def test_functions_of_dtensors(name: str, grad: bool, shared: Make) -> None:
    ours, torchs, values = CALLS[name]
    with torch.set_grad_enabled(grad), implicit_replication():
        want = torchs(*values)
        for which in range(-1, len(values)):  # all of them, or one
            given = [shared(t) if which in (-1, at) else t for at, t in enumerate(values)]
            before = sum(tt.left_calls().values())
            torch.testing.assert_close(ours(*given).full_tensor(), want, rtol=1e-4, atol=1e-4)
            takes_part = name in ("addmm", "baddbmm") and which == 0  # torch adds the summand to our product
            assert sum(tt.left_calls().values()) == before + (not takes_part)


LAYERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "linear": (lambda: nn.Linear(8, 6), A),
    "conv": (lambda: nn.Conv2d(2, 3, 3), IMAGE),
    "conv_transpose": (lambda: nn.ConvTranspose2d(2, 3, 3), IMAGE),
    "chain": (lambda: nn.Sequential(nn.Linear(8, 6), nn.ReLU()), A),
    "encoder": (lambda: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), A[None]),
}


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_weights_that_become_dtensors_after_the_patch(name: str, grad: bool, shared: Make) -> None:
    make, x = LAYERS[name]
    torch.manual_seed(0)
    net = nn.Sequential(make())
    with torch.set_grad_enabled(grad), implicit_replication():
        want = net(x)
        with tt.patch(net) as patched:
            net(x)
            for layer in net.modules():
                for of, value in list(layer._parameters.items()):
                    layer._parameters[of] = None if value is None else nn.Parameter(shared(value.detach()))
            torch.testing.assert_close(net(x).full_tensor(), want, rtol=1e-4, atol=1e-4)
            assert any("sharding strategy" in reason for _, reason in patched.report.left_calls)


def test_strict_settings_raise(shared: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default, "made", tw.Dispatcher(settings=Settings.from_env(strict=True)))
    with pytest.raises(NotImplementedError, match="sharding strategy"):
        tt.matmul(shared(A), shared(B))


@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_nested_tensors(layout: Any) -> None:
    rows = torch.nested.nested_tensor([torch.randn(3, 8), torch.randn(2, 8)], layout=layout)
    before, weight = sum(tt.left_calls().values()), B.mT.contiguous()
    found, wanted = tt.linear(rows, weight), functional.linear(rows, weight)
    for got, want in zip(found.unbind(), wanted.unbind(), strict=True):
        torch.testing.assert_close(got, want)
    assert sum(tt.left_calls().values()) == before + 1
