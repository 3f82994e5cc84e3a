"""Time whole models: torch and tilewright, interleaved, with outputs and gradients compared in the same run.

Each part (a net, a task, a mode) runs in a process of its own and gives one JSON row. Parts whose row is there already
are skipped, so a run that was stopped continues.

    python benchmarks/models.py                                  # all nets on the GPU, eager
    python benchmarks/models.py --mode graphs --budget 480
    python benchmarks/models.py --device cpu --nets resnet50 --threads 2
    python benchmarks/models.py --table                          # print the tables of the rows so far
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "src")]

from models_part import MODES, TASKS, Part, measured  # noqa: E402
from models_table import table  # noqa: E402
from nets import NETS  # noqa: E402

LONGEST = 480  # seconds of one part
LEAST = 30  # seconds that a part should have left to be started


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=list(NETS), choices=list(NETS), metavar="NET")
    parser.add_argument("--task", nargs="+", default=["inference", "train"], choices=TASKS)
    parser.add_argument("--mode", nargs="+", default=["eager"], choices=MODES)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--threads", type=int, default=2, help="threads on the CPU")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/models_DEVICE.jsonl")
    parser.add_argument("--fresh", action="store_true", help="a new kernel cache for each part: first calls build")
    parser.add_argument("--again", action="store_true", help="measure rows that are there, or that failed, again")
    parser.add_argument("--quick", action="store_true", help="tiny nets on the CPU, in this process; for tests")
    parser.add_argument("--table", action="store_true", help="only print the tables")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.quick:
        args.device = "cpu"
    args.out = args.out or FOLDER / "results" / f"models_{args.device}.jsonl"
    return args


def parts_of(args: argparse.Namespace) -> list[Part]:
    """Return what to measure: only Llama generates, and graphs are CUDA's."""
    size = "quick" if args.quick else "cpu" if args.device == "cpu" else "gpu"
    return [
        Part(net, task, mode, size, args.device)
        for net in args.nets
        for mode in args.mode
        for task in args.task
        if (task != "generate" or net == "llama") and not (task == "generate" and mode == "graphs")
    ]


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows so far; the last one of a part counts."""
    lines = path.read_text().splitlines() if path.exists() else []
    found = {}
    for row in map(json.loads, lines):
        found[tuple(row[name] for name in ("net", "task", "mode", "size", "device"))] = row
    return list(found.values())


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run_apart(part: Part, args: argparse.Namespace, seconds: float) -> dict[str, Any]:
    """Return the row of a part that ran in its own process; its failure is a row too."""
    environment = {**os.environ, "TILEWRIGHT_THREADS": str(args.threads)}
    command = [sys.executable, __file__, "--part", json.dumps(part.to_dict()), "--rounds", str(args.rounds)]
    command += ["--threads", str(args.threads)]
    with tempfile.TemporaryDirectory() as folder:
        if args.fresh:
            environment["TILEWRIGHT_CACHE_DIR"] = environment["TRITON_CACHE_DIR"] = folder
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired:
            return {**part.to_dict(), "failure": f"took more than {seconds:.0f} s"}
    if done.returncode == 0:
        return {**json.loads(done.stdout.splitlines()[-1]), "cache": "fresh" if args.fresh else "kept"}
    reason = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    tell(done.stderr[-2000:])
    return {**part.to_dict(), "failure": reason}


def run_part(args: argparse.Namespace) -> None:
    """Measure one part in this process, and print its row."""
    import torch

    if args.device == "cpu" or '"cpu"' in args.part:
        torch.set_num_threads(args.threads)
    print(json.dumps(measured(Part(**json.loads(args.part)), args.rounds, tell)))


def main(arguments: Sequence[str]) -> int:
    args = parse(arguments)
    if args.part:
        run_part(args)
        return 0
    start = time.monotonic()
    kept = (
        {} if args.again else {json.dumps({n: r[n] for n in Part.__dataclass_fields__}): r for r in rows_of(args.out)}
    )
    left = []
    for part in [] if args.table else parts_of(args):
        if json.dumps(part.to_dict()) in kept:
            continue
        seconds = min(LONGEST, args.budget - (time.monotonic() - start))
        if seconds < LEAST:
            left.append(part)
            continue
        row = measured(part, args.rounds, tell) if args.quick else run_apart(part, args, seconds)
        args.out.parent.mkdir(parents=True, exist_ok=True)
        with open(args.out, "a") as file:
            print(json.dumps(row), file=file, flush=True)
        times = {name: round(side["ms"], 3) for name, side in row.get("sides", {}).items()}
        tell(f"{part.net} {part.task} {part.mode}: {row.get('failure') or times}")
    print(table(rows_of(args.out)))
    if left:
        tell(f"{len(left)} parts are left for another run: the budget is spent")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
