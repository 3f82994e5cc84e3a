"""The tails (`tails_cpu.py`) with several numbers of threads: a table with a class per line and threads per column.

    python benchmarks/cpu/tails_threads.py --threads 1 2 4 8 --every 2 --out folder

Each list runs in a process of its own per number of threads, after all kernels that it needs were built side by side.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from peer_runs import PROBLEMS

from tilewright.dispatcher import Dispatcher
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.bench.record import prebuild

HERE = Path(__file__).parent


def build(op: str, threads: int, every: int) -> None:
    """Build what the dispatcher selects for the list."""
    lines = (PROBLEMS / f"{op}_cpu_tails.jsonl").read_text().splitlines()[::every]
    prebuild(Dispatcher(settings=Settings.from_env(threads=threads)), [problem_from_dict(json.loads(t)) for t in lines])


def measure(op: str, threads: int, every: int, rounds: int, folder: Path) -> list[dict[str, Any]]:
    """Return the lines of one list, from a process of its own."""
    out = folder / f"tails_{op}_{threads}.jsonl"
    options = {"--op": op, "--threads": threads, "--every": every, "--rounds": rounds, "--out": out}
    words = [str(word) for pair in options.items() for word in pair]
    subprocess.run([sys.executable, str(HERE / "tails_cpu.py"), *words], check=True, stdout=subprocess.DEVNULL)
    return [json.loads(text) for text in out.read_text().splitlines()]


def table(found: dict[str, dict[int, list[float]]], threads: list[int]) -> str:
    """Return a Markdown table of geometric means, with the smallest ratio in brackets."""
    rows = [f"| class | {' | '.join(f'{t} threads' for t in threads)} |", "|---" * (len(threads) + 1) + "|"]
    for name, by_threads in found.items():
        cells = (f"{geometric_mean(r):.2f} ({min(r):.2f})" for r in (by_threads[t] for t in threads))
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def main() -> None:
    """Measure both lists and print a table of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--ops", nargs="+", default=["gemm", "conv"])
    parser.add_argument("--every", type=int, default=1, help="take every n-th convolution")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("build/tails"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for op in args.ops:
        found: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        every = args.every if op == "conv" else 1
        for threads in args.threads:
            build(op, threads, every)
            for line in measure(op, threads, every, args.rounds, args.out):
                direction = line["problem"].get("direction", "").replace("_", " ")
                for name in (f"{line['class']} {direction}".strip(), "all"):
                    found[name][threads].append(line["ratio"])
        found["all"] = found.pop("all")
        print(f"\n{op}: torch time / ours, geometric mean (smallest)\n\n{table(found, args.threads)}", flush=True)


if __name__ == "__main__":
    main()
