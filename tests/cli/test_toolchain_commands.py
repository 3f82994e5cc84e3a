"""toolchain, show, and builds without a problem: what they print, and what they say when something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from built_helpers import with_helpers
from run_cli import P, cli

from tilewright.backends.ck_tile.gemm import preselected_kernels
from tilewright.backends.plain import spec_from_dict
from tilewright.jit import BuildRequest, Cache, build_many
from tilewright.settings import Settings

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(with_helpers(tmp_path / "cache")))
    for name in ("ROCM_PATH", "CK_ROOT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "cache"


def test_list_says_what_is_missing_and_how_to_get_it(capfd: Capture, own_cache: Path) -> None:
    rows = {row["what"]: row for row in cli(capfd, "toolchain", "list", "--json").json}
    assert rows["C++ (cpu)"]["state"] == "ok"
    assert rows["amdgpu cross toolchain"]["state"] == "missing"
    assert "tilewright toolchain install amdgpu" in rows["amdgpu cross toolchain"]["found"]
    assert "amdgpu cross toolchain" in cli(capfd, "toolchain", "list").out


def test_install_tells_which_wheel_is_not_in_the_folder(capfd: Capture, own_cache: Path, tmp_path: Path) -> None:
    ran = cli(capfd, "toolchain", "install", "amdgpu", "--from", str(tmp_path))
    assert ran.status == 1
    assert "holds no wheel of ziglang==" in ran.err
    assert "pip download" in ran.err
    assert cli(capfd, "toolchain", "install", "amdgpuu").err.count("did you mean 'amdgpu'") == 1
    assert cli(capfd, "toolchain", "remove", "amdgpu").out == "nothing was installed\n"


def test_check_and_build_without_a_toolchain_name_the_command(capfd: Capture, own_cache: Path) -> None:
    for words in (("toolchain", "check"), ("build", "--backend", "ck_tile", "--arch", "gfx942")):
        ran = cli(capfd, *words)
        assert ran.status == 1
        assert "tilewright toolchain install amdgpu" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("build",), "give a problem, or --arch with --set or --backend"),
        (("build", "--set", "fp16_rcr_esential", "--arch", "gfx942"), "did you mean 'fp16_rcr_essential'"),
        (("build", "--set", "fp8_rcr_essential", "--arch", "gfx90a"), "have no kernel for gfx90a"),
        (("build", "--spec", "{nonsense"), "--spec: not valid JSON"),
    ],
)
def test_what_cannot_be_built_is_told(capfd: Capture, words: tuple[str, ...], said: str) -> None:
    ran = cli(capfd, *words)
    assert ran.status == 1
    assert said in ran.err


def test_a_kernel_is_built_by_its_spec_and_shown(capfd: Capture, own_cache: Path) -> None:
    [built] = cli(capfd, "build", P, "--json").json["kernels"]
    shown = cli(capfd, "show", built["digest"][:10])
    assert shown.status == 0
    assert built["kernel"] in shown.out
    assert "kernel.so" in shown.out
    record = cli(capfd, "show", built["kernel"], "--json").json
    assert record["build_key"] == built["build_key"]
    assert spec_from_dict(record["spec"]).digest == built["digest"]
    ran = cli(capfd, "show", "gemm_none")
    assert ran.status == 1
    assert "unknown kernel of the cache" in ran.err


def test_a_failed_build_shows_the_whole_log(capfd: Capture, own_cache: Path) -> None:
    script = "for i in $(seq 400); do echo line $i: error: deep inside a template; done; exit 1"
    spec = {"op": "gemm", "backend": "cpu"}
    request = BuildRequest("ab" * 32, "gemm_bad_abababab", {}, (("sh", "-c", script),), ("k.co",), {}, spec=spec)
    build_many([request], Cache.from_settings(Settings.from_env()))
    shown = cli(capfd, "show", "abababab").out
    assert "failed" in shown
    assert "line 1:" in shown
    assert "line 400:" in shown
    assert cli(capfd, "show", "abababab", "--json").json["spec"] == spec


def test_facts_of_code_are_shown(capfd: Capture, own_cache: Path) -> None:
    """An artifact with the metadata that an AMD build leaves."""
    spec = preselected_kernels("fp16_rcr_essential", "gfx942")[0]
    kernel = {"symbol": "s", "vgprs": 128, "agprs": 64, "sgprs": 30, "vgpr_spills": 3, "sgpr_spills": 0}
    kernel |= {"lds_bytes": 65536, "scratch_bytes": 12, "code_bytes": 2000}
    facts = {"target": "gfx942", "kernels": [kernel], "matrix": {"mfma_f32_32x32x8_f16": 256}}
    text = json.dumps({"code": facts, "symbols": {"hot_full_set": "s"}})
    commands = (("cp", "facts.json", "kernel.co"),)
    request = BuildRequest(
        spec.digest,
        spec.name,
        {"facts.json": text, "expect.json": json.dumps({"spec": spec.to_dict()})},
        commands,
        ("kernel.co",),
        inspect="facts_of_file:read",
    )
    build_many([request], Cache.from_settings(Settings.from_env()))
    out = cli(capfd, "show", spec.digest[:8]).out
    for word in ("256 x mfma_f32_32x32x8_f16", "hot_full_set", "65,536", "128", "gfx942", '"op": "gemm"'):
        assert word in out
