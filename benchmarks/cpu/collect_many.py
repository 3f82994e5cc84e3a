"""Measure candidates on a machine with many cores: several sweeps side by side, each on CPUs of its own.

    python benchmarks/cpu/collect_many.py --kinds fp32 bf16 int8 --threads 1 2 --seconds 190 --out folder
    python benchmarks/cpu/collect_many.py --kinds fp32/forward fp32/backward_data --threads 1 2 --out folder
    tilewright data merge folder/rows_fp32.jsonl.gz

A kind is a dtype of products, or a dtype and a direction of convolutions. Kernels are built here first. Then each
process gets every n-th problem and twice as many CPUs as its kernels have threads, so that it can move away from those
that work for somebody else (`tune/measure/quiet.py`); no two processes share a CPU. All candidates within reach are
measured (`candidates.FAR`). What is left of the time is divided among the kinds and numbers of threads that are still
to come. Each kind has one file of rows, without the problems at which more than `--shared` of the first samples were
taken on CPUs that others used.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from draw_problems import draw

from tilewright.dispatcher import Dispatcher
from tilewright.ops import problem_from_dict
from tilewright.registry import default_registry
from tilewright.settings import Settings
from tilewright.store import Measurement, Store, store_path, write_rows
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.learn.dataset import is_held_out
from tilewright.tune.learn.session import TuneOptions, TuningSession
from tilewright.tune.measure.station import LocalStation
from tilewright.tune.measure.task import SweepPolicy

EVERY = 999  # candidates per problem: all that are in reach
EACH, EACH_OF_MANY = 3, 5  # samples of every candidate with one thread, and with several, which the system moves around
CHOICE = 2  # CPUs per thread
STARTUP, ENDING = 4.0, 6.0  # seconds of a process before it measures; of writing the rows


def separate_cpus(threads: int, most: int) -> list[list[int]]:
    """Return groups of CPUs that this process may use: one per process, with `CHOICE` of them per thread or all."""
    cpus = sorted(os.sched_getaffinity(0))
    size = min(CHOICE * threads, len(cpus))
    return [cpus[first : first + size] for first in range(0, len(cpus) - size + 1, size)][:most]


def start(
    args: argparse.Namespace, problems: Path, threads: int, seconds: float, cpus: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Start a process for one file of problems, whose folder gets its store and log; without seconds it only builds."""
    pinned = ["taskset", "-c", ",".join(map(str, cpus))] if cpus else []
    words = ["--one", problems, "--threads", threads, "--seconds", seconds, "--rounds", args.rounds, "--out", args.out]
    environment = {**os.environ, "TILEWRIGHT_DATA_DIR": str(problems.parent.resolve()), "OMP_NUM_THREADS": str(threads)}
    with (problems.parent / "log.txt").open("ab") as log:
        command = [*pinned, sys.executable, __file__, *map(str, words)]
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)


def tune_one(args: argparse.Namespace) -> None:
    """Do in this process what `tilewright tune` does, for one file of problems."""
    problems = [problem_from_dict(json.loads(text)) for text in args.one.read_text().splitlines()]
    settings = Settings.from_env(threads=args.threads[0])
    here = Dispatcher(settings=settings, selector="analytical").device_for(problems[0])
    options = TuneOptions(seconds=args.seconds or None, top=EVERY, explore=0, measure=args.seconds > 0, learn=False)
    threads = args.threads[0]
    policy = SweepPolicy.for_cpu(threads, rounds=args.rounds, each=EACH if threads == 1 else EACH_OF_MANY)
    station = LocalStation(settings)
    with Store(store_path(settings)) as store:
        outcome = TuningSession(default_registry(), here, store, [station], settings, options, policy, print).run(
            problems
        )
    station.close()
    print(here, outcome.kernels, outcome.failed_builds, dict(outcome.sweep.statuses), f"{outcome.seconds:.1f} s")


def lines_of(kind: str, args: argparse.Namespace) -> list[str]:
    """Return the problems of a kind as JSON lines, in an order that does not group them by size."""
    dtype, _, direction = kind.partition("/")
    found = draw("conv" if direction else "gemm", [dtype], args.count, args.seed, args.most_flops,
                 args.most_bytes, directions=(direction,) if direction else ())  # fmt: skip
    kept = [p for p in found if not args.held_out or is_held_out(p)]
    return [json.dumps(p.to_dict()) for p in sorted(kept, key=lambda p: p.tuning_key)]


def measure(lines: list[str], name: str, threads: int, seconds: float, args: argparse.Namespace) -> list[Path]:
    """Measure for so many seconds, a process per group of CPUs; return the stores."""
    groups, running, stores = separate_cpus(threads, args.processes), [], []
    for number, mine in enumerate(groups):
        folder = args.work / f"{name}_{number}"
        folder.mkdir(parents=True, exist_ok=True)
        problems = folder / "problems.jsonl"
        problems.write_text("\n".join(lines[number :: len(groups)]) + "\n")
        running.append(start(args, problems, threads, seconds, mine))
        stores.append(folder)
    for process in running:
        process.wait()
    return stores


def rows_of(stores: Sequence[Path]) -> Iterator[Measurement]:
    """Yield all measurements of some stores."""
    for folder in stores:
        for path in folder.glob("**/*.sqlite"):
            with Store(path) as store:
                yield from list(store.rows())


def quiet_rows(rows: Sequence[Measurement], most: float) -> list[Measurement]:
    """Return the rows of problems at which at most this share of the first samples was taken on shared CPUs."""
    problems: dict[tuple[str, Any], list[Measurement]] = {}
    for row in rows:
        problems.setdefault((row.tuning_key, row.policy["threads"]), []).append(row)
    share = {key: max(r.clocks.get("shared", 0) for r in found) / len(found) for key, found in problems.items()}
    print(
        f"{sum(s > most for s in share.values())} of {len(share)} problems left out: their CPUs were shared", flush=True
    )
    return [row for key, found in problems.items() if share[key] <= most for row in found]


def main() -> None:
    """Build, measure and write the rows of each kind."""
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", default=["fp32"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=190.0, help="for everything, about")
    parser.add_argument("--processes", type=int, default=8, help="at most so many side by side")
    parser.add_argument("--count", type=int, default=700, help="problems per kind")
    parser.add_argument("--most-flops", type=float, default=6e7)
    parser.add_argument("--most-bytes", type=float, default=8e6, help="of a convolution's tensors")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--shared", type=float, default=0.5, help="share of samples on shared CPUs that a problem may have"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--held-out", action="store_true", help="only the problems that `evaluate` holds out")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("build/collect"))
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)  # a file of problems for this process alone
    args = parser.parse_args()
    if args.one:
        tune_one(args)
        return
    args.out.mkdir(parents=True, exist_ok=True)
    args.work.mkdir(parents=True, exist_ok=True)
    end, left = time.monotonic() + args.seconds - ENDING, len(args.kinds) * len(args.threads)
    for kind in args.kinds:
        lines, stores, begin, name = lines_of(kind, args), [], time.monotonic(), kind.replace("/", "_")
        problems = args.work / f"build_{name}" / "problems.jsonl"
        problems.parent.mkdir(parents=True, exist_ok=True)
        problems.write_text("\n".join(lines) + "\n")
        built = start(args, problems, args.threads[0], 0.0).wait()
        print(f"{kind}: built in {time.monotonic() - begin:.0f} s, status {built}", flush=True)
        for threads in args.threads:
            share = (end - time.monotonic()) / left - STARTUP
            left -= 1
            if share > 0:
                stores += measure(lines, f"{name}_{threads}", threads, share, args)
        rows = quiet_rows(list(rows_of(stores)), args.shared)
        write_rows(rows, args.out / f"rows_{name}.jsonl.gz")
        print(f"{kind}: {len(rows)} rows, {len({r.tuning_key for r in rows})} problems", flush=True)


if __name__ == "__main__":
    main()
