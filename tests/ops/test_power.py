"""How small an error verification surely notices, tier by tier; and that honest roundings pass, also hostile ones.

The table of powers in docs/verification.md is what is tested here. Mutants are wrong before the result is rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilewright.backends.ck_tile.op import split_error
from tilewright.model.dtype import numpy_dtype
from tilewright.model.inexact import Inexact
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.drift import Drift, Honest, drifts
from tilewright.ops.fmha.backward import backward

GEMM, FMHA, CONV = get_op("gemm"), get_op("fmha"), get_op("conv")
DTYPES = ("fp32", "fp16", "bf16")
POWER = 1.002  # a factor that every tier notices
PRODUCTS = [(4, 16, 64), (96, 80, 1024), (33, 120, 2048)]
ATTENTIONS = [(1, 2, 32, 64, 64), (1, 2, 100, 300, 64), (1, 2, 64, 512, 128)]


def product(m: int, n: int, k: int, dtype: str, **fields: Any) -> tuple[Any, dict[str, Any]]:
    p = problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, "dtype": dtype, "layout": "rrr", **fields})
    return p, GEMM.random_tensors(p, seed=5)


def summed(tensors: dict[str, Any], step: int = 16, cut: Callable[[Any], Any] = lambda x: x) -> Any:
    """A product summed `step` terms at a time in float32, as a kernel does it; `cut` follows each sum."""
    a, b = (tensors[r].astype(np.float64) for r in "ab")
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(0, a.shape[1], step):
        total = cut(total.astype(np.float64) + a[:, k : k + step] @ b[k : k + step]).astype(np.float32)
    return total


def toward_zero(x: Any) -> Any:
    """float64 cut off to 24 bits, as matrix units do."""
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.trunc(fraction * 2.0**24) / 2.0**24, exponent)


@pytest.mark.parametrize("tier", ["float64", "rows", "projection"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", PRODUCTS[1:], ids=str)
def test_a_factor_of_a_product(sizes: tuple[int, int, int], dtype: str, tier: str) -> None:
    p, tensors = product(*sizes, dtype)
    for right in (summed(tensors), summed(tensors, cut=toward_zero)):
        assert GEMM.verify(p, tensors, right.astype(numpy_dtype(dtype)), tier=tier).ok
        factor = POWER if tier != "projection" or p.m > 64 else 1.004  # a projection has one number for each row
        wrong = GEMM.verify(p, tensors, (factor * right).astype(numpy_dtype(dtype)), tier=tier)
        assert wrong.ratio > 1.2, wrong


def test_a_factor_of_a_small_product() -> None:
    """64 elements of bf16 show less than a thousand do."""
    for dtype, power in (("fp32", 1.0001), ("fp16", 1.002), ("bf16", 1.01)):
        p, tensors = product(*PRODUCTS[0], dtype)
        right = summed(tensors)
        assert GEMM.verify(p, tensors, right.astype(numpy_dtype(dtype))).ok
        assert not GEMM.verify(p, tensors, (power * right).astype(numpy_dtype(dtype))).ok, dtype


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_factor_on_the_device(dtype: str) -> None:
    """The comparison that stays on a GPU, here with tensors of the host."""
    torch = pytest.importorskip("torch")
    from tilewright.ops.gemm.device_checker import device_checker
    from tilewright.ops.gemm.on_device import random_tensors
    from tilewright.ops.gemm.on_device import verify as in_pieces
    from tilewright.ops.tolerance import Tolerance

    p = problem_from_dict({"op": "gemm", "m": 96, "n": 80, "k": 1024, "dtype": dtype, "layout": "rrr"})
    tensors = random_tensors(p, 3)
    right = tensors["a"].float() @ tensors["b"].float()
    check: Any = device_checker(p, tensors)
    tolerance = Tolerance.of(dtype, "fp32", 1024)
    for factor in (1.0, POWER, 1.0 / POWER):
        out = (factor * right).to(tensors["out"].dtype)
        check.queue(out)
        assert [v.ok for v in check.results()] == [factor == 1.0]
        assert check(out).ok == in_pieces(p, tensors, out, tolerance).ok == (factor == 1.0)
    assert torch.equal(right, right)


def in_parts(tensors: dict[str, Any], splits: int, dtype: str) -> Any:
    """Parts of K rounded to the output's dtype and added there, as atomic additions do."""
    kind, parts = numpy_dtype(dtype), np.array_split(np.arange(tensors["a"].shape[1]), splits)
    total = np.zeros((tensors["a"].shape[0], tensors["b"].shape[1]), kind)
    for part in parts:
        term = (tensors["a"][:, part].astype(np.float32) @ tensors["b"][part].astype(np.float32)).astype(kind)
        total = (total.astype(np.float32) + term.astype(np.float32)).astype(kind)
    return total


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize(("sizes", "splits"), [((70, 72, 1024), 4), ((64, 96, 2048), 16), ((16, 128, 512), 2)])
def test_split_k_in_sixteen_bits(sizes: tuple[int, int, int], splits: int, dtype: str) -> None:
    p, tensors = product(*sizes, dtype)
    allowed = Inexact(partial=split_error(dtype, "fp32", splits))
    right = in_parts(tensors, splits, dtype).astype(np.float32)
    one = right.copy()
    one[np.unravel_index(np.argmax(np.abs(one)), one.shape)] *= 1.1  # one element alone
    assert not GEMM.verify(p, tensors, one.astype(numpy_dtype(dtype)), product_error=allowed).ok
    assert GEMM.verify(p, tensors, right.astype(numpy_dtype(dtype)), product_error=allowed).ok
    for factor in (1.01, 0.99):
        wrong = (factor * right).astype(numpy_dtype(dtype))
        assert not GEMM.verify(p, tensors, wrong, product_error=allowed).ok


@pytest.mark.parametrize("k", [64, 1024, 8192])
def test_parts_that_cancel_are_right(k: int) -> None:
    """The first half of K gives large sums, the second takes them away again."""
    p, tensors = product(24, 40, k, "fp16")
    half = k // 2
    tensors["a"][...] = np.abs(tensors["a"]) / 8
    tensors["b"][:half] = np.abs(tensors["b"][:half]) / 8
    tensors["b"][half:] = -tensors["b"][:half]
    tensors["a"][:, half:] = tensors["a"][:, :half] * np.float16(1.01)
    allowed = Inexact(partial=split_error("fp16", "fp32", 2))
    assert GEMM.verify(p, tensors, in_parts(tensors, 2, "fp16"), product_error=allowed).ok
    assert GEMM.verify(p, tensors, summed(tensors).astype(np.float16)).ok


def tf32(x: Any) -> Any:
    """float32 with the last 13 bits dropped."""
    return (np.ascontiguousarray(x).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def test_tf32() -> None:
    p, tensors = product(96, 80, 1024, "fp32")
    right = summed({r: tf32(tensors[r]) for r in "ab"})
    assert GEMM.verify(p, tensors, right, product_error=2.0**-9).ok
    assert not GEMM.verify(p, tensors, right).ok
    assert not GEMM.verify(p, tensors, np.float32(1.01) * right, product_error=2.0**-9).ok


TRAPS = {
    "all alike": lambda x: np.full_like(x, 0.1),
    "columns alike": lambda x: np.broadcast_to(x[:, :1], x.shape),
    "one sign": np.abs,
    "tiny": lambda x: x * np.array(2.0**-13, x.dtype),
    "zeros": np.zeros_like,
    "one huge row": lambda x: np.where(np.arange(x.shape[0])[:, None] == 3, 30 * x.astype(np.float32), x),
    "integers": lambda x: np.round(2 * x.astype(np.float32)),
}


@pytest.mark.parametrize("dtype", [*DTYPES, "fp8"])
@pytest.mark.parametrize("trap", TRAPS)
def test_honest_results_of_odd_data_pass(trap: str, dtype: str) -> None:
    p, tensors = product(40, 48, 256, dtype, **({"dtype_out": "fp8"} if dtype == "fp8" else {}))
    for role in "ab":
        tensors[role][...] = TRAPS[trap](tensors[role]).astype(tensors[role].dtype)
    for right in (summed(tensors), summed(tensors, cut=toward_zero), summed(tensors, step=1)):
        found = GEMM.verify(p, tensors, right.astype(numpy_dtype(p.dtype_out)))
        assert found.ok, found


@pytest.mark.parametrize(("dtype", "d"), [("bf8", "fp8_fnuz"), ("fp8", "fp16")])
def test_sums_that_lie_halfway(dtype: str, d: str) -> None:
    """Tiny products are added to narrow numbers, of which many lie halfway: float32 drops what decides the rounding."""
    more = {"dtype_out": dtype, "d": [{"dtype": d, "broadcast": "row"}, {"dtype": d, "broadcast": "none"}]}
    rng = np.random.default_rng(5)
    p, tensors = product(64, 64, 64, "fp16", **more)
    tensors["a"][...], tensors["b"][...] = tensors["a"] * np.float16(2.0**-14), tensors["b"] * np.float16(2.0**-10)
    for role in ("d0", "d1"):
        tensors[role][...] = (rng.integers(-20, 21, tensors[role].shape) / 8.0).astype(tensors[role].dtype)
    first, second = (tensors[r].astype(np.float32) for r in ("d0", "d1"))
    right = (summed(tensors) + first) + second
    assert (right.astype(numpy_dtype(dtype)) != GEMM.expected(p, tensors).value.astype(numpy_dtype(dtype))).any()
    assert GEMM.verify(p, tensors, right.astype(numpy_dtype(dtype))).ok
    assert not GEMM.verify(p, tensors, (1.05 * right).astype(numpy_dtype(dtype))).ok


def attention(p: Any, t: dict[str, Any], scale: float, factor: float = 1.0) -> Any:
    """A plausible kernel: float32 sums, probabilities rounded to the operands' dtype."""
    q, k, v = (t[r].astype(np.float32).transpose(0, 2, 1, 3) for r in "qkv")
    k, v = (np.repeat(x, p.heads_q // p.heads_kv, 1) for x in (k, v))
    scores = (q @ k.transpose(0, 1, 3, 2)) * np.float32(scale)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    total = weights.sum(-1, keepdims=True)
    if p.dtype != "fp32":
        weights = weights.astype(numpy_dtype(p.dtype)).astype(np.float32)
    return (factor * (weights @ v) / total).transpose(0, 2, 1, 3).astype(numpy_dtype(p.dtype_out))


@pytest.mark.parametrize("tier", ["float64", "rows"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", ATTENTIONS, ids=str)
def test_the_scale_of_an_attention(sizes: tuple[int, ...], dtype: str, tier: str) -> None:
    names = ("batch", "heads_q", "seqlen_q", "seqlen_k", "hdim_q")
    p = problem_from_dict({"op": "fmha", **dict(zip(names, sizes, strict=True)), "heads_kv": 2, "dtype": dtype})
    for seed in range(2):
        t = FMHA.random_tensors(p, seed)
        assert FMHA.verify(p, t, attention(p, t, p.softmax_scale), tier=tier).ok
        for out in (attention(p, t, POWER * p.softmax_scale), attention(p, t, p.softmax_scale, POWER)):
            wrong = FMHA.verify(p, t, out, tier=tier)
            assert wrong.ratio > 1.1, wrong


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_scale_of_gradients(dtype: str) -> None:
    p = problem_from_dict({"op": "fmha", "family": "bwd", "batch": 1, "heads_q": 4, "heads_kv": 2, "seqlen_q": 64,
                           "seqlen_k": 96, "hdim_q": 64, "dtype": dtype})  # fmt: skip
    t = FMHA.random_tensors(p, 1)
    right = {role: e.value for role, e in backward(p, t).items()}
    for wrong in ("", "dq", "dk", "dv"):
        for role, value in right.items():
            t[role][...] = (value * (POWER if role == wrong else 1.0)).astype(t[role].dtype)
        found = FMHA.verify(p, t, t["dq"])
        assert found.ok == (wrong == ""), (wrong, found)
        assert wrong in ("", found.tensor)


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
def test_roundings_of_probabilities_that_outputs_share(dtype: str) -> None:
    """With equal scores, slopes alone make the probabilities: all rows have the same ones, and the same roundings."""
    p = problem_from_dict({"op": "fmha", "batch": 1, "heads_q": 2, "heads_kv": 2, "seqlen_q": 64, "seqlen_k": 97,
                           "hdim_q": 64, "dtype": dtype, "bias": "alibi"})  # fmt: skip
    distance = np.abs(np.arange(97) - np.arange(33, 97)[:, None])
    for seed in range(3):
        t = FMHA.random_tensors(p, seed)
        t["q"][...], t["v"][...] = 0, np.abs(t["v"])
        slopes = t["bias"].astype(np.float64).reshape(-1)
        weights = np.exp(-slopes[:, None, None] * distance).astype(np.float32)
        total = weights.sum(-1, keepdims=True)
        weights = weights.astype(numpy_dtype(dtype)).astype(np.float32)
        out = (weights @ t["v"].astype(np.float32).transpose(0, 2, 1, 3) / total).transpose(0, 2, 1, 3)
        assert FMHA.verify(p, t, out.astype(numpy_dtype(dtype))).ok
        factor = {"fp16": POWER, "bf16": 1.01}[dtype]
        assert not FMHA.verify(p, t, (factor * out).astype(numpy_dtype(dtype))).ok


def gradients(p: Any, t: dict[str, Any]) -> dict[str, Any]:
    """A plausible backward kernel: probabilities and score gradients rounded to the operands' dtype, fp32 sums."""
    kind = numpy_dtype(p.dtype)
    q, k, v, out, dout = (t[r].astype(np.float32).transpose(0, 2, 1, 3) for r in ("q", "k", "v", "out", "dout"))
    k, v = (np.repeat(x, p.heads_q // p.heads_kv, 1) for x in (k, v))
    weights = np.exp(q @ k.transpose(0, 1, 3, 2) * np.float32(p.softmax_scale) - t["lse"][..., None])
    ds = weights * (dout @ v.transpose(0, 1, 3, 2) - (dout * out).sum(-1, keepdims=True))
    weights, ds = (x.astype(kind).astype(np.float32) for x in (weights, ds))
    scale = np.float32(p.softmax_scale)
    turned = (0, 1, 3, 2)
    found = {"dq": scale * (ds @ k), "dk": scale * (ds.transpose(turned) @ q), "dv": weights.transpose(turned) @ dout}
    b, rows = p.batch, p.heads_q // p.heads_kv
    return {
        r: (x if r == "dq" else x.reshape(b, p.heads_kv, rows, *x.shape[2:]).sum(2)).transpose(0, 2, 1, 3)
        for r, x in found.items()
    }


@pytest.mark.parametrize("dtype", ["fp16", "bf16"])
@pytest.mark.parametrize("data", ["equal probabilities", "positive", "normal"])
def test_roundings_of_probabilities_that_gradients_share(data: str, dtype: str) -> None:
    """Each probability is rounded once and then used for a whole row of dV: with one sign, those errors add up."""
    p = problem_from_dict({"op": "fmha", "family": "bwd", "batch": 2, "heads_q": 4, "heads_kv": 2, "seqlen_q": 40,
                           "seqlen_k": 97, "hdim_q": 64, "dtype": dtype, "lse": True})  # fmt: skip
    forward = problem_from_dict({**p.to_dict(), "family": "fwd"})
    t = FMHA.random_tensors(p, 1)
    for role in ("q", "k", "v", "dout"):
        if data == "equal probabilities" and role in "qk":
            t[role][...] = 0
        if data != "normal":
            t[role][...] = np.abs(t[role])
    kernel = attention(forward, t, p.softmax_scale)
    t["out"][...] = kernel
    q, k = (t[r].astype(np.float64).transpose(0, 2, 1, 3) for r in "qk")
    logits = p.softmax_scale * (q @ np.repeat(k, 2, 1).transpose(0, 1, 3, 2))
    t["lse"][...] = np.log(np.exp(logits).sum(-1))
    right = gradients(p, t)
    factor = {"fp16": POWER, "bf16": 1.01}[dtype]  # a shared rounding is half a step: 0.0005 and 0.004
    for wrong in ("", "dv"):
        for role, value in right.items():
            t[role][...] = (value * (factor if role == wrong else 1.0)).astype(t[role].dtype)
        found = FMHA.verify(p, t, t["dq"])
        assert found.ok == (not wrong), found


@pytest.mark.parametrize("tier", ["float64", "projection", "rows"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_factor_of_a_convolution(dtype: str, tier: str) -> None:
    sizes = {"n": 2, "g": 2, "c": 32, "k": 64, "input": [14, 14], "filter": [3, 3], "pad": 1}
    p = problem_from_dict({"op": "grouped_conv", "direction": "forward", **sizes, "dtype": dtype, "layout": "nhwgc"})
    t = CONV.random_tensors(p, 2)
    value = CONV.expected(p, t).value.reshape(t["output"].shape)
    assert CONV.verify(p, t, value.astype(numpy_dtype(dtype)), tier=tier).ok
    assert not CONV.verify(p, t, (POWER * value).astype(numpy_dtype(dtype)), tier=tier).ok


def test_a_message_says_what_all_elements_share() -> None:
    from tilewright.errors import VerificationError

    p, tensors = product(96, 80, 1024, "bf16")
    out = (POWER * summed(tensors)).astype(numpy_dtype("bf16"))
    with pytest.raises(VerificationError, match="shared by all elements, along the result"):
        GEMM.verify(p, tensors, out).require("mutant")


def test_equal_values_count_once() -> None:
    """A thousand elements with one value share one rounding error: they show no more than one element."""
    value, compared = np.full(1000, 0.3), np.full(1000, True)
    honest = Honest(np.full(1000, 1e-4), 0.0)
    (norm, along) = drifts(value, value + 3e-4, honest, "fp32", compared)
    assert along.ratio < 1.0
    assert isinstance(norm, Drift)
    spread = value * (1.0 + 1e-6 * np.arange(1000))
    assert drifts(spread, spread + 3e-4, honest, "fp32", compared)[1].ratio > 1.0
