"""Both drivers of the C++ headers use their own GPU, leave the thread as it was, and keep no memory after an error."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import tilewright

pytestmark = pytest.mark.xdist_group("bundle")
CPP = Path(tilewright.__file__).parent / "cpp"
CHECK = Path(__file__).parents[1] / "support" / "driver_check.cpp"
NAMES = {  # of each step, as the makes call it
    "cuda": {"allocate": "cuMemAlloc_v2", "new_stream": "cuStreamCreate", "clear": "cuMemsetD8Async",
             "wait_stream": "cuStreamSynchronize", "free": "cuMemFree_v2", "current": "cuCtxGetCurrent",
             "make_current": "cuCtxSetCurrent"},
    "hip": {"allocate": "hipMalloc", "new_stream": "hipStreamCreateWithFlags", "clear": "hipMemsetAsync",
            "wait_stream": "hipStreamSynchronize", "free": "hipFree", "current": "hipGetDevice",
            "make_current": "hipSetDevice"},
}  # fmt: skip
NONE = {"cuda": -1, "hip": 0}  # the current GPU of a new thread


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    target = tmp_path_factory.mktemp("drivers") / "driver_check.so"
    sources = [CHECK, *(CPP / "source" / name for name in ("error.cpp", "json.cpp"))]
    command = ["c++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{CPP / 'include'}"]
    subprocess.run([*command, *map(str, sources), "-o", str(target), "-ldl", "-pthread"], check=True)
    found = ctypes.CDLL(str(target))
    found.use_memory.restype = found.use_streams.restype = ctypes.c_char_p
    return found


@pytest.fixture
def use_memory(library: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    for make in NAMES:
        monkeypatch.setenv(f"TILEWRIGHT_{make.upper()}_LIBRARY", library._name)

    def used(make: str, before: int, failing: str = "", at_the_end: bool = False) -> str:
        name = NAMES[make].get(failing, "").encode()
        return str(library.use_memory(make.encode(), before, name, at_the_end).decode())

    return used


@pytest.mark.parametrize("before", [-1, 0, 1])
@pytest.mark.parametrize("make", NAMES)
def test_memory_is_that_of_the_driver_s_gpu_and_the_thread_is_left_as_it_was(
    use_memory: Callable[..., str], make: str, before: int
) -> None:
    """It is freed in a thread that has no GPU, while somebody captures."""
    left = max(before, NONE[make])
    want = f" | allocated: current {left}, mode 0, memory 1 launched on GPU 1"
    assert use_memory(make, before) == f"{want} | freed: current {NONE[make]}, mode 0, memory"


@pytest.mark.parametrize("failing", ["allocate", "new_stream", "clear", "wait_stream", "current", "make_current"])
@pytest.mark.parametrize("make", NAMES)
def test_an_allocation_that_fails_leaves_nothing_behind(
    use_memory: Callable[..., str], make: str, failing: str
) -> None:
    found = use_memory(make, 0, failing)
    assert found.startswith("cannot ")
    assert f"{make.upper()} error 2 (words) | allocated: current 0, mode 0, memory" in found
    assert found.endswith("memory"), "neither memory nor a stream"
    assert "the error is left to the program" not in found


@pytest.mark.parametrize("failing", ["free", "current", "make_current"])
@pytest.mark.parametrize("make", NAMES)
def test_a_free_that_fails_ends_no_program(use_memory: Callable[..., str], make: str, failing: str) -> None:
    assert "| freed: " in use_memory(make, 0, failing, at_the_end=True)


@pytest.mark.parametrize("make", NAMES)
@pytest.mark.usefixtures("use_memory")
def test_streams_are_those_of_the_driver_s_gpu(library: ctypes.CDLL, make: str) -> None:
    found = library.use_streams(make.encode()).decode()
    assert found == " waited for a default stream of GPU 1 | waited: current 0, mode 2, memory, streams"
