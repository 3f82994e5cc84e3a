"""Each command does what it says: for people as a table, for programs as JSON."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from built_helpers import with_helpers
from host_cpu_kernels import ARCH, BASE_ARCH, gemm_tile
from run_cli import GPU, P, cli

import tilewright
from tilewright.arch import export, get_arch, load_archs
from tilewright.backends import Backend, backend_names, get_backend
from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.model.json_text import parse_json
from tilewright.model.kernel import KernelSpec
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def ready_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own without kernels."""
    folder = with_helpers(tmp_path / "cache")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def problem_file(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    path.write_text(f"{P}\n\n" + '{"op":"gemm","m":1,"n":64,"k":32,"dtype":"fp32"}\n')
    return path


def test_doctor(capfd: Capture) -> None:
    ran = cli(capfd, "doctor")
    assert ran.status == 0
    for word in ("C++ compiler", "cpu", "cache", "launcher", "torch"):
        assert word in ran.out
    assert "tilewright can build and run kernels" in ran.out
    data = cli(capfd, "doctor", "--json").json
    assert data["ok"] is True
    assert all(f["state"] in ("ok", "missing", "broken") for f in data["findings"])


def test_doctor_without_a_compiler_fails_with_a_remedy(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CXX", "no-such-compiler")
    ran = cli(capfd, "doctor")
    assert ran.status == 1
    assert "cannot build kernels here" in ran.out
    [finding] = [f for f in cli(capfd, "doctor", "--json").json["findings"] if f["state"] == "broken"]
    assert finding["remedy"]


def test_doctor_tries_the_cache(capfd: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "file"))
    ran = cli(capfd, "doctor", "--json")
    assert ran.status == 1
    assert [f["what"] for f in ran.json["findings"] if f["state"] == "broken"] == ["own"]


def test_doctor_points_at_a_misspelt_setting(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_THREAD", "1")
    assert "TILEWRIGHT_THREADS" in cli(capfd, "doctor").out


def test_arch_list_and_show(capfd: Capture) -> None:
    names = [a["name"] for a in cli(capfd, "arch", "list", "--json").json]
    assert names == list(load_archs())
    assert "gfx942" in cli(capfd, "arch", "list").out
    assert "65,536" in cli(capfd, "arch", "show", "gfx942").out
    assert cli(capfd, "arch", "show", "gfx942", "--json").json["wave_size"] == 64


def test_arch_check(capfd: Capture, tmp_path: Path) -> None:
    assert cli(capfd, "arch", "check", "--json").json == {"ok": True, "problems": []}
    bad = tmp_path / "bad.json"
    bad.write_text('{"schema_version": 1, "archs": {"gfx942": {"lds_bytes": -1}}}')
    ran = cli(capfd, "arch", "check", str(bad))
    assert ran.status == 1
    assert "lds_bytes" in ran.err


@pytest.mark.parametrize("format", ["python", "cpp", "json"])
def test_arch_export_is_the_export(capfd: Capture, tmp_path: Path, format: str) -> None:
    assert cli(capfd, "arch", "export", "--format", format).out == export(format)
    out = tmp_path / "copy"
    assert cli(capfd, "arch", "export", "--format", format, "--out", str(out)).out == ""
    assert out.read_text() == export(format)


def test_support_of_one_arch(capfd: Capture) -> None:
    rows = cli(capfd, "support", "--arch", ARCH, "--json").json
    assert {r["arch"] for r in rows} == {ARCH}
    counts = {r["dtype"]: r["kernels"] for r in rows if r["backend"] == "cpu"}
    assert counts["fp32"] > 0
    assert counts["fp64"] == 0
    assert "cpu: builds and runs" in cli(capfd, "support", "--arch", ARCH).out


def test_support_tells_running_from_compiling(capfd: Capture) -> None:
    amd = cli(capfd, "support", "--arch", "gfx1100")  # which has the fewest kernels to count
    assert "triton: builds and runs; so far on an emulator only, not on hardware" in amd.out
    assert "ck_tile: builds and runs; so far on an emulator only, not on hardware" in amd.out
    assert "builds and runs\n" not in amd.out
    assert "triton: builds and runs\n" in cli(capfd, "support", "--arch", "sm_90").out
    rows = cli(capfd, "support", "--arch", "gfx1100", "--json").json
    assert {(r["builds"], r["runs"], r["emulated_only"]) for r in rows} == {(True, True, True)}


def test_a_backend_says_it_runs_only_where_it_finds_devices() -> None:
    for name in backend_names():
        backend = get_backend(name)
        kinds = {get_arch(d.arch).kind for d in backend.devices(Settings.from_env())}
        assert kinds <= set(backend.runs_on)
        assert type(backend).devices is not Backend.devices or not set(backend.runs_on) - {"any"}


def test_select(capfd: Capture, problem_file: Path) -> None:
    [first, second] = cli(capfd, "select", str(problem_file), "--json").json
    assert first["chosen"]["kernel"].endswith(first["chosen"]["digest"][:8])
    assert second["problem"]["m"] == 1
    assert first["chosen"]["kernel"] in cli(capfd, "select", str(problem_file)).out
    for backend in ("ck_tile", "triton"):
        assert cli(capfd, "select", P, "--arch", "gfx942", "--backend", backend).out.count(backend) >= 1


def test_explain_shows_the_best_of_each_backend(capfd: Capture) -> None:
    large = '{"op":"gemm","m":4096,"n":4096,"k":4096,"dtype":"fp16"}'
    out = cli(capfd, "explain", large, "--arch", "gfx942", "--limit", "2").out
    ranked = out[out.index("ranked:") : out.index("rejected:")].splitlines()[2:]
    assert [line.split()[1] for line in ranked if line.strip()][-1] == "triton"
    assert sum("ck_tile" in line for line in ranked) == 2


def test_select_reads_standard_input(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(P + "\n"))
    assert len(cli(capfd, "select", "-", "--json").json) == 1


def test_explain_names_rejected_candidates_with_rule_and_numbers(capfd: Capture) -> None:
    ran = cli(capfd, "explain", GPU, "--arch", "gfx942")
    assert ran.status == 0
    assert ran.err == ""
    assert "ck_tile.gemm.lds" in ran.out
    assert "65,536 B" in ran.out or "32,768 B" in ran.out
    assert "ranked:" in ran.out
    assert "rejected:" in ran.out
    everything = cli(capfd, "explain", GPU, "--arch", "gfx942", "--all").out
    assert len(everything.splitlines()) > 5 * len(ran.out.splitlines())


@pytest.mark.parametrize("name", ["tiles.json", "tiles.toml"])
def test_explain_of_a_sweep_file(capfd: Capture, tmp_path: Path, name: str) -> None:
    text = {
        "tiles.json": '{"algorithm": {"mr": [4, 6], "nr": {"min": 16, "max": 32, "step": 16}}}',
        "tiles.toml": 'signature = {layout = "*"}\nalgorithm = {mr = [4, 6], nr = [16, 32]}\n',
    }[name]
    (tmp_path / name).write_text(text)
    counts = cli(capfd, "explain", P, "--sweep", str(tmp_path / name), "--json").json["counts"]
    assert counts["ranked"] + counts["rejected"] == 4
    (tmp_path / name).write_text(text.replace("mr", "mrr"))
    ran = cli(capfd, "select", P, "--sweep", str(tmp_path / name))
    assert ran.status == 1
    assert "did you mean 'mr'" in ran.err


def test_a_file_that_codegen_takes_is_a_sweep_too(capfd: Capture, tmp_path: Path) -> None:
    config = {"tile_config": {"tile_k": 32}, "multi_d_config": {"elementwise_ops": ["Relu"], "num_d_tensors": [1]}}
    path = tmp_path / "c.json"
    path.write_text(json.dumps(config))
    generated = cli(capfd, "codegen", "gemm", "--config", str(path), "--output-dir", str(tmp_path / "out"), "--json")
    assert len(generated.json["kernels"]) == 2
    fused = (
        '{"op":"gemm","m":256,"n":256,"k":256,"dtype":"fp16","layout":"rcr","epilogue":"Relu","d":[{"dtype":"fp16"}]}'
    )
    for problem in (GPU, fused):
        ran = cli(capfd, "select", problem, "--arch", "gfx942", "--sweep", str(path), "--json")
        assert ran.status == 0, ran.err
        assert ran.json[0]["chosen"]["kernel"] in {name.removesuffix(".hpp") for name in generated.json["kernels"]}
    both = cli(capfd, "select", GPU, GPU.replace("fp16", "bf16"), "--arch", "gfx942", "--sweep", str(path), "--json")
    assert len(both.json) == 2
    here = cli(capfd, "select", GPU, "--sweep", str(path))
    assert here.status == 1
    assert "declares kernels of ck_tile, which do not run on cpu" in here.err
    assert "--arch" in here.err


def test_run_and_bench_take_the_kernel_they_are_told(capfd: Capture, tmp_path: Path) -> None:
    ranked = cli(capfd, "explain", P, "--json", "--set", "cpu_gemm_fma", "--limit", "9").json["ranked"]
    other = next(r for r in ranked if r["digest"] != ranked[0]["digest"])
    ran = cli(capfd, "run", P, "--spec", other["digest"][:12], "--check", "--json").json
    assert (ran["digest"], ran["ok"]) == (other["digest"], True)
    spec = KernelSpec("gemm", "cpu", ARCH, problem_from_dict(json.loads(P)).signature, gemm_tile())
    (tmp_path / "spec.json").write_text(json.dumps(spec.to_dict()))
    (timed,) = cli(capfd, "bench", P, "--spec", str(tmp_path / "spec.json"), "--rounds", "3", "--json").json
    assert (timed["digest"], timed["ok"]) == (spec.digest, True)
    of_set = cli(capfd, "run", P, "--set", "reference_gemm", "--json").json
    assert of_set["kernel"].startswith("gemm_reference")
    unknown = cli(capfd, "run", P, "--spec", "000000000000")
    assert unknown.status == 1
    assert "digest that begins with 000000000000" in unknown.err


def test_run_and_bench_try_every_candidate(capfd: Capture, tmp_path: Path) -> None:
    (tmp_path / "tiles.json").write_text('{"algorithm": {"mr": [2, 4], "nr": 16, "kc": [32, 64], "mc": 48}}')
    own = ("--sweep", str(tmp_path / "tiles.json"), "--all", "--json")
    ranked = cli(capfd, "explain", P, "--json", "--sweep", str(tmp_path / "tiles.json")).json["ranked"]
    rows = cli(capfd, "run", P, "--check", *own).json
    assert [(r["digest"], r["launch"]) for r in rows] == [(r["digest"], r["launch"]) for r in ranked]
    assert len(rows) == 4
    assert all(r["ok"] for r in rows)
    timed = cli(capfd, "bench", P, "--rounds", "3", "--compare", "numpy", "--isolate", *own).json
    assert [r["digest"] for r in timed] == [r["digest"] for r in ranked]
    assert all(r["ok"] and r["launch"] and r["peers"]["numpy"]["time_ms"] for r in timed)
    shown = cli(capfd, "bench", P, "--rounds", "3", *own[:3])
    assert shown.status == 0
    assert "launch" in shown.out.splitlines()[0]


def test_kernels_that_break_rules_are_corrected_where_asked(
    capfd: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEWRIGHT_CPU_ARCH", BASE_ARCH)
    wide_tile = CpuGemm(mr=28, nr=16)  # more registers than this arch has
    (tmp_path / "wide.json").write_text('{"algorithm": {"mr": 28, "nr": 16}}')
    wide = ("--sweep", str(tmp_path / "wide.json"))
    assert "cpu.gemm.registers" in cli(capfd, "select", P, *wide).err
    ran = cli(capfd, "select", P, *wide, "--correct", "--json")
    signature = problem_from_dict(json.loads(P)).signature
    spec = KernelSpec("gemm", "cpu", BASE_ARCH, signature, wide_tile)
    correction = tilewright.nearest_legal(spec)
    assert correction.changes
    for field, (before, after) in correction.changes.items():
        assert f"{field} {before} -> {after}" in ran.err
    assert "(cpu.gemm.registers)" in ran.err
    assert ran.json[0]["chosen"]["digest"] == correction.spec.digest
    text = json.dumps(spec.to_dict())
    assert "breaks 1 rules" in cli(capfd, "run", P, "--spec", text).err
    used = cli(capfd, "run", P, "--spec", text, "--correct", "--check", "--json")
    assert (used.json["digest"], used.json["ok"]) == (correction.spec.digest, True)
    built = cli(capfd, "build", "--spec", text, "--correct", "--json").json
    assert built["kernels"][0]["digest"] == correction.spec.digest
    nothing = cli(capfd, "select", P, "--correct")
    assert nothing.status == 1
    assert "no kernel to correct" in nothing.err


def test_explain_of_a_named_set(capfd: Capture) -> None:
    few_rows = P.replace('"m":48', '"m":8')
    some = cli(capfd, "explain", few_rows, "--set", "cpu_gemm_skinny", "--json").json["counts"]
    every = cli(capfd, "explain", few_rows, "--json").json["counts"]
    assert 0 < some["ranked"] < every["ranked"]


@pytest.mark.parametrize("command", ["explain", "run", "bench", "build", "bundle"])
def test_the_reference_has_to_be_named_by_its_sets(command: str, capfd: Capture) -> None:
    ran = cli(capfd, command, P, "--backend", "reference")
    text = ran.out + ran.err
    assert ran.status == 1
    assert "the backend reference is in no default registry. Fix: name its kernel sets: " in text
    assert "reference_gemm (--set NAME in a command)" in text
    ran = cli(capfd, command, P, "--backend", "cpu", "--set", "reference_gemm")
    assert "no kernel set that is named is of the backend cpu" in ran.out + ran.err


def test_explain_as_json_counts_what_it_leaves_out(capfd: Capture) -> None:
    data = cli(capfd, "explain", GPU, "--arch", "gfx942", "--limit", "2", "--json").json
    assert len(data["ranked"]) == 2
    assert data["counts"]["ranked"] > 2
    assert data["counts"]["by_rule"]
    rule = data["rejected"][0]["rules"][0]
    assert set(rule) == {"rule", "message", "values", "remedy"}
    whole = cli(capfd, "explain", P, "--all", "--json").json
    assert len(whole["rejected"]) == whole["counts"]["rejected"]


def test_explain_of_an_impossible_problem_says_that_nothing_is_left(capfd: Capture) -> None:
    ran = cli(capfd, "explain", '{"op":"gemm","m":8,"n":8,"k":8,"dtype":"fp64"}')
    assert ran.status == 0
    assert "no kernel is left" in ran.out


def test_run_with_check(capfd: Capture) -> None:
    ran = cli(capfd, "run", P, "--check")
    assert ran.status == 0
    assert " ok " in ran.out
    data = cli(capfd, "run", P, "--check", "--json").json
    assert data["ok"] is True
    assert data["tier"] == "float64"
    assert 0 <= data["error"] <= data["tolerance"]


def test_run_reports_a_wrong_result(capfd: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reference is given another A than the kernel had: their answers must differ, and that must be told."""
    from tilewright.ops.gemm import GemmOp

    verify = GemmOp.verify

    def with_another_a(self: Any, problem: Any, tensors: dict[str, Any], out: Any, **options: Any) -> Any:
        return verify(self, problem, {**tensors, "a": tensors["a"] + 1}, out, **options)

    monkeypatch.setattr(GemmOp, "verify", with_another_a)
    ran = cli(capfd, "run", P, "--check")
    assert ran.status == 1
    assert "WRONG" in ran.out


@pytest.mark.parametrize("command", ["run --check", "bench --rounds 3 --out results.jsonl"])
def test_a_result_without_numbers_is_json(
    command: str, capfd: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Infinity is no JSON: other programs, and `report`, could not read it."""
    from tilewright.ops.gemm import GemmOp

    verify = GemmOp.verify

    def of_nothing(self: Any, problem: Any, tensors: dict[str, Any], out: Any, **options: Any) -> Any:
        return verify(self, problem, tensors, out * float("nan"), **options)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(GemmOp, "verify", of_nothing)
    ran = cli(capfd, *command.split(), P, "--json")
    assert ran.status == 1
    texts = [ran.out, *(path.read_text() for path in tmp_path.glob("results.jsonl"))]
    for text in texts:
        [found] = found if isinstance(found := parse_json(text, "the output"), list) else [found]
        assert (found["ok"], found["error"]) == (False, None)


def test_run_without_permission_to_build(capfd: Capture, own_cache: Path) -> None:
    ran = cli(capfd, "run", P, "--no-build")
    assert ran.status == 1
    assert "switched off" in ran.err
    assert not list(own_cache.glob("*/entries/*/*"))


def test_build_then_cached(capfd: Capture, ready_cache: Path) -> None:
    first = cli(capfd, "build", P, "--top", "2", "--json").json
    assert (first["built"], first["cached"], first["failed"]) == (2, 0, 0)
    assert Path(first["kernels"][0]["path"]).is_relative_to(ready_cache)
    second = cli(capfd, "build", P, "--top", "2", "--json").json
    assert (second["built"], second["cached"]) == (0, 2)
    ran = cli(capfd, "build", P, "--top", "2")
    assert ran.out.count("cached") == 2
    assert cli(capfd, "run", P, "--no-build", "--check").status == 0


def test_build_that_fails_keeps_the_log(capfd: Capture, ready_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_CXX_FLAGS", "-include no_such_header.h")
    ran = cli(capfd, "build", P, "--json")
    assert ran.status == 1
    assert ran.json["failed"] == 1
    assert "no_such_header.h" in ran.json["kernels"][0]["log"]
    assert "note: 1 of 1 kernels failed" in ran.err


def test_bench_writes_json_lines(capfd: Capture, tmp_path: Path, problem_file: Path) -> None:
    out = tmp_path / "results.jsonl"
    ran = cli(capfd, "bench", str(problem_file), "--compare", "numpy", "--rounds", "3", "--out", str(out))
    assert ran.status == 0
    assert "vs numpy" in ran.out
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert [line["problem"]["m"] for line in lines] == [48, 1]
    assert all(line["ok"] and line["peers"]["numpy"]["time_ms"] > 0 for line in lines)


def test_bench_in_workers_gives_the_same_fields(capfd: Capture) -> None:
    [inside] = cli(capfd, "bench", P, "--rounds", "3", "--json").json
    [apart] = cli(capfd, "bench", P, "--rounds", "3", "--isolate", "--json").json
    assert list(inside) == list(apart)
    assert inside["digest"] == apart["digest"]


def test_bench_beside_two_peers(capfd: Capture) -> None:
    pytest.importorskip("torch", reason="torch is not installed (make test TORCH=)")
    [record] = cli(capfd, "bench", P, "--compare", "numpy,torch", "--rounds", "3", "--json").json
    assert set(record["peers"]) == {"numpy", "torch"}
    assert all(p["ratio"] > 0 for p in record["peers"].values())


def test_bench_of_an_impossible_problem_fails_but_runs_the_others(capfd: Capture, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"op":"gemm","m":8,"n":8,"k":8,"dtype":"fp64"}\n' + P)
    ran = cli(capfd, "bench", str(path), "--rounds", "3", "--json")
    assert ran.status == 1
    assert [r["ok"] for r in ran.json] == [False, True]
    assert "failed" in ran.err


def test_cache_life(capfd: Capture, own_cache: Path, tmp_path: Path) -> None:
    assert cli(capfd, "cache", "info", "--json").json["entries"] == 0
    cli(capfd, "build", P)
    # The kernel, and what its calls need: the C launcher, the thread pool, and what is compiled in the background.
    assert cli(capfd, "cache", "info", "--json").json["entries"] >= 3
    assert str(own_cache) in cli(capfd, "cache", "info").out
    assert "kernels are whole" in cli(capfd, "cache", "verify").out
    bundle = tmp_path / "kernels.tar.gz"
    entries = cli(capfd, "cache", "export", str(bundle), "--json").json["kernels"]
    assert entries >= 3
    assert cli(capfd, "cache", "clear", "--json").json["entries"] >= entries
    assert cli(capfd, "cache", "import", str(bundle), "--json").json["new"] == entries
    assert "removed 0 kernels" in cli(capfd, "cache", "prune", "--older-than", "1d").out
    assert cli(capfd, "cache", "prune", "--max-size", "0MB", "--json").json["entries"] >= entries


def test_cache_verify_finds_damage(capfd: Capture, ready_cache: Path) -> None:
    path = Path(cli(capfd, "build", P, "--json").json["kernels"][0]["path"])
    [library] = path.glob("*.so")
    os.chmod(library, 0o644)
    library.write_bytes(library.read_bytes()[:-1] + b"?")
    ran = cli(capfd, "cache", "verify")
    assert ran.status == 1
    assert re.search(r"[1-9]\d* kernels are whole, 1 were damaged", ran.out)
    assert "note: cache entry" in ran.err


def test_demo(capfd: Capture) -> None:
    ran = cli(capfd, "demo", "--quick")
    assert ran.status == 0, ran.err
    for word in ("machine", "arch", "Declared", "kernel chosen", "of peak", "vs NumPy"):
        assert word in ran.out
    assert "9 of 9 results match the reference" in ran.out
    data = cli(capfd, "demo", "--quick", "--json").json
    assert all(p["ok"] and p["peak"]["share"] > 0 for p in data["problems"])


def test_codegen_docs(capfd: Capture, tmp_path: Path) -> None:
    folder = str(tmp_path / "reference")
    assert cli(capfd, "codegen", "docs", "--out", folder, "--check").status == 1
    assert cli(capfd, "codegen", "docs", "--out", folder, "--json").json["written"]
    assert cli(capfd, "codegen", "docs", "--out", folder, "--check").status == 0
    page = tmp_path / "reference" / "rules.md"
    page.write_text(page.read_text() + "edited by hand\n")
    ran = cli(capfd, "codegen", "docs", "--out", folder, "--check")
    assert ran.status == 1
    assert "rules.md" in ran.err


def test_clear_all_removes_what_is_kept_and_nothing_else(
    tmp_path: Path, ready_cache: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEWRIGHT_DATA_DIR", str(tmp_path / "data"))
    assert cli(capfd, "run", P).status == 0
    own = ["data/mine.txt", "data/measurements.sqlite.bak", "data/rows.jsonl", "cache/v2_of_mine/x"]
    kept = ["data/contests.jsonl", "data/compile_times.jsonl", "data/measurements.sqlite-journal", "cache/v0/x"]
    for path in ("cache/toolchains/amdgpu-0/bin/clang", "data/models/a.npz", *kept, *own):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    removed = cli(capfd, "cache", "clear", "--all", "--json").json
    assert removed["entries"] >= 1
    assert str(tmp_path / "cache" / "toolchains") in removed["removed"]
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()) == sorted(own)
