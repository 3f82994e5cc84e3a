"""The tails (`tails_cpu.py`) with several numbers of threads: a table with a class per line and threads per column.

    python benchmarks/cpu/tails_threads.py --threads 1 2 4 8 --every 2 --out folder
    taskset -c 0-7 python benchmarks/cpu/tails_threads.py --threads 1 4 8 --every 4 --budget 120

Each list runs in a process of its own per number of threads, after all kernels that it needs were built side by side.
With `--budget`, each of these processes gets an equal share of what is left of so many seconds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from peer_runs import PROBLEMS

from tilewright.dispatcher import Dispatcher
from tilewright.ops import problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.bench.record import prebuild

HERE = Path(__file__).parent
STARTUP = 4.0  # seconds until a process has imported torch, and of its last problem


def problems_of(op: str, args: argparse.Namespace) -> Path:
    """Write the problems that are asked for to a file of their own; return it."""
    lines = (PROBLEMS / f"{op}_cpu_tails.jsonl").read_text().splitlines()[:: args.every]
    kept = [text for text in lines if problem_from_dict(json.loads(text)).flops <= args.most_flops]
    path: Path = args.out / f"problems_{op}.jsonl"
    path.write_text("\n".join(kept) + "\n")
    return path


def build(problems: Path, threads: int) -> None:
    """Build what the dispatcher selects for the list."""
    found = [problem_from_dict(json.loads(text)) for text in problems.read_text().splitlines()]
    prebuild(Dispatcher(settings=Settings.from_env(threads=threads)), found)


def measure(op: str, problems: Path, threads: int, args: argparse.Namespace, seconds: float) -> list[dict[str, Any]]:
    """Return the lines of one list, from a process of its own."""
    out = args.out / f"tails_{op}_{threads}.jsonl"
    options = {"--op": op, "--problems": problems, "--threads": threads, "--rounds": args.rounds, "--out": out}
    if args.budget:
        options["--seconds"] = max(1.0, seconds)
    words = [str(word) for pair in options.items() for word in pair] + ["--own-pool"] * args.own_pool
    subprocess.run([sys.executable, str(HERE / "tails_cpu.py"), *words], check=True, stdout=subprocess.DEVNULL)
    return [json.loads(text) for text in out.read_text().splitlines()]


def by_class(lines: dict[int, list[dict[str, Any]]]) -> dict[str, dict[int, list[float]]]:
    """Return ratios by class and number of threads, of the problems that every number of threads had time for."""
    times = {threads: {json.dumps(line["problem"]): line for line in some} for threads, some in lines.items()}
    both = set.intersection(*map(set, times.values()))
    found: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for threads, known in times.items():
        for line in (line for problem, line in known.items() if problem in both):
            direction = line["problem"].get("direction", "").replace("_", " ")
            for name in (f"{line['class']} {direction}".strip(), "all"):
                found[name][threads].append(line["ratio"])
    if "all" in found:
        found["all"] = found.pop("all")
    return found


def table(found: dict[str, dict[int, list[float]]], threads: list[int]) -> str:
    """Return a Markdown table of geometric means, with the smallest ratio in brackets."""
    rows = [f"| class | {' | '.join(f'{t} threads' for t in threads)} |", "|---" * (len(threads) + 1) + "|"]
    for name, by_threads in found.items():
        ratios = (by_threads[t] for t in threads)
        cells = (f"{geometric_mean(r):.2f} ({min(r):.2f})" if r else "-" for r in ratios)
        rows.append(f"| {name} | {' | '.join(cells)} |")
    by_rows = [by_threads for name, by_threads in found.items() if name.startswith("M=")]
    if by_rows:
        means = ([geometric_mean(b[t]) for b in by_rows if b[t]] for t in threads)
        rows.append(f"| every M alike | {' | '.join(f'{geometric_mean(m):.2f}' if m else '-' for m in means)} |")
    return "\n".join(rows)


def main() -> None:
    """Measure both lists and print a table of each."""
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--ops", nargs="+", default=["gemm", "conv"])
    parser.add_argument("--every", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--most-flops", type=float, default=1e12, help="leave out larger problems")
    parser.add_argument("--budget", type=float, help="seconds in all, about")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--own-pool", action="store_true", help="see peer_runs.py")
    parser.add_argument("--out", type=Path, default=Path("build/tails"))
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    end, left = time.monotonic() + (args.budget or 0.0), len(args.ops) * len(args.threads)
    for op in args.ops:
        lines, problems = dict[int, list[dict[str, Any]]](), problems_of(op, args)
        for threads in args.threads:
            build(problems, threads)
            share = (end - time.monotonic()) / left - STARTUP
            left -= 1
            lines[threads] = measure(op, problems, threads, args, share)
        found, most = by_class(lines), max(map(len, lines.values()))
        count = len(found["all"][args.threads[0]])
        print(f"\n{op}: torch time / ours, geometric mean (smallest) of {count} problems; {most - count} more were not "
              f"reached with every number of threads\n\n{table(found, args.threads)}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
