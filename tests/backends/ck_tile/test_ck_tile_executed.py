"""Kernels from their source to their answer: compiled for AMD GPUs, executed in the emulator with its sanitizer."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from amd_toolchain import REAL, needs_toolchain

from tilewright.backends.ck_tile.call import CkKernels
from tilewright.backends.ck_tile.toolchain import find_toolchain
from tilewright.backends.gpu.kernel_counts import counts_from_row, counts_of, short_row
from tilewright.tune.verify.execute import Executed, Outcome

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "ck_tile"))
from ck_tile_executed import Batch, Wanted, ck_kernels, execute_ck, keep_text

# Each is half a minute or more in the compiler. Other tests execute compiled products and attention that are kept as
# assembly; convolutions also need CK's host code, so one is always built.
CASES = [
    ("conv", "gfx1201"),
    pytest.param("gemm", "gfx942", marks=pytest.mark.exhaustive),
    pytest.param("fmha", "gfx90a", marks=pytest.mark.exhaustive),
    pytest.param("gemm", "gfx1201", marks=pytest.mark.exhaustive),
    pytest.param("conv", "gfx942", marks=pytest.mark.exhaustive),
]


@needs_toolchain
@pytest.mark.xdist_group("amd_compile")
@pytest.mark.parametrize(("op", "arch"), CASES)
def test_a_compiled_kernel_is_right_and_clean(op: str, arch: str) -> None:
    usual = {"gemm": {}, "conv": {"dtype_input": "fp16"}, "fmha": {"family": "fwd"}}[op]
    spec = next(s for s in ck_kernels(arch, op)[0] if usual.items() <= vars(s.signature).items())
    batch, want = Batch("ck_tile", (spec,), frozenset()), Wanted(frozenset(), frozenset())
    counts, row = execute_ck(batch, REAL, find_toolchain(REAL), True, want)
    shipped = counts_of(spec)
    assert counts["loop"]["multiply_adds"] > 0
    assert shipped is None or shipped == counts_from_row(short_row(counts))  # what ships is what this compiler makes
    assert row["compiled"] == "ok", row
    assert row["executed"] == "right", row["why"]
    assert [run["state"] for run in row["runs"]] == ["right"] * len(row["runs"])
    assert not any(run.get("findings") for run in row["runs"])


def test_the_folder_of_kernels_that_are_not_right_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CK_TILE_KEEP", str(tmp_path / "new" / "keep"))
    (tmp_path / "kernel.s").write_text("; assembly")
    spec = ck_kernels("gfx942", "gemm")[0][0]
    keep_text(CkKernels(spec, tmp_path, {}), Executed((Outcome("tails", "gemm", "-", "wrong", 1.0, 0.1),)))
    assert [p.name for p in (tmp_path / "new" / "keep").iterdir()] == [f"{spec.digest[:8]}.tar.gz"]
