"""The skinny kernels of this machine: every number of rows, ragged sizes, and memory around B that must not count."""

from __future__ import annotations

import numpy as np
import pytest
from gemm_cases import OP, problem, run_with
from host_cpu_kernels import ARCH, HOST

from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.dispatcher import Dispatcher

ROWS = (1, 2, 3, 4, 5, 7, 8, 11, 12, 13, 16)


def kernels(layout: str) -> list[CpuGemm]:
    """Return one skinny kernel of the default sets for each number of rows, with the least and with the largest kc."""
    legal = [r.candidate.spec.algorithm for r in Dispatcher().explain(problem(4, 96, 96, layout=layout)).ranked]
    found: dict[tuple[int, bool], CpuGemm] = {}
    for a in sorted((a for a in legal if a.pipeline == "skinny"), key=lambda a: (a.kc, a.nr)):
        found.setdefault((a.mr, False), a)
        found[a.mr, True] = a
    return list(dict.fromkeys(found.values()))


CASES = [(layout, a) for layout in ("rrr", "rcr") for a in kernels(layout)]


@pytest.mark.parametrize(("layout", "algorithm"), CASES, ids=lambda v: v if isinstance(v, str) else v.label())
def test_rows_and_ragged_sizes(layout: str, algorithm: CpuGemm) -> None:
    for m in ROWS:
        n, k = 2 * algorithm.nr + HOST.lanes + m % 3, 2 * min(algorithm.kc, 64) + 1 + m % 7
        plain = problem(m, n, k, layout=layout)
        tensors = OP.random_tensors(plain, seed=m)
        around = np.full((n + 9, k + 9) if layout[1] == "c" else (k + 9, n + 9), np.nan, np.float32)
        inside = around.T[4 : 4 + k, 4 : 4 + n] if layout[1] == "c" else around[4 : 4 + k, 4 : 4 + n]
        inside[...] = tensors["b"]
        p = problem(m, n, k, layout=layout, strides={"b": [s // 4 for s in inside.strides]})
        out = run_with(p, {**tensors, "b": inside}, algorithm, ARCH)
        OP.verify(plain, tensors, run_with(plain, tensors, algorithm, ARCH)).require("rows that follow each other")
        OP.verify(plain, tensors, out).require(f"{p.label()} by {algorithm.label()}")


@pytest.mark.parametrize("algorithm", kernels("rrr"), ids=lambda a: a.label())
def test_other_strides_and_an_epilogue(algorithm: CpuGemm) -> None:
    """B as the kernel expects it in no direction, a bias, and columns that are cut between threads."""
    bias = {"epilogue": {"activation": "relu"}, "d": [{"dtype": "fp32", "broadcast": "row"}]}
    n, k = 5 * algorithm.nr + 3, 131
    p = problem(7, n, k, layout="rrr", **bias, strides={"b": [2 * n, 2]})
    tensors = OP.random_tensors(problem(7, n, k, **bias), seed=3)
    spread = np.zeros((k, 2 * n), np.float32)
    spread[:, ::2] = tensors["b"]
    out = run_with(p, {**tensors, "b": spread[:, ::2]}, algorithm, ARCH, threads=2)
    OP.verify(problem(7, n, k, **bias), tensors, out).require(f"{p.label()} by {algorithm.label()}")


@pytest.mark.skipif(HOST.kind != "arm", reason="other CPUs take several columns at a time")
@pytest.mark.parametrize("dtype", ["fp32", "bf16", "fp16"])
@pytest.mark.parametrize("k", [0, 3, 1536, 1541, 3001])
def test_whole_columns(k: int, dtype: str) -> None:
    """Short columns come in two halves, long ones one after the other; odd numbers of them, rows, strides, threads."""
    column = CpuGemm(pipeline="skinny", mr=1, nr=1, kc=4096)
    for m, n, threads in [(1, 1, 1), (1, 67, 2), (3, 131, 1), (70, 2, 1)]:
        p = problem(m, n, k, dtype, layout="rcr")
        tensors = OP.random_tensors(p, seed=k + n)
        out = run_with(p, tensors, column, ARCH, threads=threads)
        OP.verify(p, tensors, out).require(f"{p.label()}, {threads} threads")
        spread = problem(m, n, k, dtype, layout="rcr", strides={"b": [3, 3 * k + 1]})
        b = np.zeros((n, 3 * k + 1), tensors["b"].dtype)[:, : 3 * k : 3].T
        b[...] = tensors["b"]
        out = run_with(spread, {**tensors, "b": b}, column, ARCH, threads=threads)
        OP.verify(p, tensors, out).require(f"{spread.label()}, spread")
