"""The audit of the rules: what it would compile, and how it judges what came out."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "benchmarks"))

import ck_tile_audit as audit
import ck_tile_cases

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op


@pytest.fixture(scope="module")
def work() -> list[ck_tile_cases.Case]:
    return ck_tile_cases.cases(["gfx1100"], ["gemm"], 1)


def test_every_case_is_legal_or_refused_by_the_one_rule_that_it_names(work):
    op, arch = get_backend_op("ck_tile", "gemm"), get_arch("gfx1100")
    for case in work:
        found = [r.rule for r in op.check(case.spec, arch)]
        assert found == ([case.rule] if case.side == "outside" else [])
    assert len({case.key for case in work}) == len(work)


def test_dtypes_pipelines_layouts_and_most_rules_are_met(work):
    strata = [case.stratum() for case in work if case.side == "inside"]
    assert {s["dtypes"] for s in strata} == set(get_arch("gfx1100").warp_tiles)
    assert {s["pipeline"] for s in strata} >= {"mem", "compv3", "compv4"}
    assert {s["layout"] for s in strata} >= {"rcr", "rrr", "crr", "ccr"}
    assert len({case.rule for case in work if case.side == "outside"}) >= 8


def row(side: str, good: bool, rule: str = "", outcome: str = "ok", digest: str = "a" * 64) -> dict:
    where = {"op": "gemm", "arch": "gfx942", "dtypes": "x", "pipeline": "mem", "layout": "rcr"}
    return {**where, "digest": digest, "side": side, "rule": rule, "good": good, "outcome": outcome, "toolchain": "t"}


def test_disagreements_are_told_apart(capsys):
    rows = [
        row("inside", True),
        row("inside", False, outcome="inspect"),
        row("outside", False, "ck_tile.gemm.lds", "error"),
        row("outside", True, "ck_tile.gemm.lds"),
        row("outside", True, "ck_tile.gemm.cshuffle_repeat"),  # a known miscompile: compiling proves nothing
        row("inside", False, outcome="timeout"),
    ]
    assert audit.report(rows) == 1
    said = capsys.readouterr().out
    assert "2 accepted kernels compiled: 1 false accepts" in said
    assert "2 refused neighbours compiled: 1 false refusals" in said
    assert "| gemm | gfx942 | 2 | 1 | 2 | 1 |" in audit.page(rows)


def test_results_of_another_toolchain_are_not_taken(tmp_path):
    path = tmp_path / "r.jsonl"
    assert audit.known(path, "t") == {}
    path.write_text(json.dumps(row("inside", True)) + "\n")
    assert list(audit.known(path, "t")) == ["a" * 64]
    assert audit.known(path, "other") == {}


@pytest.mark.parametrize(("text", "seconds"), [("90", 90.0), ("90s", 90.0), ("15m", 900.0), ("2h", 7200.0)])
def test_budgets(text, seconds):
    assert audit.seconds_of(text) == seconds
