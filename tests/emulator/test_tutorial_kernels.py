"""Triton kernels of the kind that tutorials have, unchanged, through the pytest plugin on five archs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton")

from tutorial_kernels import KERNELS

import tilewright
from tilewright.frontends.pytest_plugin import _check

ARCHS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
# `make test` runs each kernel on one arch, and each arch at least once; `make test-all` runs all.
CASES = [
    pytest.param(name, marks=[pytest.mark.amd(arch), *([] if (n + m) % 5 == 0 else [pytest.mark.exhaustive])],
                 id=f"{name}-{arch}")
    for n, name in enumerate(KERNELS)
    for m, arch in enumerate(ARCHS)
]  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_kernel_is_right_and_clean(amd_gpu: Any, name: str) -> None:
    got, want, tolerance = KERNELS[name](np.random.default_rng(0))
    assert np.abs(got.astype(np.float64) - want).max() <= tolerance
    assert amd_gpu.reports
    assert all(r.clean for r in amd_gpu.reports)
    assert amd_gpu.counts()["stored_bytes" if name != "atomics" else "vector"] > 0


def test_all_kernels_and_archs_are_there() -> None:
    assert len(KERNELS) == 9
    assert len(CASES) == 9 * 5
    quick = [p.id for p in CASES if not any(m.name == "exhaustive" for m in p.marks)]
    assert {i.split("-")[0] for i in quick} == set(KERNELS)
    assert {i.split("-")[1] for i in quick} == set(ARCHS)


SUITE = """
import numpy as np
import pytest
import torch
import triton
import triton.language as tl

@triton.jit
def double(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)

@triton.jit
def beyond(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at))

@pytest.mark.amd("gfx942", "gfx1201")
def test_tensors(amd_gpu):
    x = torch.randn(100).to(torch.bfloat16)
    rows = torch.zeros(2, 100, dtype=torch.bfloat16)
    double[(2,)](x, rows[1], 100, BLOCK=64)
    assert torch.equal(rows, torch.stack([torch.zeros_like(x), 2 * x]))
    assert amd_gpu.arch in ("gfx942", "gfx1201")

@pytest.mark.amd("gfx942")
def test_arrays_that_share_memory():
    x = np.arange(80, dtype=np.int32)
    double[(1,)](x[40:], x[:40], 40, BLOCK=64)
    assert (x[:40] == 2 * np.arange(40, 80)).all()

@pytest.mark.amd("gfx942")
def test_the_sanitizer_watches():
    x = np.zeros(100, np.float32)
    beyond[(1,)](x, np.zeros(100, np.float32), 100, BLOCK=128)

def test_an_unmarked_one(amd_gpu):
    assert amd_gpu is None
"""


def test_the_plugin_in_a_suite_of_another(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (tmp_path / "test_kernels.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-p", "tilewright.frontends.pytest_plugin", "-q", "-rfE",
               "--strict-markers", "-p", "no:cacheprovider", str(tmp_path)]  # fmt: skip
    env = {**os.environ, "PYTHONPATH": str(Path(tilewright.__file__).parent.parent), "TRITON_DISABLE_LINE_INFO": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=tmp_path, check=False)
    assert "4 passed" in done.stdout, done.stdout + done.stderr
    assert "1 failed" in done.stdout
    assert "SanitizerError" in done.stdout
    assert "access outside of every allocation" in done.stdout
    assert "test_kernels.py:16" in done.stdout  # the source line


@pytest.mark.parametrize("mark", [pytest.mark.amd("gfx1"), pytest.mark.amd(), pytest.mark.amd("gfx942", wave=32)])
def test_a_mark_that_names_no_arch(mark: Any) -> None:
    with pytest.raises(pytest.UsageError, match=r"archs of gfx908, .*gfx1201 and sanitize="):
        _check(mark.mark)
