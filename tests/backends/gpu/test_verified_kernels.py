"""Kernels that are executed before they are trusted: right, wrong, refused; the verdict stays with the artifact."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from standin_rocm import code_object
from typer.testing import CliRunner

from tilewright.backends.ck_tile.gemm import OP, preselected_kernels
from tilewright.backends.ck_tile.gemm.instances import instance_of
from tilewright.backends.gpu.kernel_counts import counts_from_row
from tilewright.cli.app import app
from tilewright.jit import Cache
from tilewright.jit.artifact import BuildRequest
from tilewright.jit.pool import build_one
from tilewright.jit.verdicts import read_verdict, verdict_path, write_verdict
from tilewright.settings import Settings
from tilewright.tune.verify.execute import Executed, Outcome, execute
from tilewright.tune.verify.record import emulator_digest, in_words, record_of, stored_verdict, verdict_on

SPEC = preselected_kernels("fp16_rcr_essential", "gfx942")[1]
INSTANCE = instance_of(SPEC, 256, 1).name  # the only device kernel of the test data


def executed(folder: Path, change: Any = None) -> Executed:
    """The kernel of the test data on the trials of its device kernel; `change` breaks its text."""
    text = code_object(folder).with_suffix(".s")
    if change is not None:
        broken = change(text.read_text())
        assert broken != text.read_text()
        text.write_text(broken)
    kernel = OP.load(SPEC, SimpleNamespace(path=folder, metadata={"symbols": {INSTANCE: "ck_gemm"}}))
    return execute(
        SPEC, kernel, Settings(), lambda t: instance_of(SPEC, t.problem.k, t.launch.split_k).name == INSTANCE
    )


def test_a_good_kernel_is_right_on_every_path(tmp_path: Path) -> None:
    found = executed(tmp_path)
    assert (found.state, found.why) == ("right", "")
    assert [o.path for o in found.outcomes] == [INSTANCE, "several blocks", "tails"]


def test_a_kernel_with_a_race_is_wrong_although_its_results_are_right(tmp_path: Path) -> None:
    found = executed(tmp_path, lambda text: text.replace("\ts_barrier\n", "\ts_nop 0\n", 1))
    assert found.state == "wrong"
    assert "LDS race" in found.why


def test_a_kernel_that_computes_something_else_is_wrong(tmp_path: Path) -> None:
    found = executed(tmp_path, lambda text: text.replace("v_cvt_f16_f32_e32 v1, v50", "v_mov_b32_e32 v1, v50", 1))
    assert found.state == "wrong"
    assert "error" in found.why


def test_what_the_emulator_does_not_know_is_refused(tmp_path: Path) -> None:
    found = executed(tmp_path, lambda text: text.replace("\ts_barrier\n", "\ts_frobnicate\n", 1))
    assert found.state == "refused"
    assert "s_frobnicate" in found.why


def test_the_worst_execution_decides() -> None:
    right, wrong = Outcome("a", "p", "-", "right"), Outcome("b", "p", "-", "wrong", 2.0, 1.0)
    refused = Outcome("c", "p", "-", "refused", message="no semantics")
    assert Executed((right,)).state == "right"
    assert Executed((right, refused)).state == "refused"
    assert Executed((right, refused, wrong)).state == "wrong"
    assert Executed((right, wrong)).why == "b (p): error 2 > 1"
    assert Executed((), "no launcher").why == "no launcher"


def built(cache: Cache) -> Any:
    """An artifact that stands for a kernel."""
    return build_one(BuildRequest(SPEC.digest, SPEC.name, {"a": "x"}, (("cp", "a", "b"),), ("b",)), cache)


def test_a_verdict_stays_with_its_artifact(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    artifact = built(cache)
    assert stored_verdict(artifact.build_key, cache) is None
    write_verdict(cache, artifact.build_key, record_of(Executed((Outcome("a", "p", "-", "right"),))))
    known = stored_verdict(artifact.build_key, cache)
    assert known is not None
    assert (known["state"], in_words(known)) == ("right", "right (1 run)")
    assert verdict_on(SPEC, artifact, cache, Settings()) == known, "it is not executed again"
    assert cache.verify().whole == 1, "the entry is unchanged"
    cache.clear()
    assert not verdict_path(cache, artifact.build_key).exists()


def test_a_verdict_on_results_without_numbers_stays(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    key = built(cache).build_key
    infinite = Outcome("a", "p", "-", "wrong", float("inf"), 1e-6)
    write_verdict(cache, key, record_of(Executed((infinite,))))
    known = stored_verdict(key, cache)
    assert known is not None
    assert in_words(known) == "wrong (1 run): a (p): error inf > 1e-06"


@pytest.mark.parametrize("text", ["", "[]", '{"schema":1}', '{"build_key":"x","state":"right"}'])
def test_a_damaged_verdict_is_none(tmp_path: Path, text: str) -> None:
    cache = Cache(tmp_path)
    key = built(cache).build_key
    path = verdict_path(cache, key)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert read_verdict(cache, key) is None
    assert stored_verdict(key, cache) is None


def test_a_verdict_of_another_emulator_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    artifact = built(cache)
    write_verdict(cache, artifact.build_key, {**record_of(Executed((), "old")), "emulator": "another"})
    monkeypatch.setattr("tilewright.tune.verify.record.execute", lambda *_: Executed((), "new"))
    monkeypatch.setattr(type(OP), "load", lambda *_: None)
    found = verdict_on(SPEC, artifact, cache, Settings())
    assert found is not None
    assert (found["why"], found["emulator"]) == ("new", emulator_digest())


def test_build_verify_executes_and_show_prints_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("triton")
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))
    problem = json.dumps({"op": "gemm", "m": 64, "n": 64, "k": 96, "dtype": "fp16", "device": "emu:gfx942"})
    words = ["build", problem, "--backend", "triton", "--arch", "gfx942", "--verify"]
    counts = tmp_path / "counts.jsonl"
    done = CliRunner().invoke(app, [*words, "--json", "--counts", str(counts)])
    assert done.exit_code == 0, done.output
    [row] = map(json.loads, counts.read_text().splitlines())
    assert counts_from_row(row).loop["multiply_adds"] > 0
    [kernel] = json.loads(done.stdout)["kernels"]
    assert kernel["executed"]["state"] == "right"
    assert {"whole tiles", "tails"} <= {o["path"] for o in kernel["executed"]["outcomes"]}
    shown = CliRunner().invoke(app, ["show", kernel["kernel"]])
    assert "executed   right" in shown.stdout
    assert "right    tails: gemm" in shown.stdout


def test_counts_need_an_execution(tmp_path: Path) -> None:
    problem = '{"op":"gemm","m":8,"n":8,"k":8,"dtype":"fp32"}'
    done = CliRunner().invoke(app, ["build", problem, "--counts", str(tmp_path / "counts.jsonl")])
    assert "--counts needs --verify" in str(done.exception or done.output)
    assert not (tmp_path / "counts.jsonl").exists()


def test_kernels_of_other_makes_are_not_executed() -> None:
    done = CliRunner().invoke(app, ["build", '{"op":"gemm","m":8,"n":8,"k":8,"dtype":"fp32"}', "--verify", "--json"])
    assert done.exit_code == 0, done.output
    assert [k["executed"] for k in json.loads(done.stdout)["kernels"]] == [None]
