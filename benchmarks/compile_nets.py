"""Whole nets by `torch.compile(backend="tilewright")` beside torch.compile itself, inference and training.

    python benchmarks/compile_nets.py --device cuda --out out/compile_nets.jsonl --seconds 1500
    python benchmarks/compile_nets.py --device cpu --nets resnet50 bert --draw 0
    python benchmarks/compile_nets.py --out out/compile_nets.jsonl --table

Nets are those of benchmarks/nets, and `--draw` more of torchvision and of transformers, drawn by `--seed`. Each net has
a process of its own; several on a CPU have `--threads` cores each. `--jobs` of them compile all sides at the same time
and compare the results; then they are timed one after the other, each with its sides in turn. Compile times are those
of busy processes, the first side before the others. Rows are kept: a run that was stopped, or whose `--seconds` were
spent, continues.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from json_rows import append_row, known_parts, latest_rows, machine_of  # noqa: E402
from workers import Worker  # noqa: E402

TASKS = ("inference", "train")
# Each side: the backend and the mode of torch.compile, and whether ours is tuned.
SIDES = {
    "torch": ("inductor", None, False),
    "ours": ("tilewright", None, False),
    "ours_tuned": ("tilewright", None, True),
    "torch_graphs": ("inductor", "reduce-overhead", False),
    "ours_graphs": ("tilewright", "reduce-overhead", False),
    "ours_graphs_tuned": ("tilewright", "reduce-overhead", True),
    "torch_autotune": ("inductor", "max-autotune", False),
}
DEFAULT_SIDES = {"cuda": ["torch_graphs", "ours_graphs", "ours_graphs_tuned"], "cpu": ["torch", "ours", "ours_tuned"]}
JOBS = {"cuda": 8, "cpu": 1}
LEAST, BAR = 20.0, {"inference": 1.15, "train": 1.05}
CPUS = Path("/sys/devices/system/cpu")
TIMING = 1.5  # seconds that are kept for the timing of each net


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--dtype", choices=("fp16", "bf16", "fp32"), help="cuda: fp16; cpu: fp32")
    parser.add_argument(
        "--nets",
        nargs="*",
        help="of benchmarks/nets (default: all), or vision/NAME, transformers/NAME; NAME:train is one task only",
    )
    parser.add_argument("--draw", type=int, default=16, help="how many nets of torchvision and transformers")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=TASKS)
    parser.add_argument("--sides", nargs="+", choices=list(SIDES), help="others are compared with the first one")
    parser.add_argument("--size", help="of benchmarks/nets: gpu, cpu or quick")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2, help="on the CPU")
    parser.add_argument("--jobs", type=int, help="nets that are compiled at the same time; cuda: 8, cpu: 1")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for the whole run")
    parser.add_argument("--timeout", type=float, default=400.0, metavar="SECONDS", help="of the compilation of a net")
    parser.add_argument(
        "--enough", type=float, default=float("inf"), metavar="SECONDS", help="then no third side of a net is compiled"
    )
    parser.add_argument("--out", type=Path, default=Path("out/compile_nets.jsonl"))
    parser.add_argument("--again", action="store_true", help="time nets again whose row is there")
    parser.add_argument("--kernels", type=int, default=0, metavar="N", help="keep each side's N longest GPU kernels")
    parser.add_argument("--table", action="store_true", help="only print what the rows show")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--cores", type=int, nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.kernels and args.device != "cuda":
        parser.error("--kernels lists kernels of a GPU; use it with --device cuda")
    args.dtype = args.dtype or ("fp16" if args.device == "cuda" else "fp32")
    args.size = args.size or ("gpu" if args.device == "cuda" else "cpu")
    args.sides = args.sides or DEFAULT_SIDES[args.device]
    args.jobs = args.jobs or JOBS[args.device]
    return args


def tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def parts_of(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return what is measured, each net with each task."""
    from compile_draw import drawn
    from nets import NETS

    names = [name if "/" in name else f"own/{name}" for name in (NETS if args.nets is None else args.nets)]
    names += drawn(args.draw, args.seed)
    common = {"device": args.device, "dtype": args.dtype, "size": args.size, "sides": args.sides}
    parts = [(name.partition(":"), task) for task in args.tasks for name in names]
    return [{"net": name, "task": task, **common} for (name, _, only), task in parts if only in ("", task)]


def key_of(row: dict[str, Any]) -> str:
    return " ".join(str(row[name]) for name in ("net", "task", "device", "dtype", "size", "sides"))


def core_sets(threads: int, jobs: int) -> list[Sequence[int]]:
    """Return the cores of each job, one thread of each core; a single job may use all."""
    if jobs == 1:
        return [()]
    firsts = dict[str, int]()
    for cpu in sorted(os.sched_getaffinity(0)):
        siblings = CPUS / f"cpu{cpu}/topology/thread_siblings_list"
        firsts.setdefault(siblings.read_text() if siblings.exists() else str(cpu), cpu)
    cores = sorted(firsts.values())
    if len(cores) < threads * jobs:
        raise SystemExit(f"--jobs {jobs} needs {threads * jobs} cores for {threads} threads each; got {len(cores)}")
    return [cores[threads * i : threads * (i + 1)] for i in range(jobs)]


class Runner:
    """Runs parts, several at a time."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.end = args, time.monotonic() + args.seconds
        caches = args.out.resolve().parent / "compile_caches"
        names = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
        self.environment = {**os.environ, **{name: str(caches / name.lower()) for name in names}}
        self.environment["TILEWRIGHT_QUIET"] = "1"
        self.cores = core_sets(args.threads, args.jobs) if args.device == "cpu" else [()] * args.jobs

    @property
    def left(self) -> float:
        return self.end - time.monotonic()

    def _command(self, part: dict[str, Any], cores: Sequence[int]) -> list[str]:
        options = ["--rounds", str(self.args.rounds), "--threads", str(self.args.threads)]
        options += ["--enough", str(self.args.enough), "--kernels", str(self.args.kernels)]
        options += ["--cores", *map(str, cores)] if cores else []
        return [sys.executable, __file__, "--part", json.dumps(part), *options]

    def _log(self, part: dict[str, Any]) -> Path:
        name = f"{part['net']}-{part['task']}.txt".replace("/", "-")
        return Path(self.args.out).resolve().parent / "compile_logs" / name

    def run(self, parts: Sequence[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
        """Yield parts with what was found; compile all of them first."""
        with ExitStack() as stack:
            workers = [
                stack.enter_context(Worker(part, self._command(part, cores), self._log(part), self.environment))
                for part, cores in zip(parts, self.cores, strict=False)
            ]
            limit = time.monotonic() + min(self.args.timeout, self.left - TIMING * len(parts))
            compiled = [worker.answer(limit - time.monotonic()) for worker in workers]
            for worker, found in zip(workers, compiled, strict=True):
                tell(f"compiled {worker.part['net']} {worker.part['task']}: "
                     f"{found.get('failure') or (found['compile_s'], found['taken'])}")  # fmt: skip
                if "failure" not in found:
                    worker.go()
                    found = {**found, **worker.answer(min(self.left, self.args.timeout))}
                yield worker.part, found


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return ratios by net, and their medians by machine, task and side: ours against each of torch's."""
    lines = []
    timed = [row for row in rows if "sides_ms" in row]
    for place, task in product(dict.fromkeys(map(place_of, timed)), TASKS):
        good = [row for row in timed if row["task"] == task and place_of(row) == place]
        sides = list(dict.fromkeys(name for row in good for name in row["sides_ms"]))
        own, torchs = ([name for name in sides if (SIDES[name][0] == "tilewright") is ours] for ours in (True, False))
        for side in own:
            for base in torchs:
                both = {row["net"]: row for row in good if {side, base} <= set(row["sides_ms"])}  # the last one counts
                lines += _compared(task, side, base, [*both.values()], ", ".join(place))
    lines += [f"failed: {row['net']} {row['task']}: {row['failure']}" for row in rows if "failure" in row]
    return "\n".join(lines)


def place_of(row: dict[str, Any]) -> tuple[str, str, str]:
    """Return what rows must share to be in one median."""
    return row["on"], row["dtype"], row["size"]


def _compared(task: str, side: str, base: str, rows: Sequence[dict[str, Any]], place: str) -> list[str]:
    """Return lines about one of our sides against one of torch's. Wrong results are in no median."""
    if not rows:
        return []
    ratios = {row["net"]: _ratio(row, side, base) for row in rows}
    took = [found for row in rows if side in (found := row.get("compile_s", {})) and found.get(base)]
    times = [seconds[side] / seconds[base] for seconds in took]
    bar = "" if base == "torch_autotune" else f" (bar {BAR[task]})"
    right = [ratios[row["net"]] for row in rows if row["ok"][side]]
    said = f"median {median(right):.3f}{bar}, least {min(right):.3f}, {len(right)} nets" if right else "no right result"
    said += f", {len(rows) - len(right)} wrong" if len(right) < len(rows) else ""
    said += f"; compiled in {median(times):.2f} of its time" if times else ""
    lines = [f"{task}, {side} against {base}: {said}  ({place})"]
    for row in sorted(rows, key=lambda row: ratios[row["net"]]):
        compile_s = row.get("compile_s", {})
        lines.append(f"  {ratios[row['net']]:6.3f}  {row['net']:34} {row['sides_ms'][side]:9.3f} ms  "
                     f"error {row['errors'][side]:.1e} ({row['errors'][base]:.1e})"
                     f"{'' if row['ok'][side] else ' WRONG'}  taken {row.get('taken', {}).get(side)}  "
                     f"compiled in {compile_s.get(side)} s ({compile_s.get(base)})")  # fmt: skip
    return lines


def _ratio(row: dict[str, Any], side: str, base: str) -> float:
    """Return how many times faster a side is: by samples in turn against the first side, else by medians."""
    first = next(iter(row["sides_ms"]))
    return float(row["ratios"][side] if base == first else row["sides_ms"][base] / row["sides_ms"][side])


def main(arguments: Sequence[str]) -> int:
    args = parse(arguments)
    if args.part:
        if args.cores:
            os.sched_setaffinity(0, args.cores)
        from compile_part import compiled_and_timed

        part = json.loads(args.part)
        for found in compiled_and_timed(part, args.rounds, args.threads, args.enough, args.kernels):
            print(json.dumps(found), flush=True)
            sys.stdin.readline()
        return 0
    if not args.table:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        known = set() if args.again else known_parts(args.out, key_of, machine_of(args.device, args.threads))
        parts = [part for part in parts_of(args) if key_of(part) not in known]
        runner = Runner(args)
        for first in range(0, len(parts), args.jobs):
            if runner.left < LEAST:
                tell(f"{len(parts) - first} nets are left for another run")
                break
            for part, found in runner.run(parts[first : first + args.jobs]):
                append_row({**part, **found}, args.out)
                tell(f"{part['net']} {part['task']}: {found.get('failure') or found['ratios']}")
    print(table(latest_rows(args.out, key_of)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
