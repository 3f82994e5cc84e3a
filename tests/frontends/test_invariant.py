"""The bits of a row do not depend on its batch: products and attention, on CPUs, emulated and real GPUs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.backends import get_backend_op
from tilewright.backends.cpu.detect import host_archs
from tilewright.dispatcher import Dispatcher
from tilewright.dispatcher.nominal import nominal_device
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate
from tilewright.model.kernel_set import KernelSet
from tilewright.registry import default_registry
from tilewright.settings import Settings

MOST = 4096
SAMPLE = (1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33, 64, 65, 100, 129, 257, 600)
# n, k, the order of B, dtype: one block of k and several; B along n and along k
PRODUCTS = [(40, 200, "C", "f4"), (24, 1100, "C", "f4"), (24, 1100, "F", "f4")]
MORE = [
    (72, 1500, "C", "f4"), (24, 2100, "F", "f4"), (64, 700, "F", "f2"), (3, 900, "F", "f4"), (130, 64, "C", "f4"),
    (56, 1300, "C", "i1"), (1, 600, "C", "f4"), (200, 513, "F", "f4"),
]  # fmt: skip


def drawn(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    return rng.integers(-9, 9, shape).astype(dtype) if dtype == "i1" else rng.standard_normal(shape).astype(dtype)


def compare_batches(n: int, k: int, order: Any, dtype: str, sizes: Any, **options: Any) -> None:
    """Compare the first and the last m rows, computed alone, with these rows of the largest product."""
    rng, most = np.random.default_rng(0), max(sizes)
    a, b = drawn(rng, (most, k), dtype), np.asarray(drawn(rng, (k, n), dtype), order=order)
    whole = tw.gemm(a, b, invariant=True, **options)
    for m in sizes:
        for part in (slice(m), slice(most - m, most)):
            assert np.array_equal(tw.gemm(a[part], b, invariant=True, **options), whole[part]), (m, part)
    batch = tw.gemm(a[:30].reshape(3, 10, k), b, invariant=True, **options)
    assert np.array_equal(batch.reshape(30, n), whole[:30])


@pytest.mark.parametrize(("n", "k", "order", "dtype"), PRODUCTS)
def test_a_row_of_a_product_has_the_same_bits_in_every_batch(n: int, k: int, order: str, dtype: str) -> None:
    compare_batches(n, k, order, dtype, SAMPLE)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("n", "k", "order", "dtype"), [*PRODUCTS, *MORE])
def test_a_row_of_a_product_has_the_same_bits_in_all_batches(n: int, k: int, order: str, dtype: str) -> None:
    compare_batches(n, k, order, dtype, range(1, MOST + 1))


def test_kernels_that_are_added_later_do_not_change_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a row would have other bits than the same row in a batch of before."""
    dispatcher = Dispatcher(default_registry(["cpu"]))
    problem = tw.problem_from_dict(
        {"op": "gemm", "m": 4, "n": 40, "k": 200, "dtype": "fp32", "layout": "rrr", "summation": "invariant"}
    )
    before = dispatcher.explain(problem).summation
    monkeypatch.setattr("tilewright.select.decisions.order_for", lambda *_: "another order")
    dispatcher.registry.declare(KernelSet("mine", "gemm", "cpu", ({},), {"dtype_a": "fp64"}, ("x86_64_v3",)))
    assert dispatcher.explain(replace(problem, m=64)).summation == before != "another order"


def test_an_epilogue_keeps_the_bits() -> None:
    bias = np.random.default_rng(1).standard_normal(40).astype("f4")
    compare_batches(40, 200, "C", "f4", SAMPLE[::3], d=bias, activation="gelu_tanh", alpha=0.3)


def test_packed_weights_keep_the_bits() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((300, 700)).astype("f4"), rng.standard_normal((700, 96)).astype("f4")
    packed = tw.pack_weights(b)
    whole = tw.gemm(a, packed, invariant=True)
    for m in (1, 2, 5, 17, 64, 299):
        assert np.array_equal(tw.gemm(a[:m], packed, invariant=True), whole[:m])


@pytest.mark.exhaustive
@pytest.mark.parametrize("layout", ["C", "F"])
def test_every_kernel_of_an_order_gives_the_same_bits(layout: Any) -> None:
    """What is declared, not only what is chosen: kernels of one order, of all levels of this CPU, on one problem."""
    dispatcher, registry = tw.Dispatcher(settings=Settings.from_env(vendor=False)), default_registry(["cpu"])
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((37, 601)).astype("f4"), rng.standard_normal((601, 50)).astype("f4")
    b = np.asarray(b, order=layout)
    with dispatcher.rehearsal() as problems:
        tw.gemm(a, b, invariant=True, dispatcher=dispatcher)
    (problem,) = problems.values()
    by_order: dict[str, list[Candidate]] = {}
    for arch in host_archs():
        for candidate in registry.legal(problem, nominal_device(arch.name)):
            by_order.setdefault(get_backend_op("cpu", "gemm").order_of(candidate, problem), []).append(candidate)
    for order, candidates in by_order.items():
        bits = {}
        for candidate in candidates[:: max(1, len(candidates) // 8)]:
            out = np.empty((37, 50), np.float32)
            views = {role: view_of(x, role) for role, x in (("a", a), ("b", b), ("out", out))}
            dispatcher.realise(problem, candidate).bind(views)()
            bits[candidate.spec.name, candidate.launch.label()] = out.tobytes()
        assert len(set(bits.values())) == 1, (order, list(bits))


ATTENTION = [("f4", {}), ("f4", {"causal": True, "window": (40, 0)}), ("f2", {"causal": True})]


@pytest.mark.parametrize(("dtype", "options"), ATTENTION)
def test_a_row_of_an_attention_has_the_same_bits_in_every_batch(dtype: str, options: dict[str, Any]) -> None:
    """Alone or with other sequences, and with any number of rows before it."""
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((3, rows, heads, 32)).astype(dtype) for rows, heads in ((70, 4), (200, 2), (200, 2)))
    whole = tw.attention(q, k, v, invariant=True, **options)
    for one in range(3):
        part = slice(one, one + 1)
        assert np.array_equal(tw.attention(q[part], k[part], v[part], invariant=True, **options), whole[part])
    for rows in (1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 33, 65):
        few = tw.attention(q[1:2, -rows:], k[1:2], v[1:2], invariant=True, **options)
        assert np.array_equal(few, whole[1:2, -rows:]), rows


def test_a_row_that_keeps_its_maximum_is_not_scaled_by_a_neighbour_that_does_not() -> None:
    """Rows have their greatest score in the first, in a later or in each block of keys."""
    rng = np.random.default_rng(0)
    q = np.abs(rng.standard_normal((1, 64, 1, 32)).astype("f4")) * rng.choice([-1, 1], (1, 64, 1, 1)).astype("f4")
    k = (np.linspace(-1, 1, 700)[None, :, None, None] + rng.standard_normal((1, 700, 1, 32)) / 50).astype("f4")
    v = rng.standard_normal((1, 700, 1, 32)).astype("f4")
    whole = tw.attention(q, k, v, invariant=True)
    for row in range(64):
        assert np.array_equal(tw.attention(q[:, row : row + 1], k, v, invariant=True), whole[:, row : row + 1]), row


def test_decoding_gives_the_bits_of_the_last_row_of_a_prompt_on_a_cpu() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((2, 150, heads, 32)).astype("f4") for heads in (4, 2, 2))
    prompt = tw.attention(q, k, v, causal=True, invariant=True)
    for keys in (1, 95, 96, 97, 150):
        lengths = np.array([keys, 150], np.int32)
        rows = np.stack([q[0, keys - 1 : keys], q[1, -1:]])
        step = tw.attention_decode(rows, k, v, lengths, invariant=True)
        assert np.array_equal(step[0, 0], prompt[0, keys - 1])
        assert np.array_equal(step[1, 0], prompt[1, -1])


def test_packed_sequences_give_the_bits_of_a_batch() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((60, heads, 32)).astype("f4") for heads in (4, 2, 2))
    ends = np.array([0, 1, 18, 60], np.int32)
    whole = tw.attention_varlen(q, k, v, ends, ends, 42, 42, causal=True, invariant=True)
    for first, last in ((0, 1), (1, 18), (18, 60)):
        alone = tw.attention(*(x[None, first:last] for x in (q, k, v)), causal=True, invariant=True)
        assert np.array_equal(alone[0], whole[first:last])


@pytest.mark.exhaustive
def test_a_row_has_the_same_bits_on_an_emulated_gpu() -> None:
    pytest.importorskip("triton")
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((70, 64)).astype("f2"), rng.standard_normal((64, 64)).astype("f2")
    dispatcher = tw.Dispatcher(settings=Settings.from_env(vendor=False))
    options = {"invariant": True, "device": "emu:gfx942", "dispatcher": dispatcher}
    whole = tw.gemm(a, b, **options)
    for m in (1, 17):
        assert np.array_equal(tw.gemm(a[:m], b, **options), whole[:m])


@pytest.mark.gpu
@pytest.mark.parametrize(("n", "k"), [(256, 512), (1024, 4096), (136, 2056), (100, 333)])
def test_a_row_of_a_product_has_the_same_bits_in_all_batches_on_a_gpu(n: int, k: int) -> None:
    import torch

    torch.manual_seed(0)
    a = torch.randn(MOST, k, device="cuda", dtype=torch.bfloat16)
    w = torch.randn(n, k, device="cuda", dtype=torch.bfloat16)
    whole = tw.gemm(a, w.T, invariant=True)
    other = [m for m in range(1, MOST + 1) if not torch.equal(tw.gemm(a[:m], w.T, invariant=True), whole[:m])]
    assert other == []


@pytest.mark.gpu
@pytest.mark.parametrize("hdim", [64, 128])
def test_a_row_of_an_attention_has_the_same_bits_in_every_batch_on_a_gpu(hdim: int) -> None:
    import torch

    torch.manual_seed(0)
    q, k, v = (torch.randn(3, 500, h, hdim, device="cuda", dtype=torch.bfloat16) for h in (8, 2, 2))
    whole = tw.attention(q, k, v, causal=True, invariant=True)
    for rows in (1, 2, 16, 63, 64, 65, 129, 500):
        few = tw.attention(q[1:2, -rows:], k[1:2], v[1:2], causal=True, invariant=True)
        assert torch.equal(few, whole[1:2, -rows:]), rows
    lengths = torch.tensor([500, 77, 310], device="cuda", dtype=torch.int32)
    steps = tw.attention_decode(q[:, -1:], k, v, lengths, invariant=True)
    for one in range(3):
        part, keys = slice(one, one + 1), int(lengths[one])
        alone = tw.attention_decode(q[part, -1:], k[part, :keys], v[part, :keys], lengths[part], invariant=True)
        assert torch.equal(alone, steps[part])
