"""Attention kernels in Triton's interpreter against the float64 reference: family x feature x dtype; and the rules."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton")
pytest.importorskip("torch")

from tilewright.arch import get_arch, get_nominal_devices
from tilewright.backends.gpu.stage import units_of
from tilewright.backends.triton.fmha import OP
from tilewright.backends.triton.fmha.algorithm import TritonFmha
from tilewright.backends.triton.fmha.bind import NO_STEP, steps, workspace
from tilewright.backends.triton.fmha.hopper_backward import walk_order
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import problem_from_dict
from tilewright.ops.fmha.mask import visible

HERE = Path(__file__).parent
GROUP = pytest.mark.xdist_group("interpreted_fmha")  # one process interprets for all of them
from fmha_cases import APPEND, BACKWARD, BASE, EIGHT_BIT, FORWARD
from fmha_masks import MASKS, masked_tensors

SMALL = {"tile_m": 16, "tile_n": 16, "stages": 1, "aligned": False}
# Several blocks of rows and keys, none of them full.
LONG = {"batch": 1, "heads_q": 2, "heads_kv": 1, "seqlen_q": 37, "seqlen_k": 75, "hdim_q": 24, "hdim_v": 40}
FURTHER: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "long": (LONG, {}),
    "long-causal": ({**LONG, "mask": "causal_bottom_right", "lse": True}, {"tile_n": 32}),
    "long-window": ({**LONG, "mask": "window", "window_left": 40, "window_right": 3}, {}),
    "long-sink": ({**LONG, "mask": "window", "window_left": 9, "window_right": 0, "sink_tokens": 18}, {}),
    "long-sink-packed": ({**LONG, "mask": "window", "window_left": 9, "window_right": 0, "sink_tokens": 18},
                         {"pack": True}),
    "long-dropout": ({**LONG, "dropout": 0.4}, {}),
    "long-split": ({**LONG, "hdim_v": 32, "family": "fwd_splitkv", "num_splits": 3, "lse": True}, {"pack": True}),
    "long-split-window": ({**LONG, "hdim_v": 32, "family": "fwd_splitkv", "num_splits": 2, "mask": "window",
                           "window_left": 20, "window_right": 5, "sink_tokens": 3, "lse": True}, {}),
    "more-splits-than-blocks": ({**LONG, "hdim_v": 32, "family": "fwd_splitkv", "num_splits": 9}, {"tile_n": 32}),
    "decode": ({"seqlen_q": 1, "seqlen_k": 70, "heads_q": 6, "heads_kv": 2, "hdim_v": 32, "family": "fwd_splitkv",
                "page_size": 8, "mask": "causal_bottom_right", "num_splits": 2, "lse": True}, {"pack": True}),
    "large-pages": ({"seqlen_q": 2, "seqlen_k": 70, "family": "fwd_pagedkv", "page_size": 32, "lookup": "sglang"},
                    {"pack": True}),
    "varlen-packed": ({"mode": "group", "total_q": 15, "total_k": 20, "mask": "causal_bottom_right", "lse": True},
                      {"pack": True}),
    "bwd-long": ({**LONG, "family": "bwd", "mask": "causal_top_left"}, {"tile_n": 32}),
    "bwd-long-sink": ({**LONG, "family": "bwd", "mask": "window", "window_left": 9, "window_right": 4,
                       "sink_tokens": 18}, {}),
    "bwd-long-dropout": ({**LONG, "family": "bwd", "mask": "causal_bottom_right", "dropout": 0.2}, {}),
    "bwd-shared-bias": ({**LONG, "family": "bwd", "batch": 2, "bias": "elementwise", "dbias": True}, {}),
}  # fmt: skip
FAR = 2**31 - 1
EXTREME: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # none of them is rare
    "far-window": ({"mask": "window", "window_left": FAR, "window_right": FAR, "lse": True}, {}),
    "far-window-bwd": ({"family": "bwd", "mask": "window_top_left", "window_left": 4, "window_right": FAR}, {}),
    "high-cap": ({"soft_cap": 1e6, "lse": True}, {}),
    "high-cap-bwd": ({"family": "bwd", "soft_cap": 1e4}, {}),
}  # fmt: skip


def all_cases() -> dict[str, dict[str, Any]]:
    found = {}
    for family, table in (("fwd", FORWARD), ("bwd", BACKWARD), ("fwd_appendkv", APPEND)):
        for name, fields in table.items():
            found[f"{family}-{name}"] = ({"family": family, **fields}, {})
    found |= FURTHER | EXTREME
    named = {f"{name}-fp32": ({"dtype": "fp32", **fields}, a) for name, (fields, a) in found.items()}
    # The interpreter multiplies bf16 as integers, so bf16 products are left to the tests on a GPU.
    for name in ("fwd-causal-top-left", "decode", "bwd-causal", "fwd_appendkv-interleaved"):
        fields, a = found[name]
        named[f"{name}-fp16"] = ({"dtype": "fp16", **fields}, a)
    for name in ("pertensor", "blockscale", "to-fp32"):
        # The interpreter cuts bf16 results off instead of rounding them.
        wide = {"dtype_out": "fp16", **EIGHT_BIT[name]}
        named[f"fwd-{name}"] = (wide, {"tile_n": 32})
    made = {n: {"problem": {"op": "fmha", **BASE, **f}, "algorithm": {**SMALL, **a}} for n, (f, a) in named.items()}
    return made | hidden_blocks() | odd_scales()


def odd_scales() -> dict[str, dict[str, Any]]:
    """Scales of 8-bit operands that are 0 or negative, or out of fp16's range; some keys are hidden."""
    sizes = {"op": "fmha", **BASE, "dtype_out": "fp32", "lse": True, "mask": "causal_bottom_right"}
    tensor, block = EIGHT_BIT["pertensor"], EIGHT_BIT["blockscale"]
    given = {"zero": (tensor, {"scale_q": 0.0}), "negative": (tensor, {"scale_k": -2.0}),
             "split": ({**tensor, "family": "fwd_splitkv", "num_splits": 2, "hdim_v": 32}, {"scale_q": -1.0}),
             "small": (block, {"scale_v": 1e-7}), "large": (block, {"scale_v": -1e6}),
             "none": (block, {"scale_v": 0.0})}  # fmt: skip
    return {f"scales-{name}": {"problem": {**sizes, **fields}, "filled": filled, "algorithm": {**SMALL, "tile_n": 32}}
            for name, (fields, filled) in given.items()}  # fmt: skip


BIASED = {"op": "fmha", "batch": 1, "heads_q": 2, "heads_kv": 1, "seqlen_q": 20, "seqlen_k": 50, "hdim_q": 16,
          "bias": "elementwise", "dtype": "fp32", "lse": True}  # fmt: skip
BIASED_BWD = {**BIASED, "family": "bwd", "dbias": True}


def hidden_blocks() -> dict[str, dict[str, Any]]:
    """A bias that hides whole blocks of keys: first ones, last ones, all of them."""
    found = {f"fwd-hidden-{m}": (BIASED, m, {}) for m in MASKS} | {
        f"bwd-hidden-{m}": (BIASED_BWD, m, {})
        for m in ("leading", "nothing", "left-padding", "lowest", "lowest-rows", "single")
    }
    split = {**BIASED, "family": "fwd_splitkv", "num_splits": 3}
    found |= {f"split-hidden-{m}": (split, m, {"pack": True}) for m in ("leading", "nothing", "lowest-rows")}
    capped = {"soft_cap": 1.5}
    found |= {
        "fwd-hidden-capped": ({**BIASED, **capped}, "left-padding", {}),
        "bwd-hidden-capped": ({**BIASED_BWD, **capped}, "nothing", {}),
        "bwd-hidden-causal": ({**BIASED_BWD, "mask": "causal_bottom_right"}, "leading", {}),
        "bwd-hidden-rows-capped": ({**BIASED_BWD, **capped, "bias_heads": 2}, "lowest-rows", {}),
        "bwd-hidden-rows-causal": ({**BIASED_BWD, "mask": "causal_bottom_right", "batch": 2}, "lowest-rows", {}),
    }
    return {n: {"problem": p, "hidden": m, "algorithm": {**SMALL, **a}} for n, (p, m, a) in found.items()}


CASES = all_cases()
LISTED = {"op": "fmha", "batch": 2, "heads_q": 2, "heads_kv": 2, "seqlen_q": 300, "seqlen_k": 328, "hdim_q": 16,
          "bias": "elementwise", "dtype": "fp16", "bias_heads": 2}  # fmt: skip
LIST_FIELDS = {"none": {}, "causal": {"mask": "causal_bottom_right"},
               "window": {"mask": "window", "window_left": 90, "window_right": 9, "bias_batch": 2}}  # fmt: skip
LISTS = {
    f"{mask}-{hidden}-{only}": {"lists": {**LISTED, **LIST_FIELDS[mask]}, "hidden": hidden, "only": only}
    for mask in LIST_FIELDS
    for hidden, only in (("leading", True), ("left-padding", True), ("window", True), ("trailing", False),
                         ("nothing", True), ("lowest", True))
}  # fmt: skip
LISTS |= {
    f"bwd-{name}": {**case, "lists": {**case["lists"], "family": "bwd", "lse": True}}
    for name, case in LISTS.items()
    if name.startswith("window") or case["hidden"] == "left-padding"
}


RARE = {n for i, n in enumerate(CASES) if i % 7 and n.rpartition("-")[0] not in EXTREME and "scales-" not in n}
RARE |= {n for i, n in enumerate(LISTS) if i % 4}


SINKS = {"sinks": {"sinks": {"op": "fmha", "family": "bwd", "dtype": "fp16", "batch": 2, "heads_q": 4, "heads_kv": 2,
                             "seqlen_q": 150, "seqlen_k": 200, "hdim_q": 64, "mask": "window", "window_left": 40,
                             "window_right": 5, "sink_tokens": 20, "soft_cap": 2.0}}}  # fmt: skip


@cache
def answers(rare: bool) -> dict[str, Any]:
    """All cases, or all rare ones, run in one process: starting the interpreter takes longer than the cases."""
    env = {**os.environ, "TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    script = str(HERE / "interpreted_fmha.py")
    asked = {name: case for name, case in {**CASES, **LISTS, **SINKS}.items() if (name in RARE) is rare}
    done = subprocess.run([sys.executable, script], input=json.dumps(list(asked.values())), capture_output=True,
                          text=True, env=env, timeout=900)  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(zip(asked, json.loads(done.stdout), strict=True))


def marked(names):
    return [pytest.param(n, marks=pytest.mark.exhaustive if n in RARE else ()) for n in names]


@GROUP
@pytest.mark.parametrize("name", marked(CASES))
def test_a_kernel_agrees_with_the_reference(name):
    assert answers(name in RARE)[name] <= 1.0


@GROUP
@pytest.mark.parametrize("name", SINKS)
def test_rows_that_see_keys_only_as_sink_tokens_begin_the_sums_of_gradients(name):
    """The rest of these sums is Gluon's, which is not interpreted."""
    assert answers(False)[name] < 2.0**-10


@GROUP
@pytest.mark.parametrize("name", marked(LISTS))
def test_the_list_of_blocks_that_a_bias_leaves(name):
    """A block is listed if some row sees a key of it; its last bit says whether bias or mask change anything. A forward
    pass has a list for each block of rows, a backward pass for each block of keys."""
    case = LISTS[name]
    p = problem_from_dict(case["lists"])
    bias = masked_tensors(p, case["hidden"], seed=3, only=case["only"])["bias"].astype(np.float64)
    shown = visible(p, p.seqlen_q, p.seqlen_k) & (bias > -np.inf)
    backward, expected = p.family == "bwd", []
    rows, keys = range(0, p.seqlen_q, 128), range(0, p.seqlen_k, 64)
    for part, values in zip(shown.reshape(-1, *shown.shape[2:]), bias.reshape(-1, *bias.shape[2:]), strict=True):
        for i in keys if backward else rows:
            found = []
            for j in reversed(rows if backward else keys):
                m, n = (j, i) if backward else (i, j)
                block, added = part[m : m + 128, n : n + 64], values[m : m + 128, n : n + 64]
                plain = block.all() and not added.any() and n + 64 <= p.seqlen_k
                found += [2 * (j // (128 if backward else 64)) + (not plain)] if block.any() else []
            expected.append(found if backward else found or [1])
    assert answers(name in RARE)[name] == expected


def problem(**fields):
    sizes = {"op": "fmha", "batch": 2, "heads_q": 8, "heads_kv": 2, "seqlen_q": 256, "hdim_q": 64, "dtype": "fp16"}
    return problem_from_dict({**sizes, **fields})


def broken(p, arch="sm_90", **fields):
    spec = KernelSpec("fmha", "triton", arch, p.signature, TritonFmha(**fields))
    return {r.rule: r for r in OP.check(spec, get_arch(arch), p)}


HOPPER = {"tile_m": 128, "tile_n": 128, "warps": 8, "pipeline": "hopper"}
HOPPER_BWD = {"tile_m": 64, "tile_n": 128, "warps": 8, "pipeline": "hopper"}
SMALL_FLOATS = {"dtype": "fp8_fnuz", "bias": "elementwise"}
RULES = [
    ("arch", {"dtype": "fp8"}, {"arch": "sm_80", "tile_n": 32}, "does not compute with fp8"),
    ("dropout_rng", {"dropout": 0.1, "dropout_rng": "ck"}, {}, "use the philox generator"),
    ("tile", {}, {"tile_m": 48}, "tile_m is 48"),
    ("tile", {}, {"tile_n": 256}, "a block of 128x256"),
    ("registers", {"hdim_q": 256}, {"tile_m": 128, "warps": 4}, "use a smaller block or more warps"),
    ("shared", {"hdim_q": 256}, {"tile_n": 128, "stages": 3, "warps": 8}, "> 232,448 B (sm_90, 128x128, 3 stages)"),
    ("shared", {"hdim_q": 128}, {"arch": "gfx942", "tile_n": 128, "warps": 8}, "> 65,536 B (gfx942"),
    ("chained_stages", {}, {"arch": "gfx1201", "tile_m": 64, "tile_n": 32, "stages": 4}, "4 stages on gfx1201"),
    ("chained_stages", SMALL_FLOATS, {"arch": "gfx942", "tile_m": 64, "tile_n": 64, "stages": 4}, "4 stages on gfx942"),
    ("staged_bias", SMALL_FLOATS, {"arch": "gfx942", "tile_m": 16, "tile_n": 64, "stages": 2}, "16 rows in 2 stages"),
    ("traits", {"family": "bwd"}, {"pack": True, "tile_m": 64}, "packed heads in bwd"),
    ("traits", {}, {"precision": "tf32"}, "tf32 with fp16 operands"),
    ("forward_features", {"dropout": 0.1}, HOPPER, "hopper forward with dropout"),
    ("forward_features", {"family": "fwd_splitkv"}, HOPPER, "hopper forward with fwd_splitkv"),
    ("forward_features", {}, {**HOPPER, "arch": "sm_80"}, "hopper forward with sm_80"),
    ("forward_tile", {}, {**HOPPER, "warps": 4}, "128x128 with 4 warps"),
    ("forward_tile", {"hdim_q": 256}, HOPPER, "224 accumulators per thread > 208"),
    ("forward_tile", {"hdim_q": 128}, {**HOPPER, "tile_m": 192, "warps": 12}, "160 accumulators per thread > 128"),
    ("forward_shared", {"hdim_q": 128}, {**HOPPER, "stages": 4}, "use fewer stages"),
    ("forward_sizes", {"seqlen_k": 0}, HOPPER, "256 rows by 0 keys"),
    ("forward_features", {"bias": "alibi"}, HOPPER, "hopper forward with slopes"),
    ("forward_tile", {"bias": "elementwise"}, {**HOPPER, "tile_m": 192, "warps": 12}, "192 rows with a bias"),
    ("forward_bias", {"bias": "elementwise", "scale": -1.0}, HOPPER, "scale is -1.0"),
    ("forward_bias", {"bias": "elementwise", "seqlen_k": 700}, HOPPER, "stride of 700 elements"),
    ("forward_bias", {"bias": "elementwise", "strides": {"bias": [0, 0, 0, 1]}}, HOPPER, "stride of 0 elements"),
    (
        "forward_bias",
        {"bias": "elementwise", "strides": {"bias": [0, 0, 512, 2]}},
        HOPPER,
        "stride of 2 along its keys",
    ),
    ("forward_bias", {"bias": "elementwise", "alignment": {"bias": 8}}, HOPPER, "address aligned to 8 bytes"),
    ("traits", {}, {"turns": True}, "turns in fwd, pipeline pointer"),
    (
        "backward_deterministic",
        {"family": "bwd", "deterministic": True, "bias": "elementwise"},
        HOPPER_BWD,
        "adds nothing atomically",
    ),
    ("backward_share", {"family": "bwd", "deterministic": True}, {**HOPPER_BWD, "share": True}, "a deterministic sum"),
    ("backward_share", {"family": "bwd", "bias": "elementwise"}, {**HOPPER_BWD, "share": True}, "walks with a bias"),
    ("backward_share", {}, {"share": True}, "shared walks with another kernel"),
    ("backward_features", {"family": "bwd", "bias": "alibi"}, HOPPER_BWD, "hopper backward with slopes"),
    ("backward_features", {"family": "bwd", "bias": "elementwise", "dbias": True}, HOPPER_BWD, "with dbias"),
    (
        "backward_features",
        {"family": "bwd", "bias": "elementwise", "mode": "group", "total_q": 300, "total_k": 300},
        HOPPER_BWD,
        "a bias in group mode",
    ),
    ("backward_features", {"family": "bwd", "hdim_q": 256, "dropout": 0.1}, HOPPER_BWD, "dropout in heads of more"),
    (
        "backward_bias",
        {"family": "bwd", "bias": "elementwise", "strides": {"bias": [0, 0, 260, 1]}},
        HOPPER_BWD,
        "a stride of 260 elements",
    ),
    ("backward_features", {"family": "bwd"}, {**HOPPER_BWD, "arch": "sm_80"}, "hopper backward with sm_80"),
    ("backward_tile", {"family": "bwd"}, {**HOPPER_BWD, "tile_n": 64}, "64x64 with 8 warps"),
    ("backward_tile", {"family": "bwd", "hdim_q": 128}, {**HOPPER_BWD, "tile_m": 128}, "256 accumulators per thread"),
    ("backward_shared", {"family": "bwd", "hdim_q": 128}, {**HOPPER_BWD, "stages": 4}, "use fewer stages"),
    ("backward_sizes", {"family": "bwd", "seqlen_k": 0}, HOPPER_BWD, "256 rows by 0 keys"),
    ("pack", {"heads_kv": 8}, {"pack": True}, "8 query heads for 8 key heads"),
    ("scale", {"scale": -1.0}, {}, "negate Q"),
    ("scale", {"scale": 1e-46}, {}, "scale Q instead"),
    ("scale", {"scale": 1e30, "family": "bwd"}, {}, "scale is 1e+30"),
    ("scale", {"soft_cap": 1e30}, {}, "soft_cap is 1e+30"),
    ("scale", {"soft_cap": 1e-30, "family": "bwd"}, {}, "soft_cap is 1e-30"),
    ("backward_cap", {"family": "bwd", "soft_cap": 1e4}, HOPPER_BWD, "use pipeline='pointer'"),
    ("columns", {"strides": {"q": [131072, 512, 64, 2]}}, {}, "stride of 2 along its columns"),
    ("alignment", {"strides": {"k": [33000, 129, 64, 1]}}, {}, "k is aligned to 2 bytes"),
    ("alignment", {"strides": {"k": [1024, 1, 512, 1]}}, {}, "k is aligned to 2 bytes"),  # rows that overlap
    ("alignment", {"v_layout": "col", "strides": {"v": [1024, 1, 512, 1]}}, {}, "v is aligned to 2 bytes"),
    ("index", {"strides": {"k": [2**40, 2**26, 64, 1]}}, {}, "a block of k spans"),
    ("index", {"family": "bwd", "strides": {"q": [2**34, 2**26, 64, 1]}}, {}, "a block of q spans"),
    ("index", {"family": "bwd", "strides": {"dout": [2**34, 2**26, 64, 1]}}, {}, "a block of dout spans"),
    ("index", {"family": "bwd", "strides": {"lse": [2**34, 2**30, 2**25]}}, {}, "a block of lse spans"),
    ("index", {"bias": "elementwise", "strides": {"bias": [0, 0, 2**24, 1]}}, HOPPER, "a block of bias spans"),
    (
        "index",
        {"family": "fwd_pagedkv", "page_size": 16, "strides": {"v": [2**31, 128, 64, 1]}},
        {},
        "a page of v spans 2,147,483,648 elements",
    ),
    ("append_dtype", {"family": "fwd_appendkv", "dtype": "fp8", "dtype_out": "fp8", "seqlen_new": 1}, {}, "quantised"),
]


@pytest.mark.parametrize(("rule", "fields", "algorithm", "text"), RULES)
def test_a_rule_says_what_is_wrong_with_numbers(rule, fields, algorithm, text):
    found = broken(problem(**fields), **algorithm)
    assert f"triton.fmha.{rule}" in found, found
    assert text in str(found[f"triton.fmha.{rule}"])


@pytest.mark.parametrize(
    ("arch", "stages", "family"),
    [("gfx1201", 3, "fwd"), ("gfx942", 4, "fwd"), ("gfx1100", 4, "bwd"), ("sm_90", 4, "fwd")],
)
def test_four_stages_are_refused_only_where_the_compiler_fails(arch, stages, family):
    found = broken(problem(family=family), arch=arch, tile_m=32, tile_n=32, stages=stages)
    assert "triton.fmha.chained_stages" not in found


FAMILIES = [
    {}, {"dtype": "fp32"}, {"layout": "bhsd", "seqlen_k": 1 << 18, "hdim_q": 128}, {"hdim_q": 256, "dtype": "fp32"},
    {"hdim_q": 256},
    {"dtype": "bf16", "hdim_q": 80, "hdim_v": 96},
    {"family": "fwd_splitkv", "seqlen_q": 1, "seqlen_k": 8192}, {"family": "fwd_pagedkv", "page_size": 16},
    {"family": "batch_prefill", "page_size": 16, "mode": "group"}, {"family": "bwd"}, {"family": "bwd", "hdim_q": 256},
    {"family": "bwd", "dtype": "fp32", "hdim_q": 256}, {"family": "fwd_appendkv", "seqlen_new": 1},
    {"strides": {"q": [131080, 513, 64, 1]}},
]  # fmt: skip


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "gfx90a", "gfx942", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("fields", FAMILIES, ids=str)
def test_every_family_has_a_kernel_on_every_arch(arch, fields):
    from tilewright.model.kernel_set import expand

    p, device = problem(**fields), get_nominal_devices(arch)[0]
    found = []
    for kernel_set in OP.default_sets():
        if kernel_set.takes(p.signature, arch):
            specs = expand(kernel_set, get_arch(arch), p.signature, OP.algorithm, OP.tunables(), OP.rules).specs
            found += [s for s in specs if not OP.check(s, get_arch(arch), p)]
    assert found
    for spec in found:
        for launch in OP.launches(spec, p, device):
            assert 0 < OP.predict(Candidate(spec, launch), p, device) < 1


def test_the_hopper_forward_pass_walks_over_tiles_and_is_predicted_to_be_faster():
    device = next(d for d in get_nominal_devices("sm_90") if "H200" in d.name)
    sizes = {"batch": 4, "seqlen_q": 4096, "seqlen_k": 4096, "hdim_q": 128, "heads_q": 32, "heads_kv": 8}
    for mask in ("none", "causal_top_left"):
        p = problem(**sizes, mask=mask)
        spec, plain = (KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**a))
                       for a in (HOPPER, {"tile_m": 64, "tile_n": 64, "stages": 3}))  # fmt: skip
        ((kind, grid, values),) = steps(spec, p, Launch(), dict.fromkeys(p.roles, 1 << 20), 1 << 30)
        assert (kind, grid[1:]) == ("forward", (1, 1))
        assert values["tiles"] == 32 * values["lanes"] == 32 * 128 > grid[0]
        # Heads whose keys the cache holds: 2 MiB for each key head, which four query heads share.
        assert values["section"] == (1 if mask == "none" else 32)
        assert workspace(p, spec.algorithm, Launch()).bytes == (0 if mask == "none" else 256)
        assert values["k"]["shape"] == [4, 8, 4096, 128]
        assert OP.predict(Candidate(spec, Launch()), p, device) < OP.predict(Candidate(plain, Launch()), p, device)


def test_with_a_bias_the_hopper_forward_pass_looks_at_it_first():
    p = problem(batch=2, seqlen_k=520, bias="elementwise", bias_batch=2)
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**HOPPER))
    found = steps(spec, p, Launch(), dict.fromkeys(p.roles, 1 << 20), 1 << 30)
    assert [(kind, grid[0]) for kind, grid, _ in found] == [("look", 2 * 2 * 5), ("list", 2 * 2), ("forward", 32)]
    assert workspace(p, spec.algorithm, Launch()).bytes == 256 + 256  # a counter, and four lists of 11 numbers
    assert found[2][2]["bias"]["shape"] == [2, 1, 256, 520]
    assert {n: found[2][2][f"listed.{i}"] for i, n in enumerate(("lists", "batch", "heads", "step"))} == {
        "lists": (1 << 30) + 256, "batch": 2, "heads": 1, "step": 11,
    }  # fmt: skip


def test_programs_that_share_walks_over_rows_add_to_sums_of_dk_and_dv():
    sizes = {"family": "bwd", "hdim_q": 128, "batch": 1, "heads_q": 8, "heads_kv": 2, "seqlen_q": 1000}
    p = problem(**sizes, seqlen_k=1000, mask="causal_top_left")
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**HOPPER_BWD, share=True))
    found = steps(spec, p, Launch(num_splits=3), dict.fromkeys(p.roles, 1 << 20), 1 << 30)
    assert [(kind, grid[0]) for kind, grid, _ in found] == [
        ("prepare", 8 * 16), ("hopper_gradients", 2 * 4 * 3), ("convert", 8 * 16), ("convert_keys", 2 * 2 * 8)
    ]  # fmt: skip
    room, values = workspace(p, spec.algorithm, Launch(num_splits=3)), found[1][2]
    assert values["key_sums"] == (1 << 30) + room.offsets["key_sums"]
    sums = 2 * 2 * 8 * 128 * 128  # gradients, key heads, blocks, keys, columns
    assert room.bytes - room.offsets["key_sums"] == 4 * sums
    assert found[0][2]["zeros"] * 64 * 128 == sums
    assert [values[f"shares.{i}"] for i in range(3)] == [4, 3, 8]


def test_rows_that_see_keys_only_as_sink_tokens_have_a_kernel_of_their_own():
    window = {"mask": "window", "window_left": 100, "window_right": 0, "sink_tokens": 130}
    p = problem(family="bwd", hdim_q=64, batch=1, heads_q=2, heads_kv=2, seqlen_q=1000, seqlen_k=1000, **window)
    alone, shared = (KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**HOPPER_BWD, share=yes))
                     for yes in (False, True))  # fmt: skip
    found = steps(alone, p, Launch(), dict.fromkeys(p.roles, 1 << 20), 1 << 30)
    assert [(kind, grid[0]) for kind, grid, _ in found] == [
        ("prepare", 2 * 16), ("sinks", 2 * 4), ("hopper_gradients", 2 * 8), ("convert", 2 * 16)
    ]  # fmt: skip
    room = workspace(p, alone.algorithm, Launch())
    tiles = -(-2 * 2 * 144 // 64)  # gradients, key heads, sink tokens in blocks of 16; in tiles of 64 rows
    assert found[0][2]["zeros"] == tiles
    assert room.bytes - room.offsets["key_sums"] == 4 * tiles * 64 * 64
    assert found[1][2]["sink_sums"] == found[2][2]["sink_sums"] == (1 << 30) + room.offsets["key_sums"]
    more = steps(shared, p, Launch(num_splits=2), dict.fromkeys(p.roles, 1 << 20), 1 << 30)
    assert [kind for kind, _, _ in more] == ["prepare", "sinks", "hopper_gradients", "convert", "convert_keys"]
    assert more[1][2]["sink_sums"] == more[1][2]["key_sums"] + 8 * 2 * 8 * 128 * 64  # behind those of shared walks


def test_with_a_bias_the_hopper_backward_pass_lists_blocks_of_rows_for_each_block_of_keys():
    p = problem(family="bwd", hdim_q=128, batch=2, seqlen_k=520, bias="elementwise", bias_batch=2, soft_cap=2.0)
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**HOPPER_BWD))
    assert not OP.check(spec, get_arch("sm_90"), p)
    found = steps(spec, p, Launch(), dict.fromkeys(p.roles, 1 << 20), 1 << 30)
    kinds = [(kind, grid[0]) for kind, grid, _ in found]
    assert kinds[:3] == [("look", 2 * 5 * 4), ("list", 2 * 5), ("origins", 2 * 8 * 2)]
    assert [kind for kind, _ in kinds[3:]] == ["prepare", "hopper_gradients", "convert"]
    main, prepare = found[4][2], found[3][2]
    assert main["bias"]["shape"] == [2, 1, 256, 520]
    assert (main["listed.0"], main["listed.3"], main["key_blocks"], found[1][2]["key_blocks"]) == (
        main["lists"], 1 + 2 * 4, 5, 4,
    )  # fmt: skip
    assert (prepare["lse"], prepare["lse_strides.1"]) == (prepare["origin"], 256)
    assert main["stats"]["shape"] == [2 * 8 * 4 * 4, 64]
    assert main["cap"] == 2.0  # natural units, in which only differences of logits are multiplied


def test_a_tensor_map_has_aligned_strides_where_a_dimension_has_size_one():
    p = problem(batch=1, strides={"k": [13, 256, 64, 1]})
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**HOPPER))
    ((_, _, values),) = steps(spec, p, Launch(), dict.fromkeys(p.roles, 1 << 20))
    assert all(s % 8 == 0 for s in values["k"]["strides"][:-1]), values["k"]


def test_a_deterministic_backward_pass_is_never_summed_in_any_order():
    """The Hopper kernels have an order of their own, but not for every feature."""
    from tilewright.model.kernel_set import expand

    offered = {}
    for deterministic, bias in ((False, "elementwise"), (True, "none"), (True, "elementwise")):
        p = problem(family="bwd", hdim_q=128, deterministic=deterministic, bias=bias)
        sets = [s for s in OP.default_sets() if s.takes(p.signature, "sm_90")]
        specs = [x for s in sets for x in expand(s, get_arch("sm_90"), p.signature, OP.algorithm, OP.tunables(),
                                                 OP.rules).specs]  # fmt: skip
        offered[deterministic, bias] = {s.algorithm.pipeline for s in specs if not OP.check(s, get_arch("sm_90"), p)}
    both = {"pointer", "hopper"}
    assert offered == {(False, "elementwise"): both, (True, "none"): both, (True, "elementwise"): {"pointer"}}
    p = problem(family="bwd", hdim_q=128, deterministic=True, mask="causal_top_left")
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**HOPPER_BWD))
    _, (_, grid, main), _ = steps(spec, p, Launch(), dict.fromkeys(p.roles, 1 << 20), 1 << 30)
    assert (main["items"], grid[0]) == (2 * 2 * 2, 8)  # single blocks of keys: programs take turns
    assert main["turns"] > main["dq_sum"]


@pytest.mark.parametrize(
    ("sizes", "order"),
    [
        ({"seqlen_q": 300, "seqlen_k": 300, "heads_q": 4, "heads_kv": 4}, (16, 0)),  # little to read again
        ({"seqlen_q": 4096, "seqlen_k": 4096, "heads_q": 4, "heads_kv": 4, "hdim_q": 256}, (4, 0)),
        ({"seqlen_q": 4096, "seqlen_k": 4096, "heads_q": 8, "heads_kv": 2, "mask": "causal_top_left"}, (8, 1)),
        (
            {"seqlen_q": 4096, "seqlen_k": 4096, "heads_q": 8, "heads_kv": 2, "mask": "window", "window_left": 64},
            (16, 0),
        ),
    ],
)
def test_few_heads_take_turns_where_their_rows_would_not_stay_in_the_cache(sizes, order):
    p = problem(family="bwd", deterministic=True, **{"hdim_q": 128, **sizes})
    assert walk_order(p) == order


def test_the_hopper_backward_pass_has_three_steps_and_is_predicted_to_be_faster():
    p = problem(family="bwd", hdim_q=128, seqlen_q=1000, seqlen_k=1000, heads_q=16, heads_kv=16)
    device = next(d for d in get_nominal_devices("sm_90") if "H200" in d.name)
    spec, plain = (KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**a))
                   for a in (HOPPER_BWD, {"tile_m": 32, "tile_n": 64}))  # fmt: skip
    found = steps(spec, p, Launch(), dict.fromkeys(p.roles, 1 << 20), 1 << 30)
    assert [(kind, grid[0]) for kind, grid, _ in found] == [
        ("prepare", 2 * 16 * 16), ("hopper_gradients", min(2 * 16 * 8, units_of("sm_90"))),
        ("convert", 2 * 16 * 16),
    ]  # fmt: skip
    assert workspace(p, spec.algorithm, Launch()).bytes == 2 * 16 * 1024 * (128 * 4 + 8)
    assert found[1][2]["q"]["shape"] == [2, 16, 1000, 128]
    assert found[1][2]["q"]["strides"] == [16 * 1000 * 128, 128, 16 * 128, 1]
    assert OP.predict(Candidate(spec, Launch()), p, device) < OP.predict(Candidate(plain, Launch()), p, device)


def test_sequences_one_after_another_begin_blocks_of_their_own():
    p = problem(family="bwd", hdim_q=128, mode="group", batch=3, total_q=700, total_k=600, seqlen_q=400, seqlen_k=300)
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(**HOPPER_BWD))
    assert not OP.check(spec, get_arch("sm_90"), p)
    (_, rows, _), (_, _, main), _ = steps(spec, p, Launch(), dict.fromkeys(p.roles, 1 << 20), 1 << 30)
    blocks = 700 // 64 + 3
    assert rows[0] == 3 * 8 * 7
    assert main["blocks"] == blocks
    assert main["stats"]["shape"] == [8 * blocks, 2 * 64]
    assert (main["k"]["shape"], main["k"]["strides"]) == ([1, 2, 600, 128], [NO_STEP, 128, 2 * 128, 1])


def test_splits_fill_the_device_and_keep_what_is_given():
    p = problem(family="fwd_splitkv", batch=1, seqlen_q=1, seqlen_k=32768)
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(16, 64, 4, 3, pack=True))
    device = next(d for d in get_nominal_devices("sm_90") if "H200" in d.name)
    ranked = sorted(OP.launches(spec, p, device), key=lambda x: OP.predict(Candidate(spec, x), p, device))
    assert 1 * 2 * ranked[0].num_splits >= device.units / 2
    given = problem(family="fwd_splitkv", batch=1, seqlen_q=1, seqlen_k=32768, num_splits=5)
    assert OP.launches(spec, given, device) == (Launch(num_splits=5),)


def test_the_workspace_holds_what_the_steps_use():
    p = problem(family="fwd_splitkv", seqlen_q=3, seqlen_k=512)
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(16, 64, 4, 3))
    launch = Launch(num_splits=4)
    need = workspace(p, spec.algorithm, launch).bytes
    assert need >= 4 * 4 * p.batch * 3 * p.heads_q * (64 + 1)
    found = steps(spec, p, launch, dict.fromkeys(p.roles, 1 << 20), 1 << 30)
    assert [kind for kind, _, _ in found] == ["split", "combine"]
    assert found[1][1] == (p.batch * 3 * p.heads_q, 1, 1)
    assert [kind for kind, _, _ in steps(spec, p, Launch(), dict.fromkeys(p.roles, 1 << 20))] == ["forward"]
