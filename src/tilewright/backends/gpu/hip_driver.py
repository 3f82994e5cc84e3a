"""The HIP runtime through ctypes: memory, copies, streams, code objects, launches. It has never run on hardware.

Written from the documented interface, and tested over a library that stands in for the runtime and executes kernels on
the emulator (`emulated/`). Nothing is loaded at import; the first call that needs the GPU initialises it.
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...errors import DeviceError, LaunchError
from ...model.locks import new_lock, new_rlock
from .captured import may_be_captured
from .cuda_driver import LaunchConfig
from .hip_detect import arch_of
from .hip_errors import NO_BINARY, remedy_of, unloadable
from .hip_library import load_library

TO_DEVICE, FROM_DEVICE, ON_DEVICE = 1, 2, 3  # hipMemcpyHostToDevice, hipMemcpyDeviceToHost
COMPUTE_UNITS = 63  # hipDeviceAttributeMultiprocessorCount
ENTRIES = ("hipModuleLaunchKernel", "hipGetDevice", "hipSetDevice", "hipMemset2DAsync")  # called from C, in this order
STREAM_NON_BLOCKING, CAPTURE_RELAXED = 1, 2  # hipStreamNonBlocking, hipStreamCaptureModeRelaxed
log = logging.getLogger("tilewright")


class _Module:
    """A loaded code object: its handle, its kernels by name, and how many owners use it."""

    def __init__(self, handle: int) -> None:
        self.handle, self.functions, self.owners = handle, dict[str, int](), 0


class HipDriver:
    """The loaded HIP runtime of this process, with one GPU made current.

    Addresses and streams are plain integers (stream 0 is the default one). `library` is a path to load instead of the
    installed runtime.
    """

    name = "hip"
    ready = "make the GPU current"  # what a launch in C does before its kernels

    def __init__(self, ordinal: int = 0, library: str | os.PathLike[str] | None = None) -> None:
        self.ordinal, self.pid = ordinal, os.getpid()
        self._lib = ctypes.CDLL(os.fspath(library)) if library is not None else load_library()
        self._lib.hipGetErrorString.restype = ctypes.c_char_p
        self.entries = tuple(ctypes.cast(getattr(self._lib, n), ctypes.c_void_p).value or 0 for n in ENTRIES)
        self._modules: dict[str, _Module] = {}
        self._loading = new_rlock()  # a finaliser may unload while this thread loads
        self.check(self._lib.hipInit(0), "initialise the HIP runtime", DeviceError)
        with self.current():
            pass  # a GPU that is not there is an error now, not at the first launch

    def check(self, code: int, what: str, error: type[Any] = LaunchError) -> None:
        """Raise a readable error if `code` is not success; the thread's last error is cleared, torch would raise it."""
        if code:
            self.refuse(code, what, error, remedy_of(code))

    def refuse(self, code: int, what: str, error: type[Any], remedy: str) -> None:
        """Raise the error of a code."""
        failure = error(f"cannot {what}: HIP error {code} ({self._said(code)})", remedy=remedy)
        failure.code = code
        raise failure

    def _said(self, code: int) -> str:
        """Return the runtime's words for a code, and clear the last error of this thread."""
        said = (self._lib.hipGetErrorString(code) or b"unknown error").decode(errors="replace")
        self._lib.hipGetLastError()
        return str(said)

    def make_current(self) -> None:
        """Make the GPU current in this thread; a clear error in a fork, where the runtime cannot work."""
        if os.getpid() != self.pid:
            raise DeviceError(
                f"the GPU was initialised in process {self.pid}, and this is its fork {os.getpid()}",
                remedy="start worker processes with the 'spawn' method, or before the first GPU launch",
            )
        self.check(self._lib.hipSetDevice(self.ordinal), f"open GPU {self.ordinal}", DeviceError)

    def entered(self, code: int) -> bool:
        """Return False: each launch makes the GPU current, so no thread lacks it. Raise an error in a fork."""
        if os.getpid() != self.pid:
            self.make_current()
        return False

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make the GPU current for the time of a block; what the caller had current comes back."""
        before = ctypes.c_int()
        self.check(self._lib.hipGetDevice(ctypes.byref(before)), "read the current GPU", DeviceError)
        if before.value == self.ordinal:
            yield
            return
        self.make_current()
        try:
            yield
        except BaseException:
            self._lib.hipSetDevice(before.value)  # the first error is the one to report
            raise
        self.check(self._lib.hipSetDevice(before.value), f"go back to GPU {before.value}", DeviceError)

    @contextmanager
    def outside_capture(self) -> Iterator[None]:
        """Make the GPU current, and allow calls that a capture of this thread's streams would refuse, for a block."""
        mode = ctypes.c_int(CAPTURE_RELAXED)
        with self.current():
            exchange = self._lib.hipThreadExchangeStreamCaptureMode
            self.check(exchange(ctypes.byref(mode)), "leave the capture mode", DeviceError)
            try:
                yield
            except BaseException:
                exchange(ctypes.byref(mode))
                raise
            self.check(exchange(ctypes.byref(mode)), "restore the capture mode", DeviceError)

    # Code.

    def load(self, path: Path, name: str, shared: int = 0, owner: object = None) -> int:
        """The function called `name` of a code object in a file; its LDS is a matter of the launch, not of loading.

        A file is loaded once. It is unloaded when the last `owner` goes, unless a captured graph may still launch its
        kernels; without an owner it stays.
        """
        key = os.fspath(path)
        with self._loading:
            module = self._modules.get(key)
            if module is None:
                module = self._modules[key] = _Module(self._load(path, name))
            found = module.functions.get(name)
            if found is None:
                found = module.functions[name] = self._function(path, module.handle, name)
            module.owners += 1
        if owner is not None:
            weakref.finalize(owner, self._release, key).atexit = False
        return found

    def _load(self, path: Path, name: str) -> int:
        module, what = ctypes.c_void_p(), f"load the kernel {name}"
        with self.outside_capture():
            code = self._lib.hipModuleLoad(ctypes.byref(module), os.fsencode(path))
            self._check_code(code, what, path)
        return int(module.value or 0)

    def _check_code(self, code: int, what: str, path: Path) -> None:
        """Raise the error of a code object that cannot be used."""
        if code == NO_BINARY:
            version = ctypes.c_int()
            self._lib.hipRuntimeGetVersion(ctypes.byref(version))
            self.refuse(code, what, LaunchError, unloadable(path, arch_of(self._lib, self.ordinal), version.value))
        self.check(code, what)

    def _function(self, path: Path, module: int, name: str) -> int:
        function = ctypes.c_void_p()
        with self.current():
            code = self._lib.hipModuleGetFunction(ctypes.byref(function), ctypes.c_void_p(module), name.encode())
            self._check_code(code, f"find the kernel {name} in its module", path)
        return int(function.value or 0)

    def _release(self, key: str) -> None:
        """Unload a module whose last owner went."""
        with self._loading:
            module = self._modules.get(key)
            if module is None or sys.is_finalizing() or os.getpid() != self.pid:
                return
            module.owners -= 1
            if module.owners or may_be_captured():
                return
            del self._modules[key]
        try:
            with self.outside_capture():  # its last kernel may still run
                code = self._lib.hipDeviceSynchronize() or self._lib.hipModuleUnload(ctypes.c_void_p(module.handle))
            self._noticed(code, f"unload {key}")
        except DeviceError as error:
            log.warning("cannot unload %s: %s", key, error.message)

    def _noticed(self, code: int, what: str) -> None:
        """Log an error of a call whose caller cannot handle one."""
        if code:
            log.warning("cannot %s: HIP error %d (%s)", what, code, self._said(code))

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

    def units(self) -> int:
        """Compute units of the GPU."""
        value = ctypes.c_int()
        code = self._lib.hipDeviceGetAttribute(ctypes.byref(value), COMPUTE_UNITS, self.ordinal)
        self.check(code, "count the compute units", DeviceError)
        return value.value

    def blocks_per_unit(self, function: int, threads: int) -> int:
        """Return how many blocks of a kernel one compute unit holds at once."""
        value = ctypes.c_int()
        ask = self._lib.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor
        with self.current():
            code = ask(ctypes.byref(value), ctypes.c_void_p(function), threads, ctypes.c_size_t(0))
        self.check(code, "ask for the occupancy of a kernel", DeviceError)
        return value.value

    # Memory.

    def allocate(self, size: int) -> int:
        """Address of `size` new zeroed bytes on the GPU; free them with `free`.

        A stream of this thread may be recording a graph meanwhile: the memory is cleared on a stream of its own, and
        the thread's capture mode is relaxed, so that neither is refused nor recorded.
        """
        address, size = ctypes.c_void_p(), max(size, 1)
        with self.outside_capture():
            code = self._lib.hipMalloc(ctypes.byref(address), ctypes.c_size_t(size))
            self.check(code, f"allocate {size:,} bytes of GPU memory", DeviceError)
            try:
                with self._own_stream() as stream:
                    self.clear(int(address.value or 0), size, stream)
                    self.synchronize(stream)
            except DeviceError:
                self.free(int(address.value or 0))
                raise
        return int(address.value or 0)

    def upload(self, address: int, content: bytes) -> None:
        """Write bytes to GPU memory now: whatever is captured, or runs on other streams, is not waited for."""
        with self.outside_capture(), self._own_stream() as stream:
            held = ctypes.create_string_buffer(content, len(content))
            self.copy_in(address, ctypes.addressof(held), len(content), stream)
            self.synchronize(stream)

    @contextmanager
    def _own_stream(self) -> Iterator[int]:
        """Yield a stream for the time of a block, which does not wait for the default one."""
        stream = ctypes.c_void_p()
        code = self._lib.hipStreamCreateWithFlags(ctypes.byref(stream), STREAM_NON_BLOCKING)
        self.check(code, "make a stream", DeviceError)
        try:
            yield int(stream.value or 0)
        finally:
            self._noticed(self._lib.hipStreamDestroy(stream), "destroy a stream")

    def free(self, address: int) -> None:
        """Give back memory that `allocate` returned; finalisers call this, so that an error is only logged."""
        if os.getpid() != self.pid:
            return  # it is the memory of the process that forked this one
        try:
            with self.outside_capture():
                self._noticed(self._lib.hipFree(ctypes.c_void_p(address)), "free GPU memory")
        except DeviceError as error:
            log.warning("cannot free GPU memory: %s", error.message)

    def clear(self, address: int, size: int, stream: int = 0) -> None:
        """Zero `size` bytes, in the order of `stream`."""
        with self.current():
            code = self._lib.hipMemsetAsync(
                ctypes.c_void_p(address), ctypes.c_int(0), ctypes.c_size_t(size), ctypes.c_void_p(stream)
            )
        self.check(code, f"clear {size:,} bytes of GPU memory", DeviceError)

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

    # Streams.

    def new_stream(self) -> int:
        """Return a stream of its own."""
        stream = ctypes.c_void_p()
        with self.current():
            self.check(self._lib.hipStreamCreate(ctypes.byref(stream)), "make a stream", DeviceError)
        return int(stream.value or 0)

    def synchronize(self, stream: int = 0) -> None:
        """Wait until everything on `stream` is done."""
        with self.current():
            code = self._lib.hipStreamSynchronize(ctypes.c_void_p(stream))
        self.check(code, "wait for the GPU", DeviceError)


_DRIVERS: dict[tuple[str, int], HipDriver] = {}
_LOCK = new_lock()


def hip_driver(ordinal: int = 0, library: str = "") -> HipDriver:
    """The runtime (the installed one if `library` is empty) with GPU `ordinal`; initialises it at the first call."""
    with _LOCK:
        driver = _DRIVERS.get((library, ordinal))
        if driver is None:
            driver = _DRIVERS[(library, ordinal)] = HipDriver(ordinal, library or None)
    if driver.pid != os.getpid():
        driver.make_current()  # raises: this is a fork
    return driver
