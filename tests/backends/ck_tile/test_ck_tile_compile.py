"""Real compiles of generated kernels: what is good is kept with its facts, what compiles into nonsense is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from amd_toolchain import REAL, needs_toolchain

from tilewright.arch import get_arch
from tilewright.backends.ck_tile.compile import request_of
from tilewright.backends.ck_tile.gemm import OP, CkTileGemm, preselected_kernels
from tilewright.backends.ck_tile.toolchain import find_toolchain
from tilewright.jit import Artifact, BuildFailure, Cache, build_many
from tilewright.model.kernel import KernelSpec
from tilewright.ops.gemm.signature import GemmSignature
from tilewright.settings import Settings

FP16 = GemmSignature("fp16", "fp16", "fp32", "fp16")
SMALL = KernelSpec("gemm", "ck_tile", "gfx942", FP16, CkTileGemm(64, 64, 32, 2, 2, 1, 16, 16, 16))
# A warp tile of MFMA on an arch that has only WMMA: rules refuse it, and the compiler leaves the product out silently.
SILENT = KernelSpec("gemm", "ck_tile", "gfx1201", FP16, CkTileGemm(64, 64, 32, 2, 2, 1, 32, 32, 8))


def build(spec: KernelSpec, main_only: bool = True) -> Artifact | BuildFailure:
    """Compiles the main kernel, or all device kernels, to assembly, into the cache of the tests."""
    settings = Settings.from_env()
    request = request_of(spec, settings, main_only=main_only, assembly_only=True, toolchain=find_toolchain(REAL))
    [result] = build_many([request], Cache.from_settings(settings), max_workers=1)
    return result


@needs_toolchain
def test_a_request_names_no_folder_of_this_machine_and_differs_where_the_code_does():
    tools = find_toolchain(REAL)
    whole, main = (request_of(SMALL, REAL, main_only=m, toolchain=tools) for m in (False, True))
    assert whole.build_key != main.build_key
    text = json.dumps(whole.material)
    assert str(tools.ck_root.parent) not in text
    assert len(whole.commands) == 2
    assert set(whole.inputs) == {f"{SMALL.name}.hpp", f"{SMALL.name}.cpp", "expect.json"}
    others = [
        request_of(s, REAL, toolchain=tools).build_key for s in preselected_kernels("fp16_rcr_essential", "gfx942")
    ]
    assert len({whole.build_key, *others}) == len(others) + 1


@needs_toolchain
@pytest.mark.exhaustive  # half a minute in the compiler; kernels that are executed are inspected, too
@pytest.mark.xdist_group("amd_compile")
def test_a_kernel_compiles_into_the_instructions_of_its_warp_tile():
    assert not OP.check(SMALL, get_arch("gfx942"))
    result = build(SMALL)
    assert isinstance(result, Artifact), result.log
    assert set(result.metadata["code"]["matrix"]) == {"mfma_f32_16x16x16_f16"}
    assert list(result.metadata["symbols"]) == ["hot_full_set"]


@needs_toolchain
@pytest.mark.exhaustive  # half a minute in the compiler
@pytest.mark.xdist_group("amd_compile")
def test_what_compiles_into_nothing_is_a_failed_build():
    result = build(SILENT)
    assert isinstance(result, BuildFailure)
    assert result.kind == "inspect", result.log
    assert "no matrix instruction on f16 operands was generated; found none at all" in result.reason


@needs_toolchain
@pytest.mark.exhaustive  # a minute each in the compiler
@pytest.mark.xdist_group("amd_compile")
@pytest.mark.parametrize(
    ("arch", "dtype", "layout", "epilogue"),
    [("gfx950", "bf16", "rcr", "cshuffle"), ("gfx942", "fp16", "rcc", "default")],
)
def test_every_device_kernel_compiles_where_splits_cannot_be_added(
    arch: str, dtype: str, layout: str, epilogue: str
) -> None:
    signature = GemmSignature(dtype, dtype, "fp32", dtype, layout)
    spec = KernelSpec("gemm", "ck_tile", arch, signature, replace(SMALL.algorithm, epilogue=epilogue))
    result = build(spec, main_only=False)
    assert isinstance(result, Artifact), result.log
    assert set(result.metadata["symbols"]) == {"hot_full_set", "cold_odd_set", "cold_even_set"}
