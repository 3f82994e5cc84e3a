"""Whole nets by `torch.compile(backend="tilewright")` beside torch.compile itself, inference and training.

    python benchmarks/compile_nets.py --device cuda --out out/compile_nets.jsonl --budget 1500
    python benchmarks/compile_nets.py --device cpu --nets resnet50 bert --draw 0
    python benchmarks/compile_nets.py --out out/compile_nets.jsonl --table

Nets are those of benchmarks/nets, and `--draw` more of torchvision and of transformers, drawn by `--seed`. All are
compiled first, `--jobs` at a time, into caches that the timing reads: compile times are those of this phase, ratios of
them are meaningful. Then each net is timed in a process of its own, its sides in turn. Rows are kept: a run that was
stopped, or whose budget was spent, continues.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]
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
LEAST, BAR = 20.0, {"inference": 1.15, "train": 1.05}


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--dtype", choices=("fp16", "bf16", "fp32"), help="cuda: fp16; cpu: fp32")
    parser.add_argument("--nets", nargs="*", help="names of benchmarks/nets; all of them if not given")
    parser.add_argument("--draw", type=int, default=16, help="how many nets of torchvision and transformers")
    parser.add_argument("--seed", type=int, default=0, help="of the draw")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=TASKS)
    parser.add_argument("--sides", nargs="+", choices=list(SIDES), help="others are compared with the first one")
    parser.add_argument("--size", help="of benchmarks/nets: gpu, cpu or quick")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2, help="on the CPU")
    parser.add_argument("--jobs", type=int, default=8, help="nets that are compiled at the same time on a GPU")
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS")
    parser.add_argument("--timeout", type=float, default=300.0, metavar="SECONDS", help="of one net in one phase")
    parser.add_argument("--out", type=Path, default=Path("out/compile_nets.jsonl"))
    parser.add_argument("--again", action="store_true", help="time nets again whose row is there")
    parser.add_argument("--table", action="store_true", help="only print what the rows show")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--prepare", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    args.dtype = args.dtype or ("fp16" if args.device == "cuda" else "fp32")
    args.size = args.size or ("gpu" if args.device == "cuda" else "cpu")
    args.sides = args.sides or DEFAULT_SIDES[args.device]
    return args


def tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def parts_of(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Return what is measured, each net with each task."""
    from compile_draw import drawn
    from nets import NETS

    names = [f"own/{name}" for name in (NETS if args.nets is None else args.nets)]
    names += drawn(args.draw, args.seed)
    common = {"device": args.device, "dtype": args.dtype, "size": args.size, "sides": args.sides}
    return [{"net": name, "task": task, **common} for task in args.tasks for name in names]


def key_of(row: dict[str, Any]) -> str:
    return " ".join(str(row[name]) for name in ("net", "task", "device", "dtype", "size", "sides"))


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the rows so far; the last one of a part counts."""
    lines = path.read_text().splitlines() if path.exists() else []
    return list({key_of(row): row for row in map(json.loads, lines)}.values())


class Runner:
    """Runs parts in processes of their own."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args, self.end = args, time.monotonic() + args.budget
        caches = args.out.resolve().parent / "compile_caches"
        names = ("TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR")
        self.environment = {**os.environ, **{name: str(caches / name.lower()) for name in names}}
        self.environment["TILEWRIGHT_QUIET"] = "1"

    @property
    def left(self) -> float:
        return min(self.args.timeout, self.end - time.monotonic())

    def run(self, part: dict[str, Any], prepare: bool) -> dict[str, Any]:
        """Return what a process says about a part; a failure is an answer too."""
        command = [sys.executable, __file__, "--part", json.dumps(part), "--rounds", str(self.args.rounds)]
        command += ["--threads", str(self.args.threads), *(["--prepare"] if prepare else [])]
        options: Any = {"env": self.environment, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, start_new_session=True, **options)
        try:
            out, error = process.communicate(timeout=max(1.0, self.left))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # its compilers too: they would disturb what is timed next
            process.communicate()
            return {"failure": "took too long"}
        if process.returncode == 0:
            found: dict[str, Any] = json.loads(out.splitlines()[-1])
            return found
        return {"failure": (error.strip().splitlines() or [f"status {process.returncode}"])[-1][:500]}

    def prepare(self, parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Compile all parts, several at a time; return what each said."""

        def one(part: dict[str, Any]) -> dict[str, Any]:
            if self.left < LEAST:
                return {"failure": "the budget is spent"}
            found = self.run(part, prepare=True)
            tell(f"compiled {part['net']} {part['task']}: {found.get('failure') or found['compile_s']}")
            return found

        jobs = self.args.jobs if self.args.device == "cuda" else 1
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(one, parts))


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return ratios by net, and their medians by task and side."""
    lines = []
    for task in TASKS:
        good = [row for row in rows if row["task"] == task and "sides_ms" in row]
        sides = list(dict.fromkeys(name for row in good for name in row["sides_ms"]))
        for side in sides[1:]:
            having = [row for row in good if side in row["ratios"]]
            ratios = [row["ratios"][side] for row in having]
            if not ratios:
                continue
            lines.append(f"{task}, {side} against {sides[0]}: median {median(ratios):.3f} (bar {BAR[task]}), "
                         f"least {min(ratios):.3f}, {len(ratios)} nets")  # fmt: skip
            for row in sorted(having, key=lambda row: row["ratios"][side]):
                compile_s = row.get("compile_s", {})
                lines.append(f"  {row['ratios'][side]:6.3f}  {row['net']:34} {row['sides_ms'][side]:9.3f} ms  "
                             f"error {row['errors'][side]:.1e} ({row['errors'][sides[0]]:.1e})"
                             f"{'' if row['ok'][side] else ' WRONG'}  taken {row.get('taken', {}).get(side)}  "
                             f"compiled in {compile_s.get(side)} s ({compile_s.get(sides[0])})")  # fmt: skip
    lines += [f"failed: {row['net']} {row['task']}: {row['failure']}" for row in rows if "failure" in row]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    args = parse(arguments)
    if args.part:
        from compile_part import measured, prepared

        part = json.loads(args.part)
        print(json.dumps(prepared(part, args.threads) if args.prepare else measured(part, args.rounds, args.threads)))
        return 0
    if not args.table:
        from json_rows import append_row

        args.out.parent.mkdir(parents=True, exist_ok=True)
        known = set() if args.again else {key_of(row) for row in rows_of(args.out) if "failure" not in row}
        parts = [part for part in parts_of(args) if key_of(part) not in known]
        runner = Runner(args)
        ready = runner.prepare(parts)
        for part, compiled in zip(parts, ready, strict=True):
            if runner.left < LEAST:
                tell(f"{part['net']} {part['task']} is left for another run: the budget is spent")
                continue
            found = runner.run(part, prepare=False)
            append_row({**part, **compiled, **found} if "failure" not in found else {**part, **found}, args.out)
            tell(f"{part['net']} {part['task']}: {found.get('failure') or found['ratios']}")
    print(table(rows_of(args.out)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
