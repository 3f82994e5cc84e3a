"""Instructions that move data: lanes, encodings, LDS, buffers, atomics, scratch; and how waves branch and meet."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.emulator import emulate, start
from tilewright.emulator.semantics.local_memory import transpose_rows
from tilewright.emulator.semantics.registry import handler_of

from one_instruction import assembly, run  # isort: skip

LANE = np.arange(64, dtype=np.uint32)
LANE32 = np.arange(32, dtype=np.uint32)
HEAD = "s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32_e32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n"


def bits(*numbers: float) -> np.ndarray:
    return np.array(numbers, np.float32).view(np.uint32)


@pytest.mark.parametrize(
    ("control", "want"),
    [
        ("quad_perm:[1,0,3,2]", LANE ^ 1),
        ("row_shr:1", np.where(LANE % 16 == 0, 99, LANE - 1)),
        ("row_shl:2", np.where(LANE % 16 > 13, 99, LANE + 2)),
        ("row_ror:4", LANE // 16 * 16 + (LANE % 16 + 12) % 16),
        ("row_mirror", LANE // 16 * 16 + 15 - LANE % 16),
        ("row_half_mirror", LANE // 8 * 8 + 7 - LANE % 8),
        ("row_bcast:15", np.where(LANE < 16, 99, LANE // 16 * 16 - 1)),
        ("row_bcast:31", np.where(LANE < 32, 99, 31)),
        ("row_newbcast:3", LANE // 16 * 16 + 3),
        ("wave_shr:1", np.where(LANE == 0, 99, LANE - 1)),
    ],
)
def test_dpp(control: str, want: np.ndarray) -> None:
    st = run("gfx942", f"v_mov_b32_dpp v1, v0 {control} row_mask:0xf bank_mask:0xf", {0: LANE, 1: np.full(64, 99)})
    assert (st.v[1][0] == want).all()


def test_dpp_masks_and_bounds() -> None:
    st = run("gfx942", "v_add_u32_dpp v1, v0, v2 row_shr:1 row_mask:0x2 bank_mask:0xf bound_ctrl:1",
             {0: LANE, 1: np.full(64, 99), 2: np.full(64, 100)})  # fmt: skip
    want = np.where((LANE >= 16) & (LANE < 32), np.where(LANE % 16 == 0, 100, LANE + 99), 99)
    assert (st.v[1][0] == want).all()


@pytest.mark.parametrize(("more", "want"), [("", 99), (" op_sel:[0,1]", 0), (" op_sel:[1,0]", None)])
def test_what_a_permutation_gets_of_a_lane_that_does_not_execute(more: str, want: int | None) -> None:
    """Lanes below 16 and lane 20 execute; lane i reads lane 31 - i."""
    st = run("gfx1100", f"v_permlanex16_b32 v1, v0, s4, s5{more}", {0: LANE32, 1: np.full(32, 99)},
             {4: 0x89ABCDEF, 5: 0x01234567}, execution=0x10FFFF)  # fmt: skip
    got = np.where(31 - LANE32 == 20, 20, 31 - LANE32 if want is None else want)
    assert (st.v[1][0, :16] == got[:16]).all()
    assert st.v[1][0, [16, 20]].tolist() == [99, 11]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("v_add_u32_sdwa v2, v0, v1 dst_sel:DWORD src0_sel:BYTE_1 src1_sel:WORD_1", 0x33 + 0x5566),
        ("v_mov_b32_sdwa v2, v0 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0", 0xAA44CCDD),
        ("v_mov_b32_sdwa v2, sext(v0) dst_sel:DWORD src0_sel:BYTE_3", 0xFFFFFF91),
        (
            "v_lshlrev_b16_sdwa v2, v3, v0 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:WORD_0",
            0x66880000,
        ),
    ],
)
def test_sdwa(text: str, want: int) -> None:
    given = {0: 0x91223344, 1: 0x55667788, 2: 0xAABBCCDD, 3: 1}
    st = run("gfx90a", text, {r: np.full(64, v, np.uint32) for r, v in given.items()})
    assert int(st.v[2][0, 0]) == want


def test_two_instructions_in_one_read_before_they_write() -> None:
    st = run("gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0", {0: LANE32, 1: LANE32 + 100})
    assert (st.v[0][0] == LANE32 + 100).all()
    assert (st.v[1][0] == LANE32).all()
    st = run("gfx1201", "v_dual_fmac_f32 v2, v0, v1 :: v_dual_add_f32 v3, v2, v0",
             {0: bits(2)[[0] * 32], 1: bits(3)[[0] * 32], 2: bits(10)[[0] * 32]})  # fmt: skip
    assert float(st.vf[2][0, 0]) == 16
    assert float(st.vf[3][0, 0]) == 12


def test_halves_of_registers() -> None:
    half = np.full(32, 0x40003C00, np.uint32)  # 2.0 and 1.0
    st = run("gfx1100", "v_add_f16_e32 v1.h, v0.l, v0.h", {0: half, 1: np.full(32, 7)})
    assert int(st.v[1][0, 0]) == 0x42000007  # 3.0, and the other half is kept
    st = run("gfx1100", "v_mov_b16_e32 v1.l, v0.h", {0: half, 1: np.full(32, 0xABCD0000)})
    assert int(st.v[1][0, 0]) == 0xABCD4000
    st = run("gfx942", "v_pk_add_f16 v1, v0, v0 op_sel:[1,0] op_sel_hi:[0,1]", {0: np.full(64, 0x40003C00)})
    assert int(st.v[1][0, 0]) == 0x42004200


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("ds_swizzle_b32 v1, v0 offset:swizzle(SWAP,16)", LANE ^ 16),
        ("ds_swizzle_b32 v1, v0 offset:swizzle(REVERSE,4)", LANE // 4 * 4 + 3 - LANE % 4),
        ("ds_swizzle_b32 v1, v0 offset:swizzle(BROADCAST,8,2)", LANE // 8 * 8 + 2),
        ("ds_swizzle_b32 v1, v0 offset:swizzle(QUAD_PERM,3,2,1,0)", LANE ^ 3),
        ('ds_swizzle_b32 v1, v0 offset:swizzle(BITMASK_PERM,"00p1i")', (LANE & 32) | (LANE & 4) | 2 | (~LANE & 1)),
        ("ds_bpermute_b32 v1, v2, v0", LANE[::-1]),
        ("ds_permute_b32 v1, v2, v0", LANE[::-1]),
        ("v_permlane32_swap_b32 v0, v3\nv_mov_b32_e32 v1, v0", np.where(LANE < 32, LANE, LANE - 32 + 100)),
        ("v_mbcnt_lo_u32_b32 v1, -1, 0\nv_mbcnt_hi_u32_b32 v1, -1, v1", LANE),
    ],
)
def test_lanes(text: str, want: np.ndarray) -> None:
    st = run("gfx950", text, {0: LANE, 2: 4 * LANE[::-1], 3: LANE + 100})
    assert (st.v[1][0] == want).all()


def test_rows_of_rdna() -> None:
    st = run("gfx1100", "v_permlanex16_b32 v1, v0, s4, s5", {0: LANE32}, {4: 0x76543210, 5: 0xFEDCBA98})
    assert (st.v[1][0] == (LANE32 ^ 16)).all()


def test_single_lanes() -> None:
    st = run("gfx942", "v_readlane_b32 s4, v0, 5\nv_writelane_b32 v1, s4, 9\nv_readfirstlane_b32 s5, v0",
             {0: LANE * 3, 1: np.zeros(64)}, execution=0xFFF0)  # fmt: skip
    assert int(st.scalars[0, 4]) == 15
    assert int(st.v[1][0, 9]) == 15
    assert int(st.scalars[0, 5]) == 12


def test_lanes_that_do_not_execute_keep_their_value() -> None:
    st = run(
        "gfx942", "v_mov_b32_e32 v1, v0\nv_cmp_lt_u32_e64 s[4:5], v0, 2", {0: LANE, 1: LANE * 0 + 9}, execution=0b101
    )
    assert st.v[1][0, :4].tolist() == [0, 9, 2, 9]
    assert int(st.scalars[0, 4]) == 1


@pytest.mark.parametrize(
    ("store", "load", "want"),
    [
        ("ds_write_b64 v2, v[0:1]", "ds_read_b64 v[4:5], v2", (LANE, LANE + 64)),
        ("ds_write2_b32 v2, v0, v1 offset1:1", "ds_read2_b32 v[4:5], v2 offset1:1", (LANE, LANE + 64)),
        ("ds_write2st64_b32 v3, v0, v1 offset1:1", "ds_read2st64_b32 v[4:5], v3 offset1:1", (LANE, LANE + 64)),
        ("ds_write_b16 v2, v0", "ds_read_u16 v4, v2", (LANE,)),
        ("ds_write_b8 v2, v6", "ds_read_i8 v4, v2", ((0xFFFFFF80 + (LANE & 0)).astype(np.uint32),)),
        ("ds_write_b16_d16_hi v2, v7", "ds_read_u16_d16_hi v4, v2", ((LANE << 16) | 5,)),
    ],
)
def test_lds(store: str, load: str, want: tuple[np.ndarray, ...]) -> None:
    zero = LANE * 0
    given = {0: LANE, 1: LANE + 64, 2: LANE * 8, 3: LANE * 4, 4: zero + 5, 6: zero + 0x80, 7: LANE << 16}
    st = run("gfx942", f"{store}\ns_waitcnt lgkmcnt(0)\n{load}", given)
    for register, values in enumerate(want):
        assert (st.v[4 + register][0] == values).all()


def test_atomics_in_lds() -> None:
    st = run("gfx942", "ds_write_b32 v1, v1\nds_add_rtn_u32 v3, v1, v2\nds_max_u32 v1, v4\nds_read_b32 v5, v1",
             {1: LANE * 0, 2: LANE * 0 + 2, 4: LANE})  # fmt: skip
    assert (st.v[3][0] == LANE * 2).all()
    assert (st.v[5][0] == 128).all()


def buffers(
    body: str, arch: str = "gfx942", block: int = 64, grid: int = 1, sanitize: bool = True, **more: int
) -> np.ndarray:
    """The second buffer after a kernel that has both addresses in s[4:7]."""
    given, out = np.arange(256, dtype=np.uint32), np.zeros(256, np.uint32)
    load = "s_load_dwordx4" if arch.startswith("gfx9") else "s_load_b128"
    wait = "s_wait_kmcnt 0x0" if arch.startswith("gfx12") else "s_waitcnt lgkmcnt(0)"
    head = f"{load} s[4:7], s[0:1], 0x0\nv_lshlrev_b32_e32 v1, 2, v0\n{wait}\n"
    text = assembly(arch, head + body, args=("global_buffer", "global_buffer"), **more)
    report = emulate(text, "k", [given, out], (grid,), (block,), sanitize)
    assert report.clean, str(report)
    return out


DESCRIPTOR = "s_mov_b64 s[8:9], s[6:7]\ns_mov_b32 s10, 128\ns_mov_b32 s11, 0x20000\n"


def test_a_buffer_ends_where_its_descriptor_says() -> None:
    out = buffers(DESCRIPTOR + "v_mov_b32_e32 v2, 7\nbuffer_store_dword v2, v1, s[8:11], 0 offen")
    assert (out == np.where(np.arange(256) < 32, 7, 0)).all()
    load = "s_mov_b64 s[8:9], s[4:5]\ns_mov_b32 s10, 130\ns_mov_b32 s11, 0x20000\n"
    out = buffers(
        load + "buffer_load_dword v2, v1, s[8:11], 0 offen\ns_waitcnt vmcnt(0)\nglobal_store_dword v1, v2, s[6:7]"
    )
    assert (out[:64] == np.where(LANE < 32, LANE, 0)).all()
    out = buffers(
        load + "buffer_load_ushort v2, v1, s[8:11], 0 offen\ns_waitcnt vmcnt(0)\nglobal_store_dword v1, v2, s[6:7]"
    )
    assert (out[:64] == np.where(LANE < 33, LANE, 0)).all()


@pytest.mark.parametrize(
    ("operation", "want"),
    [
        ("global_atomic_add v9, v2, s[6:7]", 128),
        ("global_atomic_umax v9, v0, s[6:7]", 63),
        ("global_atomic_or v9, v0, s[6:7]", 63),
        ("global_atomic_add_f32 v9, v3, s[6:7]", int(np.float32(96).view(np.uint32))),
        ("global_atomic_pk_add_f16 v9, v4, s[6:7]", 0x54005800),
    ],
)
def test_atomics_in_global_memory(operation: str, want: int) -> None:
    head = "v_mov_b32_e32 v9, 0\nv_mov_b32_e32 v2, 2\nv_mov_b32_e32 v3, 0x3fc00000\nv_mov_b32_e32 v4, 0x3c004000\n"
    assert int(buffers(head + operation)[0]) == want


def test_compare_and_swap_returns_the_old_value() -> None:
    body = """
    v_mov_b32_e32 v9, 0
    v_add_u32_e32 v2, 1, v0
    v_mov_b32_e32 v3, v0
    global_atomic_cmpswap v4, v9, v[2:3], s[6:7] sc0
    s_waitcnt vmcnt(0)
    global_store_dword v1, v4, s[6:7] offset:256
    """
    out = buffers(body)
    assert out[0] == 64
    assert (out[64:128] == LANE).all()


def test_scratch() -> None:
    body = """
    scratch_store_dword off, v1, off offset:4
    scratch_load_dword v2, off, off offset:4
    s_waitcnt vmcnt(0)
    global_store_dword v1, v2, s[6:7]
    """
    assert (buffers(body, scratch=16)[:64] == LANE * 4).all()


def test_signed_and_half_loads() -> None:
    out = buffers(
        """
        global_load_sbyte v2, v1, s[4:5]
        global_load_short_d16_hi v2, v1, s[4:5]
        s_waitcnt vmcnt(0)
        global_store_dword v1, v2, s[6:7]
        """
    )
    assert (out[:64] == (LANE << 16 | LANE)).all()


def test_waves_branch_and_meet_again() -> None:
    body = """
    v_readfirstlane_b32 s9, v0
    s_cmp_lt_u32 s9, 64
    s_cbranch_scc0 .Lsecond
    v_mov_b32_e32 v2, 10
    s_branch .Lmeet
    .Lsecond:
    v_mov_b32_e32 v2, 20
    .Lmeet:
    v_add_u32_e32 v2, 1, v2
    global_store_dword v1, v2, s[6:7]
    """
    out = buffers(body, block=128)
    assert (out[:128] == np.repeat([11, 21], 64)).all()


def test_a_loop_with_another_count_in_every_wave() -> None:
    body = """
    v_readfirstlane_b32 s9, v0
    s_lshr_b32 s9, s9, 6
    v_mov_b32_e32 v2, 0
    .Lloop:
    v_add_u32_e32 v2, 1, v2
    s_sub_u32 s9, s9, 1
    s_cbranch_scc0 .Lloop
    global_store_dword v1, v2, s[6:7]
    """
    assert (buffers(body, block=256)[:256] == np.repeat([1, 2, 3, 4], 64)).all()


def test_a_wave_that_waits_for_another_one() -> None:
    """A loop until another wave has set a flag: the scheduler must let the other wave go on."""
    body = """
    v_mov_b32_e32 v9, 0
    v_readfirstlane_b32 s9, v0
    s_cmp_lg_u32 s9, 0
    s_cbranch_scc1 .Lset
    .Lspin:
    v_mov_b32_e32 v4, 0
    global_atomic_add v3, v9, v4, s[6:7] offset:512 sc0
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s10, v3
    s_cmp_eq_u32 s10, 0
    s_cbranch_scc1 .Lspin
    s_branch .Ldone
    .Lset:
    v_mov_b32_e32 v4, 1
    global_atomic_add v9, v4, s[6:7] offset:512
    .Ldone:
    global_store_dword v1, v0, s[6:7]
    """
    assert (buffers(body, block=128, sanitize=False)[:128] == np.arange(128)).all()


def test_workgroups_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many workgroups do not execute all at once; races between batches are found all the same."""
    monkeypatch.setattr(start, "MAX_REGISTER_BYTES", 1)
    body = "s_lshl_b32 s8, s2, 8\nv_add_u32_e32 v2, s8, v1\nv_mov_b32_e32 v3, s2\nglobal_store_dword v2, v3, s[6:7]"
    assert (buffers(body, grid=4) == np.repeat(np.arange(4), 64)).all()
    text = assembly("gfx942", HEAD + "global_store_dword v1, v0, s[6:7]", args=("global_buffer", "global_buffer"))
    report = emulate(text, "k", [np.zeros(64, np.uint32), np.zeros(64, np.uint32)], (2,), (64,))
    assert report.kinds() == {"global-race"}
    assert report.findings[0].workgroup == 1


def test_a_block_that_is_no_multiple_of_a_wave() -> None:
    out = buffers("v_add_u32_e32 v2, 1, v0\nglobal_store_dword v1, v2, s[6:7]", block=80)
    assert (out == np.where(np.arange(256) < 80, np.arange(256) + 1, 0)).all()


@pytest.mark.parametrize("arch", ["gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1201"])
def test_every_arch_starts_a_kernel(arch: str) -> None:
    number = "ttmp9" if arch.startswith("gfx12") else "s2"
    store = "global_store_dword" if arch.startswith("gfx9") else "global_store_b32"
    add = "v_add_u32_e32" if arch.startswith("gfx9") else "v_add_nc_u32_e32"
    body = f"s_lshl_b32 s8, {number}, 8\n{add} v1, s8, v1\n{store} v1, v0, s[6:7]"
    out = buffers(body, arch, grid=2)
    assert (out[:128] == np.tile(np.arange(64), 2)).all()


TABLES = """
	.section	.rodata.first,"a",@progbits
first:
	.long	7
	.section	.rodata.table,"a",@progbits
	.p2align	2, 0x0
table:
	.long	11
	.long	0xffffffff
	.short	3
	.byte	4
	.byte	5
	.zero	4
	.section	.debug_info,"",@progbits
	.long	99
"""


@pytest.mark.parametrize(
    ("arch", "add"), [("gfx942", ("s_add_u32", "s_addc_u32")), ("gfx1201", ("s_add_co_u32", "s_add_co_ci_u32"))]
)
def test_constants_are_reached_by_relative_addresses(arch: str, add: tuple[str, str]) -> None:
    load, wait = ("s_load_dwordx4", "s_waitcnt lgkmcnt(0)") if arch == "gfx942" else ("s_load_b128", "s_wait_kmcnt 0x0")
    store = "global_store_dwordx4" if arch == "gfx942" else "global_store_b128"
    more = "s_nop 0" if arch == "gfx942" else "s_sext_i32_i16 s9, s9"
    body = f"""{load} s[4:7], s[0:1], 0x0
s_getpc_b64 s[8:9]
{more}
{add[0]} s8, s8, table@rel32@lo+4
{add[1]} s9, s9, table@rel32@hi+12
{load} s[12:15], s[8:9], 0x0
{wait}
v_mov_b32_e32 v2, s12
v_mov_b32_e32 v3, s13
v_mov_b32_e32 v4, s14
v_mov_b32_e32 v5, s15
v_mov_b32_e32 v6, 0
{store} v6, v[2:5], s[4:5]
"""
    out = np.zeros(4, np.uint32)
    text = assembly(arch, body, args=("global_buffer", "global_buffer")) + TABLES
    report = emulate(text, "k", [out, np.zeros(4, np.uint32)], (1,), (1,))
    assert not report.findings, str(report)
    assert out.tolist() == [11, 0xFFFFFFFF, 0x05040003, 0]


def test_an_lds_address_may_be_a_negative_base_with_an_offset() -> None:
    """Compilers fold constants into the offset where the sum alone is known to be in range."""
    body = (
        HEAD
        + """v_add_u32_e32 v3, 0xffffff00, v1
ds_write_b32 v3, v0 offset:256
s_waitcnt lgkmcnt(0)
ds_read_b32 v4, v1
s_waitcnt lgkmcnt(0)
global_store_dword v1, v4, s[4:5]
"""
    )
    out = np.zeros(64, np.uint32)
    text = assembly("gfx942", body, args=("global_buffer", "global_buffer"), lds=256)
    report = emulate(text, "k", [out, np.zeros(64, np.uint32)], (1,), (64,))
    assert not report.findings, str(report)
    assert (out == LANE).all()


def test_differences_of_halves_are_summed() -> None:
    a, b = np.full(64, 0x0003_0001), np.where(LANE % 2, 0x0001_0005, 0x0004_0000)
    st = run("gfx942", "v_sad_u16 v3, v0, v1, v2", {0: a, 1: b, 2: np.full(64, 10)})
    assert (st.v[3][0] == np.where(LANE % 2, 16, 12)).all()


@pytest.mark.parametrize("bits", [16, 8])
def test_transposed_reads_give_each_lane_a_column(bits: int) -> None:
    """16 lanes hold the rows of a matrix with 16 columns, 64 bits each; a lane gets one of its columns."""
    per, kind = 64 // bits, np.uint16 if bits == 16 else np.uint8
    matrices = np.random.default_rng(0).integers(0, 200, (1, 4, per, 16)).astype(kind)  # 4 groups of 16 lanes
    held = np.ascontiguousarray(matrices.reshape(1, 64, per)).view(np.uint32)  # [waves, lanes, words]
    found = transpose_rows(np.moveaxis(held, -1, 0), bits)
    got = np.ascontiguousarray(np.moveaxis(found, 0, -1)).view(kind).reshape(1, 4, 16, per)
    assert np.array_equal(got, matrices.transpose(0, 1, 3, 2))
    opcode = handler_of(f"ds_read_b64_tr_b{bits}")
    assert opcode is not None
    assert opcode[1] == (str(bits),)
