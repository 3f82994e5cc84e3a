"""Whole nets through `tilewright.torch.patch` beside torch, eagerly, with default settings, in inference and training.

    python benchmarks/patch_nets.py --out out/patch_nets.jsonl --seconds 500
    python benchmarks/patch_nets.py --nets vision/swin_t transformers/gpt2 --draw 0
    python benchmarks/patch_nets.py --device cpu --draw 4 --tasks inference
    python benchmarks/patch_nets.py --build-only                # compile everything before, which takes no GPU time
    python benchmarks/patch_nets.py --out out/patch_nets.jsonl --table

Nets of torchvision and transformers are drawn by `--seed`; none of them is in benchmarks/nets. Each has a process of
its own and a kernel cache that is empty. `--jobs` nets are under way at the same time, of which one uses the device:
while it is timed, the others compile. A row has the first calls of both sides (torch's in a process of its own, with
cuDNN's search), the seconds until everything was built, and the times of all sides in turn, after calls that decide the
contests with libraries. `--share` is how much these may add to the calls before; a long run comes to the same end with
the usual 0.01. A net that is slower than by torch has a profile. The side `patch` is `patch(model)`, `fused` is
`patch(model, fuse=True)` in inference. Rows are kept: a run that was stopped, or whose `--seconds` were spent, goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

from json_rows import append_row, known_parts, latest_rows, machine_of  # noqa: E402
from workers import Worker  # noqa: E402

TASKS, SIDES = ("inference", "train"), ("torch", "patch", "fused")
LEAST, MEDIAN = 0.97, 1.1  # the bars: of each net, of all
CACHES = ("TILEWRIGHT_CACHE_DIR", "TRITON_CACHE_DIR")
LEAST_S, WARM_S = 40.0, 20.0  # seconds that a net needs, with nothing built and with everything
# Nets of benchmarks/nets under the names of torchvision and transformers, and nets of more than 250 million parameters.
OWN = (
    "vision/resnext50_32x4d", "vision/mobilenet_v2", "vision/convnext_tiny", "vision/resnet50", "vision/vit_b_16",
    "vision/efficientnet_b0", "transformers/resnet", "transformers/mobilenet_v2", "transformers/convnext",
    "transformers/vit", "transformers/bert", "transformers/llama",
)  # fmt: skip
HUGE = ("vision/vit_h_14", "vision/vit_l_16", "vision/vit_l_32", "vision/regnet_y_128gf")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--dtype", choices=("fp16", "bf16", "fp32"), help="cuda: fp16; cpu: fp32")
    parser.add_argument("--nets", nargs="*", default=[], help="vision/NAME or transformers/NAME, besides those drawn")
    parser.add_argument("--draw", type=int, default=20, help="how many nets of torchvision and transformers")
    parser.add_argument("--seed", type=int, default=37, help="of the draw")
    parser.add_argument("--tasks", nargs="+", default=list(TASKS), choices=TASKS)
    parser.add_argument("--sides", nargs="+", default=["patch", "fused"], choices=SIDES[1:], help="beside torch")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--threads", type=int, default=2, help="on the CPU")
    parser.add_argument("--jobs", type=int, default=5, help="nets that are under way at the same time on a GPU")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="for the whole run")
    parser.add_argument("--build-s", type=float, default=120.0, help="at most, for the builds of a side")
    parser.add_argument("--settle-s", type=float, default=12.0, help="at most, for the contests of a net")
    parser.add_argument("--share", type=float, default=0.01, help="of the calls' time that a contest may add")
    parser.add_argument("--timeout", type=float, default=240.0, metavar="SECONDS", help="of a net")
    parser.add_argument("--out", type=Path, default=Path("out/patch_nets.jsonl"))
    parser.add_argument("--warm", action="store_true", help="use built kernels, and measure no first calls")
    parser.add_argument("--gate", help="prepare all nets on the host, then run while this file is there; with --warm")
    parser.add_argument("--build-only", action="store_true", help="only compile the kernels, on meta tensors")
    parser.add_argument("--again", action="store_true", help="time nets again whose row is there")
    parser.add_argument("--table", action="store_true", help="only print what the rows show")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.gate and not args.warm:
        parser.error("--gate needs --warm: first calls need a cache of their own")
    args.dtype = args.dtype or ("fp16" if args.device == "cuda" else "fp32")
    return args


def parts_of(args: argparse.Namespace, known: set[str]) -> list[dict[str, Any]]:
    """Return what to measure: nets with the tasks whose rows are not known."""
    from compile_draw import drawn

    chosen = drawn(args.draw, args.seed, without=(*OWN, *HUGE))
    random.Random(args.seed).shuffle(chosen)  # a run that is cut has nets of all kinds
    names = [*args.nets, *chosen]
    common = {
        "device": args.device, "dtype": args.dtype, "sides": ["torch", *args.sides], "build_s": args.build_s,
        "settle_s": args.settle_s, "share": args.share, "first": not args.warm, "gate": args.gate,
    }  # fmt: skip
    found = []
    for name in names:
        tasks = [t for t in args.tasks if key_of({"net": name, "task": t, **common}) not in known]
        if tasks:
            found.append({"net": name, "tasks": tasks, **common})
    return found


def key_of(row: dict[str, Any]) -> str:
    return " ".join(str(row[name]) for name in ("net", "task", "device", "dtype", "sides"))


class Runner:
    """Runs nets, several at a time."""

    def __init__(self, args: argparse.Namespace) -> None:
        self._args, self._end = args, time.monotonic() + args.seconds
        self._folder = args.out.resolve().parent
        self._prepared: dict[str, Worker] = {}
        data = {"TILEWRIGHT_DATA_DIR": str(self._folder / "patch_data")}  # outcomes of contests on this machine only
        # asked through NVML, torch can be forked afterwards
        self._environment = {**os.environ, **data, "TILEWRIGHT_QUIET": "1", "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}

    @property
    def left(self) -> float:
        """Seconds that may still be spent."""
        return self._end - time.monotonic()

    def prepare(self, parts: Sequence[dict[str, Any]], gate: str) -> None:
        """Start the processes of all nets, and return when the gate is open; each then waits for its turn."""
        self._prepared = {part["net"]: self._worker(part, {}) for part in parts}
        while not os.path.exists(gate):
            time.sleep(0.05)
        self._end = time.monotonic() + self._args.seconds

    def build(self, parts: Sequence[dict[str, Any]]) -> int:
        """Compile the kernels of some nets together; return of how many that failed."""
        failed = 0
        with ExitStack() as stack:
            for worker in [stack.enter_context(self._worker(part, {})) for part in parts]:
                found = worker.answer(min(self.left, self._args.timeout))
                failed += "failure" in found
                tell(f"built {worker.part['net']}: {found}")
        return failed

    def _worker(self, part: dict[str, Any], caches: dict[str, str]) -> Worker:
        options = ["--rounds", str(self._args.rounds), "--threads", str(self._args.threads)]
        options += ["--build-only"] if self._args.build_only else []
        command = [sys.executable, __file__, "--part", json.dumps(part), *options]
        log = self._folder / "patch_logs" / f"{part['net']}.txt".replace("/", "-")
        return Worker(part, command, log, {**self._environment, **caches})

    def run(self, part: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the rows of a net."""
        common = {name: part[name] for name in ("net", "device", "dtype", "sides", "share")}
        if self.left < (LEAST_S if part["first"] else WARM_S) and part["device"] == "cuda":
            tell(f"{part['net']} is left for another run")
            return
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            is_cold = part["device"] == "cuda" and part["first"]
            caches = {name: f"{folder}/{name}" for name in CACHES} if is_cold else {}
            found = dict[str, Any]()
            with self._prepared.pop(part["net"], None) or self._worker(part, caches) as worker:
                if part["gate"]:
                    worker.go()
                for task in part["tasks"]:
                    if "failure" not in found:
                        found = worker.answer(min(self.left, self._args.timeout))
                        worker.go()
                    yield {**common, **found, "task": task}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """Return ratios by net, and their medians by machine, task and side. Wrong results are in no median."""
    lines = []
    timed = [row for row in rows if "sides_ms" in row]
    for place, task in product(dict.fromkeys((row["on"], row["dtype"]) for row in timed), TASKS):
        good = [row for row in timed if row["task"] == task and (row["on"], row["dtype"]) == place]
        for side in SIDES[1:]:
            having = [row for row in good if side in row["ratios"]]
            ratios = [row["ratios"][side] for row in having if row["ok"][side]]
            if not having:
                continue
            few, wrong = sum(ratio < LEAST for ratio in ratios), len(having) - len(ratios)
            said = (f"median {median(ratios):.3f} (bar {MEDIAN}), least {min(ratios):.3f}, {few} of {len(ratios)} nets "
                    f"under {LEAST}" if ratios else "no right result")  # fmt: skip
            lines.append(f"{task}, {side} against torch: {said}{f', {wrong} wrong' if wrong else ''}  "
                         f"({', '.join(place)})")  # fmt: skip
            for row in sorted(having, key=lambda row: row["ratios"][side]):
                ours = row["report"][side]
                first = row["first_s"]
                times = f"{first[side] / first['torch']:.2f}" if first["torch"] and first[side] else "?"
                lines.append(f"  {row['ratios'][side]:6.3f}  {row['net']:34} {row['sides_ms'][side]:9.3f} ms "
                             f"({row['sides_ms']['torch']:.3f})  host {row['host_ms'][side]:.3f} "
                             f"({row['host_ms']['torch']:.3f})  first call {times}x, built in {row['built_s']} s  "
                             f"error {row['errors'][side]:.1e} "
                             f"({row['errors']['torch']:.1e}){'' if row['ok'][side] else ' WRONG'}  taken "
                             f"{ours['taken']}, torch faster {len(ours['slower'])}  settled in {row['settle']['s']} s"
                             f"{'' if row['settle']['all'] else ' (not all)'}")  # fmt: skip
    lines += [f"failed: {row['net']} {row['task']}: {row['failure']}" for row in rows if "failure" in row]
    return "\n".join(lines)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(arguments: Sequence[str]) -> int:
    args = parse(arguments)
    if args.part:
        from patch_part import built
        from patch_part import rows as rows_of_net

        if args.build_only:
            print(json.dumps(built(json.loads(args.part))), flush=True)
            return 0
        for found in rows_of_net(json.loads(args.part), args.rounds, args.threads):
            print(json.dumps(found), flush=True)
            sys.stdin.readline()
        return 0
    if not args.table:
        runner, jobs = Runner(args), args.jobs if args.device == "cuda" else 1
        if args.build_only:
            parts = parts_of(args, set())
            return min(1, sum(runner.build(parts[first : first + jobs]) for first in range(0, len(parts), jobs)))
        here = None if args.gate else machine_of(args.device, args.threads)  # the GPU is not ours yet
        known = set() if args.again else known_parts(args.out, key_of, here)
        parts = parts_of(args, known)
        lock = Path(tempfile.gettempdir()) / f"patch_nets_{os.getpid()}.lock"
        parts = [{**part, "lock": str(lock) if jobs > 1 else None} for part in parts]
        if args.gate:
            runner.prepare(parts, args.gate)

        def run(part: dict[str, Any]) -> None:
            for row in runner.run(part):
                append_row(row, args.out)
                tell(f"{row['net']} {row['task']}: {row.get('failure') or row['ratios']}")

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(run, parts))
        lock.unlink(missing_ok=True)
    print(table(latest_rows(args.out, key_of)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
