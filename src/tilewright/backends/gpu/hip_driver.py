"""The HIP runtime through ctypes: memory, copies, streams, code objects, launches. It has never run on hardware.

Written from the documented interface, and tested over a library that stands in for the runtime and executes kernels on
the emulator (`emulated/`). Nothing is loaded at import; the first call that needs the GPU initialises it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...errors import DeviceError, LaunchError
from ...model.locks import new_lock
from .cuda_driver import LaunchConfig

NAMES = ("libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5")
TO_DEVICE, FROM_DEVICE, ON_DEVICE = 1, 2, 3  # hipMemcpyHostToDevice, hipMemcpyDeviceToHost
COMPUTE_UNITS = 63  # hipDeviceAttributeMultiprocessorCount
ENTRIES = ("hipModuleLaunchKernel", "hipGetDevice", "hipSetDevice", "hipMemset2DAsync")  # called from C, in this order
OUT_OF_MEMORY, NO_DEVICE, NO_BINARY = 2, 100, 209


class HipDriver:
    """The loaded HIP runtime of this process, with one GPU made current.

    Addresses and streams are plain integers (stream 0 is the default one). `library` is a path to load instead of the
    installed runtime.
    """

    name = "hip"
    ready = "make the GPU current"  # what a launch in C does before its kernels

    def __init__(self, ordinal: int = 0, library: str | os.PathLike[str] | None = None) -> None:
        self.ordinal, self.pid = ordinal, os.getpid()
        self._lib = ctypes.CDLL(os.fspath(library)) if library is not None else _library()
        self._lib.hipGetErrorString.restype = ctypes.c_char_p
        self.entries = tuple(ctypes.cast(getattr(self._lib, n), ctypes.c_void_p).value or 0 for n in ENTRIES)
        self.check(self._lib.hipInit(0), "initialise the HIP runtime", DeviceError)
        with self.current():
            pass  # a GPU that is not there is an error now, not at the first launch

    def check(self, code: int, what: str, error: type[Any] = LaunchError) -> None:
        """Raise a readable error if `code` is not success."""
        if code:
            said = (self._lib.hipGetErrorString(code) or b"unknown error").decode()
            failure = error(f"cannot {what}: HIP error {code} ({said})", remedy=_REMEDIES.get(code, _REMEDY))
            failure.code = code
            raise failure

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
        finally:
            self._lib.hipSetDevice(before.value)

    # Code.

    def load(self, path: Path, name: str, shared: int = 0) -> int:
        """The function called `name` of a code object in a file; its LDS is a matter of the launch, not of loading."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        with self.current():
            self.check(self._lib.hipModuleLoad(ctypes.byref(module), os.fsencode(path)), f"load the kernel {name}")
            code = self._lib.hipModuleGetFunction(ctypes.byref(function), module, name.encode())
            self.check(code, f"find the kernel {name} in its module")
        return int(function.value or 0)

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
        code = self._lib.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
            ctypes.byref(value), ctypes.c_void_p(function), threads, ctypes.c_size_t(0)
        )
        self.check(code, "ask for the occupancy of a kernel", DeviceError)
        return value.value

    # Memory.

    def allocate(self, size: int) -> int:
        """Address of `size` new zeroed bytes on the GPU; free them with `free`."""
        address = ctypes.c_void_p()
        with self.current():
            code = self._lib.hipMalloc(ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
            self.check(code, f"allocate {size:,} bytes of GPU memory", DeviceError)
            try:
                self.clear(int(address.value or 0), max(size, 1))
                self.synchronize()
            except DeviceError:
                self.free(int(address.value or 0))
                raise
        return int(address.value or 0)

    def free(self, address: int) -> None:
        """Give back memory that `allocate` returned."""
        self._lib.hipFree(ctypes.c_void_p(address))

    def clear(self, address: int, size: int, stream: int = 0) -> None:
        """Zero `size` bytes, in the order of `stream`."""
        code = self._lib.hipMemsetAsync(
            ctypes.c_void_p(address), ctypes.c_int(0), ctypes.c_size_t(size), ctypes.c_void_p(stream)
        )
        self.check(code, f"clear {size:,} bytes of GPU memory", DeviceError)

    def clear_rows(self, address: int, pitch: int, width: int, rows: int, stream: int = 0) -> None:
        """Zero `width` bytes in each of `rows` rows that begin `pitch` bytes apart."""
        sizes = (ctypes.c_size_t(pitch), ctypes.c_int(0), ctypes.c_size_t(width), ctypes.c_size_t(rows))
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
        code = self._lib.hipMemcpyAsync(
            ctypes.c_void_p(to),
            ctypes.c_void_p(source),
            ctypes.c_size_t(size),
            ctypes.c_int(kind),
            ctypes.c_void_p(stream),
        )
        self.check(code, f"copy {size:,} bytes", DeviceError)

    # Streams.

    def new_stream(self) -> int:
        """Return a stream of its own."""
        stream = ctypes.c_void_p()
        self.check(self._lib.hipStreamCreate(ctypes.byref(stream)), "make a stream", DeviceError)
        return int(stream.value or 0)

    def synchronize(self, stream: int = 0) -> None:
        """Wait until everything on `stream` is done."""
        code = self._lib.hipStreamSynchronize(ctypes.c_void_p(stream))
        self.check(code, "wait for the GPU", DeviceError)


_REMEDY = "see the HIP documentation for this error code"
_REMEDIES = {
    OUT_OF_MEMORY: "free GPU memory, or use a kernel that needs no workspace",
    NO_DEVICE: "run on a machine with an AMD GPU that this process may use (HIP_VISIBLE_DEVICES)",
    NO_BINARY: "build the kernel for this GPU's arch",
}


def _candidates() -> Iterator[str]:
    """Yield where the runtime may lie. One that torch brings along comes before a system's: a process has only one."""
    yield from (os.path.join(root, "lib", name) for root in [os.environ.get("ROCM_PATH", "")] if root for name in NAMES)
    torch = find_spec("torch")
    if torch is not None and torch.origin:
        yield from (os.path.join(os.path.dirname(torch.origin), "lib", name) for name in NAMES)
    yield from (os.path.join("/opt/rocm/lib", name) for name in NAMES)
    yield from NAMES


def _library() -> Any:
    """Return the runtime of this machine, loaded; loading initialises nothing."""
    said = ""
    for path in _candidates():
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            said = str(error)
    raise DeviceError(
        f"the HIP runtime libamdhip64.so was not found ({said})",
        remedy="install ROCm, or run on a machine with an AMD GPU",
    )


def runtime_path() -> str | None:
    """Return the file of the HIP runtime of this machine; None if there is none."""
    try:
        return str(_library()._name)
    except DeviceError:
        return None


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
