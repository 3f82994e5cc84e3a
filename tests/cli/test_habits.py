"""Errors for what newcomers try first: one sentence with the fix."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from run_cli import cli

import tilewright as tw
from tilewright.errors import TilewrightError

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
