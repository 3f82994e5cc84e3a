"""The CUDA driver through ctypes: modules, tensor maps, launches, memory. Nothing here touches the GPU at import.

The first call that needs the GPU initialises it (the primary context, which torch and other libraries share). A process
that forks afterwards cannot use the GPU; the child gets an error instead of a hang.
"""

from __future__ import annotations

import ctypes
import os
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import DeviceError, LaunchError
from ...model.locks import new_lock

CLUSTER_ATTRIBUTE = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
PDL_ATTRIBUTE = 6  # CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
STATIC_SHARED_LIMIT = 48 * 1024
INVALID_CONTEXT = 201
L2_PROMOTION = 2  # CU_TENSOR_MAP_L2_PROMOTION_L2_128B; 256 bytes measured 3 to 10% slower for few rows
OUT_OF_MEMORY = 2
CAPTURE_RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED
STREAM_NON_BLOCKING = 1
TENSOR_MAP_BYTES = 128
MAX_MAPS = 1024  # tensor maps that are kept
ENCODE_ARGUMENTS = (  # of cuTensorMapEncodeTiled
    ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, *(ctypes.c_void_p,) * 5, *(ctypes.c_int,) * 4,
)  # fmt: skip

ATTRIBUTES = {
    "clock_khz": 13,
    "units": 16,
    "memory_clock_khz": 36,
    "bus_bits": 37,
    "l2_bytes": 38,
    "major": 75,
    "minor": 76,
    "shared_per_unit": 81,
    "shared_per_block": 97,
}


class LaunchAttribute(ctypes.Structure):
    """CUlaunchAttribute."""

    _fields_ = [("id", ctypes.c_uint), ("pad", ctypes.c_uint), ("value", ctypes.c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(LaunchAttribute)),
        ("attribute_count", ctypes.c_uint),
    ]


class _Numbers(threading.local):
    """Room for the numbers that describe a tensor to the driver: each thread has its own, and makes it once."""

    def __init__(self) -> None:
        self.room = ctypes.create_string_buffer(256)
        self.at = ctypes.addressof(self.room)


_numbers = _Numbers()


@cache
def _map_numbers(longs: int, ints: int) -> Callable[..., None]:
    """Return a function that writes so many numbers of 8 bytes and of 4 bytes."""
    return struct.Struct(f"={longs}Q{ints}I").pack_into


def map_numbers(
    meta: Mapping[str, Any],
    shape: Sequence[Any],
    strides: Sequence[Any],
    box: Sequence[Any] | None = None,
    steps: Sequence[Any] | None = None,
) -> tuple[list[Any], list[Any]]:
    """Return the numbers that describe a tensor to the driver, fastest dimension first: those of 8 bytes (sizes, then
    strides in bytes of all dimensions but the fastest) and those of 4 bytes (box, steps). See `CudaDriver.encode_new`.

    >>> map_numbers({"element_bytes": 2, "box": [64, 32]}, (100, 512), (512, 1))
    ([512, 100, 1024], [32, 64, 1, 1])
    """
    size = meta["element_bytes"]
    spans = [*(box or meta["box"][:-1]), meta["box"][-1]]
    every = [*(steps or [1] * (len(shape) - 1)), 1]
    far = [s * size for s in strides[-2::-1]] or [0]
    return [*shape[::-1], *far], [*spans[::-1], *every[::-1]]


class CudaDriver:
    """The loaded driver of this process, with the context of one GPU."""

    name = "cuda"
    ready = "move a tensor map"  # what a launch in C does before its kernels

    def __init__(self, ordinal: int = 0) -> None:
        self.ordinal = ordinal
        self.pid = os.getpid()
        self._lib = _library()
        self.check(self._lib.cuInit(0), "initialise the GPU driver", DeviceError)
        device = ctypes.c_int()
        self.check(self._lib.cuDeviceGet(ctypes.byref(device), ordinal), f"open GPU {ordinal}", DeviceError)
        self._device = device
        context = ctypes.c_void_p()
        code = self._lib.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        self.check(code, f"create a context on GPU {ordinal}", DeviceError)
        self._context = context
        # Held as attributes: a launch looks up nothing else.
        self.launch = self._lib.cuLaunchKernelEx
        self.launch.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        self.entries = _entries(self._lib)
        self._maps: dict[Any, tuple[bytes, Any]] = {}  # encoded tensor maps, by what they describe
        self._encode = self._lib.cuTensorMapEncodeTiled if hasattr(self._lib, "cuTensorMapEncodeTiled") else None
        if self._encode is not None:
            self._encode.argtypes = ENCODE_ARGUMENTS
        self.make_current()

    def check(self, code: int, what: str, error: type[Any] = LaunchError) -> None:
        """Raise a readable error if `code` is not success."""
        if code:
            raise error(f"cannot {what}: CUDA error {code} ({self.describe(code)})", remedy=_remedy(code))

    def describe(self, code: int) -> str:
        """Return the driver's own words for an error code."""
        text = ctypes.c_char_p()
        self._lib.cuGetErrorString(code, ctypes.byref(text))
        return text.value.decode() if text.value else "unknown error"

    def make_current(self) -> None:
        """Make the GPU's primary context current in this thread if none is."""
        if os.getpid() != self.pid:
            raise DeviceError(
                f"the GPU was initialised in process {self.pid}, and this is its fork {os.getpid()}",
                remedy="start worker processes with the 'spawn' method, or before the first GPU launch",
            )
        current = ctypes.c_void_p()
        self.check(self._lib.cuCtxGetCurrent(ctypes.byref(current)), "read the current context", DeviceError)
        if not current.value:
            self.check(self._lib.cuCtxSetCurrent(self._context), "set the context", DeviceError)

    def entered(self, code: int) -> bool:
        """Return whether an entry point failed only because no context was current in this thread, and one is now.

        A new thread has none until its first call into the CUDA runtime; torch runs backward passes in such threads.
        """
        if code != INVALID_CONTEXT:
            return False
        before = ctypes.c_void_p()
        self._lib.cuCtxGetCurrent(ctypes.byref(before))
        self.make_current()
        return not before.value

    def _entering(self, entry: Any, *arguments: Any) -> int:
        """Call an entry point, and once more if only a context was missing; return its code."""
        code: int = entry(*arguments)
        if self.entered(code):
            code = entry(*arguments)
        return code

    def attribute(self, name: str) -> int:
        """Return a number that the driver knows about the GPU; see `ATTRIBUTES`."""
        value = ctypes.c_int()
        code = self._lib.cuDeviceGetAttribute(ctypes.byref(value), ATTRIBUTES[name], self._device)
        self.check(code, f"read the attribute {name}", DeviceError)
        return value.value

    def load(self, path: Path, name: str, shared: int) -> int:
        """Return the function called `name` of a cubin file, allowed to use `shared` bytes of shared memory."""
        binary = path.read_bytes()
        self.make_current()
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        with self._outside_capture():
            self.check(self._lib.cuModuleLoadData(ctypes.byref(module), binary), f"load the kernel {name}")
            code = self._lib.cuModuleGetFunction(ctypes.byref(function), module, name.encode())
            self.check(code, f"find the kernel {name} in its module")
            if shared > STATIC_SHARED_LIMIT:
                code = self._lib.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, shared)
                self.check(code, f"give {name} {shared:,} bytes of shared memory")
        return int(function.value or 0)

    @contextmanager
    def _outside_capture(self) -> Iterator[None]:
        """Allow calls, for a block, that would end a capture, whichever thread records it: torch's forbid them to all.

        Threads of the background load kernels, and a dispatcher that is collected gives its memory back, at any time.
        """
        mode = ctypes.c_int(CAPTURE_RELAXED)
        exchange = self._lib.cuThreadExchangeStreamCaptureMode
        self.check(exchange(ctypes.byref(mode)), "leave the capture mode", DeviceError)
        try:
            yield
        finally:
            exchange(ctypes.byref(mode))

    def encode(
        self,
        into: int,
        meta: dict[str, Any],
        address: int,
        shape: Sequence[int],
        strides: Sequence[int],
        box: Sequence[int] | None = None,
        steps: Sequence[int] | None = None,
    ) -> None:
        """Write a tensor map at `into`, as `encode_new` does; maps of earlier tensors of the same shape are copied."""
        key = (id(meta), tuple(shape), tuple(strides), tuple(box or ()), tuple(steps or ()))
        known = self._maps.get(key)
        if known is not None:  # of a tensor of the same shape, elsewhere: the weights of a layer with a new batch
            ctypes.memmove(into, known[0], TENSOR_MAP_BYTES)
            self.move_map(into, address)
            return
        self.encode_new(into, meta, address, shape, strides, box, steps)
        if len(self._maps) >= MAX_MAPS:
            self._maps.clear()
        # `meta` stays alive, and its identity unique
        self._maps[key] = (ctypes.string_at(into, TENSOR_MAP_BYTES), meta)

    def encode_new(
        self,
        into: int,
        meta: dict[str, Any],
        address: int,
        shape: Sequence[int],
        strides: Sequence[int],
        box: Sequence[int] | None = None,
        steps: Sequence[int] | None = None,
    ) -> None:
        """Write a tensor map for a tensor (sizes and strides in elements, slowest dimension first) at `into`.

        The box is that of the kernel, unless `box` says otherwise for all dimensions but the last; of the positions
        that it spans, every `steps`-th is copied.
        """
        if self._encode is None:
            raise DeviceError("this driver has no tensor maps", remedy="use a driver of CUDA 12 or later")
        if os.getpid() != self.pid:
            self.make_current()  # which says what is wrong
        rank = len(shape)
        longs, ints = map_numbers(meta, shape, strides, box, steps)
        _map_numbers(len(longs), len(ints))(_numbers.room, 0, *longs, *ints)
        at, after = _numbers.at, _numbers.at + 8 * len(longs)
        described = (
            into, meta["element_type"], rank, address, at, at + 8 * rank, after, after + 4 * rank, 0, meta["swizzle"],
            L2_PROMOTION, 0,
        )  # fmt: skip
        code = self._entering(self._encode, *described)
        if code:
            what = f"describe a tensor of shape {[*shape]}, strides {[*strides]}, at address {address:#x}"
            spans, every = ints[:rank][::-1], ints[rank:][::-1]
            what += " to the copy engine" + (f", box {spans} in steps of {every}" if box else "")
            self.check(code, what)

    def move_map(self, at: int, address: int) -> None:
        """Let the tensor map at `at` describe memory at another address."""
        code = self._entering(self._lib.cuTensorMapReplaceAddress, ctypes.c_void_p(at), ctypes.c_void_p(address))
        self.check(code, f"move a tensor map to address {address:#x}")

    def allocate(self, size: int) -> int:
        """Address of `size` new zeroed bytes on the GPU; free them with `free`.

        A stream may be recording a graph meanwhile: the memory is cleared on a stream of its own, so that it is not
        recorded.
        """
        self.make_current()
        with self._outside_capture():
            return self._allocate_cleared(max(size, 1))

    def _allocate_cleared(self, size: int) -> int:
        address, stream = ctypes.c_uint64(), ctypes.c_void_p()
        code = self._lib.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size))
        self.check(code, f"allocate {size:,} bytes of GPU memory", DeviceError)
        code = self._lib.cuStreamCreate(ctypes.byref(stream), STREAM_NON_BLOCKING)
        self.check(code, "make a stream", DeviceError)
        try:
            code = self._lib.cuMemsetD8Async(address, ctypes.c_ubyte(0), ctypes.c_size_t(size), stream)
            self.check(code or self._lib.cuStreamSynchronize(stream), "clear GPU memory", DeviceError)
        finally:
            self._lib.cuStreamDestroy_v2(stream)
        return address.value

    def free(self, address: int) -> None:
        """Give back memory that `allocate` returned."""
        with self._outside_capture():
            self._lib.cuMemFree_v2(ctypes.c_uint64(address))


def _entries(lib: Any) -> tuple[int, ...]:
    """Return the addresses of the functions that launch a kernel, move and encode a tensor map (0: missing)."""
    names = ("cuLaunchKernelEx", "cuTensorMapReplaceAddress", "cuTensorMapEncodeTiled")
    found = [getattr(lib, name, None) for name in names]
    return tuple([ctypes.cast(f, ctypes.c_void_p).value or 0 if f is not None else 0 for f in found])


def _library() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise DeviceError(
            f"the NVIDIA driver library libcuda.so.1 was not found ({error})",
            remedy="install the NVIDIA driver, or run on a machine with an NVIDIA GPU",
        ) from None


def _remedy(code: int) -> str:
    return {
        1: "report the arguments above; a size or address is outside what the driver takes",
        OUT_OF_MEMORY: "free GPU memory, or use a kernel that needs no workspace",
        100: "run on a machine with an NVIDIA GPU that this process may use (CUDA_VISIBLE_DEVICES)",
        209: "build the kernel for this GPU's arch",
        803: "make the driver at least as new as the CUDA libraries in use",
    }.get(code, "see the CUDA driver's documentation for this error code")


_DRIVERS: dict[int, CudaDriver] = {}
_LOCK = new_lock()


def cuda_driver(ordinal: int = 0) -> CudaDriver:
    """Return the driver with the context of GPU `ordinal`; initialises it at the first call."""
    driver = _DRIVERS.get(ordinal)
    if driver is None:
        with _LOCK:
            driver = _DRIVERS.get(ordinal)
            if driver is None:
                driver = _DRIVERS[ordinal] = CudaDriver(ordinal)
    if driver.pid != os.getpid():
        driver.make_current()  # raises: this is a fork
    return driver
