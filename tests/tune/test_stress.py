"""Stress: random kernels agree with rules, compiler and reference; what disagrees is shrunk and written down."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed: nothing can be drawn or shrunk")

from tilewright.backends import device_at
from tilewright.backends.plain import spec_from_dict
from tilewright.cli.app import run
from tilewright.cli.stress import _backends
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.stress.draw import Sample
from tilewright.tune.stress.hunt import Bench, Hunter, Verdict, judge, write_reproducer

ARCH = device_at("cpu", Settings.from_env()).arch
PROBLEM = {"op": "gemm", "m": 33, "n": 17, "k": 9, "dtype": "fp32", "layout": "rrr"}
SIGNATURE = {f"dtype_{n}": "fp32" for n in ("a", "b", "out", "acc")}
REFERENCE = {"schema": 1, "op": "gemm", "backend": "reference", "arch": ARCH, "signature": SIGNATURE, "algorithm": {}}
TASK = {"spec": REFERENCE, "problems": [{**PROBLEM, "layout": "rcr"}], "pick": 0, "seed": 0}
pytestmark = pytest.mark.xdist_group("stress")


def test_real_samples_agree(tmp_path: Path) -> None:
    hunt = Hunter(["gemm", "conv", "fmha"], [("reference", ARCH)]).run(12, seed=3, folder=tmp_path)
    assert (hunt.samples, hunt.failures, list(tmp_path.iterdir())) == (12, [], [])
    assert sum(n for (_, _, state), n in hunt.counts.items() if state == "right") > 4


@pytest.mark.exhaustive
def test_more_real_samples_agree(tmp_path: Path) -> None:
    hunt = Hunter(["gemm", "conv", "fmha"], [("cpu", ARCH)]).run(60, seed=4, folder=tmp_path)
    assert (hunt.samples, hunt.failures) == (60, [])


def test_the_same_seed_draws_the_same_samples() -> None:
    def drawn(seed: int) -> list[Any]:
        found: list[Any] = []
        ask = lambda task: found.append(task) or {"state": "right"}  # noqa: E731
        Hunter(["gemm", "conv", "fmha"], [("cpu", ARCH)], ask=ask).run(15, seed)
        return found

    assert drawn(5) == drawn(5)
    assert drawn(5) != drawn(6)


def test_a_disagreement_is_shrunk_written_and_reported_once(tmp_path: Path) -> None:
    """A compiler that fails for m > 40 with one pipeline: the reproducer is the least such case."""

    def ask(task: dict[str, Any]) -> dict[str, Any]:
        for problem in task["problems"]:
            if problem["m"] > 40:
                return {"state": "compile", "message": "too tall", "problem": problem}
        return {"state": "right"}

    hunt = Hunter(["gemm"], [("cpu", ARCH)], ask=ask).run(10, seed=1, folder=tmp_path)
    assert hunt.samples >= 10
    kinds = [v.kind for v in hunt.failures]
    assert kinds
    assert len(set(kinds)) == len(kinds)
    record = json.loads(hunt.files[0].read_text())
    assert record["problem"]["m"] == 47  # the least edge above 40
    assert (record["problem"]["n"], record["problem"]["k"]) == (1, 1)
    kernel = Path(str(hunt.files[0]).replace(".json", ".spec.json"))
    assert spec_from_dict(json.loads(kernel.read_text())) == hunt.failures[0].spec
    assert str(kernel) in record["command"]


def test_a_kernel_that_breaks_rules_is_corrected() -> None:
    verdict = judge(Sample((PROBLEM,), "cpu", ARCH, {"mr": 32, "nr": 128}, 0, 0), lambda task: {"state": "right"})
    assert verdict.corrected
    assert verdict.agrees
    assert verdict.spec is not None
    assert (verdict.spec.algorithm.mr, verdict.spec.algorithm.nr) != (32, 128)


def test_a_problem_that_is_none_is_no_failure() -> None:
    assert judge(Sample(({**PROBLEM, "m": -1},), "cpu", ARCH, {}, 0, 0), lambda task: {}).state == "not a problem"


def test_a_worker_that_dies_or_hangs_is_replaced(tmp_path: Path) -> None:
    bench = Bench(str(tmp_path))
    try:
        assert bench.ask(TASK)["state"] == "right"
        assert bench._process is not None
        os.kill(bench._process.pid, signal.SIGSTOP)
        bench.patience = 0.2
        assert bench.ask(TASK)["state"] == "hang"
        bench.patience = 120.0
        assert bench.ask(TASK)["state"] == "right"
        os.kill(bench._process.pid, signal.SIGSTOP)
        os.kill(bench._process.pid, signal.SIGKILL)
        bench._process.wait()
        assert bench.ask(TASK)["state"] == "right"
        assert bench.ask({"spec": {"schema": 1}})["state"] == "error"
    finally:
        bench.close()


def test_a_kernel_that_does_not_compile_is_a_failure(tmp_path: Path) -> None:
    spec = Sample((PROBLEM,), "cpu", ARCH, {}, 0, 0)
    bench = Bench(str(tmp_path), environment={"TILEWRIGHT_CXX_FLAGS": "-include no/such/header.h"})
    try:
        verdict = judge(spec, bench.ask)
    finally:
        bench.close()
    assert verdict.state == "compile"
    assert "header.h" in verdict.message
    case = json.loads(write_reproducer(verdict, tmp_path / "out").read_text())
    assert problem_from_dict(case["problem"]).label() == problem_from_dict(PROBLEM).label()


def test_the_command(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status = run(["stress", "--samples", "4", "--backend", "reference", "--out", str(tmp_path), "--json"])
    told = json.loads(capfd.readouterr().out)
    assert (status, told["samples"], told["failures"]) == (0, 4, [])
    assert run(["stress", "--op", "nothing"]) == 1
    assert "nothing" in capfd.readouterr().err


def test_kinds_tell_kernels_apart() -> None:
    sample = Sample((PROBLEM,), "cpu", ARCH, {}, 0, 0)
    assert Verdict("wrong", spec=sample.spec()).kind.startswith("wrong cpu gemm ")


def test_an_emulated_gpu_needs_a_compiler_only() -> None:
    pytest.importorskip("triton")
    assert _backends("triton", "emu:gfx942") == [("triton", "gfx942")]
