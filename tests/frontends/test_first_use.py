"""The first call on a new machine: nothing is compiled yet, and nobody waits for a compiler."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright.jit.compiler import find_compiler
from tilewright.settings import Settings

SLOW = """#!/bin/sh
case "$*" in *launcher.cpp*|*kernel.cpp*|*runtime.cpp*) until [ -e "{go}" ]; do sleep 0.05; done; set -- "$@" -O0;; esac
exec {compiler} "$@"
"""
PROGRAM = """
import pathlib, sys
import numpy as np
import tilewright as tw
from tilewright.frontends import default
from tilewright.jit import launcher as launchers

a, b = np.ones((9, 24), np.float32), np.eye(24, dtype=np.float32)
first = [tw.gemm(a, b).tolist(), tw.gemm(a[:7], b).tolist()]
assert first == [a.tolist(), a[:7].tolist()]
assert launchers.launcher_at_once().kind == "ctypes", "the launcher was compiled although the compiler waits"
pathlib.Path(sys.argv[1]).touch()
assert default.made.wait_for_builds(300)
assert launchers.launcher_at_once().kind == "c"
assert tw.gemm(a, b).tolist() == tw.gemm(a, b).tolist() == a.tolist()
assert len(default.made.calls.in_c) == 2, "the call is not in the memo, by its choices and by its arguments"
print([event.kind for event in default.made.events])
"""


@pytest.mark.parametrize("vendor", ["0", "1"])
def test_the_first_call_waits_for_no_compiler(tmp_path: Path, vendor: str) -> None:
    """It runs on NumPy's BLAS, or on the reference, through ctypes; the launcher in C and the kernel follow."""
    go, compiler = tmp_path / "go", tmp_path / "c++"
    compiler.write_text(SLOW.format(go=go, compiler=" ".join(find_compiler(Settings.from_env()).argv)))
    compiler.chmod(0o755)
    folders = {f"TILEWRIGHT_{name}_DIR": str(tmp_path / name) for name in ("CACHE", "DATA")}
    chosen = {"TILEWRIGHT_CXX": str(compiler), "TILEWRIGHT_BUILD": "background", "TILEWRIGHT_VENDOR": vendor}
    environment = {**os.environ, **folders, **chosen}
    command = [sys.executable, "-c", PROGRAM, str(go)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    if vendor == "0":
        assert {"'stand-in'", "'switched'"} <= set(done.stdout.strip()[1:-1].split(", "))


LOADED = """
import sys
import numpy as np
import tilewright as tw

tw.gemm(np.ones((4, 3), np.float32), np.ones((3, 2), np.float32))
print(*[name for name in sys.modules if name.startswith("tilewright.") or name == "numpy.ma"])
"""


@pytest.mark.parametrize("vendor", ["0", "1"])
def test_a_product_loads_nothing_of_other_ops(vendor: str) -> None:
    """A cold process that multiplies matrices reads no convolution, attention, GPU kernel or masked array."""
    environment = {**os.environ, "TILEWRIGHT_BUILD": "wait", "TILEWRIGHT_VENDOR": vendor}
    done = subprocess.run([sys.executable, "-c", LOADED], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    others = re.compile(r"numpy.ma|.*\.(conv|fmha)\b.*|tilewright\.backends\.(triton|ck_tile)\..*")
    assert [name for name in done.stdout.split() if others.fullmatch(name)] == []
