"""Buffer instructions: memory through a descriptor with a size. What lies beyond it reads as 0 and is not written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..emit import Emitter
from ..global_memory import SCRATCH_BASE
from ..isa import M0
from ..memory import BASE
from ..numeric import I64, U32
from ..state import Waves
from .device_memory import ATOMICS, atomic_call, returns_old, to_lds
from .registry import pattern
from .widths import known_width, load_by_width, stored


@dataclass(frozen=True)
class Window:
    """Where a buffer instruction goes: base and offset [waves, lanes], and how many bytes the buffer has."""

    base: Any
    offset: Any
    size: Any
    scratch: bool

    def inside(self, at: int, size: int, execution: Any) -> Any:
        """Return the lanes that execute and whose `size` bytes, `at` bytes further, are in the buffer."""
        good = self.offset + at + size <= self.size
        return good if execution is True else good & execution


def window(st: Waves, descriptor: int, vector: Any, scalar: Any, constant: int) -> Window:
    """Return the window of a raw buffer descriptor in four scalar registers."""
    words = st.scalars[:, descriptor : descriptor + 4].astype(I64)
    base = (words[:, :1] | ((words[:, 1:2] & 0xFFFF) << 32)).astype(I64)
    offset = np.full((st.W, st.lanes), constant, I64)
    if vector is not None:
        offset = offset + vector.astype(I64)
    if scalar is not None:
        offset = offset + scalar.astype(I64)
    return Window(base, offset, words[:, 2:3], bool((base == SCRATCH_BASE).all()))


def buffer_load(st: Waves, M: Any, w: Window, words: int, index: int) -> Any:
    """Return uint32 [words, waves, lanes]."""
    if w.scratch:
        return M.scratch.load(st, w.offset, words, st.E, index)
    if (w.offset + 4 * words <= w.size).all():
        return M.globals.load(st, w.base + w.offset, words, st.E, index)
    found = []
    for j in range(words):  # the range is checked word by word
        good = w.inside(4 * j, 4, st.E)
        address = np.where(good, w.base + w.offset + 4 * j, BASE)
        found.append(np.where(good, M.globals.load(st, address, 1, good, index)[0], U32(0)))
    return np.stack(found)


def scalar_buffer_load(st: Waves, M: Any, base: Any, offset: Any, size: Any, words: int, index: int) -> Any:
    """Return uint32 [words, waves]; the range is checked word by word."""
    found = []
    for j in range(words):
        good = offset + 4 * j + 4 <= size
        address = np.where(good, base + offset + 4 * j, BASE)
        found.append(np.where(good, M.globals.load(st, address, 1, good, index)[0], U32(0)))
    return found


def buffer_load_small(st: Waves, M: Any, w: Window, size: int, index: int) -> Any:
    """Return bytes or halves as uint32 [waves, lanes]."""
    good = w.inside(0, size, st.E)
    address = np.where(good, w.base + w.offset, BASE)
    return np.where(good, M.globals.load_small(st, address, size, good, index), U32(0)).astype(U32)


def buffer_store(st: Waves, M: Any, w: Window, values: Any, size: int, index: int) -> None:
    """Write one array after the other."""
    if w.scratch:
        M.scratch.store(st, w.offset, values, st.E, index)
        return
    total = size * len(values)
    if (w.offset + total <= w.size).all():
        M.globals.store(st, w.base + w.offset, values, st.E, index, size)
        return
    for j, value in enumerate(values):
        good = w.inside(size * j, size, st.E)
        address = np.where(good, w.base + w.offset + size * j, BASE)
        M.globals.store(st, address, [value], good, index, size)


def _window(e: Emitter, at: int) -> None:
    """Append the line that computes the window `w`; operands are vector, descriptor, scalar offset."""
    vector, descriptor, scalar = e.ops[at : at + 3]
    if descriptor.kind != "s" or descriptor.count != 4:
        e.fail(f"descriptor {descriptor.text}")
    e.reading(descriptor)
    e.note_address(descriptor)
    voffset = soffset = "None"
    if e.has("offen"):
        e.note_address(vector)
        voffset = e.read(vector, "u32")
    if scalar.kind == "s":
        e.note_address(scalar)
        soffset = e.read(scalar, "u32")
    constant = e.integer("offset") + (int(scalar.value) if scalar.kind == "c" else 0)
    e.line(f"w=window(st,{descriptor.reg},{voffset},{soffset},{constant})")


@pattern(r"buffer_load_(.+)")
def load(e: Emitter, text: str) -> None:
    """Load into registers or to LDS."""
    width = known_width(e, text)
    direct = e.has("lds")
    _window(e, 0 if direct else 1)
    if direct:
        if width.size != 4:
            e.fail("width")
        e.reads.add(M0)
        e.note_memory("load", "dma")
        e.line(f"r=buffer_load(st,M,w,{width.words},{e.ins.index})")
        to_lds(e, width)
        return
    e.note_memory("load", "load")
    words = f"buffer_load(st,M,w,{width.words},{e.ins.index})"
    load_by_width(e, width, words, f"buffer_load_small(st,M,w,{width.size},{e.ins.index})")


@pattern(r"buffer_store_(.+)")
def store(e: Emitter, text: str) -> None:
    """Store."""
    width = known_width(e, text)
    _window(e, 1)
    values = stored(e, e.ops[0], width)
    e.note_memory("store", "store", (e.ops[0],), to_global=True)
    e.line(f"buffer_store(st,M,w,{values},{width.size},{e.ins.index})")


@pattern(r"buffer_atomic_(.+)")
def atomic(e: Emitter, text: str) -> None:
    """Read, modify and write."""
    known = ATOMICS.get(text)
    if known is None:
        e.fail("atomic operation")
    returns = returns_old(e)
    _window(e, 1)
    e.note_memory("load" if returns else "store", "load" if returns else "store", (e.ops[0],), to_global=True)
    e.line(f"g=w.inside(0,{known[1]},E)")
    atomic_call(e, *known, f"np.where(g,w.base+w.offset,{BASE})", e.ops[0], "g", returns)
    if returns:
        e.write(e.ops[0], f"u{8 * known[1]}", "r")
