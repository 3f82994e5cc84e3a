"""Both drivers of GPUs make the same calls, and none that ends a capture: torch forbids some to all threads."""

from __future__ import annotations

import ctypes
import logging
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tilewright.backends.gpu.cuda_driver import INVALID_CONTEXT, CudaDriver
from tilewright.backends.gpu.driver import CAPTURE_RELAXED, GpuDriver, Names
from tilewright.backends.gpu.hip_driver import HipDriver
from tilewright.errors import DeviceError, LaunchError, TilewrightError

UNSUPPORTED = 900  # of both makes: an operation that a captured stream does not permit
MAKES: tuple[type[GpuDriver], ...] = (CudaDriver, HipDriver)
OWN: dict[type[GpuDriver], Any] = {CudaDriver: ctypes.c_void_p(4096), HipDriver: ctypes.c_int(1)}  # as it is current
ELSEWHERE = {CudaDriver: [None, 4096, 8192], HipDriver: [0, 1, 2]}  # current: as in a new thread, our GPU, another one
ALLOWED = {"clear", "new_stream", "current", "make_current"}  # during a capture, in every mode
# Functions that only one make has, for its own words; a capture permits them.
WORDS = {"cuGetErrorString", "hipGetErrorString", "hipGetLastError", "hipRuntimeGetVersion"}


class Capturing:
    """A driver's library while somebody captures: refuses what is unsafe unless this thread relaxed its mode.

    `calls` has the functions by the names that drivers of both makes share, `at` what was current meanwhile. `failing`
    is one that returns an error, `missing` one that the library does not have. `during` is called once by a function.
    """

    def __init__(self, names: Names, failing: str = "", missing: str = "") -> None:
        self._shared = {name: what for what, name in names._asdict().items()}
        self.mode, self.refused, self.calls, self.failing, self.missing = 0, list[str](), list[str](), failing, missing
        self.current: int | None = None
        self.at = set[int | None]()
        self.during: dict[str, Callable[[], Any]] = {}

    def __getattr__(self, name: str) -> Any:
        if name in WORDS:
            return (lambda code: b"words") if name == "hipGetErrorString" else lambda *_: 0
        what = self._shared.get(name, name)
        if what == self.missing:
            raise AttributeError(name)

        def call(*arguments: Any) -> int:
            self.calls.append(what)
            self.during.pop(what, int)()
            if what == self.failing:
                return 1
            if what == "capture_mode":
                found = ctypes.cast(arguments[0], ctypes.POINTER(ctypes.c_int))
                self.mode, found[0] = found[0], self.mode
            elif what == "current":
                arguments[0]._obj.value = self.current
            elif what == "make_current":
                self.current = arguments[0].value
            else:
                return self._work(what, *arguments)
            return 0

        return call

    def _work(self, what: str, *arguments: Any) -> int:
        self.at.add(self.current)
        if what not in ALLOWED and self.mode != CAPTURE_RELAXED:
            self.refused.append(what)
            return UNSUPPORTED
        if what in ("load", "allocate", "function"):
            ctypes.cast(arguments[0], ctypes.POINTER(ctypes.c_void_p))[0] = 4096
        return 0


def driver_of(make: type[GpuDriver], failing: str = "", missing: str = "") -> tuple[Any, Capturing]:
    library = Capturing(make.names, failing, missing)
    driver: Any = object.__new__(type(make.__name__, (make,), {"entry_names": ()}))
    library.mode = CAPTURE_RELAXED  # no capture has begun
    GpuDriver.__init__(driver, 1, library)
    library.mode, library.current = 0, ELSEWHERE[make][0]
    library.calls.clear()
    library.at.clear()
    driver._own, driver._unused = OWN[make], deque()
    return driver, library


class Owner:
    """Something that uses a kernel as long as it lives."""


def worked(driver: Any, folder: Path) -> None:
    """Load, allocate, clear, wait and free."""
    assert driver.load(folder / "kernel", "kernel", 1024) == 4096
    assert driver.load(folder / "kernel", "kernel", 1024) == 4096
    at = driver.allocate(256)
    driver.free(at)


def test_both_makes_do_the_same_and_end_no_capture(tmp_path: Path) -> None:
    calls = []
    for make in MAKES:
        driver, library = driver_of(make)
        worked(driver, tmp_path)
        assert library.refused == []
        assert library.mode == 0  # what the caller's own calls may do is as before
        calls.append(library.calls)
    assert calls[0] == calls[1]
    assert {"load", "function", "allocate", "clear", "wait_stream", "free"} <= {*calls[0]}
    assert calls[0].count("load") == 1  # a file is loaded once


@pytest.mark.parametrize("failing", ["", "load", "allocate", "wait_stream", "free"])
@pytest.mark.parametrize(("make", "before"), [(make, before) for make in MAKES for before in ELSEWHERE[make]])
def test_work_is_for_the_own_gpu_and_what_was_current_comes_back(
    make: type[GpuDriver], before: int | None, failing: str, tmp_path: Path
) -> None:
    driver, library = driver_of(make, failing)
    library.current = before
    for work in (lambda: worked(driver, tmp_path), lambda: driver.clear(4096, 8), lambda: driver.free(4096)):
        try:
            work()
        except TilewrightError:
            assert failing
        assert library.current == before
    assert library.at == {OWN[make].value}


def test_only_a_thread_without_a_context_gets_one_for_its_launches() -> None:
    driver, library = driver_of(CudaDriver)
    assert not driver.entered(1)
    assert library.current is None
    assert driver.entered(INVALID_CONTEXT)
    assert library.current == OWN[CudaDriver].value
    library.current = 8192
    assert not driver.entered(INVALID_CONTEXT)
    assert library.current == 8192


@pytest.mark.parametrize("make", MAKES)
def test_a_function_that_the_driver_lacks_is_an_error_of_ours(make: type[GpuDriver]) -> None:
    driver, library = driver_of(make, missing="capture_mode")
    with pytest.raises(DeviceError, match=f"the driver has no {make.names.capture_mode}.*use a newer driver"):
        driver.allocate(8)
    assert library.current == ELSEWHERE[make][0]


def loaded(driver: Any, folder: Path, file: str, name: str) -> list[Owner]:
    """The owner of a kernel, in a list: it goes when the list is cleared."""
    owner = Owner()
    assert driver.load(folder / file, name, 0, owner=owner) == 4096
    return [owner]


@pytest.fixture
def hip(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Capturing]:
    monkeypatch.setattr("tilewright.backends.gpu.hip_driver.may_be_captured", lambda: False)
    return driver_of(HipDriver)


def test_code_is_unloaded_with_its_last_owner(hip: Any, tmp_path: Path) -> None:
    driver, library = hip
    owners = [loaded(driver, tmp_path, "kernel", name) for name in ("a", "b", "a")]
    for owner in owners:
        assert "hipModuleUnload" not in library.calls
        owner.clear()
    assert library.calls[-4:-2] == ["hipDeviceSynchronize", "hipModuleUnload"]
    assert (library.refused, library.mode, library.current) == ([], 0, 0)
    driver.load(tmp_path / "kernel", "a")
    loaded(driver, tmp_path, "kernel", "a").clear()
    assert library.calls.count("load") == 2
    assert library.calls.count("hipModuleUnload") == 1, "without an owner it stays"


def test_code_stays_if_its_last_owner_goes_while_another_one_loads_it(hip: Any, tmp_path: Path) -> None:
    """The collector may end the first owner at any step of the second one's load, in the same thread."""
    driver, library = hip
    first = loaded(driver, tmp_path, "kernel", "a")
    library.during["function"] = first.clear
    second = loaded(driver, tmp_path, "kernel", "b")
    assert not first
    assert "hipModuleUnload" not in library.calls
    second.clear()
    assert library.calls.count("hipModuleUnload") == library.calls.count("load") == 1


@pytest.mark.parametrize("failing", ["", "load", "function"])
def test_code_whose_owner_goes_during_a_load_is_unloaded_after_it(hip: Any, failing: str, tmp_path: Path) -> None:
    driver, library = hip
    first = loaded(driver, tmp_path, "kernel", "a")
    library.failing, library.during["load"] = failing, first.clear
    library.calls.clear()
    try:
        driver.load(tmp_path / "other", "a")
    except LaunchError:
        assert failing
    order = [what for what in library.calls if what in ("load", "function", "hipModuleUnload")]
    assert order == (["load"] if failing == "load" else ["load", "function"]) + ["hipModuleUnload"]


@pytest.mark.parametrize(
    "failing",
    ["load", "function", "allocate", "clear", "new_stream", "wait_stream", "free", "current", "make_current"],
)
def test_both_makes_fail_alike(failing: str, tmp_path: Path, caplog: Any) -> None:
    said = []
    for make in MAKES:
        driver, library = driver_of(make, failing)
        caplog.clear()
        try:
            with caplog.at_level(logging.WARNING, "tilewright"):
                worked(driver, tmp_path)
            failed: tuple[Any, ...] = ("logged", *[r.getMessage() for r in caplog.records])
        except TilewrightError as error:
            failed = type(error), error.message, error.code  # type: ignore[attr-defined]
        said.append([str(x).replace(make.make, "MAKE").partition("(")[0] for x in failed])
        assert library.mode == 0, "the mode comes back after an error"
        held = "allocate" in library.calls and failing != "allocate"
        assert library.calls.count("free") == held, "nothing is left behind"
    assert said[0] == said[1]


@pytest.mark.parametrize("make", MAKES)
@pytest.mark.parametrize("use", [lambda d: d.allocate(8), lambda d: d.check_process(), lambda d: d.make_current()])
def test_a_fork_frees_nothing_and_says_so(make: type[GpuDriver], use: Callable[[Any], Any]) -> None:
    driver, library = driver_of(make)
    driver.pid = os.getpid() + 1
    driver.free(4096)
    assert library.calls == []
    with pytest.raises(DeviceError, match="this is its fork"):
        use(driver)


def test_shared_memory_beyond_the_static_limit_is_asked_for(tmp_path: Path) -> None:
    driver, library = driver_of(CudaDriver)
    driver.load(tmp_path / "kernel.cubin", "kernel", 64 * 1024)
    assert "cuFuncSetAttribute" in library.calls
    assert library.refused == []
    driver, _ = driver_of(CudaDriver, "cuFuncSetAttribute")
    with pytest.raises(LaunchError, match="give kernel 65,536 bytes of shared memory"):
        driver.load(tmp_path / "kernel.cubin", "kernel", 64 * 1024)


@pytest.mark.gpu
def test_a_capture_of_torch_goes_on(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from tilewright.backends.gpu.cuda_driver import cuda_driver

    torch: Any = pytest.importorskip("torch", reason="torch is not installed: nothing is captured")
    source = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry nothing() { ret; }\n\0"
    (tmp_path / "nothing.ptx").write_text(source)
    driver, x, graph = cuda_driver(), torch.ones(1000, device="cuda"), torch.cuda.CUDAGraph()
    blocks = [driver.allocate(1 << 20) for _ in range(2)]
    with ThreadPoolExecutor(1) as pool, torch.cuda.graph(graph):
        double = x * 2
        pool.submit(driver.load, tmp_path / "nothing.ptx", "nothing", 0).result()
        pool.submit(driver.free, blocks[0]).result()
        driver.free(blocks[1])
        result = double + 1
    graph.replay()
    assert result.eq(3).all()
