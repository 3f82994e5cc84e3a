"""The HIP runtime through ctypes: memory, copies, streams, code objects, launches. It has never run on hardware.

Written from the documented interface, and tested over a library that stands in for the runtime and executes kernels on
the emulator (`emulated/`). Nothing is loaded at import; the first call that needs the GPU initialises it.
"""

from __future__ import annotations

import ctypes
import os
import sys
import weakref
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import DeviceError, LaunchError
from .captured import may_be_captured
from .cuda_driver import LaunchConfig
from .driver import GpuDriver, Names, log, opened
from .hip_detect import arch_of
from .hip_errors import NO_BINARY, remedy_of, unloadable
from .hip_library import load_library

TO_DEVICE, FROM_DEVICE, ON_DEVICE = 1, 2, 3  # hipMemcpyHostToDevice, hipMemcpyDeviceToHost


class HipDriver(GpuDriver):
    """The loaded HIP runtime of this process, with one GPU made current.

    Stream 0 is the default one. `library` is a path to load instead of the installed runtime.
    """

    name = "hip"
    make = "HIP"
    ready = "make the GPU current"
    names = Names(
        init="hipInit",
        attribute="hipDeviceGetAttribute",
        current="hipGetDevice",
        make_current="hipSetDevice",
        capture_mode="hipThreadExchangeStreamCaptureMode",
        allocate="hipMalloc",
        free="hipFree",
        clear="hipMemsetAsync",
        new_stream="hipStreamCreateWithFlags",
        end_stream="hipStreamDestroy",
        wait_stream="hipStreamSynchronize",
        load="hipModuleLoad",
        function="hipModuleGetFunction",
    )
    attributes = {"units": 63}  # hipDeviceAttributeMultiprocessorCount
    entry_names = (
        "hipModuleLaunchKernel", "hipGetDevice", "hipSetDevice", "hipMemset2DAsync", "hipStreamIsCapturing",
    )  # fmt: skip

    def __init__(self, ordinal: int = 0, library: str | os.PathLike[str] | None = None) -> None:
        lib = ctypes.CDLL(os.fspath(library)) if library is not None else load_library()
        lib.hipGetErrorString.restype = ctypes.c_char_p
        self._own = ctypes.c_int(ordinal)
        self._unused: deque[str] = deque()  # modules that one user less has, by their files
        super().__init__(ordinal, lib)
        with self.current():
            pass  # a GPU that is not there is an error now, not at the first launch

    def describe(self, code: int) -> str:
        """Return the runtime's words for a code; this thread's last error is cleared, torch would raise it."""
        said = (self._lib.hipGetErrorString(code) or b"unknown error").decode(errors="replace")
        self._lib.hipGetLastError()
        return str(said)

    def remedy_of(self, code: int) -> str:
        """Return what to do about an error code."""
        return remedy_of(code)

    def _device(self) -> Any:
        return self.ordinal

    def entered(self, code: int) -> bool:
        """Return False: each launch makes the GPU current, so no thread lacks it. Raise an error in a fork."""
        self.check_process()
        return False

    def load(self, path: Path, name: str, shared: int = 0, owner: object = None) -> int:
        """Return the function called `name` of a file, allowed to use `shared` bytes of shared memory.

        A file is loaded once. It is unloaded when the last `owner` goes, unless a captured graph may still launch its
        kernels; without an owner it stays.
        """
        try:
            with self._loading:
                found = self._loaded(path, name, shared)
        finally:
            self._settle()
        if owner is not None:
            weakref.finalize(owner, self._release, os.fspath(path)).atexit = False
        return found

    def _release(self, key: str) -> None:
        """Note that a user of a module went. The collector may call this at any step, also while this thread loads."""
        if not sys.is_finalizing() and os.getpid() == self.pid:
            self._unused.append(key)
            self._settle()

    def _settle(self) -> None:
        """Unload what has no user any more; whoever holds the lock does it afterwards."""
        while self._unused and self._loading.acquire(blocking=False):
            try:
                found = self._without_users()
            finally:
                self._loading.release()
            if found is not None:
                self._unload(*found)

    def _without_users(self) -> tuple[str, int] | None:
        """Take one user from a module; return file and handle if it was the last one, and forget the module."""
        if not self._unused:  # another thread was faster
            return None
        key = self._unused.popleft()
        module = self._modules[key]
        module.uses -= 1
        if module.uses or may_be_captured():
            return None
        del self._modules[key]
        return key, module.handle

    def _unload(self, key: str, module: int) -> None:
        try:
            with self.outside_capture():  # its last kernel may still run
                code = self._lib.hipDeviceSynchronize() or self._lib.hipModuleUnload(ctypes.c_void_p(module))
            self._noticed(code, f"unload {key}")
        except DeviceError as error:
            log.warning("cannot unload %s: %s", key, error.message)

    def _check_code(self, code: int, what: str, path: Path) -> None:
        """Raise the error of a code object that cannot be used."""
        if code == NO_BINARY:
            version = ctypes.c_int()
            self._lib.hipRuntimeGetVersion(ctypes.byref(version))
            self.refuse(code, what, LaunchError, unloadable(path, arch_of(self._lib, self.ordinal), version.value))
        self.check(code, what)

    def launch_raw(
        self, function: int, grid: Sequence[int], block: Sequence[int], shared: int, stream: int, params: Any
    ) -> int:
        """Launch and return the runtime's code; `params` is an array of pointers to the arguments."""
        sizes = [ctypes.c_uint(n) for n in (*grid, *block, shared)]
        with self.current():
            return int(
                self._lib.hipModuleLaunchKernel(
                    ctypes.c_void_p(function), *sizes, ctypes.c_void_p(stream), ctypes.byref(params), None
                )
            )

    def launch(self, config_at: int, function: Any, params: Any, extra: Any) -> int:
        """Launch by the configuration block of `GpuCall`, which is that of the CUDA driver."""
        c = LaunchConfig.from_address(config_at)
        return self.launch_raw(function.value or 0, c.grid, c.block, c.shared, c.stream or 0, params)

    def encode(self, into: int, meta: dict[str, Any], address: int, shape: list[int], strides: list[int]) -> None:
        """AMD GPUs have no tensor maps; no kernel for them asks for one."""
        raise LaunchError("AMD GPUs have no tensor maps", remedy="use the pointer pipeline")

    def blocks_per_unit(self, function: int, threads: int) -> int:
        """Return how many blocks of a kernel one compute unit holds at once."""
        value = ctypes.c_int()
        ask = self._lib.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor
        with self.current():
            code = ask(ctypes.byref(value), ctypes.c_void_p(function), threads, ctypes.c_size_t(0))
        self.check(code, "ask for the occupancy of a kernel", DeviceError)
        return value.value

    def clear_rows(self, address: int, pitch: int, width: int, rows: int, stream: int = 0) -> None:
        """Zero `width` bytes in each of `rows` rows that begin `pitch` bytes apart."""
        sizes = (ctypes.c_size_t(pitch), ctypes.c_int(0), ctypes.c_size_t(width), ctypes.c_size_t(rows))
        with self.current():
            code = self._lib.hipMemset2DAsync(ctypes.c_void_p(address), *sizes, ctypes.c_void_p(stream))
        self.check(code, f"clear {rows:,} rows of GPU memory", DeviceError)

    def copy_in(self, address: int, host: int, size: int, stream: int = 0) -> None:
        """Copy `size` bytes from the host address `host` to the GPU address, in the order of `stream`."""
        self._copy(address, host, size, TO_DEVICE, stream)

    def copy_out(self, host: int, address: int, size: int, stream: int = 0) -> None:
        """Copy `size` bytes from the GPU to the host and wait for them."""
        self._copy(host, address, size, FROM_DEVICE, stream)
        self.synchronize(stream)

    def copy(self, to: int, source: int, size: int, stream: int = 0) -> None:
        """Copy `size` bytes within the GPU's memory, in the order of `stream`."""
        self._copy(to, source, size, ON_DEVICE, stream)

    def _copy(self, to: int, source: int, size: int, kind: int, stream: int) -> None:
        words = (ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(size), ctypes.c_int(kind))
        with self.current():  # stream 0 is that of the current GPU
            code = self._lib.hipMemcpyAsync(*words, ctypes.c_void_p(stream))
        self.check(code, f"copy {size:,} bytes", DeviceError)

    def new_stream(self) -> int:
        """Return a stream of its own."""
        stream = ctypes.c_void_p()
        with self.current():
            self.check(self._lib.hipStreamCreate(ctypes.byref(stream)), "make a stream", DeviceError)
        return int(stream.value or 0)


_DRIVERS: dict[tuple[str, int], HipDriver] = {}


def hip_driver(ordinal: int = 0, library: str = "") -> HipDriver:
    """The runtime (the installed one if `library` is empty) with GPU `ordinal`; initialises it at the first call."""
    return opened(_DRIVERS, HipDriver, ordinal, library)
