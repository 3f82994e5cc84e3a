"""DS instructions: LDS reads, writes and atomics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..emit import Emitter
from ..numeric import U16, U32
from .registry import pattern
from .widths import Width, known_width, load_by_width, loaded, stored


def _address(e: Emitter, at: int, offset: int) -> str:
    o = e.ops[at]
    e.note_address(o)
    return f"lds_address(st,{e.read(o, 'u32')},{offset})"


@pattern(r"ds_(?:read|load)_((?:[ubi]\d+)(?:_d16)?(?:_hi)?)")
def read(e: Emitter, text: str) -> None:
    """Load from LDS."""
    width = known_width(e, text)
    address = _address(e, 1, e.integer("offset"))
    e.note_memory("lds", "lds")
    words = f"M.lds.load(st,{address},{width.words},{e.ins.index})"
    load_by_width(e, width, words, f"M.lds.load_small(st,{address},{width.size},{e.ins.index})")


@pattern(r"ds_(?:write|store)_(b\d+(?:_d16)?(?:_hi)?)")
def write(e: Emitter, text: str) -> None:
    """Store to LDS."""
    width = known_width(e, text)
    address = _address(e, 0, e.integer("offset"))
    values = stored(e, e.ops[1], width)
    e.note_memory("lds", "lds-store", (e.ops[1],))
    e.line(f"M.lds.store(st,{address},{values},{e.ins.index},{width.size})")


@pattern(r"ds_(read|load|write|store)(?:2|_2addr)(st64|_stride64)?_b(32|64)")
def two_places(e: Emitter, kind: str, strided: str | None, bits: str) -> None:
    """Load from, or store to, two places."""
    size = int(bits) // 8
    step = size * (64 if strided else 1)
    words = Width(size // 4)
    offsets = [e.integer(f"offset{j}") * step for j in (0, 1)]
    if kind in ("write", "store"):
        for j, offset in enumerate(offsets):
            values = stored(e, e.ops[1 + j], words)
            e.line(f"M.lds.store(st,{_address(e, 0, offset)},{values},{e.ins.index})")
        e.note_memory("lds", "lds-store", e.ops[1:3])
        return
    e.note_memory("lds", "lds")
    names = []
    for j, offset in enumerate(offsets):  # both addresses are read before a destination is written
        e.line(f"q{j}=M.lds.load(st,{_address(e, 1, offset)},{words.words},{e.ins.index})")
        names.append(f"q{j}")
    destination = e.ops[0]
    for j, name in enumerate(names):
        part = replace(destination, reg=destination.reg + j * words.words, count=words.words)
        loaded(e, part, words, name)


def transpose_rows(words: Any, bits: int) -> Any:
    """Return a 64-bit load of 16 lanes, seen as rows of a matrix of 16 columns, by columns: ds_read_b64_tr."""
    waves, lanes = words.shape[1:]
    per = 64 // bits
    flat = np.ascontiguousarray(np.moveaxis(words, 0, -1)).view(U16 if bits == 16 else np.uint8)
    columns = flat.reshape(waves, lanes // 16, per, 16).transpose(0, 1, 3, 2)
    return np.moveaxis(np.ascontiguousarray(columns).reshape(waves, lanes, per).view(U32), -1, 0)


@pattern(r"ds_read_b64_tr_b(16|8)")
def read_transposed(e: Emitter, bits: str) -> None:
    """Load and transpose among 16 lanes."""
    address = _address(e, 1, e.integer("offset"))
    e.note_memory("lds", "lds")
    loaded(e, e.ops[0], Width(2), f"transpose_rows(M.lds.load(st,{address},2,{e.ins.index}),{bits})")


KINDS = {
    "add_u32": ("add", 4), "add_u64": ("add", 8), "sub_u32": ("sub", 4), "and_b32": ("and", 4), "or_b32": ("or", 4),
    "xor_b32": ("xor", 4), "max_u32": ("umax", 4), "min_u32": ("umin", 4), "max_i32": ("smax", 4),
    "min_i32": ("smin", 4), "inc_u32": ("inc", 4), "dec_u32": ("dec", 4), "add_f32": ("add_f32", 4),
    "max_f32": ("max_f32", 4),
    "min_f32": ("min_f32", 4), "max_num_f32": ("max_f32", 4), "min_num_f32": ("min_f32", 4), "add_f64": ("add_f64", 8),
    "pk_add_f16": ("pk_add_f16", 4), "pk_add_bf16": ("pk_add_bf16", 4), "wrxchg_b32": ("swap", 4),
    "storexchg_b32": ("swap", 4), "cmpst_b32": ("cmpswap", 4), "cmpstore_b32": ("cmpswap", 4),
}  # fmt: skip


@pattern(
    r"ds_(add|sub|and|or|xor|max|min|inc|dec|max_num|min_num|pk_add|wrxchg|storexchg|cmpst|cmpstore)(_rtn)?_([ubif]\w+)"
)
def atomic(e: Emitter, what: str, returns: str | None, ty: str) -> None:
    """Read, modify and write LDS."""
    known = KINDS.get(f"{what}_{ty}")
    if known is None:
        e.fail("atomic operation")
    kind, size = known
    at = 1 if returns else 0
    width = "u64" if size == 8 else "u32"
    values = [e.read(o, width) for o in e.ops[at + 1 :]]
    if kind == "cmpswap" and what == "cmpst":  # the value to compare with comes first
        values.reverse()
    e.note_memory("lds", "lds-store", e.ops[at + 1 :])
    e.line(
        f"r=M.lds.atomic(st,{_address(e, at, e.integer('offset'))},[{','.join(values)}],{kind!r},{size},{e.ins.index})"
    )
    if returns:
        e.write(e.ops[0], width, "r")
