"""A fixed number of kills and injected faults; `kill.py` and `faults.py` of `benchmarks/reliability` do all of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks" / "reliability"

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="uses LD_PRELOAD and /proc")


def _run(program: str, *words: str) -> str:
    command = [sys.executable, str(BENCHMARKS / program), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_kills_lose_nothing() -> None:
    names = ["build", "clear", "cache export", "cache import", "merge", "sweep", "export jsonl"]
    said = _run("kill.py", "--kills", "28", *(word for name in names for word in ("--op", name)))
    assert re.search(r"^kills: 28; \d+ hit a running operation; lost or damaged: 0$", said, re.MULTILINE), said
    assert int(re.search(r"(\d+) hit a running", said)[1]) > 0  # type: ignore[index]


@pytest.mark.parametrize(("name", "most"), [("build", 1), ("cache import", 1), ("merge", 2), ("export jsonl", 2)])
def test_faults_do_no_harm(name: str, most: int) -> None:
    kinds = ("open", "write", "fsync", "rename")
    said = _run("faults.py", "--op", name, "--most", str(most), *(word for kind in kinds for word in ("--kind", kind)))
    assert "wrong results, crashes, unusable states: 0" in said
    assert "'clean error': " in said  # some faults did strike


def test_a_fault_while_loading_takes_the_next_way() -> None:
    said = _run("faults.py", "--op", "load", "--most", "1", "--kind", "memfd", "--kind", "read")
    assert "wrong results, crashes, unusable states: 0" in said


def test_the_shim_fails_what_it_is_told(tmp_path: Path, fault_shim: Path) -> None:
    """Shown a program that ignores nothing: without a fault it works, with one it must fail."""
    program = f"""
import ctypes, os
shim = ctypes.CDLL(None)
for kind, at in ((-1, 0), (2, 2)):
    shim.tw_fault_arm({str(tmp_path).encode()!r}, kind, ctypes.c_long(at), 5, 0)
    try:
        with open({str(tmp_path / "x")!r}, "wb", buffering=0) as stream:
            stream.write(b"1"), stream.write(b"2")
        print("written")
    except OSError as problem:
        print(problem.errno)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env={"LD_PRELOAD": str(fault_shim)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["written", "5"]
