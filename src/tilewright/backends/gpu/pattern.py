"""Pattern: launches as one block of packed numbers, from which the C launcher makes them (`launcher_pattern.hpp`).

The block holds the launch configuration and the parameters of each kernel, and the numbers that describe tensors to the
driver. Which numbers it holds follows from the launches of one problem; problems of other sizes have other values.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from ...jit.launcher import launcher
from ...model.traced import Traced, UntraceableError
from .call import FORMATS, TENSOR_MAP_ALIGNMENT, Recorded, config_of
from .cuda_driver import TENSOR_MAP_BYTES, LaunchConfig, map_numbers

GRID_BYTES = 12  # at the beginning of a launch configuration
CONFIG_BYTES = ctypes.sizeof(LaunchConfig)


class Pattern:
    """The launches of one way through a plan. `roles` gives the number of each tensor by the name of its address.

    `values` are the numbers of the block in order, traced or not; `launches` takes plain ones in their place.
    """

    def __init__(self, driver: Any, recorded: Sequence[Recorded], roles: Mapping[str, int]) -> None:
        module = launcher().module
        if module is None:
            raise UntraceableError("the C launcher is not active")
        self._driver, self._roles = driver, roles
        self._size, self._form, self._packed = 0, "<", 0
        self._values: list[Any] = []
        self._constants: list[tuple[int, bytes]] = []
        self._pointers: list[tuple[int, int]] = []
        self._maps: list[tuple[int, int, int, int, int]] = []
        self._cells: list[tuple[int, int, bool, int]] = []
        places = tuple([self._add(r) for r in recorded])
        self._form += f"{self._size - self._packed}x"
        self._pack = struct.Struct(self._form).pack
        self.values = tuple(self._values)
        failed = partial(_failed, driver, [r.kernel.meta["name"] for r in recorded])
        self._in_c = module.GpuPattern(
            driver.entries, len(roles), self._size, tuple(self._constants), tuple(self._pointers), places,
            tuple(self._maps), tuple(self._cells), failed, driver.ordinal,
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
        _, at, rank, _, _ = self._maps[which]
        far = max(rank - 1, 1)
        address, *found = struct.unpack_from(f"<Q{rank + far}Q{2 * rank}I", numbers, at)
        sizes, strides, box, steps = (found[: rank][::-1], found[rank : rank + far][::-1],
                                      found[rank + far : -rank][::-1], found[-rank:][::-1])  # fmt: skip
        what = f"describe a tensor of shape {sizes}, strides in bytes {strides}, at address {address:#x} to the copy"
        return f"{what} engine, box {box} in steps of {steps}"

    def _add(self, recorded: Recorded) -> tuple[int, int, int]:
        """Lay out one launch; return where its configuration is, its function, and where the pointers are."""
        kernel = recorded.kernel
        config = self._room(CONFIG_BYTES, 8)
        self._number(config, "3I", *recorded.grid)
        self._constants.append((config + GRID_BYTES, bytes(config_of(kernel.meta, recorded.early))[GRID_BYTES:]))
        block = self._room(kernel.size, TENSOR_MAP_ALIGNMENT)
        for path, kind, offset in kernel.slots:
            if kind != "tensormap" and path in recorded.values:
                self._number(block + offset, FORMATS[kind][1:], recorded.values[path])
                self._cell(block + offset, recorded.values[path], kind == "pointer", False)
        params = self._room(8 * len(kernel.offsets), 8)
        self._pointers += [(params + 8 * i, block + offset) for i, offset in enumerate(kernel.offsets)]
        for path, offset, arg in kernel.maps:
            if path in recorded.values:
                self._map(block + offset, arg, **recorded.values[path])
        return config, kernel.function(self._driver), params

    def _room(self, size: int, alignment: int) -> int:
        """Return where the next `size` bytes begin."""
        at = -(-self._size // alignment) * alignment
        self._size = at + size
        return at

    def _number(self, at: int, form: str, *values: Any) -> None:
        """Add numbers that are packed at a place behind all others."""
        self._form += f"{at - self._packed}x{form}"
        self._packed = at + struct.calcsize(f"<{form}")
        self._values += values

    def _cell(self, at: int, value: Any, may_move: bool, is_map: bool) -> bool:
        """Note a parameter that moves with a tensor; return whether it does."""
        if not isinstance(value, Traced) or value.origin is None or value.origin[0] not in self._roles:
            return False
        if not may_move:
            raise UntraceableError("an address is passed as a number")
        self._cells.append((at, self._roles[value.origin[0]], is_map, value.origin[1]))
        return True

    def _map(self, at: int, meta: Any, address: Any, **of: Any) -> None:
        """Add a tensor map: the map itself if it depends on nothing but a tensor's address, else its numbers."""
        moves = self._cell(at, address, True, True)
        longs, ints = map_numbers(meta, **of)
        if not any(isinstance(x, Traced) for x in (*longs, *ints)) and (moves or not isinstance(address, Traced)):
            self._constants.append((at, self._image(meta, address.value if moves else address, of)))
            return
        rank = len(of["shape"])
        numbers = self._room(8 + 8 * len(longs) + 4 * len(ints), 8)
        self._maps.append((at, numbers, rank, meta["element_type"], meta["swizzle"]))
        self._number(numbers, f"{1 + len(longs)}Q{len(ints)}I", address, *longs, *ints)

    def _image(self, meta: Any, address: int, of: Mapping[str, Any]) -> bytes:
        """Return a tensor map that is the same for all sizes."""
        room = ctypes.create_string_buffer(TENSOR_MAP_BYTES + TENSOR_MAP_ALIGNMENT)
        at = -(-ctypes.addressof(room) // TENSOR_MAP_ALIGNMENT) * TENSOR_MAP_ALIGNMENT
        self._driver.encode(at, meta, address, **of)
        return ctypes.string_at(at, TENSOR_MAP_BYTES)


def _failed(driver: Any, names: Sequence[str], index: int, code: int) -> bool:
    """Return True if C shall try again, because the context of this thread was missing; else raise an error."""
    if not driver.entered(code):
        driver.check(code, f"launch {names[index]}" if index >= 0 else driver.ready)
    return True
