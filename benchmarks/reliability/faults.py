"""Fault injection: every n-th system call of every operation fails once, and for good; what is left is judged.

    python benchmarks/reliability/faults.py                         # all operations, all kinds of faults, every n
    python benchmarks/reliability/faults.py --op build --kind fsync --most 3

A library that is preloaded (`fault_shim.cpp`) fails the n-th open, read, write, fsync, rename, unlink, mkdir, mmap,
dlopen, flock, chmod or memfd_create below the operation's folder, with the error that this call gives in life. Each
case is a fork of its own. It may succeed or end with an error of tilewright; then everything that was there before
must still be there, nothing may be damaged, and doing the work again must succeed. A wrong result, another exception,
a crash, and an unusable state are counted, and make the exit status 1.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

KINDS = ("open", "read", "write", "short", "fsync", "rename", "unlink", "mkdir", "mmap", "dlopen", "flock", "chmod",
         "memfd")  # fmt: skip
ERRORS = {  # what a call gives that fails once, and one that fails from then on
    "open": (errno.EMFILE, errno.EACCES), "read": (errno.EIO,) * 2, "write": (errno.EIO, errno.ENOSPC),
    "short": (0, 0), "fsync": (errno.EIO,) * 2, "rename": (errno.EIO, errno.ENOSPC), "unlink": (errno.EIO,) * 2,
    "mkdir": (errno.EIO, errno.ENOSPC), "mmap": (errno.ENOMEM,) * 2, "dlopen": (errno.ENOMEM,) * 2,
    "flock": (errno.ENOLCK,) * 2, "chmod": (errno.EPERM,) * 2, "memfd": (errno.EMFILE,) * 2,
}  # fmt: skip
SHIM = Path(__file__).with_name("fault_shim.cpp")


def build_shim(folder: Path) -> Path:
    """Return the compiled library to preload."""
    target = folder / "fault_shim.so"
    command = ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", os.fspath(SHIM), "-o", os.fspath(target), "-ldl"]
    subprocess.run(command, check=True)
    return target


class Shim:
    """The preloaded library, seen from Python."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None)
        self.library.tw_fault_arm.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_int]

    def arm(self, folder: Path, kind: str = "", at: int = 0, error: int = 0, sticky: bool = False) -> None:
        number = KINDS.index(kind) if kind else -1
        self.library.tw_fault_arm(os.fspath(folder).encode(), number, at, error, int(sticky))

    def counts(self) -> dict[str, int]:
        held = (ctypes.c_long * len(KINDS))()
        self.library.tw_fault_counts(held)
        return dict(zip(KINDS, held, strict=True))


def count_calls(shim: Shim, operation: Any, folder: Path) -> dict[str, int]:
    """Return how often each kind of call occurs when nothing fails."""
    from reliability_ops import child_result

    def work() -> list[str]:
        shim.arm(folder)
        judge = operation.run(folder)
        counts = shim.counts()
        judge()
        return [f"{kind} {count}" for kind, count in counts.items()]

    status, text = child_result(work)
    assert status == 0, text
    return {kind: int(count) for kind, count in (line.split() for line in text.splitlines())}


def one_case(shim: Shim, operation: Any, template: Path, folder: Path, fault: tuple[Any, ...]) -> tuple[str, str]:
    """Return the verdict on one fault, and the text to it."""
    from reliability_ops import child_result

    shutil.copytree(template, folder, symlinks=True)

    def work() -> None:
        shim.arm(folder, *fault)
        judge = operation.run(folder)
        shim.arm(folder)
        judge()

    status, text = child_result(work)
    if status not in (0, 1):
        return ("wrong result" if "AssertionError" in text else "crash or traceback"), text
    outcome = "succeeded" if status == 0 else "clean error"
    status, text = child_result(lambda: operation.check(folder))
    shutil.rmtree(folder, ignore_errors=True)
    return (outcome, "") if status == 0 and not text else ("unusable or lost", text)


def cases(counts: dict[str, int], kinds: list[str], most: int) -> list[tuple[str, int, int, bool]]:
    """Return every (kind, n, error, for good)."""
    found = []
    for kind in kinds:
        numbers: Sequence[int] = range(1, counts[kind] + 1)
        if most and len(numbers) > most:  # spread over all of them
            numbers = sorted({1 + round(i * (len(numbers) - 1) / (most - 1 or 1)) for i in range(most)})
        for sticky, error in enumerate(ERRORS[kind]):
            found += [(kind, at, error, bool(sticky)) for at in numbers]
    return found


def inject(names: list[str], kinds: list[str], most: int, seed_folder: Path, quiet: bool = False) -> Counter[str]:
    """Run every case and return how many ended how."""
    from reliability_ops import child_result, operations, warm_up

    warm_up()
    shim, total = Shim(), Counter[str]()
    for operation in operations(names):
        begin = time.monotonic()
        template = seed_folder / operation.name.replace(" ", "-")
        template.mkdir()
        status, text = child_result(partial(operation.prepare, template))
        assert status == 0, f"{operation.name} cannot be prepared: {text}"
        measured = seed_folder / "measured"
        shutil.copytree(template, measured, symlinks=True)
        counts = count_calls(shim, operation, measured)
        shutil.rmtree(measured)
        found = Counter[str]()
        for number, fault in enumerate(cases(counts, kinds, most)):
            verdict, text = one_case(shim, operation, template, seed_folder / f"{template.name}{number}", fault)
            found[verdict] += 1
            if text:
                print(f"{operation.name}, {fault}: {verdict}\n{text}", flush=True)
        total += found
        if not quiet:
            calls = ", ".join(f"{kind} {count}" for kind, count in counts.items() if count and kind in kinds)
            seconds = time.monotonic() - begin
            print(
                f"{operation.name}: {sum(found.values())} faults ({calls}): {dict(found)}, {seconds:.0f} s", flush=True
            )
    return total


def main() -> int:
    """Read the options, run the cases and print the counts; return 1 if anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--op", action="append", default=[], help="an operation, may be repeated; by default all")
    parser.add_argument("--kind", action="append", default=[], choices=KINDS, help="a kind of call; by default all")
    parser.add_argument("--most", type=int, default=0, help="at most so many n of a kind; 0: every n")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tilewright-faults-") as scratch:
        if "TW_FAULT_SHIM" not in os.environ:
            shim = build_shim(Path(scratch))
            env = {**os.environ, "TW_FAULT_SHIM": "1", "LD_PRELOAD": os.fspath(shim), "OPENBLAS_NUM_THREADS": "1"}
            return subprocess.call([sys.executable, *sys.argv], env=env)
        total = inject(arguments.op, arguments.kind or list(KINDS), arguments.most, Path(scratch))
    bad = sum(count for verdict, count in total.items() if verdict not in ("succeeded", "clean error"))
    print(f"injected faults: {sum(total.values())}; {dict(total)}; wrong results, crashes, unusable states: {bad}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
