"""What a repeated call of a public function costs on NumPy arrays and torch tensors, in turn with their own products.

    python benchmarks/cpu/function_cost.py [--rounds 15] [--out benchmarks/results/function_cost_cpu.json]
    python benchmarks/cpu/function_cost.py --against ../earlier  # a checkout of another revision, in turn with this one

An 8x8x8 fp32 product, and a convolution and an attention as small, with one thread, so that the call is all there is.
Timed by the CPU clock of the thread; the median over the rounds, in microseconds. With `--against` each revision runs
in processes of its own, in turn, and the least of all rounds is compared: other programs make a round longer, never
shorter.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("TILEWRIGHT_THREADS", "1")

import numpy as np

import tilewright as tw

CALLS = 500
PROCESSES = 4  # of each revision: Python's hashes of names differ between them


def calls() -> dict[str, Callable[[], object]]:
    """Return the calls by name."""
    a, b, c = (np.random.default_rng(i).random((8, 8), np.float32) for i in range(3))
    v, q = a[0].copy(), a.reshape(1, 1, 2, 32)
    image, weight = a.reshape(1, 8, 2, 4), b.reshape(8, 8, 1, 1)
    found: dict[str, Callable[[], object]] = {
        "tilewright.gemm(out=) on NumPy arrays": lambda: tw.gemm(a, b, out=c),
        "tilewright.gemm on NumPy arrays": lambda: tw.gemm(a, b),
        "tilewright.gemm(out=, d=, activation=) on NumPy arrays": lambda: tw.gemm(a, b, out=c, d=v, activation="relu"),
        "tilewright.conv on NumPy arrays": lambda: tw.conv(image, weight),
        "tilewright.attention on NumPy arrays": lambda: tw.attention(q, q, q, causal=True),
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


def compare(earlier: Path, rounds: int) -> None:
    """Print the least cost of each call in another checkout and in this one."""
    trees = {"before": earlier.resolve(), "now": Path(__file__).parents[2]}
    least: dict[str, dict[str, float]] = {tree: {} for tree in trees}
    for seed in range(PROCESSES):
        for tree, root in trees.items():
            own = {"TILEWRIGHT_VENDOR": "0", "TILEWRIGHT_BUILD": "wait", "PYTHONHASHSEED": str(seed)}
            environment = {**os.environ, **own, "PYTHONPATH": str(root / "src")}
            command = [sys.executable, __file__, "--raw", "--rounds", str(rounds)]
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
            for one in json.loads(done.stdout):
                for name, cost in one.items():
                    least[tree][name] = min(cost, least[tree].get(name, cost))
    print("| call | before | now | now / before |\n|---|---|---|---|")
    for name, cost in least["now"].items():
        before = least["before"][name]
        print(f"| {name} | {before:.2f} us | {cost:.2f} us | {cost / before:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    parser.add_argument("--raw", action="store_true", help="print the rounds as JSON and nothing else")
    options = parser.parse_args()
    if options.against:
        return compare(options.against, options.rounds)
    if not options.raw:
        from tilewright.tune.bench.own import own_kernels_only  # an earlier revision has none

        print(own_kernels_only(), file=sys.stderr)
    rows = calls()
    for call in rows.values():
        sample(call)  # builds, plans, fills the caches
    rounds = [{name: sample(call) for name, call in rows.items()} for _ in range(options.rounds)]
    if options.raw:
        return print(json.dumps(rounds))
    found = {name: round(statistics.median(r[name] for r in rounds), 2) for name in rows}
    about = {"machine": platform.machine(), "python": platform.python_version(), "numpy": np.__version__}
    for name, cost in found.items():
        print(f"{cost:8.2f} us  {name}")
    if options.out:
        options.out.write_text(json.dumps({**about, "call us": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
