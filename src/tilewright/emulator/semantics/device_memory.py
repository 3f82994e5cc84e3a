"""Global, flat, scratch and scalar memory instructions."""

from __future__ import annotations

from ..emit import Emitter
from ..isa import M0
from ..operand import Operand
from .registry import pattern
from .widths import WORDS, Width, known_width, load_by_width, loaded, stored, width_of

ATOMICS = {
    "add": ("add", 4), "add_u32": ("add", 4), "add_x2": ("add", 8), "add_u64": ("add", 8), "sub": ("sub", 4),
    "sub_u32": ("sub", 4), "and": ("and", 4), "and_b32": ("and", 4), "or": ("or", 4), "or_b32": ("or", 4),
    "xor": ("xor", 4), "xor_b32": ("xor", 4), "swap": ("swap", 4), "swap_b32": ("swap", 4), "swap_x2": ("swap", 8),
    "swap_b64": ("swap", 8), "smax": ("smax", 4), "max_i32": ("smax", 4), "smin": ("smin", 4), "min_i32": ("smin", 4),
    "umax": ("umax", 4), "max_u32": ("umax", 4), "umin": ("umin", 4), "min_u32": ("umin", 4), "inc": ("inc", 4),
    "inc_u32": ("inc", 4), "dec": ("dec", 4), "dec_u32": ("dec", 4), "cmpswap": ("cmpswap", 4),
    "cmpswap_b32": ("cmpswap", 4), "cmpswap_x2": ("cmpswap", 8), "cmpswap_b64": ("cmpswap", 8),
    "add_f32": ("add_f32", 4), "max_f32": ("max_f32", 4), "min_f32": ("min_f32", 4), "max_num_f32": ("max_f32", 4),
    "min_num_f32": ("min_f32", 4), "fmax": ("max_f32", 4), "fmin": ("min_f32", 4), "add_f64": ("add_f64", 8),
    "pk_add_f16": ("pk_add_f16", 4), "pk_add_bf16": ("pk_add_bf16", 4),
}  # fmt: skip


def returns_old(e: Emitter) -> bool:
    """Return whether an atomic instruction gives the old value back."""
    if e.isa.family == "rdna4":
        return "RETURN" in e.ins.modifiers.get("th", "")
    return ("sc0" if e.isa.name in ("gfx942", "gfx950") else "glc") in e.ins.modifiers


def global_address(e: Emitter, vector: Operand, scalar: Operand | None) -> str:
    """Return int64 addresses: a vector pair, or a scalar pair and a vector offset."""
    offset = e.integer("offset")
    e.note_address(vector, *([scalar] if scalar is not None else []))
    if scalar is not None and scalar.kind == "s":
        base = f"{e.read(scalar, 'u64')}.astype(I64)"
        if vector.kind == "v":
            return f"({base}+{e.read(vector, 'u32')}.astype(I64)+{offset})"
        return f"np.broadcast_to({base}+{offset},(W,L))"
    if vector.kind != "v" or vector.count != 2:
        e.fail(f"address {vector.text}")
    return f"({e.read(vector, 'u64')}.astype(I64)+{offset})"


@pattern(r"(global|flat)_load_(.+)")
def load(e: Emitter, _: str, text: str) -> None:
    """Load from global memory, into registers or to LDS."""
    if text.startswith("lds_"):
        _load_to_lds(e, text[4:])
        return
    width = known_width(e, text)
    address = global_address(e, e.ops[1], e.ops[2] if len(e.ops) > 2 else None)
    e.note_memory("load", "load")
    words = f"M.globals.load(st,{address},{width.words},E,{e.ins.index})"
    load_by_width(e, width, words, f"M.globals.load_small(st,{address},{width.size},E,{e.ins.index})")


def _load_to_lds(e: Emitter, text: str) -> None:
    width = width_of(text)
    if width is None or width.size != 4:
        e.fail("width")
    address = global_address(e, e.ops[0], e.ops[1] if len(e.ops) > 1 else None)
    e.reads.add(M0)
    e.note_memory("load", "dma")
    e.line(f"r=M.globals.load(st,{address},{width.words},E,{e.ins.index})")
    to_lds(e, width)


def to_lds(e: Emitter, width: Width) -> None:
    """Write loaded words `r` to LDS, at M0 and one lane after the other."""
    step = 4 * width.words
    e.line(f"a=(s[{M0}].astype(I64)&0xffff)[:,None]+{e.integer('offset')}+np.arange(L)*{step}")
    e.line(f"M.lds.store(st,a,r,{e.ins.index},4,True)")


@pattern(r"(global|flat)_store_(.+)")
def store(e: Emitter, _: str, text: str) -> None:
    """Store to global memory."""
    width = known_width(e, text)
    address = global_address(e, e.ops[0], e.ops[2] if len(e.ops) > 2 else None)
    values = stored(e, e.ops[1], width)
    e.note_memory("store", "store", (e.ops[1],), to_global=True)
    e.line(f"M.globals.store(st,{address},{values},E,{e.ins.index},{width.size})")


@pattern(r"(global|flat)_atomic_(.+)")
def atomic(e: Emitter, _: str, text: str) -> None:
    """Read, modify and write global memory."""
    known = ATOMICS.get(text)
    if known is None:
        e.fail("atomic operation")
    returns = returns_old(e)
    operands = e.ops[1:] if returns else e.ops
    address = global_address(e, operands[0], operands[2] if len(operands) > 2 else None)
    e.note_memory("load" if returns else "store", "load" if returns else "store", (operands[1],), to_global=True)
    atomic_call(e, *known, address, operands[1], "E", returns)
    if returns:
        e.write(e.ops[0], f"u{8 * known[1]}", "r")


def atomic_call(e: Emitter, kind: str, size: int, address: str, data: Operand, where: str, returns: bool) -> None:
    """Append the call of an atomic operation; its old values are `r`."""
    e.notes["publishes"] = True
    words = size // 4
    values = []
    for j in range(2 if kind == "cmpswap" else 1):
        at = j * words
        parts = [e.read(data, "u32", at=at + i) for i in range(words)]
        values.append(parts[0] if words == 1 else f"join({parts[0]},{parts[1]})")
    e.line(f"r=M.globals.atomic(st,{address},[{','.join(values)}],{where},{e.ins.index},{kind!r},{size},{returns})")


@pattern(r"scratch_(load|store)_(.+)")
def scratch(e: Emitter, what: str, text: str) -> None:
    """Private memory of a lane."""
    width = width_of(text)
    if width is None or width.size != 4:
        e.fail("width")
    data, vector, scalar = (e.ops[0], e.ops[1], e.ops[2]) if what == "load" else (e.ops[1], e.ops[0], e.ops[2])
    terms = [f"I64({e.integer('offset')})"]
    for o in (vector, scalar):
        if o.kind in ("v", "s"):
            e.note_address(o)
            terms.append(f"{e.read(o, 'u32')}.astype(I64)")
    if what == "load":
        e.note_memory("load", "load")
        loaded(e, data, width, f"M.scratch.load(st,{'+'.join(terms)},{width.words},E,{e.ins.index})")
    else:
        values = stored(e, data, width)
        e.note_memory("store", "store", (data,))
        e.line(f"M.scratch.store(st,{'+'.join(terms)},{values},E,{e.ins.index})")


@pattern(r"s_(buffer_)?load_(dword|[biu]\d+)(?:x(\d+))?")
def scalar_load(e: Emitter, buffer: str | None, ty: str, times: str | None) -> None:
    """Load scalars, the same for all lanes of a wave."""
    if ty not in WORDS:
        e.fail("width")
    words = int(times) if times else WORDS[ty]
    destination, base, *rest = e.ops
    e.note_address(base, *rest)
    offset = str(e.integer("offset"))
    for o in rest:
        if o.kind == "c":
            offset += f"+{int(o.value)}"
        elif o.kind == "s":
            offset += f"+{e.read(o, 'u32')}.astype(I64)"
    e.writing(destination, words)
    e.note_memory("scalar", "scalar")
    if buffer:
        low, high, size = (e.read(base, "u32", at=j) for j in range(3))
        address = f"({low}.astype(I64)|(({high}.astype(I64)&0xffff)<<32))"
        e.line(f"r=scalar_buffer_load(st,M,{address},{offset},{size}.astype(I64),{words},{e.ins.index})")
    else:
        address = f"{e.read(base, 'u64')}.astype(I64)"
        e.line(f"r=M.globals.load(st,{address}+{offset},{words},True,{e.ins.index})")
    for j in range(words):
        e.line(f"s[{destination.reg + j}][:]=r[{j}]")
    e._after_scalar(destination)
