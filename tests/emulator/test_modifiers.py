"""Modifiers of arithmetic and matrix instructions: clamp, broadcast of blocks, stochastic rounding, scales."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tilewright.errors import UnsupportedInstructionError

from one_instruction import run  # isort: skip


def clamped(arch: str, text: str, a: int, b: int, c: int = 0) -> int:
    lanes = 64 if arch.startswith("gfx9") else 32
    given = {r: np.full(lanes, x & 0xFFFFFFFF, np.uint32) for r, x in enumerate((a, b, c))}
    return int(run(arch, text, given).v[3][0, 0])


@pytest.mark.parametrize(
    ("arch", "text", "operands", "want"),
    [
        ("gfx942", "v_sub_u32_e64 v3, v0, v1 clamp", (3, 5), 0),
        ("gfx942", "v_sub_u32_e64 v3, v0, v1 clamp", (5, 3), 2),
        ("gfx942", "v_add_u32_e64 v3, v0, v1 clamp", (0xFFFFFFF0, 0x20), 0xFFFFFFFF),
        ("gfx942", "v_add_i32 v3, v0, v1 clamp", (0x7FFFFFFF, 5), 0x7FFFFFFF),
        ("gfx1100", "v_sub_nc_i32 v3, v0, v1 clamp", (0x80000000, 5), 0x80000000),
        ("gfx942", "v_sub_u16_e64 v3, v0, v1 clamp", (3, 5), 0),
        ("gfx942", "v_pk_add_u16 v3, v0, v1 clamp", (0xFFF00003, 0x00200004), 0xFFFF0007),
        ("gfx942", "v_pk_sub_i16 v3, v0, v1 clamp", (0x80000003, 0x00010004), 0x8000FFFF),
        ("gfx942", "v_sub_co_u32_e64 v3, vcc, v0, v1 clamp", (3, 5), 0),
        ("gfx942", "v_mad_u32_u24 v3, v0, v1, v2 clamp", (0xFFFFFF, 0xFFFFFF, 0), 0xFFFFFFFF),
        ("gfx1100", "v_add_nc_i16 v3, v0, v1 clamp", (0x7FFF, 1), 0x7FF77FFF),  # the other half is kept
        ("gfx1100", "v_sub_nc_i16 v3, v0, v1 clamp", (0x8000, 1), 0x7FF78000),
        ("gfx942", "v_add_i16 v3, v0, v1 clamp", (0x8000, 0xFFFF), 0x8000),
        ("gfx942", "v_dot4_i32_i8 v3, v0, v1, v2 clamp", (0x01010101, 0x01010101, 0x7FFFFFFE), 0x7FFFFFFF),
        ("gfx1100", "v_dot2_bf16_bf16 v3, v0, 2.0, 0", (0x40404080, 0), 0x7FF74100),  # a constant has no upper half
        ("gfx1100", "v_dot2_f16_f16 v3, v0, v1, v2", (0x3C004000, 0x42003C00, 0x4400), 0x7FF74880),  # 2 + 3 + 4
    ],
)
def test_whole_numbers_are_kept_inside_of_their_type(
    arch: str, text: str, operands: tuple[int, ...], want: int
) -> None:
    assert clamped(arch, text, *operands) == want


# Operations, each as clang writes it for these two numbers: constants of packed instructions are 32 bits, of which each
# half is chosen. A number of 16 bits has zeros above.
@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("v_pk_add_u16 v3, v0, 1", 0x00000001),
        ("v_pk_add_u16 v3, v0, 1 op_sel_hi:[1,0]", 0x00010001),
        ("v_pk_add_u16 v3, v0, 35 op_sel:[0,1] op_sel_hi:[1,0]", 0x00230000),
        ("v_pk_add_u16 v3, v0, -1", 0xFFFFFFFF),
        ("v_pk_add_u16 v3, 0x15e0064, v0", 0x015E0064),
        ("v_pk_add_f16 v3, v0, 1.0", 0x00003C00),
        ("v_pk_add_f16 v3, v0, 1.0 op_sel_hi:[1,0]", 0x3C003C00),
        ("v_pk_add_f16 v3, v0, 2.0 op_sel:[0,1] op_sel_hi:[1,0]", 0x40000000),
        ("v_pk_add_f16 v3, 0x43003e00, v0", 0x43003E00),
        ("v_fma_mix_f32 v3, v0, v0, 1.0 op_sel_hi:[0,0,1]", 0x3F800000),
        ("v_fma_mix_f32 v3, v0, v0, 1.0 op_sel:[0,0,1] op_sel_hi:[0,0,1]", 0),
    ],
)
def test_constants_of_packed_instructions(arch: str, text: str, want: int) -> None:
    assert clamped(arch, text, 0, 0) == want


@pytest.mark.parametrize(("op_sel", "want"), [("[0,0,0]", 0x00003C00), ("[1,0,0]", 0x00004000)])
def test_either_half_of_a_scalar(op_sel: str, want: int) -> None:
    st = run("gfx942", f"v_pack_b32_f16 v3, s1, v2 op_sel:{op_sel}", {2: np.zeros(64, np.uint32)}, {1: 0x40003C00})
    assert int(st.v[3][0, 0]) == want


@pytest.mark.parametrize("text", ["v_mov_b64_dpp v[4:5], v[0:1]", "v_add_f64_dpp v[4:5], v[0:1], v[2:3]"])
def test_lanes_of_registers_of_64_bits(text: str) -> None:
    values = np.arange(64, dtype=np.float64) + 0.5
    words = values.view(np.uint32).reshape(64, 2)
    zero = np.zeros(64, np.uint32)
    st = run("gfx942", f"{text} row_newbcast:1 row_mask:0xf bank_mask:0xf",
             {0: words[:, 0], 1: words[:, 1], 2: zero, 3: zero})  # fmt: skip
    got = np.stack([st.v[4][0], st.v[5][0]], -1).copy().view(np.float64)[:, 0]
    assert np.array_equal(got, values[np.arange(64) // 16 * 16 + 1])


@pytest.mark.parametrize(
    ("arch", "text"),
    [
        ("gfx942", "v_mfma_f64_16x16x4_f64 v[8:15], v[0:1], v[2:3], 1.0 neg:[1,0,0]"),  # as clang negates a factor
        ("gfx942", "v_mfma_f32_16x16x16_f16 v[8:11], v[0:1], v[2:3], 1"),  # the bits of a whole number
        ("gfx942", "v_cvt_f32_ubyte0_e32 v3, v0 unheard_of:1"),
        ("gfx942", "v_add_f16_e64 v3, 1.0, v1 op_sel:[1,0,0]"),
        ("gfx942", "ds_swizzle_b32 v3, v0 offset:0xc020"),  # a rotation
        ("gfx942", "buffer_load_ushort v0, s[8:11], 0 offen lds"),
    ],
)
def test_what_has_another_meaning_is_refused(arch: str, text: str) -> None:
    with pytest.raises(UnsupportedInstructionError):
        run(arch, text, {})


def test_the_byte_of_a_small_float() -> None:
    """The two bits of op_sel are the other way round than elsewhere."""
    given = {0: np.full(32, 0x40383028, np.uint32)}  # 2, 1, 0.5 and 0.25
    for op_sel, want in (("[0,0]", 0.25), ("[0,1]", 0.5), ("[1,0]", 1.0), ("[1,1]", 2.0)):
        assert run("gfx1201", f"v_cvt_f32_fp8_e64 v3, v0 op_sel:{op_sel}", given).vf[3][0, 0] == want


def test_a_field_beyond_64_bits_repeats_the_sign() -> None:
    st = run("gfx942", "s_bfe_i64 s[8:9], s[0:1], s2", {}, {0: 0x1B0A23AF, 1: 0xB2F415E8, 2: 0x95F0CB7A})
    assert (int(st.scalars[0, 8]), int(st.scalars[0, 9])) == (0xFFFFFFEC, 0xFFFFFFFF)


def test_a_clamp_without_a_meaning_is_refused() -> None:
    with pytest.raises(UnsupportedInstructionError, match="clamp"):
        clamped("gfx942", "v_lshl_add_u32 v3, v0, v1, v2 clamp", 1, 2, 3)


def halves(values: np.ndarray) -> np.ndarray:
    """Small whole numbers as pairs of float16."""
    return np.ascontiguousarray(values.astype(np.float16)).view(np.uint32)


@pytest.mark.parametrize(("cbsz", "abid", "blgp"), [(1, 0, 0), (1, 1, 0), (2, 3, 0), (0, 0, 1), (0, 0, 3), (0, 0, 6)])
def test_blocks_and_lanes_that_others_multiply(cbsz: int, abid: int, blgp: int) -> None:
    """Four blocks of 16x16x4, lane = 16 * block + row. AMD's matrix instruction calculator names the sources."""
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-3, 4, (64, 4)) for _ in range(2))
    registers = {}
    for first, x in ((0, a), (32, b)):
        words = halves(x)
        registers |= {first: words[:, 0], first + 1: words[:, 1]}
    names = {"cbsz": cbsz, "abid": abid, "blgp": blgp}
    more = " ".join(f"{name}:{value}" for name, value in names.items() if value)
    st = run("gfx90a", f"v_mfma_f32_16x16x4_4b_f16 v[64:79], v[0:1], v[32:33], 0 {more}", registers)
    got = np.stack([st.vf[64 + r][0] for r in range(16)])  # [block, four rows][group of rows, column]
    got = got.reshape(4, 4, 4, 16).transpose(0, 2, 1, 3).reshape(4, 16, 16)
    source = {0: np.arange(64), 1: np.arange(64) % 32, 3: (np.arange(64) + 16) % 64, 6: 32 + np.arange(64) % 16}[blgp]
    rows, columns = a.reshape(4, 16, 4), b[source].reshape(4, 16, 4)
    for block in range(4):
        chosen = (block >> cbsz << cbsz) + abid
        assert np.array_equal(got[block], rows[chosen] @ columns[block].T)


@pytest.mark.parametrize("more", ["cbsz:3", "abid:1", "cbsz:1 abid:2"])
def test_blocks_that_are_not_there(more: str) -> None:
    with pytest.raises(UnsupportedInstructionError, match="blocks"):
        run("gfx90a", f"v_mfma_f32_16x16x4_4b_f16 v[64:79], v[0:1], v[32:33], 0 {more}", {})


@pytest.mark.parametrize(("kind", "step"), [("fp8", 0.125), ("bf8", 0.25)])
def test_rounding_by_chance(kind: str, step: float) -> None:
    """A number between two neighbours goes to the upper one as often as it is near to it."""
    chance = np.linspace(0, 2**32 - 1, 64).astype(np.uint32)
    given = {1: np.full(64, np.float32(1 + step / 4).view(np.uint32)), 2: chance, 3: np.full(64, 0x11223344, np.uint32)}
    st = run("gfx950", f"v_cvt_sr_{kind}_f32 v3, v1, v2 op_sel:[0,0,1,0]\nv_cvt_f32_{kind} v4, v3 byte_sel:1", given)
    assert set((st.v[3][0] & 0xFFFF00FF).tolist()) == {0x11220044}
    got = st.vf[4][0]
    assert set(got.tolist()) == {1.0, 1 + step}
    assert (got > 1).sum() == 16
    assert (got[np.argsort(chance)[-16:]] > 1).all()


def test_a_number_of_the_format_is_kept_by_chance() -> None:
    given = {1: np.full(64, np.float32(-1.5).view(np.uint32)), 2: np.full(64, 0xFFFFFFFF, np.uint32)}
    st = run("gfx942", "v_mov_b32_e32 v3, 0\nv_cvt_sr_fp8_f32 v3, v1, v2\nv_cvt_f32_fp8 v4, v3", given)
    assert (st.vf[4][0] == -1.5).all()


FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


@pytest.mark.parametrize("m", [16, 32])
def test_a_product_with_scales(m: int) -> None:
    """Factors of 4 bits: a lane holds 32 numbers of k in four registers, and a byte with their scale."""
    rng, k, groups = np.random.default_rng(5), {16: 128, 32: 64}[m], 64 // m
    codes = [rng.integers(0, 16, (m, k)) for _ in range(2)]
    numbers = [np.where(c & 8, -1, 1) * FP4[c & 7] for c in codes]
    scales = [rng.integers(120, 134, (m, k // 32)) for _ in range(2)]
    registers = {}
    for first, at, c, s in zip((0, 32), (48, 49), codes, scales, strict=True):
        held = c.reshape(m, groups, 32).transpose(1, 0, 2).reshape(64, 4, 8).astype(np.uint64)
        words = (held << (4 * np.arange(8, dtype=np.uint64))).sum(-1).astype(np.uint32)
        registers |= {first + r: words[:, r] for r in range(4)}
        registers[at] = (s.T.reshape(64) << 16).astype(np.uint32)  # the third byte
    count = m * m // 64
    st = run("gfx950", f"v_mfma_scale_f32_{m}x{m}x{k}_f8f6f4 v[64:{63 + count}], v[0:3], v[32:35], 1.0, v48, v49"
             " op_sel:[0,0,0] op_sel_hi:[1,1,0] cbsz:4 blgp:4", registers)  # fmt: skip
    got = np.stack([st.vf[64 + i][0] for i in range(count)])
    got = got.reshape(count // 4, 4, groups, m).transpose(0, 2, 1, 3).reshape(m, m)
    a, b = (x * np.repeat(2.0 ** (s - 127), 32, axis=1) for x, s in zip(numbers, scales, strict=True))
    assert np.allclose(got, a @ b.T + 1, rtol=1e-6)


@pytest.mark.parametrize(("code", "kind", "value"), [(0b011111, 2, 7.5), (0b100001, 2, -0.125), (0b011111, 3, 28.0)])
def test_numbers_of_six_bits(code: int, kind: int, value: float) -> None:
    """All of A is one number, B is 1 (fp8): each sum of 128 products is 128 times it."""
    stream = sum(code << 6 * i for i in range(32))
    registers = {r: np.full(64, stream >> 32 * r & 0xFFFFFFFF, np.uint32) for r in range(6)}
    registers |= {32 + r: np.full(64, 0x38383838, np.uint32) for r in range(8)}
    st = run("gfx950", f"v_mfma_f32_16x16x128_f8f6f4 v[64:67], v[0:5], v[32:39], 0 cbsz:{kind}", registers)
    assert (st.vf[64][0] == 128 * value).all()


@pytest.mark.parametrize(("kind", "dtype"), [("fp8", ml_dtypes.float8_e4m3fn), ("bf8", ml_dtypes.float8_e5m2)])
def test_pairs_of_8_bit_floats_with_a_scale(kind: str, dtype: Any) -> None:
    """The scale is the power of two of an fp32 number: its mantissa says nothing."""
    words = np.arange(64, dtype=np.uint32) * 0x03010204 + 0x10203040
    given = {0: words, 1: np.full(64, 0.75, np.float32).view(np.uint32)}
    body = f"v_cvt_scalef32_pk_f16_{kind} v3, v0, v1\nv_cvt_scalef32_pk_f16_{kind} v4, v0, v1 op_sel:[1,0,0]"
    st = run("gfx950", body, given)
    want = words.view(dtype).astype(np.float32).reshape(64, 4) * np.float32(0.5)
    got = np.stack([st.v[3][0], st.v[4][0]], 1).view(np.float16).astype(np.float32)
    np.testing.assert_array_equal(got, want.astype(np.float16).astype(np.float32))
