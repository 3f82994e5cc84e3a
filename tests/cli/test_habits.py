"""Errors for what newcomers try first: one sentence with the fix."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from built_helpers import with_helpers
from run_cli import P, cli

import tilewright as tw
from tilewright.cli.app import run
from tilewright.cli.output import note
from tilewright.cli.problems import read_problems
from tilewright.errors import ProblemError, TilewrightError
from tilewright.jit import Cache, progress
from tilewright.settings import Settings
from tilewright.store import write_rows

SQUARE = np.ones((4, 4))
IMAGE = np.ones((1, 4, 8, 8))
HEADS = np.ones((1, 4, 2, 32))


@pytest.mark.parametrize(
    "call",
    [
        lambda: tw.gemm(SQUARE, SQUARE),
        lambda: tw.conv(IMAGE, np.ones((4, 4, 3, 3))),
        lambda: tw.attention(HEADS, HEADS, HEADS),
    ],
    ids=["gemm", "conv", "attention"],
)
def test_float64_names_the_conversion(call: object) -> None:
    with pytest.raises(TilewrightError, match=r"array\.astype\(np\.float32\)") as caught:
        call()  # type: ignore[operator]
    assert len(str(caught.value)) < 450


def test_gelu_names_both_forms() -> None:
    a = SQUARE.astype(np.float32)
    with pytest.raises(TilewrightError, match="'gelu_erf' or 'gelu_tanh'"):
        tw.gemm(a, a, activation="gelu")


def test_a_bad_line_of_a_bundle_names_file_and_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text('{"op":"gemm","m":4,"n":4,"k":4,"dtype":"fp32"}\n{"op":"gemm","m":-4,"n":4,"k":4,"dtype":"fp32"}\n')
    done = cli(capfd, "bundle", "--problems", str(path), "--out", str(tmp_path / "out"))
    assert done.status != 0
    assert f"{path}, line 2" in done.err


def test_tensors_of_torch_order_are_suspected() -> None:
    q = np.zeros((1, 2, 256, 16), np.float32)
    with pytest.warns(UserWarning, match='layout="bhsd"'):
        tw.attention(q, q, q)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tw.attention(q, q, q, layout="bhsd")


def test_a_name_of_another_thing_is_not_suggested(capfd: pytest.CaptureFixture[str]) -> None:
    problem = '{"op":"gemm","m":4,"n":4,"k":4,"dtype":"fp32"}'
    for words in (("--backend", "cuda"), ("--selector", "best")):
        done = cli(capfd, "select", problem, *words)
        assert "Known: " in done.err
        assert "did you mean" not in done.err


def test_a_bad_size_is_refused_before_anything_is_built(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    problem = '{"op":"gemm","m":4,"n":4,"k":4,"dtype":"fp32"}'
    done = cli(capfd, "bundle", problem, "--max-size", "lots", "--out", str(tmp_path / "out"))
    assert "--max-size is 'lots'" in done.err
    assert "kernels:" not in done.err


def test_a_problem_file_is_no_file_of_measurements(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "problems.jsonl"
    path.write_text('{"op":"gemm","m":4,"n":4,"k":4,"dtype":"fp32"}\n')
    done = cli(capfd, "data", "show", str(path))
    assert "line 1: no measurement" in done.err
    assert "tilewright data export" in done.err
    assert "does not exist" in cli(capfd, "data", "show", str(tmp_path / "none")).err


def test_doctor_says_which_gpus_are_here(capfd: pytest.CaptureFixture[str]) -> None:
    found = {f["what"]: f for f in cli(capfd, "doctor", "--json").json["findings"]}
    for kind in ("NVIDIA GPU", "AMD GPU"):
        assert found[kind]["state"] in ("ok", "missing")
        assert found[kind]["found"]


def test_notes_keep_words_whole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((40, 20)))
    name = "gemm_cpu_rrr_add-d1_gelu-tanh_tiled_12x8"
    note(f"run pip download --no-deps --only-binary=:all: for {name}")
    lines = capsys.readouterr().err.splitlines()
    assert name in lines
    assert any("--only-binary=:all:" in line for line in lines)
    assert max(map(len, lines)) <= 40


ODD = '{"op":"gemm","m":299,"n":263,"k":250,"dtype":"fp32"}'


@pytest.mark.parametrize("arguments", [("explain", ODD, "--limit", "2"), ("report", "--out"), ("data", "union")])
def test_no_line_is_wider_than_the_terminal(
    arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if arguments[0] == "report":
        arguments = (*arguments, str(tmp_path / "a_page_with_a_name.html"))
    if arguments[0] == "data":
        pytest.importorskip("pyarrow")
        rows = str(tmp_path / "rows.parquet")
        write_rows([], rows)
        arguments = (*arguments, rows, "--out", str(tmp_path / "rows_of_all_machines.parquet"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert run(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    wide = [line for line in lines if len(line) > 80 and " " in line.strip()]
    assert lines
    assert not wide


def test_the_way_to_hide_notes_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(progress._Builds, "hinted", False)
    progress._write(stream, "one")
    progress._write(stream, "two")
    assert stream.getvalue().count("TILEWRIGHT_QUIET") == 1


def test_names_of_other_libraries_are_answered() -> None:
    with pytest.raises(AttributeError, match="did you mean 'gemm'"):
        tw.matmul  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean 'conv'"):
        tw.conv2d  # noqa: B018
    assert not hasattr(tw, "__wrapped__")


def test_images_with_channels_last_and_names_of_paddings() -> None:
    image, weight = np.ones((1, 8, 8, 3), np.float32), np.ones((4, 3, 3, 3), np.float32)
    with pytest.raises(TilewrightError, match=r"c is 8 by input, 3 by weight.*images are \(n, c, spatial"):
        tw.conv(image, weight)
    with pytest.raises(TilewrightError, match="padding is 'same'; it must be numbers"):
        tw.conv(image.transpose(0, 3, 1, 2), weight, padding="same")


def test_torch_layers_speak_of_their_own_shapes() -> None:
    torch = pytest.importorskip("torch")
    import tilewright.torch as tt

    with pytest.raises(TilewrightError, match=r"x has shape \(2, 8\), the weight \(4, 9\).*out_features"):
        tt.linear(torch.ones(2, 8), torch.ones(4, 9))
    with pytest.raises(AttributeError, match="did you mean 'conv'"):
        tt.conv2d  # type: ignore[attr-defined]  # noqa: B018


def test_what_a_notebook_shows_is_short() -> None:
    problem = tw.problem_from_dict({"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"})
    dispatcher = tw.Dispatcher()
    explanation = dispatcher.explain(problem)
    assert len(repr(explanation)) < 1500
    assert explanation.text(1).startswith("gemm 64x64x64 fp32_rcr on ")
    assert len(explanation.text(1).splitlines()) == 2
    assert repr(dispatcher.plan(problem)).startswith("<Plan of gemm 64x64x64 fp32_rcr: by gemm_")


def test_json_is_one_document_whatever_is_asked(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TILEWRIGHT_DATA_DIR", str(tmp_path))
    assert cli(capfd, "ledger", "--clear", "--json").json == {"removed": 0}
    ran = cli(capfd, "report", "--out", "-", "--json")
    assert (ran.status, ran.out) == (1, "")
    assert "name a file" in ran.err
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(with_helpers(tmp_path / "cache")))  # others build this kernel too
    built = cli(capfd, "build", P, "--json").json["kernels"][0]
    monkeypatch.setenv("TILEWRIGHT_SHARED_CACHE", str(Cache.from_settings(Settings.from_env()).root))  # it is there too
    assert [r["name"] for r in cli(capfd, "show", built["kernel"], "--json").json] == 2 * [built["kernel"]]


def test_an_old_locale_gets_pages_in_utf_8(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("what was there")
    old = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
    env = {**os.environ, **old, "TILEWRIGHT_DATA_DIR": str(tmp_path), "TILEWRIGHT_CACHE_DIR": str(tmp_path)}
    program = "import sys; from tilewright.cli.app import run; sys.exit(max(run([*sys.argv[1:], o]) for o in "
    program += f"({str(page)!r}, '-')))"
    command = [sys.executable, "-c", program, "report", "--title", "größer", "--out"]
    shown = subprocess.run(command, env=env, check=True, capture_output=True)
    assert shown.stdout.decode("utf-8").count("<h1>größer</h1>") == 1
    assert "<h1>größer</h1>" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", [P, f"{P}\r\n{P}\r\n", f"\ufeff{P}\n", f"\n\n{P}"])
def test_problem_files_of_other_systems_are_read(text: str, tmp_path: Path) -> None:
    file = tmp_path / "prö blems.jsonl"
    file.write_bytes(text.encode())
    assert {p.label() for p in read_problems([str(file)])} == {"gemm 48x40x32 fp32_rrr"}


@pytest.mark.parametrize("text", [P.replace(",", ",\n"), "op,m,n,k\ngemm,1,2,3\n", "# a comment\n"])
def test_a_file_that_is_no_json_lines_gets_the_remedy(text: str, tmp_path: Path) -> None:
    file = tmp_path / "problems.json"
    file.write_text(text)
    with pytest.raises(ProblemError, match=r"line 1.*one JSON object on one line"):
        read_problems([str(file)])
