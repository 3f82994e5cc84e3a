"""CK Tile attention: space, rules, receipts and generated text; a few kernels are compiled where the toolchain is."""

from __future__ import annotations

import struct
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pytest

from tilewright.arch import get_arch
from tilewright.backends.ck_tile.ck_revision import REFERENCE, detect
from tilewright.backends.ck_tile.fmha import OP, RECEIPTS, STAGES, CkTileFmha, declared, get_receipt
from tilewright.backends.ck_tile.fmha.kargs import pack, parts_of
from tilewright.backends.ck_tile.fmha.launch_backward import Gradients, _values
from tilewright.backends.ck_tile.fmha.launch_split import Partials, split_values
from tilewright.backends.ck_tile.fmha.request import FmhaRequest, requested
from tilewright.backends.ck_tile.fmha.rules import PROBLEM_RULES, RULES
from tilewright.backends.ck_tile.lower import lower
from tilewright.errors import ToolchainError, UnknownNameError
from tilewright.model.arch import FMHA_FAMILIES
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops import problem_from_dict
from tilewright.ops.fmha.signature import FmhaSignature

PLAIN = FmhaSignature("fwd", "fp16", "fp16", 128, 128)


def spec(arch: str = "gfx942", algorithm: CkTileFmha | None = None, **signature: Any) -> KernelSpec:
    return KernelSpec("fmha", "ck_tile", arch, replace(PLAIN, **signature), algorithm or CkTileFmha())


def first(arch: str, family: str, stage: str, **fields: Any) -> KernelSpec:
    """The first declared kernel with these fields."""
    for s in declared(arch, family, "ck_default", ["fp16"], [128]).specs:
        values = {**vars(s.signature), **vars(s.algorithm)}
        if s.algorithm.stage == stage and all(values[n] == v for n, v in fields.items()):
            return s
    raise AssertionError(f"no {family} {stage} with {fields}")


def with_fields(s: KernelSpec, **fields: Any) -> KernelSpec:
    signature = {n: v for n, v in fields.items() if hasattr(s.signature, n)}
    algorithm = {n: v for n, v in fields.items() if n not in signature}
    return replace(s, signature=replace(s.signature, **signature), algorithm=replace(s.algorithm, **algorithm))


# rule -> (a legal kernel, what is changed in it): the rule must be among those that object.
BROKEN: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "family": (("gfx942", "fwd", "attend"), {"dtype": "fp8"}),
    "stage": (("gfx942", "fwd", "attend"), {"stage": "append"}),
    "tile": (("gfx942", "fwd", "attend"), {"tile_m0": 64}),
    "plain_tile": (("gfx942", "bwd", "dot_do_o"), {"tile_m0": 128}),
    "hdim": (("gfx942", "fwd", "attend"), {"hdim_q": 120}),
    "pipeline": (("gfx942", "fwd", "attend"), {"pipeline": "qs"}),
    "pads": (("gfx942", "fwd", "attend"), {"pad_dv": True}),
    "no_pads": (("gfx942", "bwd", "dq_dk_dv"), {"pad_s": True}),
    "group_pads": (("gfx942", "fwd", "attend"), {"mode": "group"}),
    "hdim_pads": (("gfx942", "bwd", "dq_dk_dv"), {"pad_dv": True}),
    "short_rows": (("gfx950", "bwd", "dq_dk_dv", {"max_seqlen_q": 16}), {"mask": "window"}),
    "bf8_product": (("gfx950", "fwd_splitkv", "attend"), {"dtype": "bf8", "warp0_m": 32}),
    "splits": (("gfx942", "fwd_splitkv", "combine"), {"log_max_splits": 0}),
    "merge_groups": (("gfx942", "fwd", "attend"), {"merge_groups": True}),
    "merging_stage": (("gfx942", "fwd_splitkv", "combine"), {"merge_groups": True}),
    "takes": (("gfx942", "fwd_pagedkv", "attend"), {"lse": True}),
    "columns": (("gfx942", "fwd", "attend"), {"hdim_q": 124}),
    "soft_cap_bias": (("gfx942", "fwd", "attend"), {"soft_cap": True, "bias": "alibi"}),
    "out": (("gfx942", "fwd", "attend"), {"dtype_out": "fp32"}),
    "sink": (("gfx942", "fwd", "attend"), {"sink": True}),
    "qscale": (("gfx942", "fwd", "attend"), {"qscale": "blockscale"}),
    "dropout_rng": (("gfx942", "fwd", "attend"), {"dropout": "philox"}),
    "v_layout": (("gfx942", "fwd", "attend"), {"v_layout": "col"}),
    "lookup": (("gfx942", "batch_prefill", "attend"), {"page_size": 16}),
    "page_size": (("gfx942", "fwd_pagedkv", "attend"), {"page_size": 16}),
    "backward": (("gfx942", "bwd", "dq_dk_dv"), {"soft_cap": True}),
    "deepseek": (("gfx942", "fwd", "attend"), {"hdim_q": 192, "bias": "alibi"}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_every_rule_objects_to_what_breaks_it(name: str) -> None:
    (arch, family, stage, *fields), changes = BROKEN[name]
    legal = first(arch, family, stage, **(fields[0] if fields else {}))
    assert not OP.check(legal, get_arch(arch))
    wrong = with_fields(legal, **changes)
    found = {r.rule: r for r in OP.check(wrong, get_arch(arch))}
    assert f"ck_tile.fmha.{name}" in found
    assert found[f"ck_tile.fmha.{name}"].message


def test_every_rule_has_a_case() -> None:
    problem = {r.id for r in PROBLEM_RULES}
    assert {r.id for r in RULES} - problem == {f"ck_tile.fmha.{n}" for n in (*BROKEN, "release")}


SIZES = {"op": "fmha", "batch": 2, "heads_q": 8, "heads_kv": 2, "seqlen_q": 256, "hdim_q": 128, "dtype": "fp16"}
PROBLEMS: dict[str, tuple[tuple[str, str], dict[str, Any], dict[str, Any], int]] = {
    "rows": (("fwd", "attend"), {"pad_s": False}, {"seqlen_q": 200, "seqlen_k": 256}, 1),
    "keys": (("fwd", "attend"), {"pad_sk": False}, {"seqlen_k": 200}, 1),
    "max_seqlen_q": (("bwd", "dq_dk_dv"), {"max_seqlen_q": 16}, {}, 1),
    "kv_lengths": (("fwd", "attend"), {"pad_sk": True}, {"kv_lengths": True}, 1),
    "merged": (("fwd_splitkv", "attend"), {"merge_groups": True}, {}, 1),
    "even_splits": (("fwd_splitkv", "attend"), {"uneven_splits": False}, {"seqlen_k": 384}, 2),
    "combine_splits": (("fwd_splitkv", "combine"), {"log_max_splits": 3}, {}, 9),
    "launch": (("fwd_splitkv", "attend"), {"mode": "group"}, {"mode": "group", "page_size": 128}, 1),
    "offsets": (("fwd", "attend"), {"pad_s": False}, {"strides": {"q": (2**31, 1024, 128, 1)}}, 1),
    "alignment": (("fwd", "attend"), {"pad_d": False}, {"strides": {"q": (2**20, 1028, 132, 1)}}, 1),
    "dense": (("fwd", "attend"), {}, {"strides": {"out": (2**20, 2048, 256, 2)}}, 1),
    "strides": (("bwd", "dq_dk_dv"), {}, {"strides": {"lse": (256, 0, 1)}}, 1),
    "workspace": (
        ("fwd_splitkv", "attend"),
        {"pad_s": True},
        {"batch": 8, "heads_q": 128, "seqlen_q": 16384, "seqlen_k": 16384},
        4,
    ),
    "rotary": (("fwd_appendkv", "append"), {"rope": "half"}, {"seqlen_new": 8, "rope": "half", "rotary_dim": 40}, 1),
    "shared_dbias": (("bwd", "dq_dk_dv"), {}, {"bias": "elementwise", "dbias": True, "bias_heads": 1}, 1),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_rule_objects_to_what_breaks_it(name: str) -> None:
    (family, stage), fields, sizes, splits = PROBLEMS[name]
    kernel = first("gfx950" if name == "max_seqlen_q" else "gfx942", family, stage, **fields)
    problem = problem_from_dict({**SIZES, "family": family, **sizes})
    found = {r.rule for r in OP.check(kernel, get_arch(kernel.arch), problem, Launch(num_splits=splits))}
    assert f"ck_tile.fmha.{name}" in found
    assert set(PROBLEMS) == {r.id.rsplit(".", 1)[1] for r in PROBLEM_RULES}


@pytest.mark.parametrize(
    ("stage", "fields", "sizes", "fits"),
    [
        ("attend", {}, {"batch": 8, "heads_q": 128, "seqlen_q": 8192}, True),
        ("dq_dk_dv", {"deterministic": False}, {"batch": 64, "heads_q": 64, "seqlen_q": 8192}, True),
        ("dq_dk_dv", {"deterministic": True}, {"batch": 64, "heads_q": 64, "seqlen_q": 8192}, False),
        ("dq_dk_dv", {"deterministic": False}, {"heads_q": 128, "seqlen_q": 2**17}, False),
        ("dq_dk_dv", {"deterministic": False}, {"heads_q": 128, "seqlen_k": 2**17}, False),
    ],
)
def test_strides_of_the_workspace_have_32_bits(
    stage: str, fields: dict[str, Any], sizes: dict[str, Any], fits: bool
) -> None:
    """What the rule takes can be packed into the arguments, and what it refuses cannot."""
    family = "bwd" if stage == "dq_dk_dv" else "fwd_splitkv"
    plain = {"mode": "batch", "mask": "none", "bias": "none", "dropout": "none", "page_size": 0, "max_seqlen_q": 0}
    spec = first("gfx942", family, stage, **{**plain, **fields} if family == "bwd" else {**plain, "soft_cap": False})
    problem = problem_from_dict({**SIZES, "family": family, **sizes, **fields})
    found = {r.rule for r in OP.check(spec, get_arch("gfx942"), problem, Launch(num_splits=2))}
    assert ("ck_tile.fmha.workspace" in found) != fits
    addresses = dict.fromkeys(problem.roles, 0)
    if family == "bwd":
        values = _values(problem, addresses, 0, Gradients.of(problem, spec))
    else:
        values = split_values(problem, addresses, Partials.of(problem, spec, 2).values(0))
    with nullcontext() if fits else pytest.raises(struct.error):
        for each in ("dq_dk_dv", "convert_dq") if family == "bwd" else ("attend",):
            pack(*parts_of(each, spec.signature), values)


@pytest.mark.parametrize("family", FMHA_FAMILIES)
def test_every_family_has_kernels_of_every_stage(family: str) -> None:
    for arch in ("gfx90a", "gfx942", "gfx950"):
        space = declared(arch, family, dtypes=["bf16"], hdims=[128])
        assert {s.algorithm.stage for s in space.specs} == set(STAGES[family])
        assert len({s.digest for s in space.specs}) == len(space.specs)


def test_what_the_headers_cannot_express_is_refused_by_name() -> None:
    for family in ("fwd", "fwd_splitkv", "fwd_appendkv"):
        space = declared("gfx1100", family)
        assert not space.specs
        assert space.counts()["ck_tile.fmha.release"]
    assert declared("gfx1100", "bwd").counts() == {"ck_tile.fmha.family": 1}
    assert declared("gfx1201", "fwd", dtypes=["fp16"]).specs


@pytest.mark.parametrize("name", RECEIPTS)
def test_a_receipt_is_a_filter(name: str) -> None:
    receipt = get_receipt(name)
    dtypes = {"fp32": ["fp32"], "fp32_min": ["fp32"], "fp8": ["fp8_fnuz", "fp16"]}.get(name, ["fp16", "fp32"])
    everything = {s.digest for r in ("ck_default", "fp32") for s in declared("gfx942", "fwd", r, dtypes, [128]).specs}
    taken = declared("gfx942", "fwd", name, dtypes, [128])
    assert taken.specs
    assert {s.digest for s in taken.specs} <= everything
    assert all(receipt.takes(s) for s in taken.specs)
    if name not in ("ck_default", "fp32"):
        assert taken.left_out or len(taken.specs) < len(everything)


def test_receipts_name_what_they_refuse() -> None:
    assert get_receipt("pytorch").refuses(spec(bias="alibi")) == "bias = alibi"
    assert get_receipt("flash").takes(spec(bias="alibi"))
    assert not get_receipt("ck_default").takes(spec(dtype="fp32"))
    with pytest.raises(UnknownNameError, match="did you mean 'pytorch'"):
        get_receipt("pytorhc")
    with pytest.raises(UnknownNameError, match="did you mean 'fwd_splitkv'"):
        requested(FmhaRequest("gfx942", ("splitkv",)))


def test_generated_text_is_a_function_of_the_spec() -> None:
    specs = [s for f in FMHA_FAMILIES for s in declared("gfx942", f, "flash", ["fp16"], [128]).specs]
    assert len(specs) > 400
    texts = {}
    for s in specs:
        source = lower(s, REFERENCE)
        assert source == lower(s, REFERENCE)
        assert s.digest in source.header_text
        assert f"::{s.algorithm.stage}, " in source.wrapper_text
        assert "using namespace" not in source.header_text
        body = "\n".join(t for t in source.header_text.splitlines() if not t.startswith(("//", "namespace", "} //")))
        texts.setdefault(body, []).append(s)
    doubles = [group for group in texts.values() if len(group) > 1]
    assert not doubles  # kernels of one receipt are all different C++


def test_templates_take_their_arguments_by_name() -> None:
    source = lower(first("gfx942", "bwd", "dq_dk_dv", deterministic=True), REFERENCE).header_text
    assert "ck_tile::sequence<16, 128, 128, 16, 128, 16, 32, 128, 128>" in source
    assert "static_assert(Problem::kIsDeterministic == true && Problem::kHasBiasGrad == false);" in source


def test_rows_that_a_bias_hides_are_divided_by_kernels_with_a_mask() -> None:
    """CK divides by the sum of a row, which is zero if a bias hides all of its keys, unless the kernel has a mask."""
    plain = first("gfx942", "fwd", "attend", bias="none", mask="none")
    for bias, masked in (("none", "false"), ("alibi", "false"), ("elementwise", "true")):
        s = replace(plain, signature=replace(plain.signature, bias=bias))
        assert f"SimplifiedGenericAttentionMask<{masked}>" in lower(s, REFERENCE).header_text, bias
        names = [name for part in parts_of("attend", s.signature)[0] for name in part.names]
        assert ("window_size_left" in names) == (masked == "true")


def toolchain() -> Any:
    from tilewright.backends.ck_tile.toolchain import find_toolchain

    try:
        return find_toolchain()
    except ToolchainError as error:
        pytest.skip(f"no toolchain for AMD GPUs: {error.message}")


def test_the_installed_headers_have_the_lists_of_the_table() -> None:
    [include] = toolchain().include_dirs
    found = detect(include)
    for name, parameters in REFERENCE.templates.items():
        if "Fmha" in name:
            assert found.templates[name] == parameters
