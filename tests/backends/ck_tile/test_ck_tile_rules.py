"""Every rule of ck_tile GEMM: broken alone by one spec, with its numbers and a remedy that helps."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import ck_family_cases
import ck_prologue_cases
import pytest
from ck_tile_specs import FP16, broken_rules, problem_of, spec_of

from tilewright.arch import get_arch
from tilewright.backends.ck_tile.gemm import OP
from tilewright.backends.ck_tile.gemm.instances import instances
from tilewright.errors import SpecError, UnknownNameError
from tilewright.model.kernel import Launch
from tilewright.model.rule import KINDS, Subject, judge
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.ops.gemm.signature import GemmSignature

GFX942 = get_arch("gfx942")
SHUFFLED = replace(FP16, b_format="ck_tile_n32_v8")
SHUFFLE = {"pipeline": "preshufflev2", "double_smem_buffer": True, "tile_k": 32}
NARROW = {"warp_tile_m": 16, "warp_tile_n": 16, "warp_tile_k": 16}
TALL, FLAT = {"waves_m": 4, "waves_n": 1, **NARROW}, {"waves_m": 1, "waves_n": 4, **NARROW}
PING_PONG = {"pipeline": "compv5", "waves_m": 1, "waves_n": 1, "waves_k": 2, "num_wave_groups": 2, "tile_k": 32}
PADS = {"pad_m": True, "pad_n": True, "pad_k": True}


def with_layout(layout: str) -> GemmSignature:
    return replace(FP16, layout=layout)


ASYNC = {"pipeline": "comp_async", "double_smem_buffer": True, "tile_m": 128, "tile_n": 128, "epilogue": "default"}

# rule -> (algorithm fields, signature, what the message says, arch facts changed)
KERNEL_CASES: dict[str, tuple[dict[str, Any], GemmSignature, str, dict[str, Any]]] = {
    "positive": ({"num_wave_groups": 0}, FP16, "num_wave_groups is 0", {}),
    "fits": ({"tile_m": 32}, FP16, "2 * 32 = 64 > tile_m 32", {}),
    "divides": ({"tile_m": 160}, FP16, "tile_m 160 % (waves_m 2 * warp_tile_m 32) = 32", {}),
    "minimum": ({"tile_m": 8, "warp_tile_m": 4, "warp_tile_n": 64}, FP16, "tile_m 8 < 16 (standard)", {}),
    "alignment": (
        {"tile_n": 24, "warp_tile_m": 64, "warp_tile_n": 4, "epilogue": "default"},
        FP16,
        "tile_n 24 % 16 = 8 (standard)",
        {},
    ),
    "wave_map": ({"waves_m": 4, "waves_n": 4}, FP16, "waves 4x4x1 is not a wave map of gfx942: 1x1x1", {}),
    "block_size": (
        {"waves_m": 8, "waves_n": 4},
        FP16,
        "32 waves of 64 = 2,048 threads > 1,024 (gfx942)",
        {"wave_maps": ((8, 4, 1),)},
    ),
    "warp_tile": ({"warp_tile_k": 4}, FP16, "warp tile 32x32x4 is not one of the fp16_fp16_fp32 tiles of gfx942", {}),
    "dtypes": ({}, GemmSignature("fp8", "fp8", "fp32", "fp16"), "gfx942 has no kernel for fp8_fp8_fp32", {}),
    "released": (
        {"tile_k": 32, "warp_tile_k": 8},
        GemmSignature("fp32", "fp32", "fp32", "fp32"),
        "warp tile 32x32x8 of fp32_fp32_fp32 is newer than CK 1.2.0",
        {},
    ),
    "packed": (
        {"tile_k": 128, "warp_tile_m": 16, "warp_tile_n": 16, "warp_tile_k": 128},
        GemmSignature("pk_fp4", "pk_fp4", "fp32", "fp16"),
        "pk_fp4 operands: CK multiplies them only with scales",
        {"warp_tiles": {"pk_fp4_pk_fp4_fp32": ((16, 16, 128),)}},
    ),
    "output": ({}, replace(FP16, dtype_out="fp8"), "gfx942 stores 8-bit floats as fp8_fnuz, not as fp8", {}),
    "conversion": ({}, replace(FP16, dtype_out="int32"), "an accumulator of fp32 is stored wrongly as int32", {}),
    "scales": (
        {},
        replace(FP16, scale_a="row"),
        "scales of A and B are row and none; kernels of family universal take none",
        {},
    ),
    "combine": (
        {},
        replace(FP16, combine="multiply_add"),
        "combine multiply_add; these kernels have add or multiply",
        {},
    ),
    "d_broadcast": ({}, replace(FP16, d=(DTensor("fp16", "col"),)), "d0 is broadcast 'col'", {}),
    "column_d": (
        {"epilogue": "default"},
        replace(FP16, layout="rcc", d=(DTensor("fp16"),)),
        "CK 1.2.0 reads each tile of a column-major D transposed",
        {},
    ),
    "emitted": ({"pipeline": "compv1"}, FP16, "pipeline compv1 is known but not generated", {}),
    "pipeline": ({"pipeline": "mem"}, FP16, "gfx942 has no mem kernels; it has compv3", {"pipelines": ("compv3",)}),
    "scheduler": ({"scheduler": "interwave"}, FP16, "compv3 has no interwave form", {}),
    "preshuffle_pipeline": (SHUFFLE, FP16, "pipeline preshufflev2 reads pre-shuffled B; here B is plain", {}),
    "double_smem_buffer": ({"double_smem_buffer": True}, FP16, "compv3 needs double_smem_buffer false", {}),
    "wave_groups": ({"num_wave_groups": 2}, FP16, "compv3 needs num_wave_groups 1; got 2", {}),
    "lds": ({"tile_m": 320, **NARROW}, FP16, "LDS 73,728 B > 65,536 B (gfx942, compv3)", {}),
    "lds_reduction": (PING_PONG, FP16, "262,144 B > 65,536 B (gfx942)", {}),
    "missing_wait": ({}, FP16, "the compiler leaves out the wait for loads", {"name": "gfx90a"}),
    "cshuffle_repeat": ({"tile_m": 192}, FP16, "tile_m 192 / (waves_m 2 * 32) = 3, odd", {}),
    "load_a": ({"tile_m": 96, **FLAT}, with_layout("ccr"), "A tile 96x64 of fp16: 12 lanes of 8 elements", {}),
    "load_b": (
        {"tile_n": 96, **TALL, "epilogue": "default"},
        with_layout("rrr"),
        "B tile 96x64 of fp16: 12 lanes of 8 elements along the contiguous 96, and 64 % 12 = 4 lanes are left over",
        {},
    ),
    "store_c": (
        {"tile_m": 16, "tile_n": 512, "waves_m": 1, "waves_n": 8, "warp_tile_m": 4, "warp_tile_n": 64, "tile_k": 32},
        replace(FP16, dtype_out="fp32"),
        "output part 512x4 of fp32: 128 lanes of 4 elements along the contiguous 512, and 64 % 128",
        {"wave_maps": ((1, 8, 1),)},
    ),
    "cshuffle_group": (
        {"tile_m": 48, **FLAT},
        FP16,
        "tile_m 48 / (waves_m 1 * 16) = 3 repeats, of which cshuffle stores 2 at a time for vectors of 8: 1 is left",
        {},
    ),
    "turned_reads": (
        {"warp_tile_k": 32},
        GemmSignature("fp8_fnuz", "fp8_fnuz", "fp32", "fp16", "rrr"),
        "16 B of fp8_fnuz per lane for a warp tile of 32x32x32; CK has products for 8 and 32 B",
        {"name": "gfx950"},
    ),
    "mixed_operands": (
        {},
        GemmSignature("fp8_fnuz", "bf8_fnuz", "fp32", "fp16"),
        "pipeline compv3 multiplies fp8_fnuz x bf8_fnuz as fp8_fnuz x fp8_fnuz",
        {},
    ),
    "preshuffle_layout": (SHUFFLE, replace(SHUFFLED, layout="ccr"), "layout ccr has A column-major", {}),
    "preshuffle_b_layout": (SHUFFLE, replace(SHUFFLED, layout="rrr"), "layout rrr has pre-shuffled B", {}),
    "preshuffle_epilogue": (SHUFFLE, replace(SHUFFLED, activation="relu"), "activation relu is not generated", {}),
    "preshuffle_warp_tile": (
        {**SHUFFLE, "tile_n": 64, "tile_k": 32, "waves_m": 1, "waves_n": 4, "warp_tile_m": 64, "warp_tile_n": 4},
        replace(SHUFFLED, b_format="ck_tile_n4_v1"),
        "16 or 32 columns; 64x4x16 has 4",
        {},
    ),
    "preshuffle_vector": (
        {**SHUFFLE, **TALL, "tile_m": 64},
        replace(SHUFFLED, b_format="ck_tile_n16_v4"),
        "8 % 16 = 8",
        {},
    ),
    "preshuffle_load": (
        {**SHUFFLE, **FLAT, "warp_tile_k": 32, "tile_m": 96},
        replace(SHUFFLED, b_format="ck_tile_n16_v8"),
        "tile_m 96 % (16 rows per wave * 4 waves) = 32",
        {},
    ),
    "preshuffle_format": (
        SHUFFLE,
        replace(SHUFFLED, b_format="ck_tile_n16_v8"),
        "B is packed as ck_tile_n16_v8; a warp tile of 32 columns reads ck_tile_n32_v8",
        {},
    ),
    "wave_groups_layout": (
        {**PING_PONG, "tile_m": 128, "tile_n": 128},
        replace(FP16, layout="rrr"),
        "compv5 reads A row-major and B column-major; layout is rrr",
        {},
    ),
    "async_layout": (
        {**ASYNC, "tile_k": 32},
        replace(FP16, layout="rrr"),
        "comp_async reads A row-major and B column-major; layout is rrr",
        {"pipelines": ("comp_async",)},
    ),
    "async_vectors": (
        {**ASYNC, "tile_m": 64, "tile_n": 64, "tile_k": 16},
        FP16,
        "comp_async loads 16 B into LDS; A has 8 B per lane",
        {"pipelines": ("comp_async",)},
    ),
    "async_epilogue": (
        {**ASYNC, "tile_k": 32, "epilogue": "cshuffle"},
        FP16,
        "does not wait for its last load into LDS, which cshuffle uses",
        {"pipelines": ("comp_async",)},
    ),
    "cshuffle_layout": ({}, replace(FP16, layout="rcc"), "layout rcc has a column-major one", {}),
    "default_activation": (
        {"epilogue": "default"},
        replace(FP16, activation="relu"),
        "omits the activation relu if there is no D operand",
        {},
    ),
    "default_d_dtype": (
        {"epilogue": "default"},
        replace(FP16, d=(DTensor("fp32"),)),
        "rounds to fp32, the dtype of d0, before it stores fp16",
        {},
    ),
    **ck_family_cases.KERNEL_CASES,
    **ck_prologue_cases.KERNEL_CASES,
}

# rule -> (algorithm fields, problem fields, launch, what the message says)
PROBLEM_CASES: dict[str, tuple[dict[str, Any], dict[str, Any], Launch, str]] = {
    "not_empty": ({}, {"k": 0}, Launch(), "k = 0"),
    "alpha_beta": ({}, {"epilogue": {"alpha": 2.0}}, Launch(), "alpha = 2"),
    "whole_tiles_m": ({}, {"m": 4104, "layout": "ccr"}, Launch(), "M = 4,104 % tile_m 256 = 8, and pad_m is false"),
    "whole_tiles_n": ({}, {"n": 4104}, Launch(), "N = 4,104 % tile_n 256 = 8"),
    "whole_tiles_k": ({}, {"k": 4096 + 64}, Launch(split_k=2), "K = 4,160 % tile_k 64 * split_k 2 = 128 = 64"),
    "vectors": (PADS, {"n": 4097}, Launch(), "out: N = 4,097 % 8 elements of fp16 = 1"),
    "strides": ({}, {"strides": {"a": (0, 4100, 1)}}, Launch(), "a: leading stride 4100 % 8 = 4"),
    "pointers": ({}, {"alignment": {"a": 8}}, Launch(), "a is aligned to 8 B; vectors of 8 fp16 need 16 B"),
    "offsets": ({}, {"m": 2**18}, Launch(), "a spans 2,147,483,648 B >= 2,147,483,648 B"),
    "d_layout": ({}, {"layout": "rcrc", "d": [{"dtype": "fp16"}]}, Launch(), "D has layout 'c', the output 'r'"),
    "split_k_vector": (
        {"epilogue": "default"},
        {},
        Launch(split_k=2),
        "adds fp16 pairs; the default epilogue stores 1",
    ),
    "split_k_epilogue": ({}, {"epilogue": "Relu"}, Launch(split_k=2), "split_k 2 with 0 D operands, activation relu"),
    "split_k_rows": (
        {"pad_m": True},
        {"dtype": "bf16", "m": 4104},
        Launch(split_k=2),
        "parts of bf16 are added to whole tiles, also to rows after the last: M = 4,104 % tile_m 256 = 8",
    ),
    "split_k_output": (
        {},
        {"dtype_out": "fp8_fnuz"},
        Launch(split_k=2),
        "split_k 2 adds no fp8_fnuz parts of sums in fp32",
    ),
    "split_k_depth": (PADS, {"k": 48}, Launch(split_k=4), "splits of 16 use up K = 48 before the last one"),
    "split_k_steps": (
        PADS,
        {"k": 144},
        Launch(split_k=2),
        "2 steps of 64 in the first split, 1 in the last",
    ),
    "steps": ({"pipeline": "compv6", "tile_k": 32}, {"k": 32}, Launch(), "K = 32 is one step of tile_k 32"),
    "split_k_preshuffle": (
        SHUFFLE,
        {"b_format": "ck_tile_n32_v8"},
        Launch(split_k=2),
        "split_k 2 with pre-shuffled B",
    ),
    "preshuffle_problem": (
        {**SHUFFLE, **PADS},
        {"n": 4104, "b_format": "ck_tile_n32_v8"},
        Launch(),
        "N = 4,104 % warp tile 32 = 8",
    ),
    **ck_family_cases.PROBLEM_CASES,
    **ck_prologue_cases.PROBLEM_CASES,
}


def test_every_rule_has_a_case_an_id_a_kind_and_a_formula():
    cases = [f"ck_tile.gemm.{name}" for name in (*KERNEL_CASES, *PROBLEM_CASES)]
    assert sorted(cases) == sorted(r.id for r in OP.rules)
    assert all(r.kind in KINDS and len(r.formula) > 5 for r in OP.rules)


def test_the_default_is_legal_and_its_digest_does_not_change():
    spec = spec_of()
    assert broken_rules(spec) == []
    assert broken_rules(spec, problem_of(), Launch()) == []
    assert spec.to_dict()["algorithm"] == {}
    assert (
        spec.digest == "0a0faed3e7fa5cd66c9d559353c5d7a75a157788b543cd60485e721954843209"
    )  # defaults never change within a schema version


@pytest.mark.parametrize("name", KERNEL_CASES)
def test_a_kernel_rule_is_broken_alone_and_says_its_numbers(name):
    fields, signature, words, facts = KERNEL_CASES[name]
    arch = replace(GFX942, **facts)
    spec = spec_of(signature=signature, **fields)
    (rejection,) = OP.check(spec, arch)
    assert rejection.rule == f"ck_tile.gemm.{name}"
    assert words in rejection.message
    assert rejection.remedy
    assert rejection.values
    if "fix" in rejection.values:
        mended = spec.with_algorithm(**rejection.values["fix"])
        assert rejection.rule not in [r.rule for r in OP.check(mended, arch)]


@pytest.mark.parametrize("name", PROBLEM_CASES)
def test_a_problem_rule_is_broken_alone_and_says_its_numbers(name):
    fields, wanted, launch, words = PROBLEM_CASES[name]
    problem = problem_of(**wanted)
    spec = spec_of(signature=problem.signature, **fields)
    assert OP.check(spec, GFX942) == ()
    (rejection,) = OP.check(spec, GFX942, problem, launch)
    assert rejection.rule == f"ck_tile.gemm.{name}"
    assert words in rejection.message
    assert rejection.remedy
    if "fix" in rejection.values:
        mended = spec.with_algorithm(**rejection.values["fix"])
        assert OP.check(mended, GFX942, problem, launch) == ()


def test_all_broken_rules_are_reported_at_once():
    spec = spec_of(signature=replace(FP16, scale_b="tensor"), waves_m=4, waves_n=4, tile_k=512, scheduler="interwave")
    assert broken_rules(spec) == ["scales", "wave_map", "scheduler", "lds"]


def test_the_lds_remedy_names_the_largest_tile_k_and_the_arch_that_would_do():
    (rejection,) = OP.check(spec_of(tile_k=256), GFX942)
    assert rejection.values["fix"] == {"tile_k": 64}
    assert rejection.values["bytes"] == 262144
    (rejection,) = OP.check(spec_of(tile_k=128), GFX942)
    assert str(rejection) == (
        "ck_tile.gemm.lds: LDS 131,072 B > 65,536 B (gfx942, compv3) (shrink tile_k to 64, or use gfx950)"
    )


def test_dtypes_name_the_reason_and_the_archs_that_have_them():
    signature = GemmSignature("fp8", "fp8", "fp32", "fp16")
    (rejection,) = OP.check(spec_of(signature=signature, warp_tile_k=32), GFX942)
    assert "fp8_fnuz" in rejection.message
    assert rejection.values["archs"] == ("gfx950", "gfx1200", "gfx1201")
    fnuz = GemmSignature("fp8_fnuz", "fp8_fnuz", "fp32", "fp16")
    assert broken_rules(spec_of(signature=fnuz, warp_tile_k=32)) == []
    assert broken_rules(spec_of("gfx950", fnuz, warp_tile_k=32)) == ["dtypes"]
    assert broken_rules(spec_of("gfx950", GemmSignature("fp16", "bf16", "fp32", "fp16"))) == ["dtypes"]


@pytest.mark.parametrize(
    ("arch", "acc", "out", "rules"),
    [
        ("gfx942", "fp32", "fp8_fnuz", []),
        ("gfx950", "fp32", "fp8", []),
        ("gfx950", "fp32", "fp8_fnuz", ["output"]),
        ("gfx90a", "fp32", "bf8_fnuz", []),
        ("gfx942", "fp32", "bf8_fnuz", ["conversion"]),
        ("gfx942", "int32", "fp16", []),
        ("gfx942", "int32", "bf16", ["conversion"]),
    ],
)
def test_what_an_accumulator_is_stored_as_depends_on_the_target(arch, acc, out, rules):
    operand, deep = ("int8", 32) if acc == "int32" else ("fp16", 16)
    signature = GemmSignature(operand, operand, acc, out)
    fields = {**NARROW, "tile_m": 64, "tile_n": 64, "warp_tile_k": deep}
    assert broken_rules(spec_of(arch, signature, **fields)) == rules
    assert broken_rules(spec_of(arch, replace(signature, activation="relu"), **fields))[-1] == "conversion"


def test_d_operands_have_dtypes_of_the_target():
    for dtype, rules in (("fp64", ["output"]), ("fp8", ["output"]), ("fp8_fnuz", []), ("fp32", [])):
        assert broken_rules(spec_of("gfx942", replace(FP16, d=(DTensor(dtype),)))) == rules, dtype


def test_the_block_size_depends_on_the_wave_size():
    fields = {**NARROW, "waves_m": 2, "waves_n": 4, "tile_m": 128, "tile_n": 128, "tile_k": 32}
    assert broken_rules(spec_of("gfx1100", **fields)) == []
    assert broken_rules(spec_of("gfx942", **fields)) == ["wave_map"]
    assert broken_rules(spec_of("gfx1100")) == ["wave_map", "warp_tile"]


def test_the_ping_pong_pipeline_has_a_wave_map_of_its_own():
    assert broken_rules(spec_of(**{**PING_PONG, "tile_m": 128, "tile_n": 128})) == []
    assert broken_rules(spec_of(pipeline="compv5", tile_m=64, tile_n=64)) == ["wave_map", "wave_groups"]


@pytest.mark.parametrize(
    ("layout", "sizes", "rules"),
    [
        ("rcr", {"m": 100}, []),
        ("ccr", {"m": 4104}, ["whole_tiles_m"]),
        ("rrr", {"n": 4104}, ["whole_tiles_n"]),
        ("rcc", {"n": 100}, []),
        ("rcc", {"m": 4104}, ["whole_tiles_m"]),
        ("crr", {"k": 4100}, []),
        ("crr", {"m": 4100}, ["whole_tiles_m", "vectors"]),
        ("ccc", {"k": 4104}, ["whole_tiles_k"]),
    ],
)
def test_only_contiguous_dimensions_must_be_whole_tiles(layout, sizes, rules):
    problem = problem_of(layout=layout, **sizes)
    epilogue = {"epilogue": "default"} if layout[2] == "c" else {}
    assert broken_rules(spec_of(signature=problem.signature, **epilogue), problem) == rules
    padded = spec_of(signature=problem.signature, **PADS, **epilogue)
    assert broken_rules(padded, problem) == [r for r in rules if r == "vectors"]


def test_a_split_that_the_problem_asks_for_is_judged_without_a_launch():
    assert broken_rules(spec_of(epilogue="default"), problem_of(split_k=2)) == ["split_k_vector"]


def test_d_operands_have_vectors_and_strides_too():
    problem = problem_of(n=4100, d=[{"dtype": "fp32"}, {"dtype": "fp16"}])
    (rejection,) = OP.check(spec_of(signature=problem.signature, **PADS), GFX942, problem)
    assert rejection.values["vectors"] == {"out": 8, "d1": 8}  # fp32 vectors of 4 divide 4,100
    bias = problem_of(d=[{"dtype": "fp16", "broadcast": "row"}], strides={"d0": (0, 0, 1)})
    assert broken_rules(spec_of(signature=bias.signature), bias) == []


def test_unknown_names_and_wrong_types_are_errors_at_once():
    with pytest.raises(UnknownNameError, match="did you mean 'compv3'"):
        spec_of(pipeline="compv33")
    with pytest.raises(SpecError, match=r"2 mistakes.*tile_m is 128\.0.*pad_m is 1"):
        spec_of(tile_m=128.0, pad_m=1)


def test_rules_of_problems_are_silent_without_a_problem():
    spec = spec_of(epilogue="default")
    assert judge(OP.rules, Subject(spec, GFX942, None, Launch(split_k=4))) == ()


@pytest.mark.parametrize(
    ("pipeline", "said"),
    [
        ("compv1", "gemm_pipeline_agmem_bgmem_creg_v1.hpp"),
        ("compv2", "gemm_pipeline_agmem_bgmem_creg_v2.hpp, line 210"),
        ("preshufflev1", "CK 1.2.0 has no such pipeline"),
    ],
)
def test_a_pipeline_that_is_not_generated_says_why(pipeline: str, said: str) -> None:
    found = {r.rule: r.message for r in OP.check(spec_of(pipeline=pipeline), GFX942)}
    assert said in found["ck_tile.gemm.emitted"]


@pytest.mark.parametrize(
    ("dtype", "said"),
    [
        ("fp64", "warp_gemm_dispatcher.hpp"),
        ("int4", "takes pk_int4_t as one operand"),
        ("pk_fp4", "only with scales"),
    ],
)
def test_operands_without_kernels_name_what_ck_has(dtype: str, said: str) -> None:
    signature = GemmSignature(dtype, dtype, "fp64" if dtype == "fp64" else "fp32", "fp16")
    spec = replace(spec_of(), arch="gfx950", signature=signature)
    assert any(said in r.message for r in OP.check(spec, get_arch("gfx950")))


@pytest.mark.parametrize(
    ("arch", "dtype", "layout", "said"),
    [
        ("gfx950", "bf16", "rcr", "CK 1.2.0 has no addition of bf16 pairs on gfx950"),
        ("gfx942", "fp16", "rcc", "CK 1.2.0 stores single elements of a column-major output"),
        ("gfx942", "bf16", "rcr", ""),
        ("gfx950", "fp16", "rcr", ""),
    ],
)
def test_kernels_have_no_splits_that_do_not_compile(arch: str, dtype: str, layout: str, said: str) -> None:
    signature = GemmSignature(dtype, dtype, "fp32", dtype, layout)
    spec = spec_of(arch, signature, tile_k=32, epilogue="default" if layout == "rcc" else "cshuffle")
    problem = problem_of(layout=layout, dtype=dtype)
    assert OP.check(spec, get_arch(arch), problem, Launch()) == ()
    assert any(i.atomic for i in instances(spec)) == (not said)
    found = [r.message for r in OP.check(spec, get_arch(arch), problem, Launch(split_k=2))]
    assert found == ([f"split_k 2 adds {dtype} pairs; {said}"] if said else [])


def test_three_steps_of_compv4_are_taken_only_if_padded():
    """CK's loop multiplies five steps then: in the emulator it read the next rows of A and B."""
    fields = {"pipeline": "compv4", "double_smem_buffer": True, "tile_k": 32}
    plain, padded = spec_of(**fields), spec_of(**fields, **PADS)
    refused = [n for n in range(1, 9) if broken_rules(plain, problem_of(k=32 * n), Launch()) == ["steps"]]
    assert refused == [3]
    assert not any(broken_rules(padded, problem_of(k=32 * n), Launch()) for n in range(1, 9))
    assert broken_rules(plain, problem_of(k=32 * 6), Launch(split_k=2)) == ["steps"]
