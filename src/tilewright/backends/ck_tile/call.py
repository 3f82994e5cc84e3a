"""Prepared launches of CK Tile kernels: code objects, kernel arguments as bytes, and memory to clear first."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import LaunchError
from ...model.kernel import KernelSpec
from ..gpu.call import current_stream
from ..gpu.cuda_driver import LaunchConfig
from .inspect import CODE

WORD = 8  # bytes of an address


class Function(int):
    """The handle of a device kernel; its code stays loaded as long as a launch has this."""

    kernels: CkKernels

    def __new__(cls, handle: int, kernels: CkKernels) -> Function:
        """Return the handle, which keeps its kernels."""
        made = super().__new__(cls, handle)
        made.kernels = kernels
        return made


class CkKernels:
    """The device kernels of one artifact; opening does not use a GPU, functions are loaded once per GPU."""

    runtime = "hip"

    def __init__(self, spec: KernelSpec, folder: Path, symbols: Mapping[str, str]) -> None:
        self.spec, self.folder, self.symbols = spec, folder, dict(symbols)
        self._functions: dict[tuple[Any, str], int] = {}

    def function(self, driver: Any, instance: str) -> Function:
        """Return the handle of one of its device kernels."""
        key = (driver, instance)
        if key not in self._functions:
            if instance not in self.symbols:
                raise LaunchError(
                    f"{self.spec.name} has no device kernel {instance}; it has {', '.join(self.symbols)}",
                    remedy="use another split_k, or build the whole kernel",
                )
            self._functions[key] = driver.load(self.folder / CODE, self.symbols[instance], owner=self)
        return Function(self._functions[key], self)

    def load(self, driver: Any) -> None:
        """Load every kernel onto the driver's GPU."""
        for instance in self.symbols:
            self.function(driver, instance)


class CodeCall:
    """One launch with its argument, a structure of bytes. Calling it allocates nothing."""

    packed = True

    def __init__(self, driver: Any, name: str, function: int, grid: Sequence[int], block: int, argument: bytes) -> None:
        self.driver, self.name, self.function = driver, name, function
        self._config = LaunchConfig(grid=tuple(grid), block=(block, 1, 1))
        size = -(-len(argument) // WORD) * WORD
        self._words = (ctypes.c_uint64 * (size // WORD)).from_buffer_copy(argument.ljust(size, b"\0"))
        self._params = (ctypes.c_void_p * 1)(ctypes.addressof(self._words))

    def __call__(self, stream: Any = None) -> None:
        """Launch on `stream`: a raw handle (0 is the default stream), or None for the current one."""
        handle = current_stream(self.driver.ordinal) if stream is None else int(stream)
        c = self._config
        code = self.driver.launch_raw(self.function, c.grid, c.block, c.shared, handle, self._params)
        self.failed(code)

    @property
    def places(self) -> tuple[int, int, int]:
        """Where the launch configuration, the function and the parameters are: what a launch in C needs."""
        return ctypes.addressof(self._config), self.function, ctypes.addressof(self._params)

    def failed(self, code: int) -> None:
        """Raise an error for a code of the runtime that is not success."""
        self.driver.check(code, f"launch {self.name}")

    def addresses(self) -> list[tuple[str, int, int]]:
        """Return (kind, place, value) of every word of the argument, which include all addresses."""
        start = ctypes.addressof(self._words)
        return [("pointer", start + WORD * i, word) for i, word in enumerate(self._words)]


class ClearCall:
    """Zeroes rows of memory before kernels add to it."""

    packed = False

    def __init__(self, driver: Any, address: int, pitch: int, width: int, rows: int) -> None:
        self._driver, self._rows = driver, (pitch, width, rows)
        self._at = ctypes.c_uint64(address)

    def __call__(self, stream: Any = None) -> None:
        """Clear in the order of `stream`; None: the current one."""
        handle = current_stream(self._driver.ordinal) if stream is None else int(stream)
        self._driver.clear_rows(self._at.value, *self._rows, handle)

    @property
    def places(self) -> tuple[int, ...]:
        """Where the address is, after no configuration and no function, and the rows: what a launch in C needs."""
        return 0, 0, ctypes.addressof(self._at), *self._rows

    def failed(self, code: int) -> None:
        """Raise an error for a code of the runtime that is not success."""
        self._driver.check(code, f"clear {self._rows[2]:,} rows of GPU memory")

    def addresses(self) -> list[tuple[str, int, int]]:
        """Return the address and its place."""
        return [("pointer", ctypes.addressof(self._at), self._at.value)]


class CopyCall:
    """Copies memory before a kernel changes it in place, or into the workspace."""

    packed, places = False, None  # Python launches it

    def __init__(self, driver: Any, to: int, source: int, size: int) -> None:
        self._driver, self._size = driver, size
        self._at = (ctypes.c_uint64 * 2)(to, source)

    def __call__(self, stream: Any = None) -> None:
        """Copy in the order of `stream`; None: the current one."""
        handle = current_stream(self._driver.ordinal) if stream is None else int(stream)
        self._driver.copy(self._at[0], self._at[1], self._size, handle)

    def addresses(self) -> list[tuple[str, int, int]]:
        """Return both addresses and their places."""
        start = ctypes.addressof(self._at)
        return [("pointer", start + WORD * i, word) for i, word in enumerate(self._at)]
