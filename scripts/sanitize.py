"""Run the C++ parts (kernels, launcher, scorer, thread pool) under sanitizers, and count what they report.

    python scripts/sanitize.py                      # everything: what `make sanitize` does
    python scripts/sanitize.py --part thread
    python scripts/sanitize.py --planted            # only shows that planted defects are reported (seconds)
    python scripts/sanitize.py --part address -- tests/backends/cpu -k skinny

The tests run as they are, in a Python that has the sanitizer's library preloaded. TILEWRIGHT_CXX makes every library
that tilewright builds an instrumented one, in a cache of its own (build/sanitize/cache). The exit status is 0 only if
there are no reports, all tests passed, and each planted defect was reported.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "sanitize"


@dataclass(frozen=True)
class Part:
    """One way to instrument: compiler flags, libraries to preload, options, and the tests that are run."""

    flags: str
    libraries: tuple[str, ...]
    options: dict[str, str]
    report: str
    planted: tuple[str, ...]
    tests: tuple[tuple[str, ...], ...]


PARTS = {
    "address": Part(
        "-fsanitize=address,undefined -fsanitize-recover=address,undefined -fno-omit-frame-pointer -g1",
        ("libasan.so", "libubsan.so"),
        # Python and NumPy free nothing at exit, so leaks cannot be told from theirs.
        {"ASAN_OPTIONS": "detect_leaks=0:halt_on_error=0", "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=0"},
        r"ERROR: AddressSanitizer|runtime error: ",
        ("beyond", "overflow"),
        (
            ("tests/backends/cpu/test_cpu_gemm.py",),
            ("tests/backends/cpu/test_cpu_conv.py", "tests/backends/cpu/test_cpu_conv_depthwise.py"),
            ("tests/backends/cpu/test_cpu_fmha.py",),
            (
                "tests/jit/test_launcher.py",
                "tests/jit/test_launcher_memo.py",
                "tests/jit/test_memo_arguments.py",
                "tests/jit/test_gpu_launches.py",
            ),
            ("tests/select/test_model.py", "-k", "not takes_less"),  # of time: instrumented code is slower
        ),
    ),
    "thread": Part(
        "-fsanitize=thread -g1",
        ("libtsan.so",),
        {"TSAN_OPTIONS": "halt_on_error=0:report_signal_unsafe=0:ignore_noninstrumented_modules=1"},
        r"WARNING: ThreadSanitizer",
        ("race",),
        (
            ("tests/jit/test_runtime.py", "-k", "threads or barriers or nested"),
            ("tests/jit/test_launcher.py", "-k", "thread"),
            ("scripts/sanitize_threads.py",),
        ),
    ),
}
PLANTED = r"""
#include <limits.h>
#include <stdlib.h>
extern "C" int beyond(int n) { char* p = (char*)malloc(n); int x = p[n]; free(p); return x; }
extern "C" int overflow(int n) { return INT_MAX / n + n; }
static volatile int shared;
extern "C" int race(int n) { for (int i = 0; i < n; ++i) shared = shared + i; return shared; }
"""
CALL = """
import ctypes, sys, threading
call = getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2])
threads = [threading.Thread(target=call, args=(30_000_000 if sys.argv[2] == "race" else 1,)) for _ in range(2)]
[t.start() for t in threads], [t.join() for t in threads]
"""


def environment(part: Part, logs: Path) -> dict[str, str]:
    """The environment of an instrumented run; the compilers that it starts are not slowed down by it."""
    found = [_library(name) for name in part.libraries]
    options = {name: f"{text}:log_path={logs}/{name[:4].lower()}" for name, text in part.options.items()}
    cxx = f"env -u LD_PRELOAD g++ {part.flags}"
    return {
        **os.environ, **options, "LD_PRELOAD": " ".join(found), "TILEWRIGHT_CXX": cxx, "TILEWRIGHT_TEST_CXX_FLAGS": "",
        "OPENBLAS_NUM_THREADS": "1",
        "TILEWRIGHT_CACHE_DIR": str(WORK / "cache"), "PYTHONPATH": str(ROOT / "src"),
        "TILEWRIGHT_BUILD_TIMEOUT": "3000", "TILEWRIGHT_LOAD_IN_PLACE": "1",  # reports name the lines of kernels
    }  # fmt: skip


def _compiler() -> str:
    return shutil.which("g++") or sys.exit("sanitize needs g++")


def _library(name: str) -> str:
    path = subprocess.run([_compiler(), f"-print-file-name={name}"], capture_output=True, text=True).stdout.strip()
    if not Path(path).is_file():
        sys.exit(f"{_compiler()} has no {name}: install its sanitizer libraries (Debian/Ubuntu: libgcc-12-dev)")
    return path


def python(*arguments: str) -> list[str]:
    """Python at fixed addresses: the thread sanitizer knows no others."""
    fixed = shutil.which("setarch")
    return [*([fixed, "-R"] if fixed else []), sys.executable, *arguments]


def reports(part: Part, logs: Path) -> list[str]:
    """The first line of each report in the logs."""
    lines = [line for file in sorted(logs.iterdir()) for line in file.read_text(errors="replace").splitlines()]
    return [line for line in lines if re.search(part.report, line)]


def planted(part: Part) -> dict[str, int]:
    """How many reports each planted defect gives."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        source, library, logs = (Path(folder, name) for name in ("planted.cpp", "planted.so", "logs"))
        source.write_text(PLANTED)
        command = [_compiler(), *part.flags.split(), "-O1", "-shared", "-fPIC", str(source), "-o", str(library)]
        subprocess.run(command, check=True)
        for name in part.planted:
            shutil.rmtree(logs, ignore_errors=True)
            logs.mkdir()
            with (logs / "output").open("w") as file:
                subprocess.run(python("-c", CALL, str(library), name), env=environment(part, logs), stderr=file)
            found[name] = len(reports(part, logs))
    return found


def run(part: Part, logs: Path, tests: Sequence[Sequence[str]]) -> bool:
    """Run tests, instrumented, and print how each run ended; returns whether all passed.

    Nothing is captured by pytest: the undefined behaviour sanitizer of GCC writes to stderr, whatever its options say.
    """
    good = True
    for number, group in enumerate(tests):
        pytest = ("-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-o", "timeout=6000")
        command = group if group[0].startswith("scripts/") else (*pytest, *group)
        output = logs / f"output.{number}"
        with output.open("w") as file:
            done = subprocess.run(
                python(*command), env=environment(part, logs), cwd=ROOT, stdout=file, stderr=subprocess.STDOUT
            )
        good &= done.returncode == 0
        last = (output.read_text(errors="replace").strip().splitlines() or ["nothing"])[-1]
        print(f"  {' '.join(group)}: {last}" + (f" (see {output})" if done.returncode else ""), flush=True)
    return good


def main() -> None:
    """Run what the arguments choose; exits with 1 on a report or a failure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--planted", action="store_true", help="only the planted defects")
    parser.add_argument("tests", nargs="*", help="arguments of pytest, after --; default: the kernel tests")
    args = parser.parse_args()
    bad = False
    for name, part in PARTS.items():
        if args.part not in (name, "all"):
            continue
        found = planted(part)
        print(f"{name}: planted defects reported: {found}", flush=True)
        bad |= not all(found.values())
        if args.planted:
            continue
        logs = WORK / "logs" / name
        shutil.rmtree(logs, ignore_errors=True)
        logs.mkdir(parents=True)
        good = run(part, logs, [args.tests] if args.tests else part.tests)
        said = reports(part, logs)
        print(f"{name}: {len(said)} reports{' (see build/sanitize/logs)' if said else ''}", flush=True)
        print("".join(f"  {line.strip()}\n" for line in dict.fromkeys(said)), end="", flush=True)
        bad |= bool(said) or not good
    sys.exit(bad)


if __name__ == "__main__":
    main()
