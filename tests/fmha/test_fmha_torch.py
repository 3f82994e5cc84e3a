"""Fourteen configurations beside torch's scaled_dot_product_attention on the CPU, and its gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.fmha.mask import visible
from tilewright.ops.fmha.reference import all_expected

torch = pytest.importorskip("torch", reason="torch is not installed")
OP = get_op("fmha")
SIZES = {"batch": 2, "heads_q": 4, "seqlen_q": 48, "hdim_q": 64, "dtype": "fp32"}
PARITY: dict[str, dict[str, Any]] = {
    "plain": {},
    "hdim 32": {"hdim_q": 32},
    "hdim 128": {"hdim_q": 128},
    "hdim 256": {"hdim_q": 256, "seqlen_q": 17},
    "hdim 192 x 128": {"hdim_q": 192, "hdim_v": 128},
    "causal": {"mask": "causal_top_left"},
    "causal, more keys": {"mask": "causal_bottom_right", "seqlen_k": 80},
    "window": {"mask": "window", "window_left": 8, "window_right": 4},
    "grouped heads": {"heads_kv": 2, "mask": "causal_top_left"},
    "one key head": {"heads_kv": 1},
    "bias": {"bias": "elementwise", "bias_heads": 4, "bias_batch": 2},
    "scale": {"scale": 0.25},
    "decode": {"seqlen_q": 1, "seqlen_k": 513, "heads_kv": 2},
    "heads first": {"layout": "bhsd"},
}


def of_torch(p: Any, q: Any, k: Any, v: Any, bias: Any = None) -> Any:
    """torch's answer in float64, [batch, seqlen, heads, hdim]."""
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    k, v = (x.repeat_interleave(p.heads_q // p.heads_kv, dim=1) for x in (k, v))
    mask = None
    if p.mask != "none":
        mask = torch.zeros(p.seqlen_q, p.seqlen_k, dtype=torch.float64)
        mask.masked_fill_(~torch.from_numpy(visible(p, p.seqlen_q, p.seqlen_k)), float("-inf"))
    if bias is not None:
        mask = bias if mask is None else mask + bias
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=p.softmax_scale)
    return out.transpose(1, 2)


def doubles(tensors: dict[str, Any], *roles: str) -> list[Any]:
    return [torch.from_numpy(np.ascontiguousarray(tensors[r]).astype(np.float64)) for r in roles if r in tensors]


@pytest.mark.parametrize("name", PARITY)
def test_forward_is_what_torch_says(name: str) -> None:
    p = problem_from_dict({"op": "fmha", **SIZES, **PARITY[name]})
    tensors = OP.random_tensors(p, seed=2)
    want = of_torch(p, *doubles(tensors, "q", "k", "v", "bias"))
    np.testing.assert_allclose(all_expected(p, tensors)["out"].value, want.numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", PARITY)
def test_gradients_are_what_torch_says(name: str) -> None:
    fields = {**SIZES, **PARITY[name], "family": "bwd", "dbias": "bias" in PARITY[name]}
    p = problem_from_dict({"op": "fmha", **fields})
    t = OP.random_tensors(p, seed=2)
    inputs = doubles(t, "q", "k", "v", "bias")
    for x in inputs:
        x.requires_grad_()
    out = of_torch(p, *inputs)
    (dout,) = doubles(t, "dout")
    gradients = torch.autograd.grad(out, inputs, dout)
    e = all_expected(p, {**t, "out": out.detach().numpy()})  # the fp32 lse of the tensors leaves 1e-7
    for role, want in zip(p.outputs, gradients, strict=True):
        np.testing.assert_allclose(e[role].value, want.numpy(), rtol=1e-5, atol=2e-6)


def test_an_fp16_answer_of_torch_is_within_the_tolerance() -> None:
    """65,536 outputs: what a real kernel of another project makes of them must pass, a shifted one must not."""
    p = problem_from_dict({"op": "fmha", **SIZES, "seqlen_q": 128, "dtype": "bf16", "mask": "causal_top_left"})
    t = OP.random_tensors(p, seed=4)
    q, k, v = (torch.from_numpy(t[r].astype(np.float32)).bfloat16().transpose(1, 2) for r in "qkv")
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).float().numpy()
    assert out.size == 65536
    assert OP.verify(p, t, out.astype(t["out"].dtype)).ok
    assert not OP.verify(p, t, np.roll(out, 1, axis=1).astype(t["out"].dtype)).ok
