"""Fourteen configurations beside torch's scaled_dot_product_attention on the CPU, and its gradients."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.fmha.mask import visible
from tilewright.ops.fmha.reference import all_expected, forward

from fmha_masks import MASKS, masked_tensors  # isort: skip

torch = pytest.importorskip("torch", reason="torch is not installed")
OP = get_op("fmha")
SIZES = {"batch": 2, "heads_q": 4, "seqlen_q": 48, "hdim_q": 64, "dtype": "fp32"}
PROBLEMS = Path(__file__).parents[2] / "benchmarks" / "problems" / "attention_parity.jsonl"
PARITY = [json.loads(line) for line in PROBLEMS.read_text().splitlines()]


def test_there_are_fourteen() -> None:
    assert len(PARITY) == 14


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


@pytest.mark.parametrize("number", range(len(PARITY)))
def test_forward_is_what_torch_says(number: int) -> None:
    p = problem_from_dict(PARITY[number])
    tensors = OP.random_tensors(p, seed=2)
    want = of_torch(p, *doubles(tensors, "q", "k", "v", "bias"))
    np.testing.assert_allclose(all_expected(p, tensors)["out"].value, want.numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("number", range(len(PARITY)))
def test_gradients_are_what_torch_says(number: int) -> None:
    p = problem_from_dict({**PARITY[number], "family": "bwd", "dbias": "bias" in PARITY[number]})
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


@pytest.mark.parametrize("number", range(len(PARITY)))
@pytest.mark.parametrize("dtype", ["fp32", "bf16"])
def test_torch_as_a_peer_computes_the_same_problem(number: int, dtype: str) -> None:
    from tilewright.tune.bench.peers import PeerCall
    from tilewright.tune.bench.peers_torch import TorchPeer

    p = problem_from_dict({**PARITY[number], "dtype": dtype})
    t = OP.random_tensors(p, seed=6)
    call = TorchPeer().prepare(p, t)
    assert isinstance(call, PeerCall)
    call.call()
    assert OP.verify(p, t, np.asarray(call.out).astype(t["out"].dtype), product_error=2.0**-9).ok


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"mode": "group"}, "different lengths"),
        ({"soft_cap": 2.0}, "a soft cap"),
        ({"bias": "alibi"}, "ALiBi"),
        ({"family": "bwd"}, "the family bwd"),
        ({"dtype": "fp8"}, "fp8 operands"),
    ],
)
def test_the_peer_says_what_it_cannot(fields: dict[str, Any], reason: str) -> None:
    from tilewright.tune.bench.peers import Unable
    from tilewright.tune.bench.peers_torch import TorchPeer

    answer = TorchPeer().prepare(problem_from_dict({"op": "fmha", **SIZES, **fields}), {})
    assert isinstance(answer, Unable)
    assert reason in answer.reason


def by_hand(p: Any, q: Any, k: Any, v: Any, bias: Any) -> Any:
    """Attention as it is defined, in float64: softmax(cap(scale * q k) + bias), zeros for a row without keys."""
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    k, v = (x.repeat_interleave(p.heads_q // p.heads_kv, dim=1) for x in (k, v))
    scores = p.softmax_scale * q @ k.transpose(2, 3)
    logits = p.soft_cap * torch.tanh(scores / p.soft_cap) + bias
    shown = (logits > float("-inf")).any(-1, keepdim=True)
    weights = torch.softmax(torch.where(shown, logits, 0.0), -1)
    return (torch.where(shown, weights, 0.0) @ v).transpose(1, 2)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("soft_cap", [0.0, 2.0])
def test_hidden_blocks_of_keys_are_what_torch_says(mask: str, soft_cap: float) -> None:
    """torch's function, and with a soft cap, which it has not, the definition: the cap comes before the bias."""
    p = problem_from_dict({**SIZES, "op": "fmha", "heads_kv": 2, "seqlen_q": 20, "seqlen_k": 50, "bias": "elementwise",
                           "bias_heads": 4, "soft_cap": soft_cap, "family": "bwd", "dbias": True})  # fmt: skip
    t = masked_tensors(p, mask)
    inputs = doubles(t, "q", "k", "v", "bias")
    for x in inputs:
        x.requires_grad_()
    out = (by_hand if soft_cap else of_torch)(p, *inputs)
    np.testing.assert_allclose(forward(p, t)["out"].value, out.detach().numpy(), rtol=1e-9, atol=1e-12)
    slopes = torch.autograd.grad(out, inputs, *doubles(t, "dout"))
    for role, want in zip(("dq", "dk", "dv", "dbias"), slopes, strict=True):
        np.testing.assert_allclose(all_expected(p, t)[role].value, want.numpy(), rtol=1e-4, atol=1e-5)
