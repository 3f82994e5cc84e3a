"""Kernel arguments by CK's own host code: the library that is built with the code object."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...errors import CacheError, LaunchError, ToolchainError
from ...jit.launcher import new_args
from ...jit.library import open_library
from ...model.kernel import KernelSpec
from .inspect import ARGUMENTS

MAX_BYTES = 1 << 18  # of one argument; that of backward data holds a descriptor for each of 128 products


class ArgumentLibrary:
    """The function `tw_arguments` of a built kernel; loaded at the first use."""

    def __init__(self, spec: KernelSpec, folder: Path) -> None:
        self._spec, self._path = spec, folder / ARGUMENTS
        self._make: Any = None
        if not self._path.is_file():
            raise ToolchainError(
                f"{spec.name} was built without {ARGUMENTS}, which makes its arguments",
                remedy="clear it from the cache and build it again",
            )

    def conv(self, sizes: Sequence[int], tensors: Sequence[int], split_k: int) -> tuple[bytes, tuple[int, int, int]]:
        """Return (argument, grid) of a convolution; sizes are those of the C ABI, tensors input, weight, output."""
        args = new_args(sizes=sizes)
        args.tensors[: len(tensors)] = list(tensors)
        into, grid = ctypes.create_string_buffer(MAX_BYTES), (ctypes.c_uint32 * 3)()
        size = self._function()(ctypes.byref(args), split_k, into, MAX_BYTES, grid)
        if size < 0:
            raise LaunchError(f"the argument of {self._spec.name} has more than {MAX_BYTES} bytes")
        return into.raw[:size], (grid[0], grid[1], grid[2])

    def _function(self) -> Any:
        if self._make is None:
            try:
                make = open_library(self._path).tw_arguments
            except (CacheError, AttributeError) as error:
                raise ToolchainError(
                    f"{ARGUMENTS} of {self._spec.name} cannot be loaded: {error}", remedy="clear it from the cache"
                ) from None
            make.restype = ctypes.c_int64
            make.argtypes = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
            self._make = make
        return self._make
