"""The model benchmarks run at a tiny size: rows hold every side, are not measured twice, and make a table."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: models are not benchmarked")
sys.path[:0] = [str(Path(__file__).parent.parent / "benchmarks"), str(Path(__file__).parent.parent / "benchmarks/gpu")]
import epilogue_cost
import first_call
import models
import models_part
import squeeze_excite
from json_rows import append_row, latest_rows
from models_table import table

from tilewright.torch import fused


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "rows.jsonl"
    assert models.main(["--quick", "--nets", "bert", "--task", "inference", "--rounds", "2", "--out", str(path)]) == 0
    return path


def test_a_row_has_times_first_calls_and_errors_of_every_side(out: Path) -> None:
    (row,) = latest_rows(out, models.key_of)
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
    (row,) = latest_rows(out, models.key_of)
    truth, wrong = [torch.ones(4, dtype=torch.float64)], [torch.tensor([1.0, 1.0, 1.0, 1.01])]
    error = models_part._error(wrong, truth)
    assert error == pytest.approx(0.005, rel=1e-3)
    assert not models_part._good(error, row["sides"]["torch"]["error"])
    assert "WRONG" in table([{**row, "ok": False}])
    assert "geometric mean" not in table([{**row, "ok": False}])
    nothing = torch.tensor([1.0, float("nan")])
    for some in ([truth[0][:2], nothing], [nothing, truth[0][:2]]):  # in an output, or in a gradient
        assert not models_part._good(models_part._error(some, [truth[0][:2]] * 2), 1.0)
    infinite = models_part._error([nothing], [truth[0][:2]])
    assert not models_part._good(infinite, infinite), "where torch overflows too, nothing is compared"


def test_the_table_compares_the_best_side_with_each_peer() -> None:
    sides = {name: {"ms": ms, "samples": [ms], "first_s": 1.0, "error": 0.0} for name, ms in
             (("torch", 4.0), ("torch_compile", 3.0), ("tilewright", 2.5), ("fused", 2.0))}  # fmt: skip
    row = {"net": "n", "task": "inference", "mode": "graphs", "on": "x", "size": "gpu", "convolutional": True,
           "ok": True, "shape": [1], "sides": sides}  # fmt: skip
    text = table([row, {"net": "m", "task": "train", "mode": "eager", "failure": "took more than 480 s"}])
    assert "| 2.00x | 1.50x |" in text
    assert "geometric mean 1.50x" in text
    assert "failed: m train eager: took more than 480 s" in text
    assert json.dumps(row)


def test_the_better_mode_of_torchs_compiler_counts() -> None:
    def row(mode: str, compiled: float, prepare: dict[str, float]) -> dict[str, Any]:
        sides = {name: {"ms": ms, "samples": [ms], "first_s": 0.25, "warm_up_s": 1.0, "error": 0.0} for name, ms in
                 (("torch", 4.0), ("torch_compile", compiled), ("fused", 2.0))}  # fmt: skip
        return {"net": "n", "task": "inference", "mode": mode, "on": "x", "size": "gpu", "convolutional": True,
                "ok": True, "shape": [1], "sides": sides, "prepare_s": prepare}  # fmt: skip

    text = table([row("graphs", 3.0, {"torch_compile": 30.0}), row("autotune", 2.5, {})])
    assert "1 convolution nets, vs the better of reduce-overhead and max-autotune: geometric mean 1.25x" in text
    assert "| torch_compile 30, fused 1 |" in text  # builds of an earlier process, or warm_up and the first call
    part = models_part.Part("resnet50", "inference", "autotune", "gpu", "cuda")
    assert part.sides == ["torch", "torch_compile", "fused"]


def test_machines_sizes_and_clocks_have_tables_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    sides = {name: {"ms": 1.0, "samples": [ms], "first_s": 1.0, "error": 0.0} for name, ms in
             (("torch", 1.0), ("fused", 0.5))}  # fmt: skip
    row = {"net": "n", "task": "train", "mode": "eager", "size": "cpu", "device": "cpu", "on": "x", "ok": True,
           "convolutional": True, "sides": sides}  # fmt: skip
    for change in ({}, {"on": "y"}, {"clock": "cpu"}, {"size": "quick"}, {"clock": "wall"}):
        append_row({**row, **change}, path)
    text = table(latest_rows(path, models.key_of))
    places = [line.split(" | ")[0] for line in text.splitlines() if line.startswith("| eager")]
    assert places == ["| eager, x", "| eager, y", "| eager, x, CPU time", "| eager, x, tiny nets"]
    assert text.count("geometric mean 2.00x") == 4


def test_a_part_that_takes_too_long_or_ends_early_is_a_row(tmp_path: Path, monkeypatch: Any) -> None:
    """A compiler that it started would hold its pipes open, and was waited for."""
    runner = models.Runner(models.parse(["--device", "cpu"]), str(tmp_path))
    part = models_part.Part("nothing", "inference", "eager", "quick", "cpu")
    row = runner.measure(part, 100.0)
    assert (row["net"], row["failure"]) == ("nothing", "KeyError: 'nothing'")
    assert runner.prepare([part]) == {}
    script = tmp_path / "waits.py"
    script.write_text("import subprocess, time; subprocess.Popen(['sleep', '60']); time.sleep(60)")
    monkeypatch.setattr(models, "__file__", str(script))
    begin = time.monotonic()
    assert runner.measure(part, 1.0)["failure"] == "took too long"
    assert time.monotonic() - begin < 20


def test_only_llama_generates_and_only_eagerly() -> None:
    args = models.parse(["--task", "generate", "--mode", "eager", "graphs", "autotune"])
    assert [(p.net, p.mode) for p in models.parts_of(args)] == [("llama", "eager")]


def test_a_first_call_is_compared_with_the_faster_one_of_torch(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    seconds = iter([2.0, 3.0, 1.5])
    monkeypatch.setattr(first_call, "side_of", lambda *_: {"first_s": next(seconds)})
    out = tmp_path / "rows.jsonl"
    for _ in range(2):  # the second run finds the row
        monkeypatch.setattr(sys, "argv", ["first_call.py", "--nets", "bert", "--out", str(out)])
        first_call.main()
    (row,) = map(json.loads, out.read_text().splitlines())
    assert row["ratio"] == 2.0
    assert json.loads(capsys.readouterr().out) == row


def test_squeeze_and_excite_inside_of_a_net_gives_the_same_both_ways(monkeypatch: Any) -> None:
    monkeypatch.setattr(squeeze_excite, "REPEATS", 1)
    monkeypatch.setattr(squeeze_excite, "ROUNDS", 1)
    before = fused.EACH, torch.nn.functional.scaled_dot_product_attention
    with torch.no_grad():
        row = squeeze_excite.net_row("quick", "cpu")
    assert (fused.EACH, torch.nn.functional.scaled_dot_product_attention) == before
    assert row["difference"] < 1e-4
    assert row["image_eager_ms"] > 0
    assert row["weight_eager_ms"] > 0


@pytest.mark.parametrize("after", list(epilogue_cost.AFTER))
def test_every_way_to_finish_a_linear_layer_gives_the_same(after: str) -> None:
    found = {name: call() for name, call in epilogue_cost.ways(8, 16, 24, after, "cpu", torch.float32).items()}
    for way in ("apart", "fused"):
        torch.testing.assert_close(found[way], found["torch"], rtol=1e-5, atol=1e-5)
    assert (found["product"] - found["torch"]).abs().max() > 0.1
