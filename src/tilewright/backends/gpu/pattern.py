"""Pattern: launches as one image of bytes, of which the C launcher makes copies (`launcher_pattern.hpp`).

The image holds the launch configuration and the parameters of each kernel, and the numbers that describe tensors to the
driver. Most of it is the same for all sizes of a problem. The numbers that differ are packed for each size.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from ...jit.launcher import launcher
from ...model.traced import Traced, UntraceableError
from .call import FORMATS, TENSOR_MAP_ALIGNMENT, Recorded, config_of
from .cuda_driver import TENSOR_MAP_BYTES, LaunchConfig, map_numbers

CONFIG_BYTES = ctypes.sizeof(LaunchConfig)


class Pattern:
    """The launches of one way through a plan. `roles` gives the number of each tensor by the name of its address.

    `values` are the traced numbers that depend on sizes, in order; `launches` takes plain ones in their place.
    """

    def __init__(self, driver: Any, recorded: Sequence[Recorded], roles: Mapping[str, int]) -> None:
        module = launcher().module
        if module is None:
            raise UntraceableError("the C launcher is not active")
        self._driver, self._roles = driver, roles
        self._image = bytearray()
        self._form, self._values = "<", list[Any]()
        self._pieces: list[tuple[int, int, int]] = []
        self._pointers: list[tuple[int, int]] = []
        self._maps: list[tuple[int, int, int, int, int]] = []
        self._cells: list[tuple[int, int, bool, int]] = []
        places = tuple([self._add(r) for r in recorded])
        packing = struct.Struct(self._form)
        self._pack = packing.pack
        self.values = tuple(self._values)
        failed = partial(_failed, driver, [r.kernel for r in recorded])  # keeps their code loaded
        self._in_c = module.GpuPattern(
            driver.entries, len(roles), bytes(self._image), packing.size, tuple(self._pieces), tuple(self._pointers),
            places, tuple(self._maps), tuple(self._cells), failed, driver.ordinal,
        )  # fmt: skip

    def launches(self, values: tuple[Any, ...], stream: int | None, lookup: Any) -> Any:
        """Return a `GpuLaunches` with these values: for one stream, or for any if it is None."""
        numbers = self._pack(*values)
        made = self._in_c.launches(numbers, stream, lookup)
        while type(made) is tuple:  # the driver refused a tensor map
            which, code = made
            if not self._driver.entered(code):
                self._driver.check(code, self._described(which, numbers))
            made = self._in_c.launches(numbers, stream, lookup)
        return made

    def _described(self, which: int, numbers: bytes) -> str:
        """Return what the driver was asked to do for a tensor map."""
        image = self._image.copy()
        for start, at, size in self._pieces:
            image[at : at + size] = numbers[start : start + size]
        _, at, rank, _, _ = self._maps[which]
        far = max(rank - 1, 1)
        address, *found = struct.unpack_from(f"<Q{rank + far}Q{2 * rank}I", image, at)
        ends = (0, rank, rank + far, 2 * rank + far, 3 * rank + far)
        shape, strides, box, steps = (found[i:j][::-1] for i, j in pairwise(ends))
        what = f"describe a tensor of shape {shape}, strides in bytes {strides}, at address {address:#x} to the copy"
        return f"{what} engine, box {box} in steps of {steps}"

    def _add(self, recorded: Recorded) -> tuple[int, int, int]:
        """Lay out one launch; return where its configuration is, its function, and where the pointers are."""
        kernel = recorded.kernel
        config = self._room(CONFIG_BYTES, 8)
        self._put(config, bytes(config_of(kernel.meta, recorded.early)))
        self._numbers(config, "I", *recorded.grid)
        block = self._room(kernel.size, TENSOR_MAP_ALIGNMENT)
        for path, kind, offset in kernel.slots:
            if kind != "tensormap" and path in recorded.values:
                self._numbers(block + offset, FORMATS[kind][1:], recorded.values[path])
                self._cell(block + offset, recorded.values[path], kind == "pointer", False)
        params = self._room(8 * len(kernel.offsets), 8)
        self._pointers += [(params + 8 * i, block + offset) for i, offset in enumerate(kernel.offsets)]
        for path, offset, arg in kernel.maps:
            if path in recorded.values:
                self._map(block + offset, arg, **recorded.values[path])
        return config, kernel.function(self._driver), params

    def _room(self, size: int, alignment: int) -> int:
        """Return where the next `size` bytes begin."""
        at = -(-len(self._image) // alignment) * alignment
        self._image += bytes(at + size - len(self._image))
        return at

    def _put(self, at: int, content: bytes) -> None:
        """Write bytes that are the same for all sizes."""
        self._image[at : at + len(content)] = content

    def _numbers(self, at: int, form: str, *values: Any) -> None:
        """Add numbers of one format that follow each other: those that depend on sizes are packed for each."""
        for value in values:
            size = struct.calcsize(f"<{form}")
            if self._depends(value):
                self._pieces.append((struct.calcsize(self._form), at, size))
                self._form += form
                self._values.append(value)
            else:
                self._put(at, struct.pack(f"<{form}", value.value if isinstance(value, Traced) else value))
            at += size

    def _role(self, value: Any) -> int | None:
        """Return the tensor whose address a value is, with a fixed number of bytes behind it; None for any other."""
        origin = value.origin if isinstance(value, Traced) else None
        return self._roles.get(origin[0]) if origin is not None else None

    def _depends(self, value: Any) -> bool:
        """Return whether a number depends on sizes or on the workspace; an address in a tensor is written later."""
        return isinstance(value, Traced) and self._role(value) is None

    def _cell(self, at: int, value: Any, may_move: bool, is_map: bool) -> None:
        """Note a parameter that moves with a tensor."""
        role = self._role(value)
        if role is None:
            return
        if not may_move:
            raise UntraceableError("an address is passed as a number")
        self._cells.append((at, role, is_map, value.origin[1]))

    def _map(self, at: int, meta: Any, address: Any, **of: Any) -> None:
        """Add a tensor map: the map itself if it depends on nothing but a tensor's address, else its numbers."""
        self._cell(at, address, True, True)
        longs, ints = map_numbers(meta, **of)
        if not any(map(self._depends, (address, *longs, *ints))):
            self._put(at, self._encoded(meta, address.value if isinstance(address, Traced) else address, of))
            return
        numbers = self._room(8 + 8 * len(longs) + 4 * len(ints), 8)
        self._maps.append((at, numbers, len(of["shape"]), meta["element_type"], meta["swizzle"]))
        self._numbers(numbers, "Q", address, *longs)
        self._numbers(numbers + 8 + 8 * len(longs), "I", *ints)

    def _encoded(self, meta: Any, address: int, of: Mapping[str, Any]) -> bytes:
        """Return a tensor map that is the same for all sizes."""
        room = ctypes.create_string_buffer(TENSOR_MAP_BYTES + TENSOR_MAP_ALIGNMENT)
        at = -(-ctypes.addressof(room) // TENSOR_MAP_ALIGNMENT) * TENSOR_MAP_ALIGNMENT
        self._driver.encode(at, meta, address, **of)
        return ctypes.string_at(at, TENSOR_MAP_BYTES)


def _failed(driver: Any, kernels: Sequence[Any], index: int, code: int) -> bool:
    """Return True if C shall try again, because the context of this thread was missing; else raise an error."""
    if not driver.entered(code):
        driver.check(code, f"launch {kernels[index].meta['name']}" if index >= 0 else driver.ready)
    return True
