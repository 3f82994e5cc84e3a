"""The model benchmarks run at a tiny size: rows hold every side, are not measured twice, and make a table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: models are not benchmarked")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import models
import models_part
from models_table import table


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "rows.jsonl"
    assert models.main(["--quick", "--nets", "bert", "--task", "inference", "--rounds", "2", "--out", str(path)]) == 0
    return path


def test_a_row_has_times_first_calls_and_errors_of_every_side(out: Path) -> None:
    (row,) = models.rows_of(out)
    assert row["ok"], row
    assert {"torch", "tilewright"} <= set(row["sides"])
    for side in row["sides"].values():
        assert side["ms"] > 0
        assert side["first_s"] > 0
        assert side["error"] < 1e-5
        assert len(side["samples"]) == 2
    assert row["sides"]["tilewright"]["taken"] > 5
    assert row["sides"]["tilewright"]["left_calls"] == 0


def test_a_row_that_is_there_is_not_measured_again(out: Path, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(models, "measured", lambda *_: pytest.fail("measured again"))
    before = out.read_text()
    assert models.main(["--quick", "--nets", "bert", "--task", "inference", "--out", str(out)]) == 0
    assert out.read_text() == before
    assert "| bert 2x8, inference |" in capsys.readouterr().out


def test_a_spent_budget_starts_nothing(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "rows.jsonl"
    assert models.main(["--quick", "--nets", "bert", "--budget", "1", "--out", str(path)]) == 0
    assert not path.exists()
    assert "2 parts are left" in capsys.readouterr().err


def test_a_wrong_result_is_shown_as_wrong(out: Path) -> None:
    (row,) = models.rows_of(out)
    truth, wrong = [torch.ones(4, dtype=torch.float64)], [torch.tensor([1.0, 1.0, 1.0, 1.01])]
    error = models_part._error(wrong, truth)
    assert error == pytest.approx(0.005, rel=1e-3)
    assert not models_part._good(error, row["sides"]["torch"]["error"])
    assert "WRONG" in table([{**row, "ok": False}])


def test_the_table_compares_the_best_side_with_each_peer() -> None:
    sides = {name: {"ms": ms, "samples": [ms], "first_s": 1.0, "error": 0.0} for name, ms in
             (("torch", 4.0), ("torch_compile", 3.0), ("tilewright", 2.5), ("fused", 2.0))}  # fmt: skip
    row = {"net": "n", "task": "inference", "mode": "graphs", "on": "x", "convolutional": True, "ok": True,
           "shape": [1], "sides": sides}  # fmt: skip
    text = table([row, {"net": "m", "task": "train", "mode": "eager", "failure": "took more than 480 s"}])
    assert "| 2.00x | 1.50x |" in text
    assert "geometric mean 1.50x" in text
    assert "failed: m train eager: took more than 480 s" in text
    assert json.dumps(row)
