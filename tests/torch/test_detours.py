"""Detours of convolutions on a GPU: patches as a product, channels-first images through channels-last memory."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: its convolutions take no detour")
from torch import nn
from torch.nn import functional

import tilewright.torch as tt
from tilewright.torch import detours, modules


def passes(call: Any, *leaves: Any) -> list[Any]:
    """Return the result and the gradients of a call."""
    out = call(*leaves)
    drawn = torch.Generator().manual_seed(5)
    slope = torch.randn(out.shape, generator=drawn).to(out.device, out.dtype)
    return [out, *torch.autograd.grad(out, [t for t in leaves if t.requires_grad], slope)]


def assert_close(found: list[Any], wanted: list[Any], tolerance: float = 1e-4) -> None:
    for a, b in zip(found, wanted, strict=True):
        torch.testing.assert_close(a, b, rtol=tolerance, atol=tolerance)
    assert found[0].stride() == wanted[0].stride()


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_patches_are_a_product(layout: Any) -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 3, 20, 30).contiguous(memory_format=layout).requires_grad_()
    weight, bias = torch.randn(8, 3, 10, 10).contiguous(memory_format=layout).requires_grad_(), torch.ones(8)
    assert detours.is_patches(x, weight, 10, 0, 1, 1)
    found = passes(lambda *t: detours.by_patches(*t, bias), x, weight)
    assert_close(found, passes(lambda *t: functional.conv2d(*t, bias, 10), x, weight))


CASES = [
    ((2, 6, 20), (8, 6, 3), (2, 1, 1, 1)),
    ((2, 6, 5, 7), (8, 3, 3, 3), (1, 1, 1, 2)),
    ((1, 4, 4, 5, 6), (6, 4, 3, 3, 3), (1, 0, 1, 1)),
]


@pytest.mark.parametrize(("shape", "filters", "geometry"), CASES)
def test_channels_first_images_are_computed_in_channels_last_memory(shape: Any, filters: Any, geometry: Any) -> None:
    torch.manual_seed(1)
    x, weight = torch.randn(shape, requires_grad=True), torch.randn(filters, requires_grad=True)
    theirs = getattr(functional, f"conv{len(shape) - 2}d")
    assert detours.is_first(x)
    found = passes(lambda *t: detours.by_channels_last(*t, None, *geometry), x, weight)
    assert_close(found, passes(lambda *t: theirs(*t, None, *geometry), x, weight))


def test_what_takes_no_detour(monkeypatch: pytest.MonkeyPatch) -> None:
    image, filters = torch.ones(1, 3, 32, 32), torch.ones(8, 3, 16, 16)
    geometry = [(16, 16), (0, 0), (1, 1), 1]
    for place, value in ((0, (8, 16)), (1, (1, 0)), (2, (1, 2)), (3, 3)):
        assert not detours.is_patches(image, filters, *[value if i == place else g for i, g in enumerate(geometry)])
    assert not detours.is_patches(image[..., :31], filters, *geometry)  # a rest that no patch covers
    assert not detours.is_patches(torch.ones(1, 8, 32, 32), torch.ones(8, 8, 16, 16), *geometry)
    assert not detours.is_patches(image, torch.ones(8, 3, 4, 4), (4, 4), *geometry[1:])
    assert not detours.is_first(image.contiguous(memory_format=torch.channels_last))
    taken = list[Any]()
    monkeypatch.setattr(modules, "detour", lambda *given: taken.append(given) or None)
    layer = nn.Conv2d(3, 4, 3, padding=1)
    with tt.patch(layer):
        layer(image)
    assert not taken  # it is on the host


@pytest.mark.gpu
@pytest.mark.parametrize("fuse", [False, True])
def test_detours_on_a_gpu(fuse: bool) -> None:
    torch.manual_seed(2)
    for layers, shape in (
        (nn.Sequential(nn.Conv2d(3, 64, 16, 16), nn.Flatten(2)), (2, 3, 64, 64)),
        (nn.Sequential(nn.Conv1d(80, 64, 3, 1, 1), nn.GELU(), nn.Conv1d(64, 64, 3, 2, 1), nn.GELU()), (2, 80, 100)),
        (nn.Sequential(nn.Conv2d(32, 64, 3, 1, 1), nn.ReLU()), (2, 32, 9, 9)),
    ):
        model, x = layers.cuda().half().eval(), torch.randn(shape).cuda().half()
        want = passes(model, *[x.requires_grad_()]) if not fuse else [model(x).detach()]
        with tt.patch(model, fuse=fuse) as patched:
            if fuse:
                with torch.no_grad():
                    found = [model(x)]
            else:
                found = passes(model, x)
            assert_close(found, want, 2e-2)
            assert not patched.report.left_calls
