"""The benchmark of compiled nets, without a compiler: what is drawn, what a row holds, and the table."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: models are not benchmarked")
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import compile_draw
import compile_nets
import compile_part
import json_rows


def test_a_seed_draws_the_same_nets() -> None:
    names = compile_draw.drawn(8, 3)
    assert names == compile_draw.drawn(8, 3)
    assert len(set(names)) == len(names)
    assert all(name.split("/")[0] in ("vision", "transformers") for name in names)


FROM_TWO = {"roberta", "xlm-roberta", "camembert", "mpnet"}  # their positions begin at 2


def test_texts_have_a_position_for_each_token() -> None:
    pytest.importorskip("transformers", reason="transformers is not installed: its configurations are not read")
    tokens = compile_draw.SHAPES["cuda"]["text"][1]
    for name in compile_draw.TEXTS:
        positions = getattr(compile_draw.config_of(name), "max_position_embeddings", 2 * tokens)
        assert positions >= tokens + 2 or (positions == tokens and name not in FROM_TWO), name


@pytest.mark.parametrize("task", compile_nets.TASKS)
def test_a_row_has_times_errors_and_ratios(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_part, "_compiled", lambda model, side: model)
    args = compile_nets.parse(["--device", "cpu", "--nets", "resnet50", "--draw", "0", "--size", "quick"])
    part = next(part for part in compile_nets.parts_of(args) if part["task"] == task)
    row: dict[str, Any] = dict(part)
    for found in compile_part.compiled_and_timed(part, 2, torch.get_num_threads()):
        row |= found
    assert set(row["ratios"]) == {"ours", "ours_tuned"}
    assert all(row["ok"].values())
    text = compile_nets.table([row])
    assert f"{task}, ours against torch: median" in text
    assert "own/resnet50" in text
    assert "WRONG" not in text


def test_a_median_is_of_right_results_of_one_machine() -> None:
    def row(net: str, on: str, ratio: float, ok: bool = True) -> dict[str, Any]:
        return {"net": net, "task": "train", "on": on, "dtype": "fp16", "size": "gpu",
                "ok": {"torch": True, "ours": ok}, "sides_ms": {"torch": 1.0, "ours": 1.0 / ratio},
                "ratios": {"ours": ratio}, "errors": {"torch": 0.0, "ours": 0.0}}  # fmt: skip

    rows = [row("a", "H200", 9.0), row("a", "H200", 1.5), row("b", "H200", 50.0, ok=False), row("a", "cpu", 0.5)]
    text = compile_nets.table(rows)
    assert "train, ours against torch: median 1.500 (bar 1.05), least 1.500, 1 nets, 1 wrong  (H200, fp16, gpu)" in text
    assert "train, ours against torch: median 0.500 (bar 1.05), least 0.500, 1 nets  (cpu, fp16, gpu)" in text
    assert " 9.000 " not in text, "the last row of a net counts"


def test_rows_of_several_threads_and_of_a_killed_run_stay_whole(tmp_path: Path) -> None:
    path, long = tmp_path / "rows.jsonl", "x" * 30_000
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda i: json_rows.append_row({"number": i, "long": long}, path), range(120)))
    assert sorted(row["number"] for row in json_rows.whole_rows(path)) == [*range(120)]
    path.write_text(path.read_text()[:-100])
    json_rows.append_row({"number": 120}, path)
    assert [row["number"] for row in json_rows.whole_rows(path)][-1] == 120
    assert len(json_rows.whole_rows(path)) == 120


def test_rows_of_machines_and_thread_counts_stay_apart(tmp_path: Path) -> None:
    """Those of two threads were skipped as known after those of one, and the table showed only the last of both."""
    path, one, two = tmp_path / "rows.jsonl", "cpu, 1 threads", "cpu, 2 threads"
    rows = [{"net": "a", "failure": "no"}, {"net": "a", "on": one, "ms": 9}, {"net": "a", "on": two, "ms": 2},
            {"net": "a", "on": one, "ms": 1}, {"net": "b", "failure": "no"}]  # fmt: skip
    for row in rows:
        json_rows.append_row(row, path)
    assert sorted(str(row) for row in json_rows.latest_rows(path, key_of)) == sorted(map(str, rows[2:]))
    assert [json_rows.known_parts(path, key_of, on) for on in (one, "cpu, 4 threads", None)] == [{"a"}, set(), {"a"}]


def key_of(row: dict[str, Any]) -> str:
    return str(row["net"])


def test_no_third_side_is_compiled_after_enough_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_part, "_compiled", lambda model, side: model)
    args = compile_nets.parse(["--device", "cpu", "--nets", "bert", "--draw", "0", "--size", "quick"])
    _, timed = compile_part.compiled_and_timed(compile_nets.parts_of(args)[0], 1, torch.get_num_threads(), enough=0.0)
    assert list(timed["sides_ms"]) == ["torch", "ours"]


def test_processes_compile_together_and_a_failure_is_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No compiler runs: the net is unknown. A row with a failure is measured again in the next run."""
    out = tmp_path / "rows.jsonl"
    arguments = ["--device", "cpu", "--nets", "nothing", "--draw", "0", "--tasks", "inference", "--out", str(out)]
    assert compile_nets.main(arguments) == 0
    assert "failed: own/nothing inference: KeyError" in capsys.readouterr().out
    assert "failure" in json_rows.latest_rows(out, compile_nets.key_of)[0]
    assert json_rows.known_parts(out, compile_nets.key_of, None) == set()


def test_cores_are_those_that_this_process_may_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the first thread of a core belongs to somebody else."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {1, 3, 5, 7})
    siblings = {1: "0-1", 3: "2-3", 5: "5,7", 7: "5,7"}
    for cpu, text in siblings.items():
        path = tmp_path / f"cpu{cpu}" / "topology"
        path.mkdir(parents=True)
        (path / "thread_siblings_list").write_text(text)
    monkeypatch.setattr(compile_nets, "CPUS", tmp_path)
    assert compile_nets.core_sets(1, 3) == [[1], [3], [5]]


def test_a_run_that_is_stopped_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers have sessions of their own, so that Ctrl-C reaches only the benchmark."""
    started: list[compile_nets.Worker] = []

    class Waiting(compile_nets.Worker):
        def __init__(self, *_: Any) -> None:
            super().__init__({}, [sys.executable, "-c", "import time; time.sleep(60)"], tmp_path / "log", {})
            started.append(self)

        def answer(self, seconds: float) -> dict[str, Any]:
            raise KeyboardInterrupt

    monkeypatch.setattr(compile_nets, "Worker", Waiting)
    args = compile_nets.parse(["--device", "cpu", "--out", str(tmp_path / "rows.jsonl")])
    with pytest.raises(KeyboardInterrupt):
        list(compile_nets.Runner(args).run([{"net": "a", "task": "train"}]))
    assert [worker._process.returncode for worker in started] == [-9]


def test_nets_that_compile_together_have_cores_of_their_own() -> None:
    assert compile_nets.core_sets(2, 1) == [()]
    cores = len(os.sched_getaffinity(0))
    with pytest.raises(SystemExit, match="cores for 1 threads each"):
        compile_nets.core_sets(1, cores + 1)
