"""The HIP runtime through ctypes, for AMD GPUs. Written from its documented interface; it has never run on hardware.

It offers what `cuda_driver` offers, so that `GpuCall` works with either. AMD GPUs have no tensor maps.
"""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

from ...errors import DeviceError, LaunchError
from .cuda_driver import LaunchConfig


class HipDriver:
    """The loaded HIP runtime of this process, with one GPU made current."""

    name = "hip"

    def __init__(self, ordinal: int = 0) -> None:
        self.ordinal, self.pid = ordinal, os.getpid()
        self._lib = _library()
        self.check(self._lib.hipInit(0), "initialise the HIP runtime", DeviceError)
        self.make_current()

    def check(self, code: int, what: str, error: type[Any] = LaunchError) -> None:
        """Raise a readable error where `code` is not success."""
        if code:
            self._lib.hipGetErrorString.restype = ctypes.c_char_p
            said = self._lib.hipGetErrorString(code) or b"unknown error"
            raise error(f"cannot {what}: HIP error {code} ({said.decode()})", remedy="see the HIP documentation")

    def make_current(self) -> None:
        """Make the GPU current in this thread."""
        if os.getpid() != self.pid:
            raise DeviceError(
                f"the GPU was initialised in process {self.pid}, and this is its fork {os.getpid()}",
                remedy="start worker processes with the 'spawn' method, or before the first GPU launch",
            )
        self.check(self._lib.hipSetDevice(self.ordinal), f"open GPU {self.ordinal}", DeviceError)

    def load(self, binary: bytes, name: str, shared: int) -> int:
        """The function called `name` of a code object."""
        self.make_current()
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self._lib.hipModuleLoadData(ctypes.byref(module), binary), f"load the kernel {name}")
        code = self._lib.hipModuleGetFunction(ctypes.byref(function), module, name.encode())
        self.check(code, f"find the kernel {name} in its module")
        return int(function.value or 0)

    def launch(self, config_at: int, function: Any, params: Any, extra: Any) -> int:
        """Launch by the same configuration block that the CUDA driver takes."""
        c = LaunchConfig.from_address(config_at)
        return int(
            self._lib.hipModuleLaunchKernel(
                function, *c.grid, *c.block, c.shared, ctypes.c_void_p(c.stream), ctypes.byref(params), extra
            )
        )

    def encode(self, into: int, meta: dict[str, Any], address: int, shape: list[int], strides: list[int]) -> None:
        """AMD GPUs have no tensor maps; no kernel for them asks for one."""
        raise LaunchError("AMD GPUs have no tensor maps", remedy="use the pointer pipeline")

    def allocate(self, size: int) -> int:
        """Address of `size` new zeroed bytes on the GPU."""
        self.make_current()
        address = ctypes.c_void_p()
        code = self._lib.hipMalloc(ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
        self.check(code, f"allocate {size:,} bytes of GPU memory", DeviceError)
        self.check(self._lib.hipMemset(address, 0, ctypes.c_size_t(max(size, 1))), "clear GPU memory", DeviceError)
        self.check(self._lib.hipDeviceSynchronize(), "wait for the GPU", DeviceError)
        return int(address.value or 0)

    def free(self, address: int) -> None:
        """Give back memory that `allocate` returned."""
        self._lib.hipFree(ctypes.c_void_p(address))


def _library() -> Any:
    try:
        return ctypes.CDLL("libamdhip64.so")
    except OSError as error:
        raise DeviceError(
            f"the HIP runtime libamdhip64.so was not found ({error})",
            remedy="install ROCm, or run on a machine with an AMD GPU",
        ) from None


_DRIVERS: dict[int, HipDriver] = {}
_LOCK = threading.Lock()


def hip_driver(ordinal: int = 0) -> HipDriver:
    """The runtime with GPU `ordinal` current; initialises it at the first call."""
    with _LOCK:
        driver = _DRIVERS.get(ordinal)
        if driver is None:
            driver = _DRIVERS[ordinal] = HipDriver(ordinal)
    if driver.pid != os.getpid():
        driver.make_current()  # raises: this is a fork
    return driver
