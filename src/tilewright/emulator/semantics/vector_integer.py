"""Vector arithmetic on integers and bits."""

from __future__ import annotations

from dataclasses import replace

from ..emit import Emitter
from ..operand import parse_operand
from .registry import opcodes, pattern, table, wide_values

table(
    {
        "v_mov_b32 v_accvgpr_write_b32 v_accvgpr_read_b32 v_accvgpr_mov_b32 v_accvgpr_write v_accvgpr_read": (
            "u32 u32", "{0}"),
        "v_not_b32": ("u32 u32", "~{0}"),
        "v_bfrev_b32": ("u32 u32", "reverse_bits({0})"),
        "v_ffbh_u32 v_clz_i32_u32": ("u32 u32", "leading_zeros({0})"),
        "v_ffbh_i32 v_cls_i32": ("u32 i32", "leading_signs({0})"),
        "v_ffbl_b32 v_ctz_i32_b32": ("u32 u32", "trailing_zeros({0})"),
        "v_bcnt_u32_b32": ("u32 u32 u32", "bit_count({0})+{1}"),
        "v_add_u32 v_add_nc_u32": ("u32 u32 u32", "{0}+{1}"),
        "v_sub_u32 v_sub_nc_u32": ("u32 u32 u32", "{0}-{1}"),
        "v_subrev_u32 v_subrev_nc_u32": ("u32 u32 u32", "{1}-{0}"),
        "v_add_i32 v_add_nc_i32": ("i32 i32 i32", "{0}+{1}"),
        "v_sub_i32 v_sub_nc_i32": ("i32 i32 i32", "{0}-{1}"),
        "v_and_b32": ("u32 u32 u32", "{0}&{1}"),
        "v_or_b32": ("u32 u32 u32", "{0}|{1}"),
        "v_xor_b32": ("u32 u32 u32", "{0}^{1}"),
        "v_xnor_b32": ("u32 u32 u32", "~({0}^{1})"),
        "v_lshlrev_b32": ("u32 u32 u32", "{1}<<({0}&k31)"),
        "v_lshrrev_b32": ("u32 u32 u32", "{1}>>({0}&k31)"),
        "v_ashrrev_i32": ("i32 i32 i32", "{1}>>({0}&I32(31))"),
        "v_bfm_b32": ("u32 u32 u32", "((U32(1)<<({0}&k31))-U32(1))<<({1}&k31)"),
        "v_mul_lo_u32": ("u32 u32 u32", "{0}*{1}"),
        "v_mul_hi_u32": ("u32 u32 u32", "(({0}.astype(U64)*{1}.astype(U64))>>U64(32)).astype(U32)"),
        "v_mul_hi_i32": ("i32 i32 i32", "(({0}.astype(I64)*{1}.astype(I64))>>I64(32)).astype(I32)"),
        "v_mul_u32_u24": ("u32 u32 u32", "({0}&m24)*({1}&m24)"),
        "v_mul_hi_u32_u24": (
            "u32 u32 u32", "((({0}&m24).astype(U64)*({1}&m24).astype(U64))>>U64(32)).astype(U32)"),
        "v_mul_i32_i24": ("i32 i32 i32", "(({0}<<I32(8))>>I32(8))*(({1}<<I32(8))>>I32(8))"),
        "v_max_u32": ("u32 u32 u32", "np.maximum({0},{1})"),
        "v_min_u32": ("u32 u32 u32", "np.minimum({0},{1})"),
        "v_max_i32": ("i32 i32 i32", "np.maximum({0},{1})"),
        "v_min_i32": ("i32 i32 i32", "np.minimum({0},{1})"),
        "v_add3_u32": ("u32 u32 u32 u32", "{0}+{1}+{2}"),
        "v_lshl_add_u32": ("u32 u32 u32 u32", "({0}<<({1}&k31))+{2}"),
        "v_add_lshl_u32": ("u32 u32 u32 u32", "({0}+{1})<<({2}&k31)"),
        "v_lshl_or_b32": ("u32 u32 u32 u32", "({0}<<({1}&k31))|{2}"),
        "v_and_or_b32": ("u32 u32 u32 u32", "({0}&{1})|{2}"),
        "v_or3_b32": ("u32 u32 u32 u32", "{0}|{1}|{2}"),
        "v_xor3_b32": ("u32 u32 u32 u32", "{0}^{1}^{2}"),
        "v_xad_u32": ("u32 u32 u32 u32", "({0}^{1})+{2}"),
        "v_bfi_b32": ("u32 u32 u32 u32", "({0}&{1})|(~{0}&{2})"),
        "v_bfe_u32": ("u32 u32 u32 u32", "({0}>>({1}&k31))&((U32(1)<<({2}&k31))-U32(1))"),
        "v_bfe_i32": ("i32 u32 u32 u32", "signed_field({0},{1}&k31,{2}&k31)"),
        "v_mad_u32_u24": ("u32 u32 u32 u32", "({0}&m24)*({1}&m24)+{2}"),
        "v_mad_i32_i24": ("i32 i32 i32 i32", "(({0}<<I32(8))>>I32(8))*(({1}<<I32(8))>>I32(8))+{2}"),
        "v_alignbit_b32": ("u32 u32 u32 u32", "(join({1},{0})>>({2}&k31).astype(U64)).astype(U32)"),
        "v_alignbyte_b32": ("u32 u32 u32 u32", "(join({1},{0})>>(({2}&U32(3))*U32(8)).astype(U64)).astype(U32)"),
        "v_perm_b32": ("u32 u32 u32 u32", "permute_bytes({0},{1},{2})"),
        "v_sad_u8": ("u32 u32 u32 u32", "part_differences({0},{1},{2},8)"),
        "v_sad_u16": ("u32 u32 u32 u32", "part_differences({0},{1},{2},16)"),
        "v_sad_u32": ("u32 u32 u32 u32", "np.where({0}>{1},{0}-{1},{1}-{0})+{2}"),
        "v_min3_u32": ("u32 u32 u32 u32", "np.minimum(np.minimum({0},{1}),{2})"),
        "v_max3_u32": ("u32 u32 u32 u32", "np.maximum(np.maximum({0},{1}),{2})"),
        "v_min3_i32": ("i32 i32 i32 i32", "np.minimum(np.minimum({0},{1}),{2})"),
        "v_max3_i32": ("i32 i32 i32 i32", "np.maximum(np.maximum({0},{1}),{2})"),
        "v_med3_u32": ("u32 u32 u32 u32", "np.maximum(np.minimum({0},{1}),np.minimum(np.maximum({0},{1}),{2}))"),
        "v_med3_i32": ("i32 i32 i32 i32", "np.maximum(np.minimum({0},{1}),np.minimum(np.maximum({0},{1}),{2}))"),
        "v_maxmin_u32": ("u32 u32 u32 u32", "np.minimum(np.maximum({0},{1}),{2})"),
        "v_minmax_u32": ("u32 u32 u32 u32", "np.maximum(np.minimum({0},{1}),{2})"),
        "v_maxmin_i32": ("i32 i32 i32 i32", "np.minimum(np.maximum({0},{1}),{2})"),
        "v_minmax_i32": ("i32 i32 i32 i32", "np.maximum(np.minimum({0},{1}),{2})"),
        "v_cvt_pk_u16_u32": ("u32 u32 u32", "np.minimum({0},m16)|(np.minimum({1},m16)<<k16)"),
        "v_cvt_pk_i16_i32": (
            "u32 i32 i32",
            "(np.clip({0},-32768,32767).astype(U32)&m16)|(np.clip({1},-32768,32767).astype(U32)<<k16)"),
        "v_pack_b32_f16": ("u32 u16 u16", "{0}|({1}<<k16)"),
        # 16 bits
        "v_mov_b16": ("u16 u16", "{0}"),
        "v_not_b16": ("u16 u16", "~{0}"),
        "v_and_b16": ("u16 u16 u16", "{0}&{1}"),
        "v_or_b16": ("u16 u16 u16", "{0}|{1}"),
        "v_xor_b16": ("u16 u16 u16", "{0}^{1}"),
        "v_add_u16 v_add_nc_u16": ("u16 u16 u16", "{0}+{1}"),
        "v_sub_u16 v_sub_nc_u16": ("u16 u16 u16", "{0}-{1}"),
        "v_add_i16 v_add_nc_i16": ("i16 i16 i16", "{0}+{1}"),
        "v_sub_i16 v_sub_nc_i16": ("i16 i16 i16", "{0}-{1}"),
        "v_subrev_u16": ("u16 u16 u16", "{1}-{0}"),
        "v_mul_lo_u16": ("u16 u16 u16", "{0}*{1}"),
        "v_mad_u16": ("u16 u16 u16 u16", "{0}*{1}+{2}"),
        "v_lshlrev_b16": ("u16 u16 u16", "{1}<<({0}&U32(15))"),
        "v_lshrrev_b16": ("u16 u16 u16", "{1}>>({0}&U32(15))"),
        "v_ashrrev_i16": ("i16 i16 i16", "{1}>>({0}&I32(15))"),
        "v_max_u16": ("u16 u16 u16", "np.maximum({0},{1})"),
        "v_min_u16": ("u16 u16 u16", "np.minimum({0},{1})"),
        "v_max_i16": ("i16 i16 i16", "np.maximum({0},{1})"),
        "v_min_i16": ("i16 i16 i16", "np.minimum({0},{1})"),
        "v_cvt_u32_u16": ("u32 u16", "{0}"),
        "v_cvt_i32_i16": ("i32 i16", "{0}"),
        "v_mad_u32_u16": ("u32 u16 u16 u32", "{0}*{1}+{2}"),
        "v_mad_i32_i16": ("i32 i16 i16 i32", "{0}*{1}+{2}"),
        # 64 bits
        "v_mov_b64": ("u64 u64", "{0}"),
        "v_lshlrev_b64": ("u64 u32 u64", "{1}<<({0}&U32(63)).astype(U64)"),
        "v_lshrrev_b64": ("u64 u32 u64", "{1}>>({0}&U32(63)).astype(U64)"),
        "v_ashrrev_i64": ("i64 u32 i64", "{1}>>({0}&U32(63)).astype(I64)"),
        "v_lshl_add_u64": ("u64 u64 u32 u64", "({0}<<({1}&U32(7)).astype(U64))+{2}"),
        "v_add_nc_u64": ("u64 u64 u64", "{0}+{1}"),
        "v_sub_nc_u64": ("u64 u64 u64", "{0}-{1}"),
        # dot products of bytes
        "v_dot4_i32_i8": ("i32 u32 u32 i32", "dot_bytes({0},{1},True,True)+{2}"),
        "v_dot4_u32_u8": ("u32 u32 u32 u32", "dot_bytes({0},{1},False,False).view(U32)+{2}"),
    }
)  # fmt: skip


@opcodes("v_bitop3_b32 v_bitop3_b16")
def any_of_three(e: Emitter) -> None:
    """Any function of three bits: the table is a modifier."""
    code = e.integer("bitop3")
    x, y, z = (e.read(o, "u32") for o in e.ops[1:4])
    terms = [
        f"({x if k & 4 else '~' + x}&{y if k & 2 else '~' + y}&{z if k & 1 else '~' + z})"
        for k in range(8)
        if code >> k & 1
    ]
    e.write(e.ops[0], "u16" if e.ins.opcode.endswith("16") else "u32", "|".join(terms) or "U32(0)")


@pattern(r"v_mad_(?:co_)?([ui])64_([ui])32")
def wide_product(e: Emitter, kind: str, _: str) -> None:
    """A 64-bit sum of a product; the carry is another result."""
    factor, total = ("u32", "u64") if kind == "u" else ("i32", "i64")
    a, b = (f"{e.read(o, factor)}.astype({total.upper()})" for o in e.ops[2:4])
    e.line(f"x={a}*{b};y={e.read(e.ops[4], total)};r=x+y;c=total_bit64(x,y,r)")
    if e.has("clamp"):
        if kind == "u":
            e.line("r=np.where(c,~U64(0),r)")
        else:  # a sum whose sign is not that of the exact one
            e.line("r=np.where(c==(r<0),r,np.where(c,I64(-(1<<63)),I64((1<<63)-1)))")
    e.write_mask(e.ops[1], "c")
    e.write(e.ops[0], total, "r")


@pattern(r"v_(add|sub|subrev)_co_u32")
def carry_out(e: Emitter, kind: str) -> None:
    """A sum or difference with a carry for each lane."""
    x, y = (e.ops[3], e.ops[2]) if kind == "subrev" else (e.ops[2], e.ops[3])
    a, b = e.read(x, "u32"), e.read(y, "u32")
    if kind == "add":
        e.line(f"r={a}+{b};c=r<{a}")
    else:
        e.line(f"r={a}-{b};c={a}<{b}")
    if e.has("clamp"):
        e.line(f"r=np.where(c,U32({0xFFFFFFFF if kind == 'add' else 0}),r)")
    e.write_mask(e.ops[1], "c")
    e.write(e.ops[0], "u32", "r")


@pattern(r"v_(addc_co|add_co_ci|subb_co|sub_co_ci|subbrev_co|subrev_co_ci)_u32")
def carry_in(e: Emitter, kind: str) -> None:
    """A sum or difference with a carry from and to each lane."""
    x, y = (e.ops[3], e.ops[2]) if "rev" in kind else (e.ops[2], e.ops[3])
    a, b, carry = e.read(x, "u32"), e.read(y, "u32"), e.read_mask(e.ops[4])
    sign = "+" if kind.startswith("add") else "-"
    e.line(f"r={a}.astype(I64){sign}{b}.astype(I64){sign}{carry}")
    e.write_mask(e.ops[1], "(r>I64(0xffffffff))|(r<0)")
    e.write(e.ops[0], "u32", "r.astype(U32)")


@opcodes("v_cndmask_b32 v_cndmask_b16")
def select(e: Emitter) -> None:
    """One of two sources, lane by lane."""
    ty = "u16" if e.ins.opcode.endswith("16") else "u32"
    chooser = e.ops[3] if len(e.ops) > 3 else parse_operand("vcc" if e.lanes == 64 else "vcc_lo")
    e.notes["selects"] = True
    e.write(e.ops[0], ty, f"np.where({e.read_mask(chooser)},{e.read(e.ops[2], ty)},{e.read(e.ops[1], ty)})")


@opcodes("v_swap_b32")
def swap(e: Emitter) -> None:
    """Exchange two registers."""
    a, b = e.ops
    e.line(f"x={e.read(a, 'u32')}.copy()")
    e.write(a, "u32", e.read(b, "u32"))
    e.write(b, "u32", "x")


@pattern(r"v_pk_(add|sub|lshlrev|lshrrev|ashrrev|mul_lo|mad|max|min)_([ui]16|b16)")
def packed(e: Emitter, kind: str, ty: str) -> None:
    """The same on both halves of a register."""
    ty = "u16" if ty == "b16" else ty
    form = PACKED[kind]
    count = len(e.ops) - 1
    halves = []
    for name, default in (("op_sel", 0), ("op_sel_hi", 1)):
        chosen = e.bits(name, count, default)
        values = []
        for o, high in zip(e.ops[1:], chosen, strict=True):
            values.append(e.read(replace(o, half="h" if high else "l"), ty))
        one = form
        if e.has("clamp"):
            values, one = wide_values(e, values), f"saturated({form},{ty!r})"
        one = one.format(*values, fifteen="I32(15)" if ty == "i16" else "U32(15)")
        halves.append(f"(({one}).astype(U32)&m16)")
    e.write(e.ops[0], "u32", f"{halves[0]}|({halves[1]}<<k16)")


PACKED = {
    "add": "{0}+{1}",
    "sub": "{0}-{1}",
    "lshlrev": "{1}<<({0}&{fifteen})",
    "lshrrev": "{1}>>({0}&{fifteen})",
    "ashrrev": "{1}>>({0}&{fifteen})",
    "mul_lo": "{0}*{1}",
    "mad": "{0}*{1}+{2}",
    "max": "np.maximum({0},{1})",
    "min": "np.minimum({0},{1})",
}
