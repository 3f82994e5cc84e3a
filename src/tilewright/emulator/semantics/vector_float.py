"""Vector arithmetic on floating-point numbers."""

from __future__ import annotations

from dataclasses import replace

from ..emit import Emitter
from .registry import opcodes, pattern, table

table(
    {
        "v_add_f32": ("f32 f32 f32", "{0}+{1}"),
        "v_sub_f32": ("f32 f32 f32", "{0}-{1}"),
        "v_subrev_f32": ("f32 f32 f32", "{1}-{0}"),
        "v_mul_f32": ("f32 f32 f32", "{0}*{1}"),
        "v_mul_legacy_f32 v_mul_dx9_zero_f32": ("f32 f32 f32", "np.where(({0}==0)|({1}==0),F32(0),{0}*{1})"),
        "v_max_f32 v_max_num_f32": ("f32 f32 f32", "larger({0},{1})"),
        "v_min_f32 v_min_num_f32": ("f32 f32 f32", "smaller({0},{1})"),
        "v_maximum_f32": ("f32 f32 f32", "greatest({0},{1})"),
        "v_minimum_f32": ("f32 f32 f32", "least({0},{1})"),
        "v_ldexp_f32": ("f32 f32 i32", "ldexp32({0},{1})"),
        "v_fma_f32 v_fmamk_f32 v_fmaak_f32": ("f32 f32 f32 f32", "fma32({0},{1},{2})"),
        "v_mad_f32 v_madmk_f32 v_madak_f32": ("f32 f32 f32 f32", "mad32({0},{1},{2})"),
        "v_max3_f32 v_max3_num_f32": ("f32 f32 f32 f32", "larger(larger({0},{1}),{2})"),
        "v_min3_f32 v_min3_num_f32": ("f32 f32 f32 f32", "smaller(smaller({0},{1}),{2})"),
        "v_maximum3_f32": ("f32 f32 f32 f32", "greatest(greatest({0},{1}),{2})"),
        "v_minimum3_f32": ("f32 f32 f32 f32", "least(least({0},{1}),{2})"),
        "v_maxmin_f32 v_maxmin_num_f32": ("f32 f32 f32 f32", "smaller(larger({0},{1}),{2})"),
        "v_minmax_f32 v_minmax_num_f32": ("f32 f32 f32 f32", "larger(smaller({0},{1}),{2})"),
        "v_med3_f32 v_med3_num_f32": ("f32 f32 f32 f32", "med3({0},{1},{2})"),
        "v_exp_f32": ("f32 f32", "np.exp2({0})"),
        "v_log_f32": ("f32 f32", "np.log2({0})"),
        "v_rcp_f32 v_rcp_iflag_f32": ("f32 f32", "F32(1)/{0}"),
        "v_rsq_f32": ("f32 f32", "F32(1)/np.sqrt({0})"),
        "v_sqrt_f32": ("f32 f32", "np.sqrt({0})"),
        "v_sin_f32": ("f32 f32", "np.sin({0}.astype(F64)*6.283185307179586).astype(F32)"),
        "v_cos_f32": ("f32 f32", "np.cos({0}.astype(F64)*6.283185307179586).astype(F32)"),
        "v_floor_f32": ("f32 f32", "np.floor({0})"),
        "v_ceil_f32": ("f32 f32", "np.ceil({0})"),
        "v_trunc_f32": ("f32 f32", "np.trunc({0})"),
        "v_rndne_f32": ("f32 f32", "np.rint({0})"),
        "v_fract_f32": ("f32 f32", "fract32({0})"),
        "v_frexp_mant_f32": ("f32 f32", "np.where(np.isfinite({0}),np.frexp({0})[0],{0})"),
        "v_frexp_exp_i32_f32": ("i32 f32", "np.where(np.isfinite({0}),np.frexp({0})[1],0).astype(I32)"),
        # 16 bits
        "v_add_f16": ("f16 f16 f16", "{0}+{1}"),
        "v_sub_f16": ("f16 f16 f16", "{0}-{1}"),
        "v_subrev_f16": ("f16 f16 f16", "{1}-{0}"),
        "v_mul_f16": ("f16 f16 f16", "{0}*{1}"),
        "v_max_f16 v_max_num_f16": ("f16 f16 f16", "larger({0},{1})"),
        "v_min_f16 v_min_num_f16": ("f16 f16 f16", "smaller({0},{1})"),
        "v_fma_f16": ("f16 f16 f16 f16", "fma16({0},{1},{2})"),
        "v_max3_f16 v_max3_num_f16": ("f16 f16 f16 f16", "larger(larger({0},{1}),{2})"),
        "v_min3_f16 v_min3_num_f16": ("f16 f16 f16 f16", "smaller(smaller({0},{1}),{2})"),
        "v_rcp_f16": ("f16 f16", "overflown(1/{0}.astype(F64),{0})"),
        "v_sqrt_f16": ("f16 f16", "np.sqrt({0}.astype(F64))"),
        "v_rsq_f16": ("f16 f16", "overflown(1/np.sqrt({0}.astype(F64)),{0})"),
        "v_exp_f16": ("f16 f16", "overflown(np.exp2({0}.astype(F64)),{0})"),
        "v_log_f16": ("f16 f16", "overflown(np.log2({0}.astype(F64)),{0})"),
        "v_floor_f16": ("f16 f16", "np.floor({0})"),
        "v_ceil_f16": ("f16 f16", "np.ceil({0})"),
        "v_trunc_f16": ("f16 f16", "np.trunc({0})"),
        "v_rndne_f16": ("f16 f16", "np.rint({0})"),
        "v_ldexp_f16": ("f16 f16 i16", "overflown(np.ldexp({0}.astype(F64),{1}),{0})"),
        # 64 bits
        "v_add_f64": ("f64 f64 f64", "{0}+{1}"),
        "v_mul_f64": ("f64 f64 f64", "{0}*{1}"),
        "v_max_f64 v_max_num_f64": ("f64 f64 f64", "larger({0},{1})"),
        "v_min_f64 v_min_num_f64": ("f64 f64 f64", "smaller({0},{1})"),
        "v_fma_f64": ("f64 f64 f64 f64", "fma64({0},{1},{2})"),
        "v_rcp_f64": ("f64 f64", "1.0/{0}"),
        "v_rsq_f64": ("f64 f64", "1.0/np.sqrt({0})"),
        "v_sqrt_f64": ("f64 f64", "np.sqrt({0})"),
        "v_floor_f64": ("f64 f64", "np.floor({0})"),
        "v_ceil_f64": ("f64 f64", "np.ceil({0})"),
        "v_trunc_f64": ("f64 f64", "np.trunc({0})"),
        "v_rndne_f64": ("f64 f64", "np.rint({0})"),
        "v_ldexp_f64": ("f64 f64 i32", "ldexp64({0},{1})"),
        "v_div_fixup_f32": ("f32 f32 f32 f32", "divide_fixup({0},{1},{2})"),
        "v_div_fixup_f64": ("f64 f64 f64 f64", "divide_fixup({0},{1},{2})"),
        "v_div_fixup_f16": ("f16 f16 f16 f16", "divide_fixup({0},{1},{2})"),
    }
)  # fmt: skip


@pattern(r"v_(fmac|mac|pk_fmac)_(f16|f32|f64)")
def accumulate(e: Emitter, kind: str, ty: str) -> None:
    """Add a product to the destination."""
    if kind == "mac" and ty != "f32":
        e.fail("rounded twice")
    if kind == "pk_fmac":
        if any(o.kind == "c" for o in e.ops):  # newer targets repeat it in both halves
            e.fail("constant")
        e.ops = (*e.ops, e.ops[0])
        packed(e, "fma", "f16")
        return
    destination, a, b = e.ops
    function = "mad32" if kind == "mac" else f"fma{ty[1:]}"
    e.write(destination, ty, f"{function}({e.read(a, ty)},{e.read(b, ty)},{e.read(destination, ty)})")


@pattern(r"v_div_scale_(f32|f64)")
def divide_scale(e: Emitter, ty: str) -> None:
    """The operand itself: the quotients of float64 arithmetic here need no scaling."""
    e.write_mask(e.ops[1], "np.zeros((W,L),np.bool_)")
    e.write(e.ops[0], ty, f"np.array({e.read(e.ops[2], ty)})")
    for o in e.ops[3:]:
        e.reading(o)


@pattern(r"v_div_fmas_(f32|f64)")
def divide_step(e: Emitter, ty: str) -> None:
    """A fused step of a division; nothing was scaled (see divide_scale)."""
    a, b, c = (e.read(o, ty) for o in e.ops[1:])
    e.write(e.ops[0], ty, f"fma{ty[1:]}({a},{b},{c})")


@opcodes("v_fma_mix_f32 v_fma_mixlo_f16 v_fma_mixhi_f16")
def mixed(e: Emitter) -> None:
    """A product and sum whose operands are float32 or a half of a register, each."""
    high, half = e.bits("op_sel", 3, 0), e.bits("op_sel_hi", 3, 0)
    negate, absolute = e.bits("neg_lo", 3, 0), e.bits("neg_hi", 3, 0)
    values = []
    for j, o in enumerate(e.ops[1:]):
        if half[j]:
            o = replace(o, half="h" if high[j] else "l")
        value = e.read(o, "f16" if half[j] else "f32")
        value = f"np.abs({value})" if absolute[j] else value
        values.append(f"(-{value})" if negate[j] else value)
    total = f"fma32({','.join(values)})"  # 16-bit results are rounded from float32
    if e.ins.opcode.endswith("f32"):
        e.write(e.ops[0], "f32", total)
    else:
        e.write(replace(e.ops[0], half="h" if "mixhi" in e.ins.opcode else "l"), "f16", total)


FORMS = {
    "add": "{0}+{1}",
    "mul": "{0}*{1}",
    "fma": "fma{width}({0},{1},{2})",
    "max": "larger({0},{1})",
    "min": "smaller({0},{1})",
    "max_num": "larger({0},{1})",
    "min_num": "smaller({0},{1})",
}


@pattern(r"v_pk_(add|mul|fma|max|min|max_num|min_num)_(f16|bf16|f32)")
def packed(e: Emitter, kind: str, ty: str) -> None:
    """The same on two numbers: two halves of a register, or two registers."""
    count = len(e.ops) - 1
    results = []
    for select, default, sign in (("op_sel", 0, "neg_lo"), ("op_sel_hi", 1, "neg_hi")):
        chosen, negate = e.bits(select, count, default), e.bits(sign, count, 0)
        values = []
        for o, second, minus in zip(e.ops[1:], chosen, negate, strict=True):
            value = _part(e, o, ty, second)
            values.append(f"(-{value})" if minus else value)
        results.append(FORMS[kind].format(*values, width=16 if ty == "f16" else 32))
    if ty == "f32":
        e.line(f"x={results[0]};y={results[1]}")
        e.write(replace(e.ops[0], count=1), "f32", "x")
        e.write(replace(e.ops[0], reg=e.ops[0].reg + 1, count=1), "f32", "y")
        return
    low, high = (e._output(result, ty) for result in results)
    e.write(e.ops[0], "u32", e.packed(ty, low, high))


def _part(e: Emitter, o, ty: str, second: int) -> str:  # type: ignore[no-untyped-def]
    if ty == "f32":
        return e.read(o, "f32", at=second if o.kind != "c" and o.count == 2 else 0)
    return e.read(replace(o, half="h" if second else "l"), ty)


@opcodes("v_pk_mov_b32")
def packed_move(e: Emitter) -> None:
    """Two registers, each from either register of a pair."""
    chosen = e.bits("op_sel", 2, 0)
    e.bits("op_sel_hi", 2, 1)
    a, b = (
        e.read(o, "u32", at=c if o.kind != "c" and o.count == 2 else 0) for o, c in zip(e.ops[1:], chosen, strict=False)
    )
    e.line(f"x,y=np.array({a}),np.array({b})")
    e.write(replace(e.ops[0], count=1), "u32", "x")
    e.write(replace(e.ops[0], reg=e.ops[0].reg + 1, count=1), "u32", "y")


@pattern(r"v_dot2(c|acc)?_f32_(f16|bf16)")
def dot_of_two(e: Emitter, in_place: str | None, ty: str) -> None:
    """Add the products of both halves."""
    total = e.read(e.ops[0], "f32") if in_place else e.read(e.ops[3], "f32")
    products = []
    for half in "lh":
        a, b = (e.read(replace(o, half=half), ty) for o in e.ops[1:3])
        a, b = (f"{x}.astype(F32)" for x in (a, b))
        if e.isa.flushes_halves:
            a, b = (f"flushed({x},TINY{16 if ty == 'f16' else 32})" for x in (a, b))
        products.append(f"{a}*{b}")
    result = f"({total}+{products[0]})+{products[1]}"
    e.write(e.ops[0], "f32", f"flushed({result},TINY32)" if e.isa.flushes_halves else result)


@pattern(r"v_dot2_(f16|bf16)_(?:f16|bf16)")
def narrow_dot_of_two(e: Emitter, ty: str) -> None:
    """Add the products of both halves to a 16-bit number, rounded at each step."""
    chosen = e.bits("op_sel", 4, 0)
    if any(chosen[:2]):
        e.fail("op_sel of a pair")
    total = e.read(replace(e.ops[3], half="h" if chosen[2] else "l") if e.ops[3].kind != "c" else e.ops[3], ty)
    for half in "lh":
        a, b = (e.read(replace(o, half=half), ty) for o in e.ops[1:3])
        total = f"fma{16 if ty == 'f16' else 32}({a},{b},{total})"
        total = f"half_of({total},st.limited)" if ty == "f16" else f"rounded_bf16({total})"
    e.write(replace(e.ops[0], half="h" if chosen[3] else e.ops[0].half), ty, total)
