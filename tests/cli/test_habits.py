"""Errors for what newcomers try first: one sentence with the fix."""

from __future__ import annotations

import io
import os
import warnings
from pathlib import Path

import numpy as np
import pytest
from run_cli import cli

import tilewright as tw
from tilewright.cli.output import note
from tilewright.errors import TilewrightError
from tilewright.jit import progress

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
