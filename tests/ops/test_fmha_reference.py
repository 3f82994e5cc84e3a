"""The float64 reference of attention: against torch, against itself under transformations, and against mutants."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tilewright import Dispatcher, Registry
from tilewright.backends import get_backend_op
from tilewright.errors import TensorError, VerificationError
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.fmha.dropout import keep_mask
from tilewright.ops.fmha.reference import all_expected, forward

from fmha_cases import BASE, cases  # isort: skip

OP = get_op("fmha")
CASES = cases()


def made(**fields: Any) -> tuple[Any, dict[str, Any]]:
    p = problem_from_dict({"op": "fmha", **BASE, "dtype": "fp32", **fields})
    return p, OP.random_tensors(p, seed=3)


def value(p: Any, tensors: dict[str, Any], role: str = "out") -> Any:
    return all_expected(p, tensors)[role].value


@pytest.fixture(scope="module")
def dispatcher() -> Dispatcher:
    registry = Registry("reference")
    for kernels in get_backend_op("reference", "fmha").kernel_sets():
        registry.declare(kernels)
    return Dispatcher(registry)


@pytest.mark.parametrize("name", [n for n in CASES if n.endswith("fp32") or "8" in n])
def test_a_sample_of_rows_is_verified_as_the_whole_is(name: str, dispatcher: Dispatcher) -> None:
    p = problem_from_dict(CASES[name])
    tensors = OP.random_tensors(p, seed=1)
    OP.verify(p, tensors, dispatcher.run(p, **tensors), tier="rows").require(name)


MUTANTS = {
    "a key tile dropped": lambda t: t["k"].__setitem__((slice(None), slice(4, 8)), 0),
    "values shifted by one key": lambda t: t.__setitem__("v", np.roll(t["v"], 1, axis=1)),
    "key heads mixed up": lambda t: t.__setitem__("k", t["k"][:, :, ::-1]),
    "queries scaled by 1.05": lambda t: t.__setitem__("q", (t["q"].astype(np.float32) * 1.05).astype(t["q"].dtype)),
}


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.parametrize(
    ("family", "dtype"), [(f, d) for f in ("fwd", "bwd") for d in ("fp32", "fp16", "bf16")] + [("fwd", "fp8")]
)
def test_a_mutant_fails_verification(mutant: str, dtype: str, family: str) -> None:
    out = {"dtype_out": "fp16"} if dtype == "fp8" else {}
    p, tensors = made(dtype=dtype, family=family, seqlen_q=32, seqlen_k=32, mask="causal_top_left", lse=True, **out)
    wrong = {role: x.copy() for role, x in tensors.items()}
    MUTANTS[mutant](wrong)
    for role, e in all_expected(p, wrong).items():
        tensors[role][...] = e.value.astype(tensors[role].dtype)
    result = OP.verify(p, tensors, tensors[p.outputs[0]])
    assert result.ratio > 2.0
    with pytest.raises(VerificationError, match="tolerance"):
        result.require("mutant")


def test_an_lse_that_is_wrong_fails_though_out_is_right() -> None:
    p, tensors = made(lse=True)
    for role, e in forward(p, tensors).items():
        tensors[role][...] = e.value
    assert OP.verify(p, tensors, tensors["out"]).ok
    tensors["lse"][0, 0, 0] += 1e-3
    assert not OP.verify(p, tensors, tensors["out"]).ok


def test_heads_may_be_permuted() -> None:
    p, t = made(bias="elementwise", bias_heads=4, mask="causal_bottom_right")
    groups = np.array([1, 0])
    heads = (groups[:, None] * 2 + np.arange(2)).reshape(-1)
    turned = {**t, "q": t["q"][:, :, heads], "k": t["k"][:, :, groups], "v": t["v"][:, :, groups]}
    turned["bias"] = t["bias"][:, heads]
    np.testing.assert_allclose(value(p, turned), value(p, t)[:, :, heads], rtol=1e-12)


def test_shared_key_heads_are_repeated_ones() -> None:
    p, t = made()
    many = replace(p, heads_kv=4)
    repeated = {**t, "k": np.repeat(t["k"], 2, axis=2), "v": np.repeat(t["v"], 2, axis=2)}
    np.testing.assert_allclose(value(many, repeated), value(p, t), rtol=1e-12)


@pytest.mark.parametrize("cut", [1, 5, 12])
def test_splits_of_the_keys_combine_to_the_whole(cut: int) -> None:
    p, t = made(lse=True)
    whole = all_expected(p, t)
    parts = []
    for keys in (slice(0, cut), slice(cut, 13)):
        short = {**t, "k": t["k"][:, keys], "v": t["v"][:, keys]}
        parts.append(all_expected(replace(p, seqlen_k=short["k"].shape[1]), short))
    lse = np.stack([x["lse"].value for x in parts])
    total = np.logaddexp(*lse)
    weights = np.exp(lse - total).transpose(0, 1, 3, 2)[..., None]
    np.testing.assert_allclose(total, whole["lse"].value, rtol=1e-12)
    np.testing.assert_allclose(
        sum(w * x["out"].value for w, x in zip(weights, parts, strict=True)), whole["out"].value, rtol=1e-10
    )


@pytest.mark.parametrize("lookup", ["vllm", "sglang"])
def test_pages_are_the_cache_in_another_order(lookup: str) -> None:
    p, t = made(family="fwd_pagedkv", page_size=4, lookup=lookup, mask="causal_bottom_right", lse=True)
    contiguous, flat = made(kv_lengths=True, mask="causal_bottom_right", lse=True)
    table = t["page_table"] if lookup == "vllm" else None
    for b in range(p.batch):
        pages = table[b] if table is not None else t["page_table"][t["page_indptr"][b] :]
        length = (
            int(t["seqlens_k"][b])
            if table is not None
            else int((t["page_indptr"][b + 1] - t["page_indptr"][b] - 1) * 4 + t["last_page_lens"][b])
        )
        flat["seqlens_k"][b] = length
        for key in range(length):
            for role in ("k", "v"):
                flat[role][b, key] = t[role][pages[key // 4], key % 4]
    flat["q"] = t["q"]
    for role in ("out", "lse"):
        np.testing.assert_array_equal(value(p, t, role), value(contiguous, flat, role))


@pytest.mark.parametrize("page_size", [0, 4])
def test_appending_then_attending_is_attending_the_concatenation(page_size: int) -> None:
    lookup = "vllm" if page_size else "none"
    p, t = made(family="fwd_appendkv", seqlen_new=3, page_size=page_size, lookup=lookup)
    if page_size:
        t["page_table"][...] = np.arange(8).reshape(2, 4)
    after = {**t, "k": value(p, t, "k"), "v": value(p, t, "v"), "q": np.ones((2, 9, 4, 32))}
    after["seqlens_k"] = t["seqlens_k"] + 3
    attend, _ = made(family="fwd_splitkv", page_size=page_size, lookup=lookup, kv_lengths=not page_size)
    for b in range(2):
        old = int(t["seqlens_k"][b])
        flat = {r: (t[r].reshape(2, -1, *t[r].shape[2:]) if page_size else t[r])[b, :old] for r in ("k", "v")}
        joined = {r: np.concatenate([flat[r], t[f"{r}_new"][b]])[None] for r in ("k", "v")}
        alone = replace(made()[0], batch=1, seqlen_k=old + 3)
        want = value(alone, {**joined, "q": after["q"][b : b + 1]})
        np.testing.assert_allclose(value(attend, after)[b : b + 1], want, rtol=1e-12)


@pytest.mark.parametrize("kind", ["half", "interleaved"])
def test_rotated_products_depend_on_distance_only(kind: str) -> None:
    p, t = made(family="fwd_appendkv", seqlen_q=3, seqlen_new=3, rope=kind, rotary_dim=32, mask="causal_bottom_right")
    t["q"][...], t["k_new"][...] = t["q"][:1, :1], t["k_new"][:1, :1]
    e = all_expected(p, t)
    for b in range(2):
        old = int(t["seqlens_k"][b])
        dots = np.einsum("qhd,khd->hqk", e["out"].value[b][:, ::2], e["k"].value[b, old : old + 3])
        np.testing.assert_allclose(dots[:, 0, 0], dots[:, 2, 2], rtol=1e-6)
        np.testing.assert_allclose(dots[:, 1, 0], dots[:, 2, 1], rtol=1e-5)
        assert not np.allclose(dots[:, 0, 0], dots[:, 1, 0])


def test_dropout_drops_the_stated_share_and_the_same_in_any_part() -> None:
    keep = keep_mask([1, -2, 3], 8, range(4), range(64), 130, 0.3)
    assert abs(keep.mean() - 0.7) < 0.01
    np.testing.assert_array_equal(keep_mask([1, -2, 3], 8, [2], [5, 60], 130, 0.3), keep[2:3, [5, 60]])
    np.testing.assert_array_equal(keep_mask([1, -2, 3], 8, range(4), range(64), 17, 0.3), keep[..., :17])
    for other in ([2, -2, 3], [1, -3, 3], [1, -2, 4]):
        assert (keep_mask(other, 8, range(4), range(64), 130, 0.3) != keep).mean() > 0.3


@pytest.mark.parametrize("name", [n for n in CASES if n.startswith("bwd") and n.endswith("fp32")])
def test_gradients_agree_with_finite_differences(name: str) -> None:
    """The derivative of sum(dout * out) along a random direction; dropout uses one mask in both."""
    p = problem_from_dict(CASES[name])
    t = {r: x.astype(np.float64) if x.dtype == np.float32 else x for r, x in OP.random_tensors(p, seed=5).items()}
    f = replace(p, family="fwd", deterministic=False, dbias=False)
    for role, e in forward(f, t).items():
        t[role] = e.value
    gradients = all_expected(p, t)
    rng = np.random.default_rng(0)
    for role in p.outputs:
        source, step = role[1:], 1e-6
        direction = rng.standard_normal(t[source].shape)
        ends = [np.sum(t["dout"] * value(f, {**t, source: t[source] + s * direction})) for s in (step, -step)]
        want = float(np.sum(gradients[role].value * direction))
        np.testing.assert_allclose((ends[0] - ends[1]) / (2 * step), want, rtol=2e-6, atol=2e-7)


@pytest.mark.parametrize("bad", ["page", "falls", "long"])
def test_index_tensors_are_checked_before_they_are_used(bad: str, dispatcher: Dispatcher) -> None:
    p, t = made(family="batch_prefill", page_size=4, mode="group", total_q=12)
    if bad == "page":
        t["page_table"][1, 0] = p.num_pages
    elif bad == "falls":
        t["cu_seqlens_q"][1] = 13
    else:
        t["seqlens_k"][0] = 99
    with pytest.raises(
        TensorError, match={"page": "names page 8", "falls": "falls from", "long": "between 0 and 13"}[bad]
    ):
        dispatcher.run(p, **t)


@pytest.mark.parametrize("tier", ["float64", "rows"])
@pytest.mark.parametrize("mode", ["batch", "group"])
def test_a_wrong_element_is_named_with_its_sequence(tier: str, mode: str) -> None:
    sizes = {"mode": "group", "total_q": 100, "total_k": 100} if mode == "group" else {}
    p = problem_from_dict({"op": "fmha", "batch": 3, "heads_q": 2, "seqlen_q": 40, "hdim_q": 16, "dtype": "fp32",
                              "lse": True, **sizes})  # fmt: skip
    tensors = OP.random_tensors(p, 1)
    right = {role: e.value.astype(tensors[role].dtype) for role, e in all_expected(p, tensors).items()}
    tensors.update(right)
    starts = np.asarray(tensors["cu_seqlens_q"]) if mode == "group" else None
    rows = slice(int(starts[1]), int(starts[2])) if starts is not None else (1, slice(None))
    for role in ("out", "lse"):
        wrong = right[role].copy()
        if role == "out":
            wrong[rows] += 1.0
        elif starts is not None:
            wrong[:, rows] += 1.0
        else:
            wrong[1] += 1.0
        found = OP.verify(p, {**tensors, role: wrong}, wrong if role == "out" else right["out"], tier=tier)
        assert (found.ok, found.tensor, found.sequence) == (False, role, 1)
        assert abs(float(wrong[found.where]) - float(right[role][found.where])) == pytest.approx(1.0, rel=1e-5)
        with pytest.raises(VerificationError, match=rf"at {role} \(.*\) of sequence 1 \(tier {tier}\)"):
            found.require("it")
