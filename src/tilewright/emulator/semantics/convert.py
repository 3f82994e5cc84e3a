"""Conversions between types."""

from __future__ import annotations

from dataclasses import replace

from ..emit import Emitter
from .registry import opcodes, pattern, table

table(
    {
        "v_cvt_f32_u32": ("f32 u32", "{0}.astype(F32)"),
        "v_cvt_f32_i32": ("f32 i32", "{0}.astype(F32)"),
        "v_cvt_u32_f32": ("u32 f32", "to_u32({0})"),
        "v_cvt_i32_f32": ("i32 f32", "to_i32({0})"),
        "v_cvt_flr_i32_f32 v_cvt_floor_i32_f32": ("i32 f32", "to_i32(np.floor({0}))"),
        "v_cvt_rpi_i32_f32 v_cvt_nearest_i32_f32": ("i32 f32", "to_i32(np.floor({0}.astype(F64)+0.5))"),
        "v_cvt_f32_f16": ("f32 f16", "{0}"),
        "v_cvt_f16_f32": ("f16 f32", "{0}"),
        "v_cvt_f32_bf16": ("f32 bf16", "{0}"),
        "v_cvt_f16_u16": ("f16 u16", "{0}.astype(F32)"),
        "v_cvt_f16_i16": ("f16 i16", "{0}.astype(F32)"),
        "v_cvt_u16_f16": ("u16 f16", "to_u16({0})"),
        "v_cvt_i16_f16": ("i16 f16", "to_i16({0})"),
        "v_cvt_f64_f32": ("f64 f32", "{0}.astype(F64)"),
        "v_cvt_f64_i32": ("f64 i32", "{0}.astype(F64)"),
        "v_cvt_f64_u32": ("f64 u32", "{0}.astype(F64)"),
        "v_cvt_f32_f64": ("f32 f64", "{0}.astype(F32)"),
        "v_cvt_i32_f64": ("i32 f64", "to_i32({0})"),
        "v_cvt_u32_f64": ("u32 f64", "to_u32({0})"),
        "v_cvt_pkrtz_f16_f32 v_cvt_pk_rtz_f16_f32": (
            "u32 f32 f32", "half_toward_zero({0})|(half_toward_zero({1})<<k16)"),
        "v_cvt_pk_f16_f32": (
            "u32 f32 f32", "bits_of_half({0},st.limited)|(bits_of_half({1},st.limited)<<k16)"),
        "v_cvt_pk_bf16_f32": ("u32 f32 f32", "bits_of_bf16({0})|(bits_of_bf16({1})<<k16)"),
        "v_cvt_pknorm_i16_f32 v_cvt_pk_norm_i16_f32": (
            "u32 f32 f32",
            "(to_i32(np.rint(np.clip({0},F32(-1),F32(1))*F32(32767))).astype(U32)&m16)"
            "|(to_i32(np.rint(np.clip({1},F32(-1),F32(1))*F32(32767))).astype(U32)<<k16)"),
        "v_sat_pk_u8_i16": (
            "u16 u32",
            "np.clip(({0}<<k16).view(I32)>>I32(16),0,255).astype(U32)"
            "|(np.clip({0}.view(I32)>>I32(16),0,255).astype(U32)<<U32(8))"),
    }
)  # fmt: skip


@pattern(r"v_cvt_f32_ubyte(\d)")
def from_byte(e: Emitter, byte: str) -> None:
    """One byte of a register as a number."""
    e.write(e.ops[0], "f32", f"(({e.read(e.ops[1], 'u32')}>>U32({8 * int(byte)}))&U32(255)).astype(F32)")


@pattern(r"v_cvt_pk_(fp8|bf8)_f32")
def to_float8(e: Emitter, kind: str) -> None:
    """Two numbers as 8-bit floats, into one half of the destination."""
    high = any(e.bits("op_sel", 3, 0)[2:])
    a, b = (f"encode8({e.read(o, 'f32')},{kind!r},{e.isa.fnuz},st.limited)" for o in e.ops[1:3])
    e.write(replace(e.ops[0], half="h" if high else "l"), "u16", f"{a}|({b}<<U32(8))")


@pattern(r"v_cvt_sr_(fp8|bf8)_f32")
def to_float8_by_chance(e: Emitter, kind: str) -> None:
    """A number as an 8-bit float, rounded by random bits, into one byte of the destination."""
    chosen = e.bits("op_sel", 4, 0)
    shift = 8 * e.integer("byte_sel", chosen[2] + 2 * chosen[3])
    value, chance = e.read(e.ops[1], "f32"), e.read(e.ops[2], "u32")
    e.line(f"x=encode8_by_chance({value},{chance},{kind!r},{e.isa.fnuz},st.limited)")
    e.write(e.ops[0], "u32", f"({e.read(e.ops[0], 'u32')}&U32({0xFFFFFFFF ^ 255 << shift}))|(x<<U32({shift}))")


@pattern(r"v_cvt_f32_(fp8|bf8)")
def from_float8(e: Emitter, kind: str) -> None:
    """One 8-bit float."""
    high = e.bits("op_sel", 2, 0)
    byte = e.integer("byte_sel", 2 * high[0] + high[1])  # the bits are the other way round than elsewhere
    e.write(e.ops[0], "f32", f"float8({e.read(e.ops[1], 'u32')}>>U32({8 * byte}),{kind!r},{e.isa.fnuz})")


@pattern(r"v_cvt_pk_f32_(fp8|bf8)")
def from_two_float8(e: Emitter, kind: str) -> None:
    """Two 8-bit floats of one half of a register, into two registers."""
    shift = 16 if any(e.bits("op_sel", 2, 0)) else 0
    e.line(f"x={e.read(e.ops[1], 'u32')}>>U32({shift})")
    e.write(replace(e.ops[0], count=1), "f32", f"float8(x,{kind!r},{e.isa.fnuz})")
    e.write(replace(e.ops[0], reg=e.ops[0].reg + 1, count=1), "f32", f"float8(x>>U32(8),{kind!r},{e.isa.fnuz})")


@pattern(r"v_cvt_scalef32_pk_(f16|bf16|f32)_(fp8|bf8)")
def from_two_scaled_float8(e: Emitter, to: str, kind: str) -> None:
    """Two 8-bit floats of one half of a register, times the power of two in the exponent of the second source."""
    e.line(f"x={e.read(e.ops[1], 'u32')}>>U32({16 * e.bits('op_sel', 3, 0)[0]})")
    e.line(f"y=scale_of({e.read(e.ops[2], 'u32')}>>U32(23))")
    low, high = (f"(float8({x},{kind!r},{e.isa.fnuz})*y).astype(F32)" for x in ("x", "(x>>U32(8))"))
    if to == "f32":
        e.write(replace(e.ops[0], count=1), "f32", low)
        e.write(replace(e.ops[0], reg=e.ops[0].reg + 1, count=1), "f32", high)
        return
    e.write(e.ops[0], "u32", e.packed(to, low, high))


@opcodes("v_cvt_pk_u8_f32")
def into_byte(e: Emitter) -> None:
    """A number as one byte of the third source."""
    value, at, rest = e.read(e.ops[1], "f32"), e.read(e.ops[2], "u32"), e.read(e.ops[3], "u32")
    e.line(f"x=({at}&U32(3))*U32(8)")
    e.write(e.ops[0], "u32", f"({rest}&~(U32(255)<<x))|(to_u8({value})<<x)")
