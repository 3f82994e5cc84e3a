"""tune, train, evaluate, data and ledger: for people as tables, for programs as JSON."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import typer
from measurements import some_rows
from run_cli import P, Ran, cli

from tilewright.cli.evaluate import TREES
from tilewright.cli.tune import show
from tilewright.store import Store, read_rows, write_rows
from tilewright.tune.learn.session import Outcome
from tilewright.tune.learn.train import TrainOptions
from tilewright.tune.measure.sweep import SweepReport

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILEWRIGHT_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def rows_file(tmp_path: Path) -> str:
    path = tmp_path / "rows.jsonl.gz"
    write_rows(some_rows(25, problems=40, noise=0.02), path)
    return str(path)


def test_tune_measures_verifies_and_goes_on_where_it_was(capfd: Capture, own: Path) -> None:
    options = ("--threads", "1", "--kernels", "3", "--top", "2", "--explore", "2", "--rounds", "2", "--no-train")
    ran = cli(capfd, "tune", P, *options, "--json")
    assert ran.status == 0, ran.err
    found = ran.json
    assert found["problems"] == 1
    assert found["statuses"] == {"ok": found["measurements"]}
    assert found["measurements"] >= 2
    assert cli(capfd, "tune", P, *options, "--json").json["measurements"] == 0
    again = cli(capfd, "tune", P, *options, "--refresh", "--json").json
    assert again["measurements"] == found["measurements"]
    (learnt,) = cli(capfd, "tune", P, *options[:-1], "--json").json["learnt"]
    assert "too few to learn from" in learnt["note"]
    assert learnt["note"].endswith("What was measured is used without a model.")
    shown = cli(capfd, "data", "show")
    assert "float64" in shown.out
    assert "now" in shown.out
    best = cli(capfd, "explain", P, "--selector", "measured", "--threads", "1", "--json").json["ranked"][0]
    assert best["reason"].startswith("measured: ")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("tune", P, "--budget", "soon"), "60s, 10m or 2h"),
        (("tune", "--op", "nothing"), "unknown op"),
        (("evaluate", "--among", "friends"), "registry or measured"),
        (("data", "merge", "absent.parquet"), "does not exist"),
        (("data", "show", "--status", "fine"), "crash"),
        (("data", "export", "rows.xls"), ".parquet"),
    ],
)
def test_mistakes_are_told(capfd: Capture, own: Path, arguments: tuple[str, ...], complaint: str) -> None:
    ran = cli(capfd, *arguments)
    assert ran.status == 1
    assert complaint in ran.err


def test_nothing_measured_is_an_error_with_a_remedy(capfd: Capture, own: Path) -> None:
    ran = cli(capfd, "train")
    assert ran.status == 1
    assert "tilewright tune" in ran.err


def test_problems_that_were_not_reached_are_counted(capfd: Capture, own: Path) -> None:
    other = P.replace('"rrr"', '"ccr"').replace("fp32", "int8")
    ran = cli(capfd, "tune", P, other, "--threads", "1", "--kernels", "1", "--top", "1", "--explore", "0", "--no-train")
    assert ran.status == 0, ran.err
    assert "1 of 2 problems; run it again with a larger --budget or more --kernels" in ran.err


def test_a_budget_too_short_to_measure_is_an_error(capfd: Capture, own: Path) -> None:
    ran = cli(capfd, "tune", P, "--threads", "1", "--kernels", "1", "--budget", "1s")
    assert ran.status == 1
    for part in (
        "a budget of 1 s ran out before anything was measured",
        "2.0 s are reserved",
        "give a larger --budget",
    ):
        assert part in ran.err
    assert "0 measurements" not in ran.out


def test_kernels_that_cannot_be_built_are_an_error(
    capfd: Capture, own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    compiler = tmp_path / "g++"  # says who it is, and compiles nothing
    compiler.write_text('#!/bin/sh\n[ $# -le 2 ] && exec g++ "$@"\necho no room >&2; exit 1\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("TILEWRIGHT_CXX", str(compiler))
    ran = cli(capfd, "tune", P, "--threads", "1", "--kernels", "2", "--budget", "30s")
    assert ran.status == 1
    assert "none of 2 kernels could be built" in ran.err


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_train_and_evaluate(capfd: Capture, own: Path, rows_file: str, tmp_path: Path) -> None:
    pytest.importorskip("lightgbm", reason="the extra 'tune' is not installed")
    trained = cli(capfd, "train", rows_file, "--trees", "30", "--json").json
    assert trained[0]["model"] == "gemm_fp32-cpu-x86_64_v4"
    assert Path(trained[0]["file"]).parent == own / "models"
    assert "cross-validation" in cli(capfd, "train", rows_file, "--trees", "30", "--warm").out
    judged = cli(capfd, "evaluate", rows_file, "--among", "measured", "--json")
    [found] = judged.json
    assert set(found["scores"]) == {"first_fit", "rules", "analytical", "nearest", "learned"}
    assert found["gain"]["mean"] > 0.02
    assert found["gain"]["low"] > 0
    pytest.importorskip("matplotlib", reason="the extra 'report' is not installed")
    table = cli(capfd, "evaluate", rows_file, "--among", "measured", "--plots", str(tmp_path / "plots"))
    for word in ("learned over analytical", "regret", "top 8 P10", "layout"):
        assert word in table.out
    assert (tmp_path / "plots" / "gemm_fp32-cpu-x86_64_v4.png").exists()


def test_problems_whose_samples_do_not_agree_judge_nobody(capfd: Capture, own: Path, tmp_path: Path) -> None:
    rows = some_rows(6, problems=40)
    problems = sorted({row.tuning_key for row in rows})
    candidates = sorted({row.candidate for row in rows})
    turns = [(1.0, 9.0, 1.0, 9.0), (9.0, 1.0, 9.0, 1.0)]  # two ways round: a half prefers other candidates

    def wild(share: float) -> str:
        path = tmp_path / f"wild_{share}.jsonl"
        some = set(problems[: round(share * len(problems))])
        write_rows(
            (
                replace(row, samples=turns[candidates.index(row.candidate) % 2]) if row.tuning_key in some else row
                for row in rows
            ),
            path,
        )
        return str(path)

    def judged(share: float, steady: str) -> Ran:
        return cli(capfd, "evaluate", wild(share), "--among", "measured", "--as-is", "--steady", steady, "--json")

    [everything] = judged(0.5, "0").json
    [found] = judged(0.5, "0.95").json
    assert everything["unsteady"] == 0
    assert found["unsteady"] > 0
    count = everything["scores"]["learned"]["problems"]
    assert found["scores"]["learned"]["problems"] == count - found["unsteady"]
    nobody = judged(1.0, "0.95")
    assert nobody.status == 1
    assert "0 of them steady" in nobody.out


def test_data_travels(capfd: Capture, own: Path, rows_file: str, tmp_path: Path) -> None:
    count = len(list(read_rows(rows_file)))
    assert f"{count} new" in cli(capfd, "data", "merge", rows_file).out
    merged = cli(capfd, "data", "merge", rows_file, "--json").json
    assert merged == {rows_file: {"new": 0, "known": count, "false": 0, "reasons": []}}
    out = str(tmp_path / "all.jsonl")
    assert f"{count} measurements written" in cli(capfd, "data", "export", out, "--op", "gemm").out
    shown = cli(capfd, "data", "show", out, "--limit", "3", "--json").json
    assert shown["rows"] == count
    assert len(shown["latest"]) == 3
    assert shown["latest"][0]["build"] == "stale"


def test_the_ledger(capfd: Capture, own: Path) -> None:
    command = [sys.executable, "-m", "tilewright", "explain", P, "--selector", "chain"]
    subprocess.run(command, capture_output=True, check=True)  # the ledger is written when the process ends
    assert "gemm 48x40x32" in cli(capfd, "ledger").out
    [entry] = cli(capfd, "ledger", "--json").json
    assert entry["weight"] > 0
    [line] = cli(capfd, "ledger", "--problems").out.splitlines()
    assert json.loads(line)["m"] == 48
    assert "1 entries removed" in cli(capfd, "ledger", "--clear").out
    with Store(own / "measurements.sqlite") as store:
        assert store.missed() == []


def test_commands_train_as_many_trees_as_the_trainer_does() -> None:
    assert TrainOptions().trees == TREES


def test_what_is_left_out_is_said_and_an_error_stands_alone(capfd: Capture, own: Path, tmp_path: Path) -> None:
    file = tmp_path / "cut.jsonl"
    write_rows(some_rows(2), file)
    whole = file.read_text().splitlines(keepends=True)
    file.write_text(whole[0] + whole[1][:100])
    ran = cli(capfd, "data", "merge", str(file), "--json")
    assert ran.json[str(file)]["new"] == 1
    assert "note: " in ran.err
    assert "line 2 is truncated" in ran.err
    file.write_text(whole[1][:100] + "\n")
    ran = cli(capfd, "data", "merge", str(file))
    assert ran.status == 1
    assert ran.err.startswith("tilewright: ")
    assert "note" not in ran.err


ODD = [
    {"problem": {"m": 1}}, {"problem": {"op": ["gemm"]}}, {"problem": {"op": "gemm", "m": -1}},
    {"problem": {"op": "new"}},
    {"spec": {}}, {"spec": {"arch": ["x"], "backend": {"y": 1}}}, {"launch": {"threads": "x"}}, {"launch": {"new": 1}},
    {"launch": {"threads": [1]}}, {"device": {}}, {"device": {"name": ["x"]}}, {"samples": []},
    {"host": "\x1b[31m", "tier": "<script>", "message": "\x07\n"},
]  # fmt: skip


def test_rows_that_this_version_cannot_read_are_shown_as_they_are(capfd: Capture, own: Path, tmp_path: Path) -> None:
    good, *others = some_rows(1, problems=len(ODD) + 1)
    file, page = tmp_path / "odd.jsonl", tmp_path / "page.html"
    lines = [{**other.to_dict(), **change} for other, change in zip(others, ODD, strict=True)]
    lines = [good.to_dict(), *lines, {"rows": len(lines) + 1}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert cli(capfd, "data", "merge", str(file)).status == 0
    for source in ((), (str(file),)):
        shown = cli(capfd, "data", "show", *source, "--limit", "99")
        assert shown.status == 0, shown.err
        assert len(shown.out.splitlines()) > len(lines)
        assert "\x1b" not in shown.out
        assert cli(capfd, "data", "show", *source, "--json").json["rows"] == len(lines) - 1
        report = cli(capfd, "report", *source, "--explain", "0", "--out", str(page))
        assert report.status == 0, report.err
    assert "not used" in report.err


@pytest.mark.parametrize(
    ("sweep", "kernels", "failed_builds", "failed"),
    [
        (SweepReport(measurements=3, statuses=Counter(ok=1, wrong=2)), 2, [], False),
        (SweepReport(skipped=3), 2, ["a: no"], False),
        (SweepReport(measurements=3, statuses=Counter(oom=1, wrong=2)), 2, [], True),
        (SweepReport(), 0, ["a: no"], True),
        (SweepReport(measurements=3, statuses=Counter(ok=3), lost=["gpu 1: gone"]), 2, [], False),
        (SweepReport(measurements=3, statuses=Counter(ok=3), lost=["cpu: gone"], unfinished=4), 2, [], True),
        (SweepReport(measurements=3, statuses=Counter(ok=3), unfinished=4), 2, [], False),
    ],
)
def test_a_tuning_without_a_right_kernel_or_a_station_has_failed(
    sweep: SweepReport, kernels: int, failed_builds: list[str], failed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = Outcome(sweep, [], kernels, failed_builds, [], 1.0)
    with pytest.raises(typer.Exit) if failed else contextlib.nullcontext():
        show(outcome, as_json=True)
    assert json.loads(capsys.readouterr().out)["measurements"] == sweep.measurements
