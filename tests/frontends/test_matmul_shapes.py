"""Products of vectors, matrices and stacks have the shapes that NumPy and torch give them, gradients too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw

LEFT = ((3,), (2, 3), (1, 2, 3), (2, 2, 3))
RIGHT = ((3,), (3, 4), (1, 3, 4), (2, 3, 4))


def _drawn(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("b", RIGHT[1:])
@pytest.mark.parametrize("a", LEFT[1:])
def test_gemm_has_the_shape_of_numpys_matmul(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    left, right = _drawn(a), _drawn(b)
    expected = np.matmul(left, right)
    for _ in range(3):  # planned, remembered, found in C
        found = tw.gemm(left, right)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_packed_weights_and_groups_still_give_a_matrix() -> None:
    a, b = _drawn((4, 3)), _drawn((3, 4))
    assert tw.gemm(a, tw.pack_weights(b)).shape == (4, 4)
    assert tw.grouped_gemm(a, b[None], np.array([4], np.int32)).shape == (4, 4)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("b", RIGHT)
@pytest.mark.parametrize("a", LEFT)
def test_matmul_and_its_gradients_are_torchs(a: tuple[int, ...], b: tuple[int, ...], compiled: bool) -> None:
    torch = pytest.importorskip("torch")
    import tilewright.torch as tt

    ours = [torch.from_numpy(_drawn(s)).requires_grad_() for s in (a, b)]
    torchs = [t.detach().clone().requires_grad_() for t in ours]
    call = torch.compile(tt.matmul, backend="aot_eager", dynamic=False) if compiled else tt.matmul
    found, expected = call(*ours), torch.matmul(*torchs)
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected)
    weight = torch.randn(expected.shape)
    (found * weight).sum().backward()
    (expected * weight).sum().backward()
    for mine, other in zip(ours, torchs, strict=True):
        torch.testing.assert_close(mine.grad, other.grad)
