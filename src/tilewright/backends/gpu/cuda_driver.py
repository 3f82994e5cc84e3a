"""The CUDA driver through ctypes: modules, tensor maps, launches, memory. Nothing here touches the GPU at import.

The first call that needs the GPU initialises it (the primary context, which torch and other libraries share). A process
that forks afterwards cannot use the GPU; the child gets an error instead of a hang.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from ...errors import DeviceError
from .driver import GpuDriver, Names, opened

CLUSTER_ATTRIBUTE = 4  # CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
PDL_ATTRIBUTE = 6  # CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
STATIC_SHARED_LIMIT = 48 * 1024
INVALID_CONTEXT = 201
L2_PROMOTION = 2  # CU_TENSOR_MAP_L2_PROMOTION_L2_128B; 256 bytes measured 3 to 10% slower for few rows
OUT_OF_MEMORY = 2
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

REMEDIES = {
    1: "report the arguments above; a size or address is outside what the driver takes",
    OUT_OF_MEMORY: "free GPU memory, or use a kernel that needs no workspace",
    100: "run on a machine with an NVIDIA GPU that this process may use (CUDA_VISIBLE_DEVICES)",
    209: "build the kernel for this GPU's arch",
    301: "the build was removed meanwhile: build it again",
    803: "make the driver at least as new as the CUDA libraries in use",
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


class CudaDriver(GpuDriver):
    """The loaded driver of this process, with the context of one GPU."""

    name = "cuda"
    make = "CUDA"
    ready = "move a tensor map"
    names = Names(
        init="cuInit",
        attribute="cuDeviceGetAttribute",
        current="cuCtxGetCurrent",
        make_current="cuCtxSetCurrent",
        capture_mode="cuThreadExchangeStreamCaptureMode",
        allocate="cuMemAlloc_v2",
        free="cuMemFree_v2",
        clear="cuMemsetD8Async",
        new_stream="cuStreamCreate",
        end_stream="cuStreamDestroy_v2",
        wait_stream="cuStreamSynchronize",
        load="cuModuleLoad",
        function="cuModuleGetFunction",
    )
    attributes = ATTRIBUTES
    entry_names = ("cuLaunchKernelEx", "cuTensorMapReplaceAddress", "cuTensorMapEncodeTiled", "cuStreamIsCapturing")

    def __init__(self, ordinal: int = 0, library: str | None = None) -> None:
        super().__init__(ordinal, _library(library or "libcuda.so.1"))
        self._gpu, self._own = ctypes.c_int(), ctypes.c_void_p()
        self.check(self._lib.cuDeviceGet(ctypes.byref(self._gpu), ordinal), f"open GPU {ordinal}", DeviceError)
        code = self._lib.cuDevicePrimaryCtxRetain(ctypes.byref(self._own), self._gpu)
        self.check(code, f"create a context on GPU {ordinal}", DeviceError)
        # Held as attributes: a launch looks up nothing else.
        self.launch = self._found("cuLaunchKernelEx")
        self.launch.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        self._maps: dict[Any, tuple[bytes, Any]] = {}  # encoded tensor maps, by what they describe
        self._encode = self._lib.cuTensorMapEncodeTiled if hasattr(self._lib, "cuTensorMapEncodeTiled") else None
        if self._encode is not None:
            self._encode.argtypes = ENCODE_ARGUMENTS
        with self.current():
            pass  # a context that cannot be used is an error now, not at the first launch

    def describe(self, code: int) -> str:
        """Return the driver's own words for an error code."""
        text = ctypes.c_char_p()
        self._lib.cuGetErrorString(code, ctypes.byref(text))
        return text.value.decode() if text.value else "unknown error"

    def remedy_of(self, code: int) -> str:
        """Return what to do about an error code."""
        return REMEDIES.get(code, "see the CUDA driver's documentation for this error code")

    def _device(self) -> Any:
        return self._gpu

    def entered(self, code: int) -> bool:
        """Return whether an entry point failed only because no context was current in this thread, and one is now.

        A new thread has none until its first call into the CUDA runtime; torch runs backward passes in such threads.
        The context stays current, so that the next launch finds it; one of somebody else is left alone.
        """
        if code != INVALID_CONTEXT:
            return False
        self.check_process()
        before = ctypes.c_void_p()
        self.check(self._call("current", ctypes.byref(before)), "read the current GPU", DeviceError)
        if before.value:
            return False
        self.make_current()
        return True

    def _entering(self, entry: Any, *arguments: Any) -> int:
        """Call an entry point, and once more if only a context was missing; return its code."""
        code: int = entry(*arguments)
        if self.entered(code):
            code = entry(*arguments)
        return code

    def _set_shared(self, function: Any, name: str, shared: int) -> None:
        if shared > STATIC_SHARED_LIMIT:
            code = self._lib.cuFuncSetAttribute(function, MAX_DYNAMIC_SHARED, shared)
            self.check(code, f"give {name} {shared:,} bytes of shared memory")

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
        self.check_process()
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


def _library(name: str) -> Any:
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise DeviceError(
            f"the NVIDIA driver library {name} was not found ({error})",
            remedy="install the NVIDIA driver, or run on a machine with an NVIDIA GPU",
        ) from None


_DRIVERS: dict[tuple[str, int], CudaDriver] = {}


def cuda_driver(ordinal: int = 0) -> CudaDriver:
    """Return the driver with the context of GPU `ordinal`; initialises it at the first call."""
    return opened(_DRIVERS, CudaDriver, ordinal)
