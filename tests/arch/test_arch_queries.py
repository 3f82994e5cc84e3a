"""Unknown names are errors with the nearest known name; known ones answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright import arch as facts
from tilewright.errors import ArchError, UnknownNameError
from tilewright.model.dtype import DTYPES

MISSPELT = [
    (lambda: facts.get_arch("gfx924"), "gfx942"),
    (lambda: facts.get_arch_family("GFX942"), "gfx942"),
    (lambda: facts.get_arch("sm90"), "sm_90"),
    (lambda: facts.get_element_size("fp166"), "fp16"),
    (lambda: facts.get_wave_maps("gfx90a:xnack"), "gfx90a"),
    (lambda: facts.get_warp_tile_combos("gfx942", "fp16_fp16_fp23"), "fp16_fp16_fp32"),
    (lambda: facts.get_preshuffle_warp_tile_combos("gfx942", "fp8_fp8"), "fp8_fp8_fp32"),
    (lambda: facts.get_lds_limit("compv33", "gfx942"), "compv3"),
    (lambda: facts.get_lds_limit("compv3", "gfx9422"), "gfx942"),
    (lambda: facts.is_trait_combo_unsupported("compv3", "cshufle", "intrawave"), "cshuffle"),
    (lambda: facts.is_trait_combo_unsupported("compv3", "cshuffle", "intravave"), "intrawave"),
    (lambda: facts.is_dtype_combo_valid("fp16", "bf61"), "bf16"),
    (lambda: facts.get_dtype_info("int88", "int8"), "int8"),
    (lambda: facts.get_fmha_tiles("gfx942", "forward", "fp16"), "fwd"),
    (lambda: facts.get_nominal_device("MI300"), "MI300X"),
    (lambda: facts.get_supported_archs("nvidea"), "nvidia"),
    (lambda: facts.export("pyton"), "python"),
]


@pytest.mark.parametrize(("ask", "near"), MISSPELT, ids=[near for _, near in MISSPELT])
def test_unknown_name_names_the_nearest(ask, near):
    with pytest.raises(UnknownNameError, match=f"did you mean '{near}'"):
        ask()


@given(st.text(max_size=12).filter(lambda name: name not in facts.load_archs()))
def test_no_unknown_arch_gets_an_answer(name):
    with pytest.raises(UnknownNameError):
        facts.get_arch(name)


@pytest.mark.parametrize("arch", ["sm_90", "x86_64_v4"])
def test_questions_to_the_wrong_kind_are_errors(arch):
    for ask in (facts.get_wave_maps, lambda a: facts.get_lds_limit("mem", a)):
        with pytest.raises(ArchError, match=f"{arch} is an arch of kind"):
            ask(arch)


def test_wave_size_of_each_kind():
    assert facts.get_wave_size("gfx942") == 64
    assert facts.get_wave_size("sm_80") == 32
    with pytest.raises(ArchError, match="kind x86"):
        facts.get_wave_size("x86_64")


def test_dtype_combinations():
    assert facts.get_dtype_info("int8", "int8").acc == "int32"
    assert facts.get_dtype_info("fp8_fnuz", "bf8_fnuz").key == "fp8_fnuz_bf8_fnuz_fp32"
    assert {"fp8_bf8", "bf8_fp8", "pk_fp4_pk_fp4", "bf8_fnuz_fp8_fnuz"} <= {*facts.get_valid_dtype_combos()}
    with pytest.raises(ArchError, match="fp16 pairs with fp16"):
        facts.get_dtype_info("fp16", "fp8")


@given(st.sampled_from(sorted(DTYPES)), st.sampled_from(sorted(DTYPES)))
def test_a_pair_is_valid_exactly_when_it_has_an_accumulator(a, b):
    valid = facts.is_dtype_combo_valid(a, b)
    assert valid == (f"{a}_{b}" in facts.get_valid_dtype_combos())
    if valid:
        assert facts.get_dtype_info(a, b).acc in DTYPES
    else:
        with pytest.raises(ArchError):
            facts.get_dtype_info(a, b)


def test_keys_with_underscores_in_dtype_names_are_distinct():
    keys = facts.load_archs().dtype_keys
    assert len(keys) == len(facts.get_valid_dtype_combos())


def test_interwave_is_for_the_memory_pipeline_only():
    assert not facts.is_trait_combo_unsupported("mem", "cshuffle", "interwave")
    for pipeline in ("compv3", "compv4", "compv5", "compv6", "comp_async"):
        for epilogue in ("cshuffle", "default"):
            assert facts.is_trait_combo_unsupported(pipeline, epilogue, "interwave")
            assert not facts.is_trait_combo_unsupported(pipeline, epilogue, "intrawave")


def test_element_sizes():
    assert facts.get_element_size("fp8_fnuz") == 1
    assert facts.get_element_size("int4") == 0.5


def test_describe_shows_every_fact_as_text():
    for name in facts.get_supported_archs():
        rows = facts.describe(name)
        assert rows[0] == ("name", name)
        assert all(what and value for what, value in rows)
    shown = dict(facts.describe("gfx950"))
    assert shown["lds_bytes"] == "163,840 B (160 KiB)"
    assert shown["warp_tiles pk_fp4_pk_fp4_fp32"] == "16x16x128"
