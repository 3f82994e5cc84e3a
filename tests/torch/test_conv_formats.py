"""Memory formats of convolutions: results and gradients have torch's strides, and slices are read where they lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: memory formats are not tested")

from torch import nn
from torch.nn import functional

import tilewright.torch as tt
from tilewright.torch.formats import is_last

SIZES = (6, 5, 4)
COPIES = ("aten::copy_", "aten::_to_copy")


def drawn(*shape: int, last: bool = False) -> Any:
    made = torch.randn(shape, generator=torch.Generator().manual_seed(sum(shape)))
    if not last:
        return made
    return made.to(memory_format={4: torch.channels_last, 5: torch.channels_last_3d}[len(shape)])


def inputs(dims: int) -> Iterator[tuple[str, Any]]:
    """Images of 8 channels with all kinds of strides: both formats, sliced in every dimension, expanded, permuted."""
    size = SIZES[:dims]
    for last in (False, True) if dims > 1 else (False,):
        wide = drawn(4, 16, *(n + 2 for n in size), last=last)
        name = "last" if last else "first"
        yield f"{name} dense", drawn(2, 8, *size, last=last)
        yield f"{name} every second image", drawn(4, 8, *size, last=last)[::2]
        yield f"{name} first half", wide[:2].chunk(2, 1)[0]
        yield f"{name} second half", wide[:2].chunk(2, 1)[1]
        yield f"{name} every second channel", wide[:2, ::2]
        for axis in range(2, 2 + dims):
            yield f"{name} axis {axis}", wide[:2, :8].narrow(axis, 1, size[axis - 2])
        yield f"{name} every second pixel", wide[:2, :8, ..., ::2]
        yield f"{name} one channel", drawn(2, 1, *size, last=last)
        yield f"{name} one pixel", drawn(2, 8, *(1 for _ in size), last=last)
    yield "expanded images", drawn(1, 8, *size).expand(2, *(-1 for _ in range(dims + 1)))
    yield "expanded channels", drawn(2, 1, *size).expand(-1, 8, *(-1 for _ in size))
    yield "expanded pixels", drawn(2, 8, *size[:-1], 1).expand(2, 8, *size)
    yield "images and channels swapped", drawn(8, 2, *size).transpose(0, 1)
    yield "channels at the end", drawn(2, *size, 8).movedim(-1, 1)
    if dims > 1:
        yield "rows and columns swapped", drawn(2, 8, *size).transpose(2, 3)


def weights(dims: int, channels: int) -> Iterator[Any]:
    yield drawn(4, channels, *(3,) * dims)
    if dims > 1:
        yield drawn(4, channels, *(3,) * dims, last=True)


CASES = [
    pytest.param(
        x,
        w,
        id=f"{dims}d, {name}, filters {'last' if is_last(w) else 'first'}",
        marks=pytest.mark.exhaustive if dims == 3 else (),
    )
    for dims in (1, 2, 3)
    for name, x in inputs(dims)
    for w in weights(dims, x.shape[1])
]


@pytest.mark.parametrize("turn", range(2))
def test_each_test_starts_with_onednn(turn: int) -> None:
    """Torch's strides are not the same without it."""
    assert torch.backends.mkldnn.enabled
    torch.backends.mkldnn.set_flags(_enabled=False)


@pytest.mark.parametrize(("x", "w"), CASES)
def test_results_and_gradients_have_the_strides_of_torchs(x: Any, w: Any) -> None:
    theirs = getattr(functional, f"conv{x.dim() - 2}d")
    leaves = x.detach().requires_grad_(), w.detach().requires_grad_()
    results = [call(*leaves, padding=1) for call in (tt.conv, theirs)]
    grad = drawn(*results[0].shape)
    ours, wanted = ([y, *torch.autograd.grad(y, leaves, grad)] for y in results)
    for got, want in zip(ours, wanted, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
        assert got.stride() == want.stride()
    with torch.no_grad():
        for _ in range(2):  # the second one is remembered
            assert tt.conv(x, w, padding=1).stride() == wanted[0].stride()
    on_meta = [torch.empty_strided(t.shape, t.stride(), device="meta") for t in (x, w)]
    assert tt.conv(*on_meta, padding=1).stride() == wanted[0].stride()


@pytest.mark.parametrize("dims", [2, pytest.param(3, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("last", [False, True])
def test_a_transposed_convolution_too(dims: int, last: bool) -> None:
    theirs = getattr(functional, f"conv_transpose{dims}d")
    x, w = drawn(2, 16, *SIZES[:dims], last=last).chunk(2, 1)[1], drawn(8, 4, *(3,) * dims)
    leaves = x.detach().requires_grad_(), w.requires_grad_()
    results = [call(*leaves, padding=1) for call in (tt.conv_transpose, theirs)]
    ours, wanted = ([y, *torch.autograd.grad(y.square().sum(), leaves)] for y in results)
    for got, want in zip(ours, wanted, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-3)
        assert got.stride() == want.stride()


def copies(call: Any) -> int:
    """Count the copies that a call makes."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        call()
    return sum(event.count for event in profile.key_averages() if event.key in COPIES)


@pytest.mark.parametrize("half", [0, 1])
def test_a_slice_of_channels_is_not_copied(half: int) -> None:
    """Neither in both passes, nor in inference."""
    whole = drawn(2, 16, 6, 5, last=True).requires_grad_()
    x, w = whole.chunk(2, 1)[half], drawn(4, 8, 3, 3, last=True).requires_grad_()
    y = tt.conv(x, w, padding=1)
    grad = torch.ones_like(y)
    assert not copies(lambda: tt.conv(x, w, padding=1))
    assert not copies(lambda: torch.autograd.grad(y, (x, w), grad))
    with torch.no_grad():
        assert not copies(lambda: tt.conv(x, w, padding=1))


class Unit(nn.Module):
    """The unit of ShuffleNet: one half of the channels goes through three convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.branch = nn.Sequential(nn.Conv2d(8, 8, 1), nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.Conv2d(8, 8, 1))

    def forward(self, x: Any) -> Any:
        """Return the channels shuffled."""
        kept, given = x.chunk(2, 1)
        joined = torch.cat((kept, self.branch(given)), 1)
        return joined.unflatten(1, (2, 8)).transpose(1, 2).flatten(1, 2)


def test_a_patched_net_makes_no_more_copies_than_torch() -> None:
    model = nn.Sequential(Unit(), Unit()).eval().to(memory_format=torch.channels_last)
    x = drawn(2, 16, 6, 5, last=True)
    with torch.no_grad():
        want, theirs = model(x), copies(lambda: model(x))
        with tt.patch(model):
            got = model(x)
            torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
            assert got.stride() == want.stride()
            assert copies(lambda: model(x)) <= theirs
