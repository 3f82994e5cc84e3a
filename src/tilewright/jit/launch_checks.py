"""The requirements of a Call on its arrays, and the messages of all mismatches. Both launchers use them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ..errors import LaunchError, TensorError
from ..model.tensor import MAX_BYTES, extent_of, overlap_within
from .arrays import is_masked

Array = npt.NDArray[Any]
# Steps after which the exact overlap check gives up and reports an overlap. Stubs of some NumPy versions take no int.
EXACT_OVERLAP_WORK: Any = 100_000


class Operand(NamedTuple):
    """The requirements on one array of a Call: the C launcher reads the fields in this order.

    `strides` are in bytes. `alignment` divides the address. `written`: the kernel writes it. `may_alias`: it may be the
    same memory (address, shape and strides) as a written operand.
    """

    name: str
    slot: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    alignment: int = 1
    written: bool = False
    may_alias: bool = False


def find_mistakes(operands: Sequence[Operand], arrays: Sequence[Any]) -> list[str]:
    """Return every mismatch between the arrays and what was bound, in words; empty if there is none.

    >>> want = Operand("a", 0, np.dtype("float32"), (2,), (4,))
    >>> find_mistakes([want], [np.zeros(3, np.float32)])
    ['a has shape (3,); bound with (2,)']
    """
    if len(arrays) != len(operands):
        return [f"{len(arrays)} arrays were given; {len(operands)} are needed ({', '.join(o.name for o in operands)})"]
    mistakes = [m for operand, array in zip(operands, arrays, strict=True) for m in _operand_mistakes(operand, array)]
    return mistakes or _overlap_mistakes(operands, arrays)


def _operand_mistakes(operand: Operand, array: Any) -> list[str]:
    name = operand.name
    if not isinstance(array, np.ndarray) or is_masked(array):
        return [f"{name} is a {type(array).__name__}, not a NumPy array"]
    mistakes = []
    if array.dtype != operand.dtype:
        mistakes.append(f"{name} has dtype {_dtype_text(array.dtype)}; bound with {_dtype_text(operand.dtype)}")
    if array.shape != operand.shape:
        mistakes.append(f"{name} has shape {array.shape}; bound with {operand.shape}")
    elif array.itemsize == operand.dtype.itemsize and not same_strides(operand.shape, array.strides, operand.strides):
        mistakes.append(f"{name} has strides {array.strides} bytes; bound with {operand.strides}")
    mistakes += placement_mistakes(operand, address_of(array))
    if operand.written and not array.flags.writeable:
        mistakes.append(f"{name} is read-only, and the kernel writes it")
    return mistakes


def _dtype_text(dtype: np.dtype[Any]) -> str:
    return dtype.name if dtype.isnative else f"{dtype.name} of foreign byte order"


def placement_mistakes(operand: Operand, address: int) -> list[str]:
    """Return why the array of `operand` cannot be at `address`: null, not aligned, or beyond 64 bits."""
    low, high = extent_of((operand.dtype.itemsize, *operand.shape), (1, *operand.strides), 8)
    if address % operand.alignment:
        return [f"{operand.name} is at address {address:#x}, which is not a multiple of {operand.alignment} bytes"]
    if low != high and not address:
        return [f"{operand.name} has no memory: its address is 0"]
    if low != high and (address + low < 0 or address + high > MAX_BYTES):
        return [f"{operand.name} is at address {address:#x}, from where it reaches beyond what 64 bits address"]
    return []


def same_strides(shape: Sequence[int], left: Sequence[int], right: Sequence[int]) -> bool:
    """Return whether two strides reach the same elements: those of dimensions of size <= 1 are never used.

    >>> same_strides((1, 3), (999, 4), (12, 4))
    True
    """
    return left == right or all(n <= 1 or x == y for n, x, y in zip(shape, left, right, strict=True))


def address_of(array: Array) -> int:
    """Return the address of the first element; a subclass cannot claim another one."""
    plain = array if type(array) is np.ndarray else np.asarray(array)
    return int(plain.__array_interface__["data"][0])


def _overlap_mistakes(operands: Sequence[Operand], arrays: Sequence[Array]) -> list[str]:
    mistakes = [
        f"{o.name} has strides {o.strides} bytes: several elements that the kernel writes share one address"
        for o in operands
        if o.written and overlap_within((o.dtype.itemsize, *o.shape), (1, *o.strides))
    ]
    for w, out in enumerate(operands):
        for i, other in enumerate(operands):
            if not out.written or i == w or (other.written and i < w):
                continue
            if other.may_alias and _same_memory(arrays[w], arrays[i]):
                continue
            if shares_memory(arrays[w], arrays[i]):
                mistakes.append(f"{out.name}, which the kernel writes, overlaps {other.name} in memory")
    return mistakes


def _same_memory(x: Array, y: Array) -> bool:
    return (address_of(x), x.dtype, x.shape, x.strides) == (address_of(y), y.dtype, y.shape, y.strides)


def shares_memory(x: Array, y: Array) -> bool:
    """Return whether two arrays share a byte: exact, or True if the exact check would take too long.

    >>> both = np.zeros((4, 8))
    >>> shares_memory(both[:, :4], both[:, 4:])
    False
    """
    try:
        return bool(np.shares_memory(x, y, max_work=EXACT_OVERLAP_WORK))
    except RuntimeError:  # TooHardError, whose module differs between NumPy versions
        return True


def refuse(call: Any, arrays: Sequence[Any]) -> NoReturn:
    """Raise the `TensorError` for arrays that a Call does not accept."""
    mistakes = find_mistakes(call.operands, arrays)
    remedy = "pass arrays like those it was bound with, or make a new plan for these"
    raise TensorError.of("call", mistakes or ["do not fit, for an unknown reason"], remedy)


def misplaced(call: Any, addresses: Sequence[int]) -> NoReturn:
    """Raise the `TensorError` for addresses that are null, or not aligned as a Call needs."""
    pairs = zip(call.operands, addresses, strict=True)
    mistakes = [text for operand, address in pairs for text in placement_mistakes(operand, address)]
    raise TensorError.of("call", mistakes, "allocate with that alignment, or make a new plan")


def failed(call: Any, code: int, text: str) -> NoReturn:
    """Raise the `LaunchError` for a kernel that returned `code` with the reason `text`."""
    raise LaunchError(
        f"kernel {getattr(call.keep, 'path', '(no file)')} returned {code}: {text or 'no reason given'}",
        remedy="follow the kernel's message; if it accepted these arguments at bind, report a defect",
    )
