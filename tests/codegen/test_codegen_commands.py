"""`tilewright codegen gemm | conv | wrappers`: options, reports, and what wrong input is told."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.backends.ck_tile.toolchain import find_toolchain
from tilewright.cli.app import run
from tilewright.errors import ToolchainError

Capture = pytest.CaptureFixture[str]


def command(capfd: Capture, *words: str) -> tuple[int, str, str]:
    capfd.readouterr()
    status = run(words)
    out, err = capfd.readouterr()
    return status, out, err


def test_a_preselected_set(capfd: Capture, tmp_path: Path) -> None:
    words = ("codegen", "gemm", "--preselected", "fp16_rcr_essential", "--gpu-target", "gfx942")
    status, out, _ = command(capfd, *words, "--output-dir", str(tmp_path))
    assert status == 0
    assert "7 kernels" in out
    assert "7 written, 0 unchanged" in out
    status, out, err = command(capfd, *words, "--output-dir", str(tmp_path), "-v")
    assert "0 written, 7 unchanged" in out
    assert "[7/7] unchanged gemm_ck_tile_gfx942_" in err


def test_lists_take_several_words_as_the_seeds_write_them(capfd: Capture, tmp_path: Path) -> None:
    words = ("--variants", "standard", "preshuffle", "multi_d", "--datatype", "bf16", "--json")
    status, out, _ = command(capfd, "codegen", "gemm", *words, "--output-dir", str(tmp_path))
    report = json.loads(out)
    assert status == 0
    assert report["written"] == len(report["kernels"]) == len(list(tmp_path.glob("*.hpp")))
    assert report["rejected"]["combinations"] > 0
    assert report["rejected"]["rules"]["ck_tile.gemm.lds"] > 0
    assert any("preshuffled" in k for k in report["kernels"])
    assert any("add-d1" in k for k in report["kernels"])


IGNORED = [
    (("gemm", "--preselected", "fp16_rcr_essential", "--datatype", "bf16"), "--datatype would be ignored"),
    (
        ("gemm", "--preselected", "fp16_rcr_essential", "--variants", "multi_d", "--num-d", "2"),
        "--variants, --num-d would",
    ),
    (("gemm", "--config", "c.json", "--variants", "preshuffle"), "--config says which kernels to generate; --variants"),
    (("gemm", "--preselected", "fp16_rcr_essential", "--config", "c.json"), "--config would be ignored"),
    (("conv", "--preselected", "fp16_nhwgc_essential", "--ndim-spatial", "3"), "--ndim-spatial would be ignored"),
]


@pytest.mark.parametrize(("words", "said"), IGNORED, ids=[" ".join(words[:4]) for words, _ in IGNORED])
def test_options_that_would_be_ignored_are_refused(capfd: Capture, words: tuple[str, ...], said: str) -> None:
    status, _, err = command(capfd, "codegen", *words)
    assert status == 1
    assert said in " ".join(err.split())


def test_wrappers_say_what_they_remove(capfd: Capture, tmp_path: Path) -> None:
    kernels, out = str(tmp_path / "kernels"), str(tmp_path / "out")
    assert command(capfd, "codegen", "gemm", "--preselected", "fp16_rcr_multi_d", "--output-dir", kernels)[0] == 0
    words = ("codegen", "wrappers", "--kernel-dir", kernels, "--output-dir", out)
    assert "removed" not in command(capfd, *words, "--generate-makefile")[2]
    status, _, err = command(capfd, *words)
    assert status == 0
    assert "removed what an earlier run wrote and this one was not asked for: Makefile" in " ".join(err.split())


def test_convolutions(capfd: Capture, tmp_path: Path) -> None:
    words = ("--variant", "forward", "backward_weight", "--ndim-spatial", "3", "--json")
    status, out, _ = command(capfd, "codegen", "conv", *words, "--output-dir", str(tmp_path))
    kernels = json.loads(out)["kernels"]
    assert status == 0
    assert {k.split("_")[4] for k in kernels} == {"fwd", "bwdw"}
    assert all("ndhwgc" in k for k in kernels)


def test_convolutions_by_the_names_of_ck(capfd: Capture, tmp_path: Path) -> None:
    words = ("--variant", "fwd", "bwd_data", "bwd_weight", "--preselected", "fp16_nhwgc_essential", "--json")
    status, out, err = command(capfd, "codegen", "conv", *words, "--output-dir", str(tmp_path / "a"))
    assert status == 0, err
    assert {k.split("_")[4] for k in json.loads(out)["kernels"]} == {"fwd", "bwdd", "bwdw"}
    config = {
        "tile_config": {"tile_m": [64, 128], "tile_n": 64, "tile_k": 32, "warp_m": 2, "warp_n": 2, "warp_k": 1,
                        "warp_tile_m": 32, "warp_tile_n": 32, "warp_tile_k": 16},
        "trait_config": {"pipeline": ["compv3", "compv4"], "epilogue": ["cshuffle"], "pad_m": [False, True],
                         "persistent": False},
    }  # fmt: skip
    (tmp_path / "c.json").write_text(json.dumps(config))
    words = ("--config", str(tmp_path / "c.json"), "--output-dir", str(tmp_path / "b"), "--json")
    status, out, err = command(capfd, "codegen", "conv", *words)
    assert status == 0, err
    assert len(json.loads(out)["kernels"]) == 4
    (tmp_path / "c.json").write_text(json.dumps({"trait_config": {"epilogue": "default"}}))
    assert "always have epilogue 'cshuffle'" in command(capfd, "codegen", "conv", *words)[2]


@pytest.mark.parametrize("dtype", ["fp32", "int8"])
def test_convolutions_of_other_dtypes(capfd: Capture, tmp_path: Path, dtype: str) -> None:
    words = ("--preselected", f"{dtype}_nhwgc_essential", "--output-dir", str(tmp_path), "--json")
    status, out, err = command(capfd, "codegen", "conv", *words)
    assert status == 0, err
    assert all(f"_{dtype}_" in k for k in json.loads(out)["kernels"])


def test_a_config_file(capfd: Capture, tmp_path: Path) -> None:
    config = {
        "tile_config": {"tile_m": [128, 256], "tile_n": 128, "tile_k": {"min": 32, "max": 64, "step": 32}},
        "trait_config": {"pipeline": ["compv3", "compv4"]},
        "signature": {"dtype": "fp16", "layout": "rcr"},
    }
    (tmp_path / "c.json").write_text(json.dumps(config))
    words = ("codegen", "gemm", "--config", str(tmp_path / "c.json"), "--output-dir", str(tmp_path / "out"), "--json")
    status, out, err = command(capfd, *words)
    assert status == 0, err
    assert len(json.loads(out)["kernels"]) + json.loads(out)["rejected"]["combinations"] == 8


def test_combinations_that_break_rules_are_corrected_where_asked(capfd: Capture, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text('{"tile_config": {"tile_k": [64, 128]}}')
    words = ("codegen", "gemm", "--config", str(tmp_path / "c.json"), "--output-dir", str(tmp_path / "out"), "--json")
    plain = json.loads(command(capfd, *words)[1])
    assert (len(plain["kernels"]), plain["rejected"]["combinations"]) == (1, 1)
    corrected = json.loads(command(capfd, *words, "--correct")[1])
    assert corrected["rejected"]["combinations"] == 0
    assert [c["changes"] for c in corrected["corrected"]] == [{"tile_k": {"asked": 128, "used": 64}}]
    assert corrected["kernels"] == plain["kernels"]  # it became the one that was there


def test_a_config_file_without_dtypes_takes_those_of_the_command(capfd: Capture, tmp_path: Path) -> None:
    config = {"tile_config": {"tile_k": 32}, "multi_d_config": {"elementwise_ops": ["Relu"], "num_d_tensors": [2]}}
    (tmp_path / "c.json").write_text(json.dumps(config))
    words = ("codegen", "gemm", "--config", str(tmp_path / "c.json"), "--datatype", "bf16", "--layout", "rrr")
    status, out, err = command(capfd, *words, "--output-dir", str(tmp_path / "out"), "--json")
    assert status == 0, err
    plain, fused = sorted(json.loads(out)["kernels"])
    assert plain.startswith("gemm_ck_tile_gfx942_bf16_rrr_256x256x32")
    assert fused.startswith("gemm_ck_tile_gfx942_bf16_rrr_add-d2_relu")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("gemm", "--gpu-target", "gfx924"), "unknown GPU target 'gfx924'; did you mean 'gfx942'"),
        (("gemm", "--gpu-target", "sm_90"), "sm_90 is not an AMD GPU"),
        (("gemm", "--variants", "standrad"), "unknown variant 'standrad'; did you mean 'standard'"),
        (("gemm", "--variants", "standard", "preshufle"), "did you mean 'preshuffle'"),
        (("gemm", "--datatype", "fp166"), "unknown dtype 'fp166'; did you mean 'fp16'"),
        (("gemm", "--layout", "rcx"), "unknown gemm layout 'rcx'; did you mean"),
        (("gemm", "--preselected", "fp16_rcr_esential"), "did you mean 'fp16_rcr_essential'"),
        (("gemm", "--space", "opn"), "did you mean 'open'"),
        (("gemm", "--datatype", "fp8"), "Withheld: fp8 and bf8 are OCP encodings"),
        (("gemm", "--config", "/no/such.json"), "cannot be read"),
        (("fmha", "--hdim", "77"), "no fwd kernels for heads of 77; it has 32, 48, 64, 80, 96, 128"),
        (("fmha", "--hdim", "72"), "use --hdim 80 or 96, whose kernels pad narrower heads"),
        (("fmha", "--hdim", "160"), "use --hdim 192 or 256"),
        (("fmha", "--hdim", "300"), "no kernel takes heads wider than 256"),
        (("fmha", "--family", "fwd_splitkv", "--receipt", "fp32"), "the receipt fp32 has no fwd_splitkv kernels for"),
        (("conv", "--variant", "backward"), "unknown variant 'backward'; did you mean 'backward_data'"),
        (("conv", "--ndim-spatial", "4"), "unknown number of spatial dimensions '4'"),
        (("gemm", "--datatype", "fp64"), "CK 1.2.0 multiplies no doubles"),
        (("gemm", "--datatype", "int4"), "CK 1.2.0 takes pk_int4_t as one operand"),
        (("gemm", "--datatype", "pk_fp4", "--gpu-target", "gfx950"), "CK multiplies them only with scales"),
        (("conv", "--datatype", "fp8"), "unknown convolution dtype 'fp8'"),
        (("conv", "--datatype", "int8", "--gpu-target", "gfx90a"), "gfx90a has no kernel for int8_int8_int32"),
        (("conv", "--preselected", "fp16_nhwgc_esential"), "did you mean 'fp16_nhwgc_essential'"),
        (("wrappers", "--kernel-dir", "/no/such", "--output-dir", "w"), "there is no folder /no/such"),
    ],
)
def test_wrong_input_is_told(capfd: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words, told) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = command(capfd, "codegen", *words)
    assert status == 1
    assert told in err
    assert not list(tmp_path.iterdir())


def test_wrappers_are_written_without_a_compiler(
    capfd: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "no-toolchain"))
    monkeypatch.setenv("PATH", "")
    generated = ("codegen", "gemm", "--preselected", "fp16_rcr_essential", "--output-dir", str(tmp_path / "k"))
    assert command(capfd, *generated)[0] == 0
    words = ("--kernel-dir", str(tmp_path / "k"), "--output-dir", str(tmp_path / "w"), "--generate-makefile")
    status, out, err = command(capfd, "codegen", "wrappers", *words)
    assert status == 0, err
    assert "7 written, 0 unchanged" in out
    status, out, err = command(capfd, "codegen", "wrappers", *words)
    assert "0 written, 7 unchanged" in out
    try:
        assert f"({find_toolchain().kind})" in out  # ROCm in /opt/rocm needs no PATH
    except ToolchainError:
        assert "no compiler for AMD GPUs was found: build files are for hipcc" in err


def test_the_compiler_of_generated_cmake_files(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    status, out, err = command(capfd, "toolchain", "command")
    if status:
        assert "toolchain install amdgpu" in err
    else:
        assert Path(out.splitlines()[0]).is_file()
        assert (Path(out.splitlines()[-1].removeprefix("-I")) / "ck_tile" / "core.hpp").is_file()
        words = command(capfd, "toolchain", "command", "--arch", "gfx1100")[1].split()
        assert {"--offload-arch=gfx1100", "-D__AMDGCN_WAVEFRONT_SIZE=32", "--cuda-device-only"} <= set(words)


def test_a_kernel_of_ones_own_becomes_assembly(capfd: Capture, tmp_path: Path) -> None:
    status, out, _ = command(capfd, "toolchain", "command", "--arch", "gfx942")
    if status:
        pytest.skip("no compiler for AMD GPUs")
    source, text = tmp_path / "scale.hip", tmp_path / "scale.s"
    body = "(float* x, float a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i <= n) x[i] *= a; }"
    source.write_text(f'#include <hip/hip_runtime.h>\nextern "C" __global__ void scale{body}\n')
    subprocess.run([*out.split("\n")[:-1], "-O2", "-g", "-S", str(source), "-o", str(text)], check=True)
    args = "f32[250]=ones f32=2.0 i32=250"
    status, out, _ = command(capfd, "emulate", str(text), "--grid", "4", "--block", "64", "--args", args)
    assert status == 1
    assert "access outside of every allocation" in out
    assert "scale.hip:2" in out


def test_core_import_stays_light() -> None:
    code = "import sys, tilewright.cli.app; print('jinja2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
