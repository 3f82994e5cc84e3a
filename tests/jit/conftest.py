"""Fixtures of the build room."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SHIM = Path(__file__).parents[2] / "benchmarks" / "reliability" / "fault_shim.cpp"


@pytest.fixture(scope="session")
def fault_shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library to preload that makes file operations fail or slow."""
    if not sys.platform.startswith("linux"):
        pytest.skip("system calls are intercepted by LD_PRELOAD, which is of Linux")
    target = tmp_path_factory.mktemp("shim") / "fault_shim.so"
    subprocess.run(["g++", "-std=c++17", "-O1", "-shared", "-fPIC", str(SHIM), "-o", str(target), "-ldl"], check=True)
    return target
