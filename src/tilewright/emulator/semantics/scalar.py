"""Scalar arithmetic: one value per wave, with a condition code."""

from __future__ import annotations

from dataclasses import replace

from ..emit import Emitter
from ..isa import EXEC, SCC
from ..operand import Operand, parse_operand
from .registry import opcodes, pattern

NONZERO = "r!=0"
# opcodes -> (types of the destination and the sources, expression, condition code: an expression of the result r or "")
TABLE = {
    "s_and_b32": ("u32 u32 u32", "{0}&{1}", NONZERO),
    "s_or_b32": ("u32 u32 u32", "{0}|{1}", NONZERO),
    "s_xor_b32": ("u32 u32 u32", "{0}^{1}", NONZERO),
    "s_andn2_b32 s_and_not1_b32": ("u32 u32 u32", "{0}&~{1}", NONZERO),
    "s_orn2_b32 s_or_not1_b32": ("u32 u32 u32", "{0}|~{1}", NONZERO),
    "s_nand_b32": ("u32 u32 u32", "~({0}&{1})", NONZERO),
    "s_nor_b32": ("u32 u32 u32", "~({0}|{1})", NONZERO),
    "s_xnor_b32": ("u32 u32 u32", "~({0}^{1})", NONZERO),
    "s_not_b32": ("u32 u32", "~{0}", NONZERO),
    "s_lshl_b32": ("u32 u32 u32", "{0}<<({1}&k31)", NONZERO),
    "s_lshr_b32": ("u32 u32 u32", "{0}>>({1}&k31)", NONZERO),
    "s_ashr_i32": ("i32 i32 u32", "{0}>>({1}&k31).astype(I32)", NONZERO),
    "s_bfe_u32": (
        "u32 u32 u32",
        "field64({0}.astype(U64),({1}&U32(0x7f001f)),False).astype(U32)", NONZERO),
    "s_bfe_i32": ("i32 u32 u32", "signed_field({0},{1}&k31,({1}>>k16)&U32(127))", NONZERO),
    "s_bfm_b32": ("u32 u32 u32", "((U32(1)<<({0}&k31))-U32(1))<<({1}&k31)", ""),
    "s_mul_i32": ("u32 u32 u32", "{0}*{1}", ""),
    "s_mul_hi_u32": ("u32 u32 u32", "(({0}.astype(U64)*{1}.astype(U64))>>U64(32)).astype(U32)", ""),
    "s_mul_hi_i32": ("i32 i32 i32", "(({0}.astype(I64)*{1}.astype(I64))>>I64(32)).astype(I32)", ""),
    "s_min_u32": ("u32 u32 u32", "np.minimum({0},{1})", "{0}<{1}"),
    "s_max_u32": ("u32 u32 u32", "np.maximum({0},{1})", "{0}>={1}"),
    "s_min_i32": ("i32 i32 i32", "np.minimum({0},{1})", "{0}<{1}"),
    "s_max_i32": ("i32 i32 i32", "np.maximum({0},{1})", "{0}>={1}"),
    "s_abs_i32": ("i32 i32", "np.abs({0})", NONZERO),
    "s_absdiff_i32": ("i32 i32 i32", "np.abs({0}-{1})", NONZERO),
    "s_add_u32 s_add_co_u32": ("u32 u32 u32", "{0}+{1}", "r<{0}"),
    "s_sub_u32 s_sub_co_u32": ("u32 u32 u32", "{0}-{1}", "{1}>{0}"),
    "s_add_i32 s_add_co_i32": ("i32 i32 i32", "{0}+{1}", "((r^{0})&(r^{1}))<0"),
    "s_sub_i32 s_sub_co_i32": ("i32 i32 i32", "{0}-{1}", "(({0}^{1})&({0}^r))<0"),
    "s_pack_ll_b32_b16": ("u32 u32 u32", "({0}&m16)|({1}<<k16)", ""),
    "s_pack_lh_b32_b16": ("u32 u32 u32", "({0}&m16)|({1}&~m16)", ""),
    "s_pack_hh_b32_b16": ("u32 u32 u32", "({0}>>k16)|({1}&~m16)", ""),
    "s_pack_hl_b32_b16": ("u32 u32 u32", "({0}>>k16)|({1}<<k16)", ""),
    "s_lshl1_add_u32": ("u32 u32 u32", "({0}<<U32(1))+{1}", "({0}.astype(U64)<<U64(1))+{1}>U64(0xffffffff)"),
    "s_lshl2_add_u32": ("u32 u32 u32", "({0}<<U32(2))+{1}", "({0}.astype(U64)<<U64(2))+{1}>U64(0xffffffff)"),
    "s_lshl3_add_u32": ("u32 u32 u32", "({0}<<U32(3))+{1}", "({0}.astype(U64)<<U64(3))+{1}>U64(0xffffffff)"),
    "s_lshl4_add_u32": ("u32 u32 u32", "({0}<<U32(4))+{1}", "({0}.astype(U64)<<U64(4))+{1}>U64(0xffffffff)"),
    "s_mov_b32": ("u32 u32", "{0}", ""),
    "s_brev_b32": ("u32 u32", "reverse_bits({0})", ""),
    "s_ff1_i32_b32 s_ctz_i32_b32": ("u32 u32", "trailing_zeros({0})", ""),
    "s_flbit_i32_b32 s_clz_i32_u32": ("u32 u32", "leading_zeros({0})", ""),
    "s_flbit_i32 s_cls_i32": ("u32 i32", "leading_signs({0})", ""),
    "s_bcnt1_i32_b32": ("u32 u32", "bit_count({0})", NONZERO),
    "s_bcnt0_i32_b32": ("u32 u32", "bit_count(~{0})", NONZERO),
    "s_bcnt1_i32_b64": ("u32 u64", "bit_count({0})", NONZERO),
    "s_sext_i32_i16": ("i32 u32", "({0}<<k16).view(I32)>>I32(16)", ""),
    "s_sext_i32_i8": ("i32 u32", "({0}<<U32(24)).view(I32)>>I32(24)", ""),
    "s_mov_b64": ("u64 u64", "{0}", ""),
    "s_not_b64": ("u64 u64", "~{0}", NONZERO),
    "s_and_b64": ("u64 u64 u64", "{0}&{1}", NONZERO),
    "s_or_b64": ("u64 u64 u64", "{0}|{1}", NONZERO),
    "s_xor_b64": ("u64 u64 u64", "{0}^{1}", NONZERO),
    "s_andn2_b64 s_and_not1_b64": ("u64 u64 u64", "{0}&~{1}", NONZERO),
    "s_orn2_b64 s_or_not1_b64": ("u64 u64 u64", "{0}|~{1}", NONZERO),
    "s_nand_b64": ("u64 u64 u64", "~({0}&{1})", NONZERO),
    "s_nor_b64": ("u64 u64 u64", "~({0}|{1})", NONZERO),
    "s_xnor_b64": ("u64 u64 u64", "~({0}^{1})", NONZERO),
    "s_lshl_b64": ("u64 u64 u32", "{0}<<({1}&U32(63)).astype(U64)", NONZERO),
    "s_lshr_b64": ("u64 u64 u32", "{0}>>({1}&U32(63)).astype(U64)", NONZERO),
    "s_ashr_i64": ("i64 i64 u32", "{0}>>({1}&U32(63)).astype(I64)", NONZERO),
    "s_bfe_u64": ("u64 u64 u32", "field64({0},{1},False)", NONZERO),
    "s_bfe_i64": ("u64 u64 u32", "field64({0},{1},True)", NONZERO),
    "s_bfm_b64": (
        "u64 u32 u32", "((U64(1)<<({0}&U32(63)).astype(U64))-U64(1))<<({1}&U32(63)).astype(U64)", ""),
    "s_mul_u64": ("u64 u64 u64", "{0}*{1}", ""),
    "s_add_u64 s_add_nc_u64": ("u64 u64 u64", "{0}+{1}", ""),
    "s_sub_u64 s_sub_nc_u64": ("u64 u64 u64", "{0}-{1}", ""),
    "s_brev_b64": ("u64 u64", "join(reverse_bits(({0}>>U64(32)).astype(U32)),reverse_bits({0}.astype(U32)))", ""),
    "s_cvt_f32_u32": ("f32 u32", "{0}.astype(F32)", ""),
    "s_cvt_f32_i32": ("f32 i32", "{0}.astype(F32)", ""),
    "s_cvt_u32_f32": ("u32 f32", "to_u32({0})", ""),
    "s_cvt_i32_f32": ("i32 f32", "to_i32({0})", ""),
    "s_add_f32": ("f32 f32 f32", "{0}+{1}", ""),
    "s_sub_f32": ("f32 f32 f32", "{0}-{1}", ""),
    "s_mul_f32": ("f32 f32 f32", "{0}*{1}", ""),
    "s_max_f32 s_max_num_f32": ("f32 f32 f32", "larger({0},{1})", ""),
    "s_min_f32 s_min_num_f32": ("f32 f32 f32", "smaller({0},{1})", ""),
    "s_fmaak_f32 s_fmamk_f32": ("f32 f32 f32 f32", "fma32({0},{1},{2})", ""),
    "s_floor_f32": ("f32 f32", "np.floor({0})", ""),
    "s_ceil_f32": ("f32 f32", "np.ceil({0})", ""),
    "s_trunc_f32": ("f32 f32", "np.trunc({0})", ""),
    "s_rndne_f32": ("f32 f32", "np.rint({0})", ""),
    "v_s_rcp_f32": ("f32 f32", "F32(1)/{0}", ""),
    "v_s_exp_f32": ("f32 f32", "np.exp2({0})", ""),
    "v_s_log_f32": ("f32 f32", "np.log2({0})", ""),
    "v_s_sqrt_f32": ("f32 f32", "np.sqrt({0})", ""),
    "v_s_rsq_f32": ("f32 f32", "F32(1)/np.sqrt({0})", ""),
}  # fmt: skip


def _register() -> None:
    for names, (types, expression, condition) in TABLE.items():
        opcodes(names)(_scalar(types.split(), expression, condition))


def _scalar(types: list[str], expression: str, condition: str):  # type: ignore[no-untyped-def]
    def handle(e: Emitter) -> None:
        e.lanewise = False
        values = [e.read(o, t) for o, t in zip(e.ops[1:], types[1:], strict=True)]
        e.line(f"r={expression.format(*values)}")
        if condition:  # before the destination, which may be a source
            e.set_scc(condition.format(*values))
        e.write(e.ops[0], types[0], "r")

    return handle


_register()


@opcodes("s_addc_u32 s_add_co_ci_u32 s_subb_u32 s_sub_co_ci_u32")
def with_carry(e: Emitter) -> None:
    """A sum or difference with the carry of the one before."""
    a, b = (f"{e.read(o, 'u32')}.astype(I64)" for o in e.ops[1:])
    e.reads.add(SCC)
    sign = "+" if "add" in e.ins.opcode else "-"
    e.line(f"r={a}{sign}{b}{sign}scc")
    e.set_scc("(r>I64(0xffffffff))|(r<0)")
    e.write(e.ops[0], "u32", "r.astype(U32)")


@opcodes("s_fmac_f32")
def accumulate(e: Emitter) -> None:
    """Add a product to the destination."""
    a, b, c = (e.read(o, "f32") for o in (e.ops[1], e.ops[2], e.ops[0]))
    e.write(e.ops[0], "f32", f"fma32({a},{b},{c})")


def _short(o: Operand) -> Operand:
    """Return a 16-bit constant, sign-extended."""
    value = ((int(o.value) & 0xFFFF) ^ 0x8000) - 0x8000
    return replace(o, value=value)


@opcodes("s_movk_i32 s_cmovk_i32 s_addk_i32 s_addk_co_i32 s_mulk_i32")
def with_short(e: Emitter) -> None:
    """Arithmetic with a 16-bit constant."""
    constant, kind = e.read(_short(e.ops[1]), "i32"), e.ins.opcode
    if kind == "s_movk_i32":
        e.write(e.ops[0], "i32", constant)
        return
    old = e.read(e.ops[0], "i32")
    if kind == "s_cmovk_i32":
        e.reads.add(SCC)
        e.write(e.ops[0], "i32", f"np.where(scc,{constant},{old})")
    elif kind == "s_mulk_i32":
        e.write(e.ops[0], "i32", f"{old}*{constant}")
    else:
        e.line(f"r={old}+{constant}")
        e.set_scc(f"((r^{old})&(r^{constant}))<0")
        e.write(e.ops[0], "i32", "r")


RELATIONS = {"eq": "==", "lg": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@pattern(r"s_cmp(k?)_(eq|lg|lt|le|gt|ge)_([ui](?:32|64))")
def compare(e: Emitter, short: str, relation: str, ty: str) -> None:
    """Set the condition code."""
    b = _short(e.ops[1]) if short and ty == "i32" else e.ops[1]
    e.set_scc(f"{e.read(e.ops[0], ty)}{RELATIONS[relation]}{e.read(b, ty)}")


@pattern(r"s_cmp_(n?)(eq|lg|lt|le|gt|ge)_f32")
def compare_floats(e: Emitter, negated: str, relation: str) -> None:
    """Set the condition code."""
    a, b = (e.read(o, "f32") for o in e.ops)
    test = f"(({a}<{b})|({a}>{b}))" if relation == "lg" else f"({a}{RELATIONS[relation]}{b})"
    e.set_scc(f"~{test}" if negated else test)


@pattern(r"s_bitcmp([01])_b32")
def test_bit(e: Emitter, wanted: str) -> None:
    """Set the condition code from one bit."""
    e.set_scc(f"(({e.read(e.ops[0], 'u32')}>>({e.read(e.ops[1], 'u32')}&k31))&U32(1))=={wanted}")


@pattern(r"s_bitset([01])_b32")
def set_bit(e: Emitter, wanted: str) -> None:
    """Set or clear one bit."""
    bit, old = f"(U32(1)<<({e.read(e.ops[1], 'u32')}&k31))", e.read(e.ops[0], "u32")
    e.write(e.ops[0], "u32", f"{old}|{bit}" if wanted == "1" else f"{old}&~{bit}")


@pattern(r"s_c(select|mov)_b(32|64)")
def choose(e: Emitter, kind: str, width: str) -> None:
    """One of two values, by the condition code."""
    e.reads.add(SCC)
    ty = f"u{width}"
    other = e.ops[2] if kind == "select" else e.ops[0]
    e.notes["selects"] = True
    e.write(e.ops[0], ty, f"np.where(scc,{e.read(e.ops[1], ty)},{e.read(other, ty)})")


SAVES = {
    "and": "x&old", "or": "x|old", "xor": "x^old", "andn2": "x&~old", "and_not1": "x&~old", "orn2": "x|~old",
    "or_not1": "x|~old", "nand": "~(x&old)", "nor": "~(x|old)", "xnor": "~(x^old)", "andn1": "~x&old",
    "and_not0": "~x&old", "orn1": "~x|old", "or_not0": "~x|old",
}  # fmt: skip


@pattern(rf"s_({'|'.join(sorted(SAVES, key=len, reverse=True))})_saveexec_b(32|64)")
def save_exec(e: Emitter, kind: str, width: str) -> None:
    """Save the execution mask, and combine it with a source."""
    file, ty = ("s64", "u64") if width == "64" else ("s", "u32")
    e.line(f"old={file}[{EXEC}].copy();x={e.read(e.ops[1], ty)}")
    e.line(f"r={SAVES[kind]}")
    e.write(e.ops[0], ty, "old")
    e.write(parse_operand("exec" if width == "64" else "exec_lo"), ty, "r")
    e.set_scc("r!=0")


@pattern(r"s_(and|or|andn1|and_not0|andn2|and_not1)_wrexec_b(32|64)")
def write_exec(e: Emitter, kind: str, width: str) -> None:
    """Combine the execution mask with a source, and return the new mask."""
    file, ty = ("s64", "u64") if width == "64" else ("s", "u32")
    e.line(f"old={file}[{EXEC}];x={e.read(e.ops[1], ty)}")
    e.line(f"r={SAVES[kind]}")
    e.write(parse_operand("exec" if width == "64" else "exec_lo"), ty, "r")
    e.write(e.ops[0], ty, "r")
    e.set_scc("r!=0")
