"""Compiled CK Tile GEMMs (data/) give the right answer, and the sanitizer finds nothing in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from ck_gemm import ARCHS, TILE, run_gemm, text_of
from code_objects import ELF

from tilewright.backends import get_backend_op
from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.gemm import preselected_kernels
from tilewright.backends.ck_tile.gemm.instances import instance_of
from tilewright.backends.ck_tile.inspect import ASSEMBLY, CODE
from tilewright.emulator import Program, kernel_of
from tilewright.jit.arrays import view_of
from tilewright.model.kernel import Candidate, Launch
from tilewright.ops import get_op
from tilewright.plan import make_plan
from tilewright.settings import Settings


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


def test_the_launch_code_of_the_backend(tmp_path: Path) -> None:
    """Tensors, argument bytes, grid and verification are the backend's own."""
    spec = preselected_kernels("fp16_rcr_essential", "gfx942")[1]
    described = {"op": "gemm", "m": 128, "n": 256, "k": 256, "dtype": "fp16", "device": "emu:gfx942"}
    problem = get_op("gemm").problem_from_dict(described)
    (tmp_path / CODE).write_bytes(ELF)
    (tmp_path / ASSEMBLY).write_text(text_of("gfx942"))
    kernel = CkKernels(spec, tmp_path, {instance_of(spec, problem.k, 1).name: "ck_gemm"})
    tensors = get_op("gemm").random_tensors(problem, 0)
    plan = make_plan(problem, Candidate(spec, Launch()), kernel, Settings(sanitize=True))
    plan.bind({role: view_of(t, role) for role, t in tensors.items()})()
    error = get_backend_op("ck_tile", "gemm").product_error(spec)
    verdict = get_op("gemm").verify(problem, tensors, tensors["out"], tier="float64", product_error=error, seed=0)
    assert verdict.ok, (verdict.error, verdict.tolerance)
