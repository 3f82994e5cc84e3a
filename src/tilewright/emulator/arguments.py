"""Python values as kernel arguments."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import KernelArgumentError
from .assembly import Kernel
from .memory import Memory

FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def pack_arguments(kernel: Kernel, values: Sequence[Any], memory: Memory) -> tuple[bytes, dict[int, int]]:
    """Return the bytes of a kernel's explicit arguments, and the address of each array by its position.

    Arrays are copied into emulated memory. Integers and floats are packed in the size of the metadata, NumPy scalars,
    bytes and ctypes structures as they are; an integer for a pointer is an address.
    """
    wanted = [a for a in kernel.arguments if not a.hidden]
    if not kernel.arguments and kernel.kernarg_bytes:
        raise KernelArgumentError(
            f"kernel {kernel.name} has no argument metadata",
            kernel=kernel.name,
            remedy="use launch() with packed bytes",
        )
    if len(wanted) != len(values):
        raise KernelArgumentError(
            f"{len(values)} arguments; kernel {kernel.name} takes {len(wanted)}", kernel=kernel.name,
            remedy="pass one value for each argument of the metadata",
        )  # fmt: skip
    raw = bytearray(max((a.offset + a.size for a in wanted), default=0))
    addresses: dict[int, int] = {}
    for position, (a, value) in enumerate(zip(wanted, values, strict=True)):
        if isinstance(value, np.ndarray):
            if a.kind not in ("global_buffer", "dynamic_shared_pointer"):
                raise _misfit(kernel, position, a, "an array, but the argument is a value")
            value = addresses[position] = memory.allocate(value)
        packed = _packed(kernel, position, a, value)
        raw[a.offset : a.offset + a.size] = packed
    return bytes(raw), addresses


def _packed(kernel: Kernel, position: int, a: Any, value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, ctypes.Structure, np.generic)):
        raw = value.tobytes() if isinstance(value, np.generic) else bytes(value)
        if len(raw) != a.size:
            raise _misfit(kernel, position, a, f"{len(raw)} bytes")
        return raw
    if isinstance(value, float):
        if a.kind == "global_buffer" or a.size not in FLOATS:
            raise _misfit(kernel, position, a, "a float")
        return struct.pack(FLOATS[a.size], value)
    if value is None:
        value = 0
    if isinstance(value, int):
        try:
            return int(value).to_bytes(a.size, "little", signed=value < 0)
        except OverflowError:
            raise _misfit(kernel, position, a, f"the number {value}") from None
    raise _misfit(kernel, position, a, type(value).__name__)


def _misfit(kernel: Kernel, position: int, a: Any, got: str) -> KernelArgumentError:
    return KernelArgumentError(
        f"argument {position} of kernel {kernel.name} is {got}; the metadata says {a.size} bytes, {a.kind}",
        kernel=kernel.name, remedy="pass a value of that size and kind",
    )  # fmt: skip
