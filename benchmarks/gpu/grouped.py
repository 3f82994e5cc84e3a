"""Rows in groups on a GPU: `grouped_gemm` beside torch's `_grouped_mm` and one product for each group.

    python benchmarks/gpu/grouped.py

bf16, each weight by columns; times of whole calls, with the ends of the groups on the GPU.
"""

from __future__ import annotations

import sys

import torch
from places import HERE  # noqa: F401  (the path to the package)

import tilewright as tw
from tilewright.tune.bench.own import own_kernels_only

PROBLEMS = ((4, 8192, 4096, 2048), (8, 4096, 4096, 7168), (32, 192, 4096, 7168), (64, 20, 4096, 2048),
            (128, 512, 1536, 2048))  # fmt: skip


def milliseconds(call, calls=20):
    for _ in range(3):
        call()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(calls):
        call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end) / calls


def main():
    print(own_kernels_only(), file=sys.stderr)
    for groups, rows, n, k in PROBLEMS:
        m = groups * rows
        a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
        b = torch.randn(groups, n, k, device="cuda", dtype=torch.bfloat16).transpose(1, 2)
        ends = torch.arange(1, groups + 1, device="cuda", dtype=torch.int32) * rows
        out = torch.empty(m, n, device="cuda", dtype=torch.bfloat16)

        def one_by_one(a=a, b=b, out=out, groups=groups, rows=rows):
            for g in range(groups):
                part = slice(g * rows, (g + 1) * rows)
                torch.mm(a[part], b[g], out=out[part])

        calls = {
            "ours": lambda a=a, b=b, ends=ends, out=out: tw.grouped_gemm(a, b, ends, out=out),
            "_grouped_mm": lambda a=a, b=b, ends=ends: torch._grouped_mm(a, b, offs=ends),
            "one by one": one_by_one,
        }
        times = {name: milliseconds(call) for name, call in calls.items()}
        shown = ", ".join(f"{name} {1e3 * ms:.0f} us" for name, ms in times.items())
        ratio = times["_grouped_mm"] / times["ours"]
        print(f"{groups} groups of {rows} rows, n {n}, k {k}: {shown}; {ratio:.2f} of _grouped_mm", flush=True)


if __name__ == "__main__":
    main()
