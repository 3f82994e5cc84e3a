"""Fixtures of the build room."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tilewright.jit.memo import Memo, make_memo, register_tensor_types

SHIM = Path(__file__).parents[2] / "benchmarks" / "reliability" / "fault_shim.cpp"


@pytest.fixture(scope="session")
def fault_shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library to preload that makes file operations fail or slow."""
    if not sys.platform.startswith("linux"):
        pytest.skip("system calls are intercepted by LD_PRELOAD, which is of Linux")
    target = tmp_path_factory.mktemp("shim") / "fault_shim.so"
    subprocess.run(["g++", "-std=c++17", "-O1", "-shared", "-fPIC", str(SHIM), "-o", str(target), "-ldl"], check=True)
    return target


@pytest.fixture
def memo() -> Memo:
    """An empty memo of prepared launches."""
    made = make_memo(64)
    assert made is not None
    return made


@pytest.fixture
def torch() -> Any:
    """The package, whose tensors the launcher knows."""
    torch = pytest.importorskip("torch")
    register_tensor_types([torch.ones(1), torch.nn.Parameter(torch.ones(1))])
    return torch
