"""The words of the CK dispatcher's Python side, over the same specs and rules."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tilewright.backends.ck_tile.ck_revision import REFERENCE
from tilewright.codegen import (
    CodegenRunner,
    CommonTypeMappings,
    KernelConfig,
    TileConfig,
    TraitConfig,
    valid_warp_configs,
    valid_wave_configs,
)
from tilewright.codegen.kernel_config import CK_DEFAULTS
from tilewright.errors import ArchError, SpecError, UnknownNameError


def test_a_config_is_a_kernel(tmp_path):
    config = KernelConfig(tile_m=256, tile_n=256, tile_k=64)
    assert config.is_valid()
    runner = CodegenRunner(tmp_path, ck=REFERENCE)
    result = runner.generate_from_config(config)
    assert [p.name for p in result.paths] == [f"{config.spec().name}.hpp"]
    assert result.paths[0].read_text().startswith(f"// {config.spec().name}\n")


def test_an_illegal_config_lists_every_broken_rule_with_numbers(tmp_path):
    config = KernelConfig(tile_m=256, tile_n=256, tile_k=128, scheduler="interwave", warp_m=4, warp_n=4)
    with pytest.raises(SpecError) as caught:
        CodegenRunner(tmp_path).generate_from_config(config)
    names = [r.rule.rsplit(".", 1)[-1] for r in caught.value.rejections]
    assert {"wave_map", "scheduler", "lds"} <= set(names)
    assert "131,072 B > 65,536 B" in str(caught.value)
    assert f"breaks {len(names)} rules" in str(caught.value)


def test_each_variant_and_all_of_them(tmp_path):
    runner = CodegenRunner(tmp_path, ck=REFERENCE)
    results = runner.generate_all()
    assert len(results) == 3
    assert len(list(tmp_path.glob("*.hpp"))) == sum(len(set(r.files)) for r in results)
    assert all("preshuffled" in f for f in runner.generate("preshuffle").files)
    assert len(runner.generate_preselected("fp16_rcr_essential").files) == 7


def test_variants_that_an_arch_lacks_say_why(tmp_path):
    runner = CodegenRunner(tmp_path, gpu_target="gfx1100", ck=REFERENCE)
    with pytest.raises(SpecError, match="gfx1100 has no pre-shuffled kernel for fp16_fp16_fp32"):
        runner.generate("preshuffle")
    with pytest.raises(UnknownNameError, match="did you mean 'preshuffle'"):
        runner.generate("preshufle")


def test_configs_of_the_variants():
    fused = KernelConfig(variant="multi_d", elementwise_op="Gelu", num_d_tensors=2).spec().signature
    assert (fused.activation, len(fused.d)) == ("gelu_erf", 2)
    packed = KernelConfig(
        variant="preshuffle", pipeline="preshufflev2", tile_m=128, tile_n=128, tile_k=64
    ).checked_spec()
    assert packed.signature.b_format == "ck_tile_n32_v8"
    with pytest.raises(UnknownNameError, match="did you mean 'Gelu'"):
        KernelConfig(variant="multi_d", elementwise_op="gelu").spec()
    with pytest.raises(UnknownNameError, match="unknown variant 'multid'"):
        KernelConfig(variant="multid").spec()
    with pytest.raises(ArchError, match="sm_90 is not an AMD GPU"):
        KernelConfig(gfx_arch="sm_90").spec()


def test_traits_and_tiles_are_judged_by_the_arch():
    assert TraitConfig("compv4").is_valid("gfx942")
    assert [r.rule for r in TraitConfig("preshufflev2").rejections("gfx1100")] == ["ck_tile.gemm.pipeline"]
    assert [r.rule for r in TileConfig(64, 64, 64, 4, 4, 1).rejections("gfx942")][-1] == "ck_tile.gemm.wave_map"
    assert KernelConfig().tile == TileConfig()
    assert KernelConfig().traits == TraitConfig()


def test_helpers_answer_from_the_arch_facts():
    assert (2, 2, 1) in valid_wave_configs("gfx942")
    assert (8, 2, 1) in valid_wave_configs("gfx950")
    assert valid_wave_configs("gfx942", (32, 32, 32), (32, 32, 16)) == ((1, 1, 1),)
    assert valid_warp_configs("gfx942", "fp8") == valid_warp_configs("gfx942", "fp8_fnuz")
    assert valid_warp_configs("gfx90a", "fp8") == ()
    assert (32, 32, 16) in valid_warp_configs("gfx942", "fp8_fnuz", variant="preshuffle")
    assert CommonTypeMappings.cpp_type("fp16") == "ck_tile::half_t"
    with pytest.raises(UnknownNameError, match="did you mean 'bf16'"):
        CommonTypeMappings.cpp_type("bf61")


def test_the_fields_and_defaults_of_the_original() -> None:
    spec = KernelConfig.from_ck(wave_m=4, wave_n=1, warp_m=16, warp_n=16, warp_k=16, tile_k=64).checked_spec()
    a = spec.algorithm
    assert (a.waves, a.warp_tile, a.pipeline, a.pad_m, a.pad_k) == ((4, 1, 1), (16, 16, 16), "compv4", True, True)
    assert KernelConfig.from_ck().is_valid()
    with pytest.raises(UnknownNameError, match="did you mean 'layout_a'"):
        KernelConfig.from_ck(layout_aa="row")


def test_all_variants_of_an_arch_without_some_of_them(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    found = CodegenRunner(tmp_path, gpu_target="gfx1100").generate_all()
    assert len(found) == 2
    assert "no preshuffle kernel" in caplog.text


OTHERS = {
    **dict.fromkeys(("dtype_a", "dtype_b", "dtype_c"), "bf16"), "dtype_acc": "int32", "layout_a": "col",
    "layout_b": "row", "layout_c": "col", "pipeline": "mem", "scheduler": "interwave", "epilogue": "default",
    "gfx_arch": "gfx90a", "variant": "preshuffle",
}  # fmt: skip


@pytest.mark.parametrize("name", CK_DEFAULTS)
def test_every_field_of_the_ck_dispatcher_is_in_the_kernel_or_refused(name: str) -> None:
    value: Any = CK_DEFAULTS[name]
    other = OTHERS.get(name, not value if isinstance(value, bool) else 2 * value)
    with suppress(SpecError):
        assert KernelConfig.from_ck(**{name: other}).spec() != KernelConfig.from_ck().spec()
    assert KernelConfig.from_ck(dtype_a="int8", dtype_b="int8", dtype_acc="int32").spec().signature.dtype_acc == "int32"
