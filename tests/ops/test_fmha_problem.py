"""Attention problems: JSON form, keys, sizes, work, and every semantic rule with a description that breaks it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.errors import ProblemError, UnknownNameError
from tilewright.jit.arrays import view_of
from tilewright.ops import get_op, problem_from_dict
from tilewright.ops.fmha import FmhaBuilder, FmhaProblem
from tilewright.ops.fmha.features import numbers
from tilewright.ops.fmha.rules import RULES
from tilewright.ops.fmha.work import choose_splits, plan_steps, visible_pairs

from fmha_cases import BASE, cases  # isort: skip

DESIGN_LINE = (
    '{"op":"fmha","family":"fwd","mode":"batch","batch":8,"heads_q":16,"heads_kv":16,"seqlen_q":2048,"seqlen_k":2048,'
    '"hdim_q":128,"hdim_v":128,"dtype":"fp16","mask":"causal_top_left","bias":"none","lse":false}'
)
CASES = {name: problem_from_dict(data) for name, data in cases().items()}
PAGED = {"page_size": 16, "lookup": "vllm", "num_pages": 8}
APPEND = {"family": "fwd_appendkv", "seqlen_new": 2}
PREFILL = {"family": "batch_prefill", "mode": "group", **PAGED}

# rule -> descriptions, each of which breaks that rule alone.
BROKEN: dict[str, list[dict[str, Any]]] = {
    "values": [
        {"batch": -1},
        {"batch": 1.5},
        {"mask": "casual"},
        {"window_left": -2},
        {"lse": 1},
        {"scale": "big"},
        {"num_splits": 2.0},
    ],
    "heads_divide": [{"heads_q": 6, "heads_kv": 4}, {"heads_kv": 0}],
    "hdim": [{"hdim_q": 257}, {"hdim_v": 264}, {"hdim_q": 0}],
    "soft_cap": [{"soft_cap": -1.0}],
    "dbias": [{"family": "bwd", "dbias": True}, {"dbias": True, "bias": "elementwise"}],
    "bias_extents": [{"bias": "elementwise", "bias_heads": 3}, {"bias_batch": 2}, {"bias": "alibi", "bias_heads": 4}],
    "bwd_lse": [{"family": "bwd", "lse": False}],
    "bwd_dtype": [{"family": "bwd", "dtype": "fp8", "dtype_out": "fp8"}],
    "dtype_out": [{"dtype": "fp16", "dtype_out": "fp32"}],
    "totals": [{"total_q": 5}, {"mode": "group", "total_q": 99}, {"mode": "group", "total_k": 4}],
    "group_family": [{**APPEND, "mode": "group"}],
    "kv_lengths": [{"mode": "group", "kv_lengths": True}, {"family": "bwd", "kv_lengths": True}],
    "paged_family": [PAGED, {"family": "fwd_pagedkv"}],
    "page_lookup": [
        {"family": "fwd_splitkv", **PAGED, "lookup": "none"},
        {"family": "fwd_splitkv", **PAGED, "num_pages": 0},
        {"num_pages": 3},
    ],
    "prefill": [{"family": "batch_prefill", **PAGED}, {**PREFILL, "page_size": 12}],
    "v_layout": [{"family": "bwd", "v_layout": "col"}, {"family": "fwd_splitkv", **PAGED, "v_layout": "col"}],
    "append": [{"family": "fwd_appendkv"}, {**APPEND, "seqlen_new": 14}, {"seqlen_new": 1}],
    "append_plain": [{**APPEND, "lse": True}, {**APPEND, "soft_cap": 1.0}],
    "rope": [
        {"rope": "half", "rotary_dim": 16},
        {**APPEND, "rope": "half", "rotary_dim": 15},
        {**APPEND, "rotary_dim": 8},
    ],
    "append_queries": [{**APPEND, "rope": "half", "rotary_dim": 16, "mask": "causal_top_left"}],
    "window": [{"window_left": 3}, {"mask": "window"}],
    "sink": [{"sink_tokens": 2}, {"mask": "window", "window_right": 0, "sink_tokens": 2}],
    "dropout": [{"dropout": 1.0}, {"dropout": -0.1}, {"dropout": 0.1, "family": "fwd_splitkv"}],
    "splits": [
        {"num_splits": 2},
        {"family": "fwd_splitkv", "num_splits": 129},
        {"family": "fwd_splitkv", "num_splits": 0},
    ],
    "qscale": [
        {"qscale": "pertensor"},
        {"dtype": "fp8", "qscale": "blockscale"},
        {"dtype": "fp8", "block_q": 4, "block_k": 4},
        {"dtype": "fp8", "block_k": 4},
        {"dtype": "fp8", "qscale": "blockscale", "block_q": 4},
    ],
    "deterministic": [{"deterministic": True}],
    "summation": [{"family": "bwd", "summation": "invariant"}],
}


def test_every_rule_has_a_case_that_breaks_it() -> None:
    assert {f"fmha.{name}" for name in BROKEN} == {r.id for r in RULES} | {"fmha.values"}
    assert len(RULES) >= 15
    assert all(r.formula for r in RULES)


@pytest.mark.parametrize(("name", "fields"), [(n, f) for n, listed in BROKEN.items() for f in listed])
def test_a_broken_rule_is_named_alone(name: str, fields: dict[str, Any]) -> None:
    builder = FmhaBuilder(dtype="fp32").set(**BASE).set(**fields)
    assert {r.rule for r in builder.mistakes()} == {f"fmha.{name}"}
    with pytest.raises(ProblemError, match=f"fmha.{name}: "):
        builder.build()


def test_all_mistakes_are_reported_at_once() -> None:
    """The bad input of one description: heads, soft cap, hdim, splits and a missing LSE."""
    builder = FmhaBuilder("bwd").sizes(1, 8).heads(6, 4).hdim(300).soft_cap(-1.0).bias("alibi").splits(200).lse(False)
    with pytest.raises(ProblemError, match=", 5 mistakes") as caught:
        builder.build()
    for name in ("heads_divide", "hdim", "soft_cap", "bwd_lse", "splits"):
        assert f"fmha.{name}" in str(caught.value)


def test_values_of_the_wrong_kind_hide_no_other_mistake() -> None:
    builder = FmhaBuilder("bwd").sizes(-1, 8).heads(6, 4).hdim(300).mask("zzz").lse(False)
    assert [r.rule for r in builder.mistakes()] == [
        "fmha.values", "fmha.values", "fmha.heads_divide", "fmha.hdim", "fmha.bwd_lse",
    ]  # fmt: skip
    assert "None" not in str(builder.mistakes()[1])  # nothing is near to zzz


def test_missing_and_unknown_fields() -> None:
    assert [r.message for r in FmhaBuilder().mistakes()] == [
        f"{n} is missing" for n in ("batch", "heads_q", "seqlen_q", "hdim_q")
    ]
    with pytest.raises(ProblemError, match="hdim_q is missing"):
        problem_from_dict({"op": "fmha", "batch": 1, "heads_q": 1, "seqlen_q": 1, "dtype": "fp16"})
    with pytest.raises(UnknownNameError, match="did you mean 'seqlen_k'"):
        problem_from_dict({"op": "fmha", **BASE, "dtype": "fp16", "seqlenk": 3})
    with pytest.raises(ProblemError, match="strides of 'x'"):
        problem_from_dict({"op": "fmha", **BASE, "dtype": "fp16", "strides": {"x": [1]}})


def test_the_line_of_the_contract() -> None:
    p = problem_from_dict(json.loads(DESIGN_LINE))
    assert (p.seqlen_k, p.hdim_v, p.dtype_out, p.roles) == (2048, 128, "fp16", ("q", "k", "v", "out"))


@pytest.mark.parametrize("name", CASES)
def test_json_keys_and_tensors(name: str) -> None:
    p, op = CASES[name], get_op("fmha")
    again = problem_from_dict(json.loads(json.dumps(p.to_dict())))
    assert again == p
    assert (again.exact_key, again.tuning_key) == (p.exact_key, p.tuning_key)
    tensors = op.random_tensors(p, seed=0)
    assert tuple(tensors) == p.roles
    assert set(p.outputs) <= set(p.roles)
    assert not op.content_mistakes(p, tensors)
    abi = op.family_abis.get(p.family, op.abi)
    assert set(p.roles) <= set(abi.roles)
    assert all(len(op.strides(p, r)) <= 6 for r in p.roles)
    assert p.bytes > 0
    assert all(isinstance(x, float) for x in numbers(p).values())


@pytest.mark.parametrize("layout", ["bshd", "bhsd"])
def test_dense_tensors_leave_no_strides_so_that_lengths_share_what_is_known(layout: str) -> None:
    op = get_op("fmha")
    for length in (5, 7):
        fields = {"op": "fmha", "batch": 2, "heads_q": 3, "seqlen_q": length, "seqlen_k": length, "hdim_q": 32}
        problem = problem_from_dict({**fields, "dtype": "fp32", "layout": layout})
        views = {role: view_of(tensor, role) for role, tensor in op.random_tensors(problem, 0).items()}
        assert op.fitted(problem, views) == problem
        strided = replace(views["k"], strides=tuple(2 * s for s in views["k"].strides))
        found = op.fitted(problem, {**views, "k": strided})
        assert found.strides == {"k": strided.strides}
        assert found.stride("q") == views["q"].strides
        assert op.fitted(found, views) == problem


def test_keys_tell_problems_apart() -> None:
    assert len({p.exact_key for p in CASES.values()}) == len(CASES)
    others = [p for p in CASES.values() if p.scale is None]  # the factor alone does not change how long it takes
    assert len({p.tuning_key for p in others}) == len(others)
    p = CASES["fwd-plain-fp32"]
    spread = replace(p, strides={"q": (9 * 4 * 64, 4 * 64, 64, 1)})
    assert spread.exact_key != p.exact_key
    assert spread.tuning_key == p.tuning_key  # as well aligned
    assert replace(p, strides={"q": (9 * 4 * 33, 4 * 33, 33, 1)}).tuning_key != p.tuning_key


def test_signatures_say_what_a_kernel_computes() -> None:
    labels = {p.signature.label() for p in CASES.values()}
    assert len(labels) == len({p.signature for p in CASES.values()})
    op = get_op("fmha")
    from tilewright.model.canonical import canonical

    for p in CASES.values():
        assert op.signature_from_dict(canonical(p.signature)) == p.signature


def test_flops_and_bytes_of_each_family() -> None:
    p = problem_from_dict(json.loads(DESIGN_LINE))
    full = replace(p, mask="none")
    assert full.flops == 2 * 8 * 16 * 2048 * 2048 * (128 + 128)
    assert p.flops == full.flops * 2049 // 4096
    assert full.bytes == 4 * 8 * 2048 * 16 * 128 * 2
    assert replace(full, family="bwd", lse=True).flops == full.flops * 5 // 2
    append = replace(full, family="fwd_appendkv", seqlen_new=1)
    assert append.bytes == 2 * 2 * 8 * 16 * 128 * 2 + 8 * 4  # new rows read and written, and the lengths
    split = replace(full, family="fwd_splitkv", seqlen_q=1)
    bwd = replace(full, family="bwd", lse=True, deterministic=True)
    rows = 4 * 8 * 16 * 2048
    assert [s.buffers for s in plan_steps(bwd, 16)] == [(("delta", rows),), (("dq_acc", rows * 16 * 128),), ()]
    assert [s.name for s in plan_steps(split, 4)] == ["split", "combine"]


@given(
    rows=st.integers(1, 40), keys=st.integers(1, 40), left=st.integers(-1, 8), right=st.integers(0, 8),
    sink=st.integers(0, 3), corner=st.sampled_from(["window", "window_top_left"]),
)  # fmt: skip
def test_counted_pairs_are_those_of_the_mask(
    rows: int, keys: int, left: int, right: int, sink: int, corner: str
) -> None:
    from tilewright.ops.fmha.mask import visible

    sink = min(sink, keys) if left >= 0 else 0
    p = FmhaProblem.from_dict(
        {**BASE, "dtype": "fp16", "seqlen_q": rows, "seqlen_k": keys, "mask": corner, "window_left": left,
         "window_right": right, "sink_tokens": sink}
    )  # fmt: skip
    assert visible_pairs(p) == 2 * int(visible(p, rows, keys).sum())


@given(blocks=st.integers(1, 500), units=st.integers(1, 304), key_blocks=st.integers(1, 1024))
def test_splits_fill_a_device_without_waste(blocks: int, units: int, key_blocks: int) -> None:
    n = choose_splits(blocks, units, key_blocks)
    assert 1 <= n <= min(128, key_blocks)
    if blocks >= units:
        assert n == 1
    elif key_blocks >= 128 and units >= 8 * blocks:
        assert blocks * n >= 0.35 * min(units, 128 * blocks)  # most units have work
