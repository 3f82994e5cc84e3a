"""Host arrays on an AMD GPU for the time of a block: allocation, copies in, copies out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from tilewright.errors import TensorError


@contextmanager
def on_device(
    driver: Any, arrays: Mapping[str, Any], outputs: Sequence[str] = (), stream: int = 0
) -> Iterator[dict[str, int]]:
    """Device addresses of copies of NumPy `arrays`; those named in `outputs` are copied back at the end.

    Strides stay as they are: the whole memory that an array spans is copied. Whatever happens, the memory is freed.
    """
    with ExitStack() as stack:
        addresses: dict[str, int] = {}
        for name, array in arrays.items():
            first, size = _span(name, array)
            base = driver.allocate(size)
            stack.callback(driver.free, base)
            driver.copy_in(base, first, size, stream)
            addresses[name] = base + (array.ctypes.data - first)
        yield addresses
        for name in outputs:
            first, size = _span(name, arrays[name])
            driver.copy_out(first, addresses[name] - (arrays[name].ctypes.data - first), size, stream)


def _span(name: str, array: Any) -> tuple[int, int]:
    """Return (address of the first byte, bytes up to the last) of an array's memory."""
    if array.size == 0:
        raise TensorError(f"{name} has no elements", remedy="launch nothing for an empty problem")
    reach = [s * (n - 1) for s, n in zip(array.strides, array.shape, strict=True)]
    low, high = sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)
    return array.ctypes.data + low, high - low + array.itemsize
