"""The benchmark of patched nets on a tiny net: what is drawn, what a row holds, and the table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: models are not benchmarked")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import compile_draw
import json_rows
import patch_nets
import patch_part


def test_no_net_of_the_benchmarks_is_drawn() -> None:
    names = compile_draw.drawn(20, 37, without=patch_nets.OWN)
    assert names == compile_draw.drawn(20, 37, without=patch_nets.OWN)
    assert not set(names) & set(patch_nets.OWN)
    every = {f"transformers/{name}" for name in (*compile_draw.IMAGES, *compile_draw.TEXTS)}
    assert {name for name in patch_nets.OWN if name.startswith("transformers/")} <= every


def _tiny(name: str, device: str, dtype: Any, shapes: Any) -> tuple[Any, Any]:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
    return net.to(device, dtype), torch.randn(4, 8, dtype=dtype)


def test_a_row_has_times_errors_and_ratios_of_each_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch_part, "made", _tiny)
    replaced = torch.nn.functional.scaled_dot_product_attention
    args = patch_nets.parse(["--device", "cpu", "--draw", "0", "--nets", "vision/tiny", "--settle-s", "0.1"])
    [part] = patch_nets.parts_of(args, set())
    rows = list(patch_part.rows(part, 2, torch.get_num_threads()))
    assert torch.nn.functional.scaled_dot_product_attention is replaced
    assert all(row["events"]["build-failed"] == 0 for row in rows)
    assert all(seconds > 0 for row in rows for seconds in row["first_s"].values() if seconds is not None)
    assert [(row["task"], set(row["ratios"])) for row in rows] == [
        ("inference", {"patch", "fused"}),
        ("train", {"patch"}),
    ]
    assert all(all(row["ok"].values()) for row in rows)
    common = {name: part[name] for name in ("net", "device", "dtype", "sides")}
    text = patch_nets.table([{**common, **row} for row in rows])
    assert "inference, fused against torch: median" in text
    assert "train, patch against torch: median" in text
    assert "WRONG" not in text
    json.dumps(rows)


def test_a_net_that_fails_is_a_row_and_known_rows_are_left_out(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "rows.jsonl"
    arguments = ["--device", "cpu", "--draw", "0", "--nets", "transformers/nothing", "--out", str(out)]
    assert patch_nets.main(arguments) == 0
    assert "failed: transformers/nothing train: ValueError" in capsys.readouterr().out
    rows = json_rows.latest_rows(out, patch_nets.key_of)
    known = {patch_nets.key_of(rows[0])}
    assert [part["tasks"] for part in patch_nets.parts_of(patch_nets.parse(arguments), known)] == [["train"]]


def test_a_build_that_fails_is_an_error(tmp_path: Path, capsys: Any) -> None:
    arguments = [
        "--device",
        "cpu",
        "--draw",
        "0",
        "--nets",
        "transformers/nothing",
        "--out",
        str(tmp_path / "rows.jsonl"),
    ]
    assert patch_nets.main([*arguments, "--build-only"]) == 1
    assert "'failure': 'ValueError" in capsys.readouterr().err
