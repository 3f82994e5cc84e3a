"""Time whole models: torch and tilewright, interleaved, with outputs and gradients compared in the same run.

Each part (a net, a task, a mode) runs in a process of its own and gives one JSON row. Parts whose row is there already
are skipped, so a run that was stopped continues.

    python benchmarks/models.py                                  # all nets on the GPU, eager
    python benchmarks/models.py --mode graphs --budget 480       # CUDA graphs; torch.compile with reduce-overhead
    python benchmarks/models.py --parts resnet50/inference/autotune    # torch.compile with max-autotune: minutes
    python benchmarks/models.py --parts llama/generate/eager vit/train/graphs
    python benchmarks/models.py --device cpu --task inference --threads 2
    python benchmarks/models.py --table                          # print the tables of the rows so far
    python benchmarks/models.py --table --device cpu

On a GPU, kernels are built first, for all parts side by side; a row has the seconds of that as `prepare_s`. With
`--fresh` and one part, that is the time until the first fast call. On the CPU each part builds its own (`warm_up_s`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

FOLDER = Path(__file__).parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "src")]

from json_rows import append_row, known_parts, latest_rows, machine_of  # noqa: E402
from models_part import CLOCKS, MODES, TASKS, Part, measured, prepared  # noqa: E402
from models_table import table  # noqa: E402
from nets import NETS  # noqa: E402
from workers import Worker  # noqa: E402

from tilewright.tune.bench.own import own_kernels_only  # noqa: E402

LONGEST = 480  # seconds of one part
LEAST = 20  # seconds that a part should have left to be started


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=list(NETS), choices=list(NETS), metavar="NET")
    parser.add_argument("--task", nargs="+", default=["inference", "train"], choices=TASKS)
    parser.add_argument("--mode", nargs="+", default=["eager"], choices=MODES)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--threads", type=int, default=2, help="threads on the CPU")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--clock", default="wall", choices=CLOCKS, help="cpu: CPU time, for one thread on a busy machine"
    )
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--out", type=Path, help="default: benchmarks/results/models_DEVICE.jsonl")
    parser.add_argument("--fresh", action="store_true", help="a new kernel cache for each part: first calls build")
    parser.add_argument("--again", action="store_true", help="measure rows that are there, or that failed, again")
    parser.add_argument("--quick", action="store_true", help="tiny nets on the CPU, in this process; for tests")
    parser.add_argument("--table", action="store_true", help="only print the tables")
    parser.add_argument("--parts", nargs="+", metavar="NET/TASK/MODE", help="these parts, in this order")
    parser.add_argument("--prepare-s", type=float, default=180.0, metavar="SECONDS", help="at most, for all builds")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--prepare", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.quick:
        args.device, args.threads = "cpu", torch.get_num_threads()
    args.out = args.out or FOLDER / "results" / f"models_{'quick' if args.quick else args.device}.jsonl"
    return args


def parts_of(args: argparse.Namespace) -> list[Part]:
    """Return what to measure: only Llama generates, each token with another length, so eagerly."""
    size = "quick" if args.quick else "cpu" if args.device == "cpu" else "gpu"
    if args.parts:
        return [Part(*text.split("/"), size, args.device) for text in args.parts]
    return [
        Part(net, task, mode, size, args.device)
        for net in args.nets
        for mode in args.mode
        for task in args.task
        if task != "generate" or (net == "llama" and mode == "eager")
    ]


def key_of(row: dict[str, Any]) -> str:
    """Return what tells the rows of parts apart; rows without a clock are of before there were two."""
    return json.dumps({name: row[name] for name in Part.__dataclass_fields__} | {"clock": row.get("clock", "wall")})


def keep(row: dict[str, Any], path: Path) -> None:
    """Append a row to the file, and say what it shows."""
    append_row(row, path)
    times = {name: round(side["ms"], 3) for name, side in row.get("sides", {}).items()}
    tell(f"{row['net']} {row['task']} {row['mode']}: {row.get('failure') or times}")


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Runner:
    """Runs parts in processes of their own, which share a kernel cache."""

    def __init__(self, args: argparse.Namespace, folder: str) -> None:
        self.args, self.folder = args, folder
        self.environment = {**os.environ, "TILEWRIGHT_THREADS": str(args.threads)}
        if args.fresh:
            for name in ("TILEWRIGHT_CACHE_DIR", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"):
                self.environment[name] = f"{folder}/{name}"

    def _worker(self, part: Part, *more: str) -> Worker:
        """Start the process that measures or prepares a part."""
        options = ["--rounds", str(self.args.rounds), "--threads", str(self.args.threads), "--clock", self.args.clock]
        command = [sys.executable, __file__, "--part", json.dumps(part.to_dict()), *options, *more]
        log = Path(self.folder, "logs", "-".join([part.net, part.task, part.mode, *more]))
        return Worker(part, command, log, self.environment)

    def prepare(self, parts: Sequence[Part]) -> dict[Part, dict[str, float]]:
        """Build the kernels of all parts at once, and return the seconds of their sides."""
        end, found = time.monotonic() + self.args.prepare_s, {}
        with ExitStack() as stack:
            for worker in [stack.enter_context(self._worker(part, "--prepare")) for part in parts]:
                part, seconds = worker.part, worker.answer(max(1.0, end - time.monotonic()))
                if "failure" in seconds:
                    tell(f"{part.net} {part.task} {part.mode}: not prepared: {seconds['failure']}")
                else:
                    found[part] = seconds
        return found

    def measure(self, part: Part, seconds: float) -> dict[str, Any]:
        """Return the row of a part; its failure is a row too."""
        with self._worker(part) as worker:
            row = worker.answer(seconds)
        if "failure" not in row:
            return {**row, "cache": "fresh" if self.args.fresh else "kept"}
        tell(worker.log.read_text(errors="replace")[-2000:])
        return {**part.to_dict(), "clock": self.args.clock, **row}


def run_part(args: argparse.Namespace) -> None:
    """Measure or prepare one part in this process, and print the result."""
    part = Part(**json.loads(args.part))
    if part.device == "cpu":
        torch.set_num_threads(args.threads)
    print(json.dumps(prepared(part) if args.prepare else measured(part, args.rounds, tell, args.clock)))


def main(arguments: Sequence[str]) -> int:
    print(own_kernels_only(), file=sys.stderr)
    args = parse(arguments)
    if args.part:
        run_part(args)
        return 0
    start = time.monotonic()
    wanted = []
    if not args.table:
        known = set() if args.again else known_parts(args.out, key_of, machine_of(args.device, args.threads))
        wanted = [part for part in parts_of(args) if key_of({**part.to_dict(), "clock": args.clock}) not in known]
    left = []
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(args, folder)
        seconds = {}
        if wanted and args.device == "cuda" and args.budget >= LEAST:
            seconds = runner.prepare(wanted)
            tell(f"prepared {len(seconds)} parts in {time.monotonic() - start:.0f} s")
        for part in wanted:
            most = min(LONGEST, args.budget - (time.monotonic() - start))
            if most < LEAST:
                left.append(part)
                continue
            row = measured(part, args.rounds, tell, args.clock) if args.quick else runner.measure(part, most)
            keep({**row, "prepare_s": seconds.get(part, {})}, args.out)
    print(table(latest_rows(args.out, key_of)))
    if left:
        tell(f"{len(left)} parts are left for another run: the budget is spent")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
