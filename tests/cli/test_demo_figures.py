"""What `demo`, `bench` and `report` say about speed on a noisy machine: nothing that they do not know."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.cli.bench import _show
from tilewright.cli.demo import Line, _closing, _print_table
from tilewright.report.readers import read_row
from tilewright.tune.bench.ceilings import Bound
from tilewright.tune.bench.record import BenchRecord

PROBLEM = {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"}
STEADY, WILD = {"ratio": 2.0, "low": 1.9, "high": 2.1}, {"ratio": 11.0, "low": 0.1, "high": 16.0}


def record(peer: dict[str, Any]) -> BenchRecord:
    return BenchRecord(
        PROBLEM, "gemm 64x64x64", "k", device="a CPU", time_ms=1.0, tflops=0.1, gbps=1.0, ok=True, tier="float64",
        peers={"numpy": {"time_ms": 2.0, **peer}}, policy={"noise_floor": 0.05, "noise": 0.8},
    )  # fmt: skip


def line(title: str, peer: dict[str, Any], bound_seconds: float) -> Line:
    return Line(title, record(peer), "tiled", "best of 3", Bound("int8 dot", bound_seconds))


def test_no_share_above_the_limit_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line("one", STEADY, 2.93e-3), line("two", STEADY, 0.5e-3)]
    _print_table(lines)
    shown = capsys.readouterr().out
    assert "293%" not in shown
    assert "disturbed int8 dot" in shown
    assert "disturbed: a kernel beat the limit" in shown
    assert "'two' reaches 50% of the hardware limit" in _closing(lines, 1.0)
    assert "too busy" in _closing(lines[:1], 1.0)


def test_no_ratio_of_rounds_that_disagree_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line("one", WILD, 0.5e-3), line("two", STEADY, 0.5e-3)]
    _print_table(lines)
    shown = capsys.readouterr().out
    assert "11.00x" not in shown
    assert "noisy" in shown
    closing = _closing(lines, 1.0)
    assert "On 1 fp32 problem (1 more could not be timed: the machine is busy) they run 2.00 times as fast" in closing
    _show([record(WILD), record(STEADY)], ["numpy"], ["numpy 2"], False)
    shown = capsys.readouterr().out
    assert "11.00x" not in shown
    assert "2.00x" in shown
    assert "80.0%" in shown
    assert "noisy: the ratios of the rounds differ by more than a factor of 1.5" in shown


def test_a_report_leaves_out_ratios_of_rounds_that_disagree() -> None:
    found = [next(read_row(record(peer).to_dict(), {}, "results.jsonl")) for peer in (WILD, STEADY)]
    assert [run.peers for run in found] == [{}, {"numpy": 2.0}]
    assert "too noisy for a ratio to numpy" in found[0].note
