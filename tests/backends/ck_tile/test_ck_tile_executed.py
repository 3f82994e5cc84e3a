"""Kernels from their source to their answer: compiled for AMD GPUs, executed in the emulator with its sanitizer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from amd_toolchain import REAL, needs_toolchain

from tilewright.backends.ck_tile.toolchain import find_toolchain

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "ck_tile"))
from ck_tile_executed import ck_kernels, execute_ck

CASES = [
    ("gemm", "gfx942"),
    ("fmha", "gfx90a"),
    pytest.param("gemm", "gfx1201", marks=pytest.mark.exhaustive),  # each is half a minute or more in the compiler
    pytest.param("conv", "gfx942", marks=pytest.mark.exhaustive),
]


@needs_toolchain
@pytest.mark.xdist_group("amd_compile")
@pytest.mark.parametrize(("op", "arch"), CASES)
def test_a_compiled_kernel_is_right_and_clean(op: str, arch: str) -> None:
    spec = next(s for s in ck_kernels(arch, op)[0] if op != "fmha" or s.signature.family == "fwd")
    (row,) = execute_ck([spec], frozenset(), REAL, find_toolchain(REAL), main_only=True)
    assert row["compiled"] == "ok", row
    assert row["executed"] == "right", row["why"]
    assert [run["state"] for run in row["runs"]] == ["right"] * len(row["runs"])
    assert not any(run.get("findings") for run in row["runs"])
