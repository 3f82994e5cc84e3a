"""Compiled CK Tile GEMMs (data/) give the right answer, and the sanitizer finds nothing in them."""

from __future__ import annotations

import pytest
from ck_gemm import ARCHS, TILE, run_gemm, text_of

from tilewright.emulator import Program, kernel_of


@pytest.mark.parametrize("arch", ARCHS)
def test_the_answer_is_right_and_the_kernel_clean(arch: str) -> None:
    report, right = run_gemm(text_of(arch), 192, 256, 256)  # the last rows of tiles lie beyond the matrix
    assert right
    assert report.clean, str(report)
    assert report.wave_instructions > 5_000


@pytest.mark.parametrize("arch", ["gfx942", "gfx1201"])
def test_the_sanitizer_changes_no_answer(arch: str) -> None:
    report, right = run_gemm(text_of(arch), TILE, TILE, 128, sanitize=False)
    watched, same = run_gemm(text_of(arch), TILE, TILE, 128)
    assert right
    assert same
    assert report.wave_instructions == watched.wave_instructions
    assert not report.sanitized


@pytest.mark.parametrize("arch", ARCHS)
def test_every_instruction_has_semantics(arch: str) -> None:
    assert not Program(kernel_of(text_of(arch), "ck_gemm"), False).unsupported()


def test_a_depth_the_kernel_was_not_built_for_is_wrong() -> None:
    """The check can fail: this instance serves depths with a main loop, and 64 has none."""
    assert not run_gemm(text_of("gfx942"), TILE, TILE, 64)[1]
