"""The CK Tile GEMMs in data/, run on random matrices."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.backends.ck_tile.gemm.launch import GemmArgs
from tilewright.emulator import Memory, Report, kernel_of, launch

DATA = Path(__file__).parent / "data"
ARCHS = ("gfx942", "gfx950", "gfx1100", "gfx1201")
TILE = 128


def text_of(arch: str) -> str:
    return (DATA / f"ck_gemm_fp16_{arch}.s").read_text()


@lru_cache(maxsize=4)
def matrices(m: int, n: int, k: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(7)
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((m, k), (n, k)))
    return a, b, a.astype(np.float64) @ b.astype(np.float64).T


def run_gemm(
    text: str, m: int = 256, n: int = 256, k: int = 128, sanitize: bool = True, step_limit: int = 20_000
) -> tuple[Report, bool]:
    """Return the report and whether the answer is right."""
    a, b, want = matrices(m, n, k)
    kernel = kernel_of(text, "ck_gemm")
    memory = Memory()
    args = GemmArgs(m=m, n=n, k=k, stride_a=k, stride_b=k, stride_out=n, split_k=1)
    args.a, args.b = memory.allocate(a), memory.allocate(b)
    args.out = memory.allocate(np.full((m, n), np.nan, np.float16))
    grid = -(-m // TILE) * -(-n // TILE)
    threads = int(kernel.metadata[".max_flat_workgroup_size"])
    report = launch(kernel, memory, bytes(args), (grid,), (threads,), sanitize=sanitize, step_limit=step_limit)
    got = memory.read(args.out, np.float16, m * n).reshape(m, n).astype(np.float64)
    with np.errstate(all="ignore"):
        return report, bool((np.abs(got - want) <= 1e-3 * np.abs(want) + 2e-3 * np.sqrt(k)).all())
