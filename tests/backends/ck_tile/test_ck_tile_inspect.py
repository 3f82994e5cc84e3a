"""What a compiled kernel must be made of, and the silent cases that are refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tilewright.backends.ck_tile.gemm import preselected_kernels
from tilewright.backends.ck_tile.inspect import (
    ASSEMBLY,
    CODE,
    EXPECT,
    Expected,
    check_matrix,
    expectation_text,
    expected_of,
    inspect_build,
)
from tilewright.errors import BuildError

FP16 = preselected_kernels("fp16_rcr_essential", "gfx942")[0]
SYMBOL = "_ZN7ck_tile6kentryILi1EN19tw_0123456789abcdef12hot_full_setEJEEEvv"


def assembly(*instructions: str, target: str = "gfx942", symbol: str = SYMBOL) -> str:
    lines = [f'\t.amdgcn_target "amdgcn-amd-amdhsa--{target}"', *(f"\t{i} v0" for i in instructions)]
    return "\n".join([*lines, f"\t.amdhsa_kernel {symbol}", ""])


@pytest.mark.parametrize(
    ("instructions", "expected", "fault"),
    [
        (["v_mfma_f32_32x32x8_f16"], Expected(("f16",), ((32, 32, 16),)), None),
        (["v_mfma_f32_4x4x4_16b_f16"], Expected(("f16",), ((4, 64, 16),)), None),
        (["v_mfma_f32_32x32x16_bf8_fp8"], Expected(("fp8_bf8", "bf8_fp8", "f8f6f4"), ((32, 32, 16),)), None),
        ([], Expected(("f16",), ((32, 32, 16),)), "none at all"),  # an MFMA warp tile on gfx1201
        (["v_mfma_f32_32x32x2_f32"], Expected(("fp8_fp8",), ((32, 32, 16),)), "no matrix instruction on fp8_fp8"),
        (["v_mfma_f32_16x16x16_f16"], Expected(("f16",), ((32, 32, 16),)), "not a part of the warp tile 32x32x16"),
        (["v_mfma_f32_32x32x8_f16", "v_mfma_f32_32x32x2_f32"], Expected(("f16",)), "other operands than f16"),
    ],
)
def test_matrix_instructions_must_be_those_of_the_kernel(instructions, expected, fault):
    found = check_matrix(assembly(*instructions), expected)
    assert (not found) if fault is None else fault in "; ".join(found)


@pytest.mark.parametrize("name", ["fp16_rcr_all", "int8_rcr_essential", "fp8_rcr_essential", "bf16_rcr_essential"])
@pytest.mark.parametrize("arch", ["gfx942", "gfx950", "gfx1201"])
def test_every_preselected_kernel_has_an_expectation(name, arch):
    for spec in preselected_kernels(name, arch):
        expected = expected_of(spec)
        assert expected is not None
        assert expected.warp_tiles == (spec.algorithm.warp_tile,)
        assert expected.operands


def folder_of(tmp_path: Path, text: str, instances=("hot_full_set",), spec=FP16) -> Path:
    (tmp_path / EXPECT).write_text(expectation_text(spec, instances))
    (tmp_path / ASSEMBLY).write_text(text)
    return tmp_path


def test_a_good_build_tells_what_it_is_made_of(tmp_path):
    facts = inspect_build(folder_of(tmp_path, assembly("v_mfma_f32_32x32x8_f16")))
    assert facts["code"]["matrix"] == {"mfma_f32_32x32x8_f16": 1}
    assert facts["symbols"] == {"hot_full_set": SYMBOL}
    assert json.loads((tmp_path / EXPECT).read_text())["spec"] == FP16.to_dict()


@pytest.mark.parametrize(
    ("text", "instances", "fault"),
    [
        (assembly("v_fma_f32"), ("hot_full_set",), "none at all"),
        (assembly("v_mfma_f32_32x32x8_f16", target="gfx90a"), ("hot_full_set",), "compiled for gfx90a"),
        (assembly("v_mfma_f32_32x32x8_f16"), ("cold_odd_set",), "no device code was emitted for cold_odd_set"),
    ],
)
def test_a_bad_build_is_refused_with_every_fault(tmp_path, text, instances, fault):
    with pytest.raises(BuildError, match=fault):
        inspect_build(folder_of(tmp_path, text, instances))


def test_the_code_object_is_what_is_judged(tmp_path):
    folder = folder_of(tmp_path, assembly("v_mfma_f32_32x32x8_f16"), ("k",), FP16)
    (folder / CODE).write_bytes((Path(__file__).parents[1] / "gpu" / "data" / "probe_gfx942.co").read_bytes())
    with pytest.raises(BuildError, match="no device code was emitted for k"):  # its symbol is no C++ name
        inspect_build(folder)
    (folder / EXPECT).write_text(expectation_text(replace(FP16, arch="gfx950"), ()))
    with pytest.raises(BuildError, match="compiled for gfx942, not for gfx950"):
        inspect_build(folder)
