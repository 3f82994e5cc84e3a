"""Matrix instructions: MFMA of CDNA and WMMA of RDNA, in the register layouts that AMD documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..emit import Emitter, registers_of
from ..numeric import (
    F16,
    F32,
    F64,
    I8,
    I32,
    I64,
    TINY16,
    TINY32,
    U8,
    U16,
    U32,
    bits_of_bf16,
    bits_of_half,
    float_of_bf16,
    flushed,
)  # fmt: skip
from ..operand import Operand
from ..small_floats import FLOAT8, SMALL_BITS, scale_of, small_floats
from ..state import Waves
from .registry import pattern

BITS = {"f16": 16, "bf16": 16, "f32": 32, "xf32": 32, "f64": 64, "i8": 8, "iu8": 8, "fp8": 8, "bf8": 8, **SMALL_BITS}


@dataclass(frozen=True)
class Source:
    """One factor: first register, registers, element type; `signed` for 8-bit integers.

    `flush`: denormal numbers count as 0, in the factors, in C and in the result. `lanes`: the lane that each lane takes
    its numbers from, if not its own.
    """

    register: int
    count: int
    kind: str
    fnuz: bool = False
    signed: bool = True
    flush: bool = False
    lanes: tuple[int, ...] = ()


def elements(st: Waves, source: Source) -> Any:
    """Return a factor as [waves, lanes, elements per lane]: float32 or float64, in which products are exact."""
    words = np.ascontiguousarray(np.moveaxis(st.block(source.register, source.count), 0, -1))
    if source.lanes:
        words = words[:, source.lanes]
    kind = source.kind
    if kind in SMALL_BITS:
        return small_floats(words, kind)
    if kind in ("f16", "bf16"):
        half = kind == "f16"
        found = words.view(F16).astype(F32) if half else float_of_bf16(words.view(U16).astype(U32))
        return flushed(found, TINY16 if half else TINY32) if source.flush else found
    if kind == "f32":
        return words.view(F32)
    if kind == "xf32":  # ten bits of mantissa, rounded to nearest even
        return ((words + U32(0xFFF) + ((words >> U32(13)) & U32(1))) & U32(0xFFFFE000)).view(F32)
    if kind == "f64":
        return words.view(F64)
    if kind in ("i8", "iu8"):
        return words.view(I8 if source.signed else U8).astype(F64)
    return FLOAT8[kind, source.fnuz][words.view(U8)]


def mfma(
    st: Waves, destination: int, a: Source, b: Source, c: int | None, fill: float, shape: tuple[int, int, int],
    out: str, chosen: tuple[int, ...] = (),
) -> None:  # fmt: skip
    """D = A B + C. Lanes hold rows of A and columns of B; if several blocks or parts of k fit into a wave, in turn.

    `chosen` is the block of A that each block multiplies, if not its own.
    """
    m, n, k = shape
    left, right = elements(st, a), elements(st, b)
    per_lane = left.shape[-1]
    blocks = st.lanes * per_lane // (m * k)
    parts = k // per_lane

    def factor(x: Any, rows: int) -> Any:  # -> [waves, blocks, rows, k]
        x = x.reshape(st.W, parts, blocks, rows, per_lane)
        return x.transpose(0, 2, 3, 1, 4).reshape(st.W, blocks, rows, k)

    rows = factor(left, m)
    product = (rows[:, chosen] if chosen else rows) @ factor(right, n).transpose(0, 1, 3, 2)
    put(st, destination, c, fill, spread(product, m, n, out), out, a.flush)


def scaled_mfma(
    st: Waves, destination: int, a: Source, b: Source, c: int | None, fill: float, shape: tuple[int, int, int],
    scales: tuple[Any, Any],
) -> None:  # fmt: skip
    """D = A B + C of CDNA 4 with a scale for 32 numbers of each row of A and column of B (MX)."""
    m, _, k = shape
    factors = []
    for source, scale in zip((a, b), scales, strict=True):
        numbers = elements(st, source).astype(F64)
        if BITS[source.kind] == 8:  # a lane holds 16 numbers of the first half of k, and 16 of the second
            x = numbers.reshape(st.W, 64 // m, m, 2, 16).transpose(0, 2, 3, 1, 4).reshape(st.W, m, k)
        else:
            x = numbers.reshape(st.W, 64 // m, m, 32).transpose(0, 2, 1, 3).reshape(st.W, m, k)
        by_row = scale_of(np.broadcast_to(scale, (st.W, 64))).reshape(st.W, 64 // m, m).transpose(0, 2, 1)
        factors.append(x * np.repeat(by_row, 32, axis=-1))
    product = (factors[0] @ factors[1].transpose(0, 2, 1))[:, None]
    put(st, destination, c, fill, spread(product, m, m, "f32"), "f32")


def spread(product: Any, m: int, n: int, out: str) -> Any:
    """Return products [waves, blocks, m, n] as [registers (of one element), waves, lanes]."""
    waves, blocks = product.shape[:2]
    if m == 4:  # a block is four lanes wide
        if out == "f64":
            return product.transpose(0, 2, 1, 3).reshape(1, waves, 64)
        return product.transpose(2, 0, 1, 3).reshape(4, waves, 64)
    groups = 64 // n
    if out == "f64":  # rows alternate between the groups of lanes
        parts = product.reshape(waves, blocks, m // groups, groups, n)
        return parts.transpose(1, 2, 0, 3, 4).reshape(-1, waves, 64)
    parts = product.reshape(waves, blocks, m // (4 * groups), groups, 4, n)
    return parts.transpose(1, 2, 4, 0, 3, 5).reshape(-1, waves, 64)


def put(st: Waves, destination: int, c: int | None, fill: float, product: Any, out: str, flush: bool = False) -> None:
    """Add C and write D, one register (two for float64) per element."""
    count = len(product)
    if out == "f64":
        pairs = None if c is None else np.ascontiguousarray(np.moveaxis(st.block(c, 2 * count), 0, -1)).view(F64)
        total = np.moveaxis(product, 0, -1) + (fill if pairs is None else pairs)
        st.block(destination, 2 * count)[:] = np.moveaxis(np.ascontiguousarray(total).view(U32), -1, 0)
        return
    kind = F32 if out == "f32" else I32
    if out == "i32":
        start = I64(fill) if c is None else st.block(c, count).view(I32)
        total = (product.astype(I64) + start).astype(kind)
    else:
        start = F32(fill) if c is None else st.block(c, count).view(F32)
        total = product.astype(F32) + (flushed(start, TINY32) if flush else start)
        total = flushed(total, TINY32) if flush else total
    st.block(destination, count)[:] = total.view(U32)


def wmma(
    st: Waves, destination: int, a: Source, b: Source, c: int | None, fill: float, out: str, layout: tuple[bool, int]
) -> None:
    """D = A B + C of 16 x 16, `layout` = (lanes share k, half of the registers for 16-bit results).

    On RDNA 3 both halves of a wave hold the same rows; on RDNA 4 each holds a half of k.
    """
    split, half = layout
    left, right = elements(st, a), elements(st, b)

    def factor(x: Any) -> Any:
        if not split:
            return x[:, :16]
        return x.reshape(st.W, 2, 16, -1).transpose(0, 2, 1, 3).reshape(st.W, 16, -1)

    product = factor(left) @ factor(right).transpose(0, 2, 1)
    if split:  # row = 8 * half of the wave + register
        product = product.reshape(st.W, 2, 8, 16).transpose(2, 0, 1, 3).reshape(8, st.W, 32)
    else:  # row = 2 * register + half of the wave
        product = product.reshape(st.W, 8, 2, 16).transpose(1, 0, 2, 3).reshape(8, st.W, 32)
    if out in ("f32", "i32"):
        put(st, destination, c, fill, product, out)
    else:
        put_halves(st, destination, c, fill, product, out, split, half)


def put_halves(
    st: Waves, destination: int, c: int | None, fill: float, product: Any, out: str, packed: bool, half: int
) -> None:
    """Write 16-bit results: two per register (RDNA 4), or one into the chosen half of each register (RDNA 3)."""

    def to_bits(x: Any) -> Any:
        return bits_of_half(x, st.limited) if out == "f16" else bits_of_bf16(x)

    def numbers(bits: Any) -> Any:
        return bits.astype(U16).view(F16).astype(F32) if out == "f16" else float_of_bf16(bits)

    for r in range(4 if packed else 8):
        old = U32(0) if c is None else st.v[c + r]
        if packed:
            values = [
                to_bits(
                    product[2 * r + j].astype(F32)
                    + (F32(fill) if c is None else numbers((old >> U32(16 * j)) & U32(0xFFFF)))
                )
                for j in (0, 1)
            ]
            st.v[destination + r][:] = values[0] | (values[1] << U32(16))
            continue
        shift = U32(16 * half)
        value = to_bits(product[r].astype(F32) + (F32(fill) if c is None else numbers((old >> shift) & U32(0xFFFF))))
        keep = st.v[destination + r] & U32(0xFFFF if half else 0xFFFF0000)
        st.v[destination + r][:] = keep | (value << shift)


def _source(e: Emitter, o: Operand, kind: str, signed: bool = True, lanes: tuple[int, ...] = ()) -> str:
    if o.kind != "v":
        e.fail(f"factor {o.text}")
    e.reading(o)
    flush = e.isa.flushes_halves and BITS[kind] == 16
    made = Source(o.reg, o.count, kind, e.isa.fnuz, signed, flush, lanes)
    return e.named(made, (o.reg, o.count, kind, signed, lanes))


def lanes_of_pattern(blgp: int) -> tuple[int, ...]:
    """Return the lane that each lane takes its part of B from, as AMD's matrix instruction calculator says.

    >>> lanes_of_pattern(3)[:2], lanes_of_pattern(6)[63]
    ((16, 17), 47)
    """
    if blgp == 3:
        return tuple((lane + 16) % 64 for lane in range(64))
    size, first = (32, 32 * (blgp - 1)) if blgp < 3 else (16, 16 * (blgp - 4))
    return tuple(first + lane % size for lane in range(64))


def _chosen_blocks(e: Emitter, blocks: int) -> tuple[int, ...]:
    """Return the block of A that each block multiplies: cbsz broadcasts one of 2**cbsz, abid says which."""
    size, which = 1 << e.integer("cbsz"), e.integer("abid")
    if size == 1 and not which:
        return ()
    if blocks % size or which >= size:
        e.fail("cbsz or abid that do not fit the blocks")
    return tuple(block // size * size + which for block in range(blocks))


def _addend(e: Emitter) -> str:
    """Return (register or None, constant) of C, as text."""
    c = e.ops[3]
    if c.kind == "v":
        e.reading(c)
        return f"{c.reg},0"
    whole = e.ins.opcode.split("_")[2] == "i32"
    if c.kind != "c" or (c.value and isinstance(c.value, int) != whole):  # else the bits of the other type
        e.fail(f"addend {c.text}")
    return f"None,{float(c.value)}"


@pattern(r"v_mfma_(f32|f64|i32)_(\d+)x(\d+)x(\d+)_?(?:\d+b_)?(f16|bf16|xf32|f32|f64|i8|fp8|bf8)(?:_(fp8|bf8))?(?:_1k)?")
def mfma_instruction(e: Emitter, out: str, m: str, n: str, k: str, kind: str, other: str | None) -> None:
    """A product of CDNA."""
    shape, pattern_of_b = (int(m), int(n), int(k)), e.integer("blgp")
    if pattern_of_b and out == "f64":  # there it negates
        e.fail("blgp")
    lanes = lanes_of_pattern(pattern_of_b) if pattern_of_b else ()
    a, b = _source(e, e.ops[1], kind), _source(e, e.ops[2], other or kind, lanes=lanes)
    blocks = e.lanes * e.ops[1].count * 32 // BITS[kind] // (shape[0] * shape[2])
    want = shape[0] * shape[1] * blocks // 64 * (2 if out == "f64" else 1)
    if blocks < 1 or e.ops[0].count != want:
        e.fail(f"{e.ops[0].count} result registers, not {want}")
    e.writing(e.ops[0])
    e.notes["whole_wave"] = True
    chosen = _chosen_blocks(e, blocks)
    e.line(f"mfma(st,{e.ops[0].reg},{a},{b},{_addend(e)},{shape},{out!r}{',' + str(chosen) if chosen else ''})")


FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4")  # that cbsz and blgp choose


@pattern(r"v_mfma_(scale_)?f32_(\d+)x(\d+)x(\d+)_f8f6f4")
def any_float_instruction(e: Emitter, scaled: str | None, m: str, n: str, k: str) -> None:
    """A product of CDNA 4 with a format for each factor, and a scale for 32 numbers of each row."""
    chosen = [e.integer(name) for name in ("cbsz", "blgp")]
    if max(chosen) >= len(FORMATS) or e.integer("abid"):
        e.fail("format")
    kinds = [FORMATS[code] for code in chosen]
    shape = (int(m), int(n), int(k))
    if e.ops[0].count != shape[0] * shape[1] // 64 or any(
        o.count != BITS[kind] for o, kind in zip(e.ops[1:3], kinds, strict=True)
    ):
        e.fail("registers that do not fit the shape")
    a, b = (_source(e, o, kind) for o, kind in zip(e.ops[1:3], kinds, strict=True))
    e.writing(e.ops[0])
    e.notes["whole_wave"] = True
    scales = ["U32(127)", "U32(127)"]
    if scaled:
        low, high = e.bits("op_sel", 3, 0), e.bits("op_sel_hi", 3, 1)
        shifts = [8 * (low[j] + 2 * high[j]) for j in (0, 1)]
        scales = [f"({e.read(o, 'u32')}>>U32({x}))" for o, x in zip(e.ops[4:6], shifts, strict=True)]
    e.line(f"scaled_mfma(st,{e.ops[0].reg},{a},{b},{_addend(e)},{shape},({','.join(scales)}))")


@pattern(r"v_wmma_(f32|f16|bf16|i32)_16x16x16_(f16|bf16|iu8|fp8|bf8)(?:_(fp8|bf8))?(?:_w32)?")
def wmma_instruction(e: Emitter, out: str, kind: str, other: str | None) -> None:
    """A product of RDNA."""
    if e.lanes != 32:
        e.fail("wave64")
    signs, more = e.bits("neg_lo", 3, 0), e.bits("neg_hi", 3, 0)
    if any(more) or signs[2] or (kind != "iu8" and any(signs)):
        e.fail("neg_lo or neg_hi")
    half = e.bits("op_sel", 3, 0)[2]
    a, b = _source(e, e.ops[1], kind, bool(signs[0])), _source(e, e.ops[2], other or kind, bool(signs[1]))
    e.writing(e.ops[0])
    e.notes["whole_wave"] = True
    split = e.isa.family == "rdna4"
    if not split:
        e.notes["paired"] = frozenset(registers_of(e.ops[1]) | registers_of(e.ops[2]))
    e.line(f"wmma(st,{e.ops[0].reg},{a},{b},{_addend(e)},{out!r},({split},{half}))")
