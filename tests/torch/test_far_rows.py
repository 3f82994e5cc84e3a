"""Gradients of rows whose logits are all far from 0: a mask that hides every key by a large number, not by -inf.

The LSE of such a row has no room for the logarithm of its sum. The answer is the definition in fp32, as a large number
swallows a part of the scores there, in the forward pass as in the gradients.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import tilewright.torch as tt

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
TOLERANCES = {"fp32": 4e-6, "bf16": 0.03, "fp16": 4e-3}
LOWS = ("lowest", -1e30, -1e9, -1e4, -3e3, 1e9)
ROWS = ("padding", "all", "one", "one key left", "some keys by -inf")


def mask_of(rows: str, low: Any, heads: int, dtype: Any, sizes: tuple[int, int]) -> Any:
    """Return [batch, heads, rows, keys]: random numbers, and `low` in the rows that are hidden."""
    most = torch.finfo(dtype).max
    low = -most if low == "lowest" else max(-most, min(most, low))
    mask = torch.randn(2, heads, *sizes)
    if rows == "padding":  # on the left, as a causal model has it: rows there see nothing
        mask[1, :, :, : sizes[1] // 3] = low
        mask = torch.where(torch.ones(sizes).tril(sizes[1] - sizes[0]).bool(), mask, low)
        mask[1, :, : sizes[0] // 3] = low
    elif rows == "all":
        mask[:] = low
    elif rows == "one":
        mask[0, :, 5] = low
    elif rows == "one key left":
        mask[:, :, 3:9] = low
        mask[:, :, 3:6, 7] = 0.5
    else:
        mask[:, :, 2:20] = low
        mask[:, :, 2:11, 4 : sizes[1] // 2] = float("-inf")
    return mask.to(dtype)


def by_definition(q: Any, k: Any, v: Any, mask: Any, cap: float) -> Any:
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for x in (k, v))
    scores = q @ k.mT / q.shape[-1] ** 0.5
    return torch.softmax((cap * torch.tanh(scores / cap) if cap else scores) + mask, -1) @ v


def ours(q: Any, k: Any, v: Any, mask: Any, cap: float) -> Any:
    if cap:
        return tt.attention(q, k, v, bias=mask, soft_cap=cap, layout="bhsd")
    return tt.sdpa(q, k, v, mask, enable_gqa=True)


def gradients(function: Any, dtype: Any, tensors: Any, dout: Any, cap: float) -> Any:
    leaves = [x.detach().to(dtype).requires_grad_() for x in tensors]
    out = function(*leaves, cap)
    return out, *torch.autograd.grad(out, leaves, dout.to(dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rows", ROWS)
def test_rows_that_a_large_number_hides_have_the_gradients_of_the_definition(rows: str, dtype: str) -> None:
    kind, wrong = DTYPES[dtype], []
    for low, heads, cap in product(LOWS, (1, 4), (0.0, 2.0)):
        torch.manual_seed(1)
        q, k, v, dout = (torch.randn(2, h, n, 32).to(kind) for h, n in ((4, 37), (2, 110), (2, 110), (4, 37)))
        tensors = (q, k, v, mask_of(rows, low, heads, kind, (37, 110)))
        found = gradients(ours, kind, tensors, dout, cap)
        want = gradients(by_definition, torch.float32, tensors, dout, cap)
        # A number this large swallows scores, or it rounds them: a sum in another order may be rounded otherwise.
        unit = float(tensors[3].float().nan_to_num(0, 0, 0).abs().max()) * 2.0**-24
        allowed = TOLERANCES[dtype] + (4 * unit if unit < 1 else 0)
        for name, x, y in zip(("out", "dq", "dk", "dv", "dmask"), found, want, strict=True):
            error = float((x.float() - y).abs().max() / y.abs().max().clamp(min=1e-3))
            if not error <= allowed:
                wrong.append((low, heads, cap, name, error, allowed))
    assert not wrong
