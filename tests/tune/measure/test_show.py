"""How measurements are shown while they come: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import io
from types import SimpleNamespace

import pytest

from tilewright.tune.measure import show
from tilewright.tune.measure.show import SweepBar, SweepLines, watched

RECORDS = [SimpleNamespace(label=f"gemm {n}") for n in range(3)]


def test_records_pass_and_lines_say_where_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "LINE_SECONDS", 0.0)
    out = io.StringIO()
    assert list(watched(RECORDS, 3, SweepLines(out))) == RECORDS
    lines = out.getvalue().splitlines()
    assert [line.split("]")[0] for line in lines] == ["[1/3", "[2/3", "[3/3"]
    assert lines[-1].endswith("gemm 2")
    assert " s left" in lines[0]


def test_a_short_run_leaves_no_lines() -> None:
    out = io.StringIO()
    assert list(watched(RECORDS, 3, SweepLines(out))) == RECORDS
    assert out.getvalue() == ""


def test_a_bar_is_taken_away_where_a_run_breaks_off() -> None:
    pytest.importorskip("rich")

    def failing() -> object:
        yield RECORDS[0]
        raise RuntimeError("the power went")

    bar = SweepBar(io.StringIO())
    with pytest.raises(RuntimeError, match="power"):
        list(watched(failing(), 3, bar))
    assert not bar._bar.live.is_started
