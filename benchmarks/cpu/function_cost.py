"""What a repeated call of `tilewright.gemm` costs on NumPy arrays and torch tensors, in turn with their own products.

    python benchmarks/cpu/function_cost.py [--rounds 15] [--out benchmarks/results/function_cost_cpu.json]

An 8x8x8 fp32 product with one thread, so that the call is all there is. Timed by the CPU clock of the thread; the
median over the rounds, in microseconds.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("TILEWRIGHT_THREADS", "1")

import numpy as np

import tilewright as tw
from tilewright.tune.bench.own import own_kernels_only

CALLS = 2000


def calls() -> dict[str, Callable[[], object]]:
    """Return the calls by name."""
    a, b, c = (np.random.default_rng(i).random((8, 8), np.float32) for i in range(3))
    found: dict[str, Callable[[], object]] = {
        "tilewright.gemm(out=) on NumPy arrays": lambda: tw.gemm(a, b, out=c),
        "tilewright.gemm on NumPy arrays": lambda: tw.gemm(a, b),
        "np.matmul(out=)": lambda: np.matmul(a, b, out=c),
    }
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(1)
    x, y, z = (torch.from_numpy(t.copy()) for t in (a, b, c))
    return found | {
        "tilewright.gemm(out=) on torch tensors": lambda: tw.gemm(x, y, out=z),
        "tilewright.gemm on torch tensors": lambda: tw.gemm(x, y),
        "torch.mm(out=)": lambda: torch.mm(x, y, out=z),
    }


def sample(call: Callable[[], object]) -> float:
    start = time.thread_time()
    for _ in range(CALLS):
        call()
    return (time.thread_time() - start) / CALLS * 1e6


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = calls()
    for call in rows.values():
        sample(call)  # builds, plans, fills the caches
    rounds = [{name: sample(call) for name, call in rows.items()} for _ in range(options.rounds)]
    found = {name: round(statistics.median(r[name] for r in rounds), 2) for name in rows}
    about = {"machine": platform.machine(), "python": platform.python_version(), "numpy": np.__version__}
    for name, cost in found.items():
        print(f"{cost:8.2f} us  {name}")
    if options.out:
        options.out.write_text(json.dumps({**about, "call us": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
