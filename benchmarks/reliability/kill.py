"""Kills builds, sweeps, merges, exports and imports with SIGKILL at random moments, and reports what was lost.

    python benchmarks/reliability/kill.py                    # 1,000 kills over all operations
    python benchmarks/reliability/kill.py --kills 50 --op build --op merge --seed 3

Each operation runs in a process of its own, over what an earlier one finished, and is killed after a random part of
the time that it takes undisturbed. Then everything that was there before must still be there, nothing may be
damaged, no compiler may be left, and doing the work again must succeed. The exit status is 1 if anything was lost.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from reliability_ops import child_result, judged, operations, warm_up

PATIENCE = 20.0  # seconds that a compiler has to end after its process was killed


def timed(operation: Any, template: Path, folder: Path) -> float:
    """Seconds that the operation takes undisturbed."""
    shutil.copytree(template, folder, symlinks=True)
    begin = time.monotonic()
    status, text = child_result(lambda: operation.run(folder) and None)
    assert status == 0, f"{operation.name} fails undisturbed: {text}"
    shutil.rmtree(folder)
    return time.monotonic() - begin


def kill_once(operation: Any, template: Path, folder: Path, seconds: float) -> tuple[bool, list[str]]:
    """Return whether the kill hit the running operation, and what was lost."""
    shutil.copytree(template, folder, symlinks=True)
    pid = os.fork()
    if pid == 0:
        status, text = judged(lambda: operation.again(folder))
        if status == 2:
            os.write(2, text.encode())
        os._exit(status)
    time.sleep(seconds)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    hit = os.WIFSIGNALED(status)
    lost = [] if hit or os.waitstatus_to_exitcode(status) == 0 else ["it failed before it was killed"]
    if not ends_within(folder, PATIENCE):
        lost.append("a process that it started outlived it")
    status, text = child_result(lambda: operation.check(folder))
    if status != 0 or text:
        lost.append(text or f"the check ended with {status}")
    shutil.rmtree(folder, ignore_errors=True)
    return hit, lost


def ends_within(folder: Path, seconds: float) -> bool:
    """Return whether no process works below `folder` any more, soon."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not any(_works_in(link, str(folder)) for link in Path("/proc").glob("[0-9]*/cwd")):
            return True
        time.sleep(0.005)
    return False


def _works_in(link: Path, folder: str) -> bool:
    try:
        return os.readlink(link).startswith(folder)
    except OSError:
        return False


def kill_many(names: list[str], kills: int, seed: int, scratch: Path) -> tuple[int, int, int]:
    """Kill all operations equally often; return (kills, those that hit a running operation, those with a loss)."""
    warm_up()
    chosen, rng = operations(names), random.Random(seed)
    done = hits = losses = 0
    for number, operation in enumerate(chosen):
        template = scratch / operation.name.replace(" ", "-")
        template.mkdir()
        status, text = child_result(partial(operation.prepare, template))
        assert status == 0, f"{operation.name} cannot be prepared: {text}"
        usual = min(timed(operation, template, scratch / "timed") for _ in range(3))
        count = kills * (number + 1) // len(chosen) - done
        hit = lost = 0
        for turn in range(count):
            landed, found = kill_once(operation, template, scratch / f"kill{turn}", rng.uniform(0, usual))
            hit, lost = hit + landed, lost + bool(found)
            for text in found:
                print(f"{operation.name}, kill {turn}: {text}", flush=True)
        done, hits, losses = done + count, hits + hit, losses + lost
        print(f"{operation.name}: {count} kills, {hit} hit it running, {lost} lost something", flush=True)
    return done, hits, losses


def main() -> int:
    """Read the options, kill, and print the counts; return 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--op", action="append", default=[], help="an operation, may be repeated; by default all")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with tempfile.TemporaryDirectory(prefix="tilewright-kill-") as scratch:
        done, hits, losses = kill_many(arguments.op, arguments.kills, arguments.seed, Path(scratch))
    print(f"kills: {done}; {hits} hit a running operation; lost or damaged: {losses}")
    return 1 if losses else 0


if __name__ == "__main__":
    sys.exit(main())
