"""Rounding, saturation and denormal numbers against exact arithmetic; no result depends on a cast of the host."""

from __future__ import annotations

import json
import struct
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.backends.gpu.emulated.code_object import descriptor_of
from tilewright.emulator import emulate
from tilewright.emulator.isa import isa_of
from tilewright.emulator.numeric import fma32, fma64, to_i16, to_i32, to_u8, to_u16, to_u32
from tilewright.emulator.small_floats import FLOAT8, encode8
from tilewright.errors import UnsupportedInstructionError

from one_instruction import Bench, assembly, run  # isort: skip

DATA = Path(__file__).parent / "data"
INF, NAN = float("inf"), float("nan")


def nearest(exact: Fraction, dtype: Any) -> float:
    """The number of `dtype` nearest to an exact one, ties to even."""
    with np.errstate(over="ignore"):
        guess = dtype(float(exact)) if abs(exact) < Fraction(2) ** 1024 else dtype(INF if exact > 0 else -INF)
    top = Fraction(float(np.finfo(dtype).max))
    if abs(exact) >= top + top / 2 ** (np.finfo(dtype).nmant + 2):
        return INF if exact > 0 else -INF
    around = [x for x in (guess, *(np.nextafter(guess, dtype(to)) for to in (-INF, INF))) if np.isfinite(x)]
    bits = f"u{np.dtype(dtype).itemsize}"
    return float(min(around, key=lambda x: (abs(Fraction(float(x)) - exact), int(x.view(bits)) & 1)))


def triples(rng: np.random.Generator, dtype: Any, count: int) -> Any:
    """Numbers whose products and sums often lie near the middle between two numbers of `dtype`."""
    digits = 24 if dtype == np.float32 else 53
    a, b = (rng.integers(1 << (digits // 2), 1 << (digits // 2 + 1), count).astype(dtype) for _ in range(2))
    shift = rng.integers(-3 * digits, 3 * digits, count)
    c = np.ldexp(rng.integers(-1000, 1000, count).astype(np.float64), shift).astype(dtype)
    scale = np.ldexp(1.0, rng.integers(-60, 40, count)).astype(dtype)
    return a * scale, b, c


def test_a_fused_product_and_sum_is_rounded_once() -> None:
    st = run("gfx942", "v_fma_f32 v3, v0, v1, v2", {
        0: np.float32([24929] * 64).view(np.uint32), 1: np.float32([673] * 64).view(np.uint32),
        2: np.float32([2.0**-30] * 32 + [-(2.0**-30)] * 32).view(np.uint32)})  # fmt: skip
    assert st.v[3][0].view(np.float32).tolist() == [16777218.0] * 32 + [16777216.0] * 32


@pytest.mark.parametrize(("function", "dtype"), [(fma32, np.float32), (fma64, np.float64)])
def test_fused_sums_against_exact_arithmetic(function: Any, dtype: Any) -> None:
    rng = np.random.default_rng(3)
    a, b, c = triples(rng, dtype, 600)
    tiny = np.finfo(dtype).smallest_subnormal
    # Halfway, and a little beside it on either side; the smallest numbers; cancellation; overflow.
    a = np.concatenate([a, dtype([24929, 24929, 24929, tiny, 1.5, 3, np.finfo(dtype).max])])
    b = np.concatenate([b, dtype([673, 673, 673, 0.5, tiny, -5, 2])])
    c = np.concatenate([c, dtype([2.0**-30, -(2.0**-30), 0, tiny, -tiny, 15, 0])])
    with np.errstate(all="ignore"):
        got = function(a, b, c)
    for x, y, z, found in zip(a, b, c, got, strict=True):
        exact = Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z))
        assert found == nearest(exact, dtype), f"{x!r} * {y!r} + {z!r}"


def test_a_fused_sum_of_infinities_and_nan() -> None:
    a, b = np.array([INF, INF, -INF, 0.0, NAN, 1.0]), np.array([1.0, 0.0, 2.0, INF, 1.0, 1.0])
    c = np.array([1.0, 1.0, INF, 1.0, 1.0, -INF])
    with np.errstate(all="ignore"):
        for function, dtype in ((fma32, np.float32), (fma64, np.float64)):
            got = function(a.astype(dtype), b.astype(dtype), c.astype(dtype))
            assert np.array_equal(got, [INF, NAN, NAN, NAN, NAN, -INF], equal_nan=True)


@pytest.mark.parametrize(("arch", "fnuz"), [("gfx942", True), ("gfx950", False), ("gfx1201", False)])
@pytest.mark.parametrize(("kind", "top", "tie"), [("fp8", 448.0, 464.0), ("bf8", 57344.0, 61440.0)])
@pytest.mark.parametrize("saturate", [False, True])
def test_conversions_to_8_bits_at_and_beyond_the_largest_number(
    arch: str, fnuz: bool, kind: str, top: float, tie: float, saturate: bool
) -> None:
    if fnuz and kind == "fp8":
        top, tie = 240.0, 248.0
    up = np.nextafter(np.float32(tie), np.float32(INF))
    down = np.nextafter(np.float32(tie), np.float32(0))
    over = INF if kind == "bf8" and not fnuz else NAN
    # Only the largest number of OCP fp8 has an even code, which a tie goes to.
    wanted = {top: top, down: top, tie: top if kind == "fp8" and not fnuz else over, up: over, 1e9: over, INF: over}
    mode = f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), {int(saturate)}\n"
    for x, want in wanted.items():
        given = np.float32([x, -x] * 32)[: 64 if arch.startswith("gfx9") else 32].view(np.uint32)
        st = run(arch, f"{mode}v_cvt_pk_{kind}_f32 v2, v0, v0", {0: given, 2: given})
        codes = st.v[2][0] & np.uint32(0xFF)
        found = FLOAT8[kind, fnuz][codes[:2]]
        want = top if saturate else want
        assert np.array_equal(np.abs(found), [want, want], equal_nan=True), f"{x} became {found}"
        if not (fnuz and np.isnan(want)):
            assert [int(c) >> 7 for c in codes[:2]] == [0, 1], "the sign stays, that of a NaN as well"


@pytest.mark.parametrize("kind", ["fp8", "bf8"])
def test_a_nan_has_the_sign_that_its_format_can_hold(kind: str) -> None:
    given = np.array([0x7FC00000, 0xFFC00000], np.uint32).view(np.float32)
    assert encode8(given, kind, False, np.array(False)).tolist() == [0x7F, 0xFF]
    assert encode8(given, kind, True, np.array(False)).tolist() == [0x80, 0x80]


@pytest.mark.parametrize("arch", ["gfx908", "gfx90a", "gfx942"])
@pytest.mark.parametrize(("kind", "code"), [("f16", 0x0200), ("bf16", 0x0040)])
def test_only_mi200_flushes_denormal_numbers_of_matrix_products(arch: str, kind: str, code: int) -> None:
    text = "v_mfma_f32_16x16x16f16" if kind == "f16" else "v_mfma_f32_16x16x8bf16"
    width = 2 if kind == "f16" else 1
    factor = "v[{0}:{1}]" if width == 2 else "v{0}"
    body = f"{text} v[8:11], {factor.format(0, 1)}, {factor.format(2, 3)}, 0"
    big = 0x7800 if kind == "f16" else 0x7E80  # 2**15, 2**126
    small, large = np.full(64, code * 0x10001, np.uint32), np.full(64, big * 0x10001, np.uint32)
    st = run(arch, body, {0: small, 1: small, 2: large, 3: large})
    assert (st.v[8][0].view(np.float32) == 0).all() == (arch == "gfx90a")


def test_mi200_flushes_denormal_numbers_of_dot_products_and_of_what_a_product_writes() -> None:
    half = np.full(64, 0x02000200, np.uint32), np.full(64, 0x78007800, np.uint32)
    for arch, zero in (("gfx90a", True), ("gfx942", False)):
        st = run(arch, "v_dot2_f32_f16 v3, v0, v1, v2", {0: half[0], 1: half[1], 2: np.zeros(64, np.uint32)})
        assert (st.v[3][0] == 0).all() == zero
        tiny = np.full(64, 0x00800080, np.uint32)  # bfloat16 2**-126; its products with 2**-7 are denormal float32
        opcode = "v_mfma_f32_16x16x16bf16_1k" if arch == "gfx90a" else "v_mfma_f32_16x16x16_bf16"
        small = np.full(64, 0x3C003C00, np.uint32)
        st = run(arch, f"{opcode} v[8:11], v[0:1], v[2:3], 0", {0: tiny, 1: tiny, 2: small, 3: small})
        assert (st.v[8][0] == 0).all() == zero


def test_a_clamped_nan_is_zero() -> None:
    st = run("gfx942", "v_add_f32_e64 v1, v0, 0 clamp", {0: np.float32([NAN, 2.0, -1.0, 0.25] * 16).view(np.uint32)})
    assert st.v[1][0].view(np.float32)[:4].tolist() == [0.0, 1.0, 0.0, 0.25]


HOSTILE = (NAN, -NAN, INF, -INF, 1e30, -1e30, 3e9, -3e9, 7e4, -7e4, 40000.0, -1.0, 255.9, 0.0)


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [(to_u32, 0, 2**32 - 1), (to_i32, -(2**31), 2**31 - 1), (to_i16, -(2**15), 2**15 - 1), (to_u16, 0, 65535),
     (to_u8, 0, 255)],
)  # fmt: skip
def test_conversions_to_integers_saturate_and_make_zero_of_nan(function: Any, low: int, high: int) -> None:
    wanted = [0 if x != x else int(max(low, min(high, x))) for x in HOSTILE]
    with warnings.catch_warnings(), np.errstate(invalid="raise"):
        warnings.simplefilter("error")
        got = function(np.array(HOSTILE, np.float64))
    assert got.astype(np.int64).tolist() == wanted


@pytest.mark.parametrize("family", ["cdna", "rdna3", "rdna4"])
def test_no_instruction_casts_a_number_that_the_host_cannot(family: str) -> None:
    """Every tested instruction on NaN, infinities and numbers beyond all integers: what the cast of such a number
    gives differs between CPUs."""
    data = json.loads((DATA / f"alu_{family}.json").read_text())
    bench, wrong = Bench(data["arch"], [v["text"] for v in data["vectors"]]), []
    lanes = bench.kernel.wave_size
    patterns = np.concatenate([
        np.float32(HOSTILE).view(np.uint32), np.array([0x7E007E00, 0xFC007C00, 0x7BFFFBFF, 0x7FF80000, 0xC1E00000],
                                                      np.uint32)])  # fmt: skip
    vectors = {r: np.resize(np.roll(patterns, r), lanes) for r in range(10)}
    scalars = {r: int(patterns[r]) for r in range(10)}
    for number, vector in enumerate(data["vectors"]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.filterwarnings("error", message="invalid value encountered in cast")
            try:
                bench.run(number, vectors, scalars, errors="warn")
            except RuntimeWarning as warning:
                wrong.append(f"{vector['text']}: {warning}")
    assert not wrong, "\n".join(wrong)


def words(*numbers: float) -> Any:
    """Numbers of float32 in a register, over and over."""
    return np.resize(np.float32(numbers).view(np.uint32), 64)


def half(st: Any, register: int, lane: int = 0) -> float:
    return float(st.v[register][0, lane : lane + 1].astype(np.uint16).view(np.float16)[0])


OVERFLOWING = {  # v0 is 1e6 (float32), v1 the largest float16 twice
    "v_cvt_f16_f32 v3, v0": 65504.0,
    "v_cvt_f16_u16 v3, v4": 65504.0,  # 65535
    "v_add_f16 v3, v1, v1": 65504.0,
    "v_mul_f16 v3, v1, -v1": -65504.0,
    "v_fma_f16 v3, v1, v1, v1": 65504.0,
    "v_ldexp_f16 v3, v1, 1": 65504.0,
    "v_exp_f16 v3, v1": 65504.0,
    "v_rcp_f16 v3, 0": 65504.0,
    "v_log_f16 v3, 0": -65504.0,
    "v_pk_add_f16 v3, v1, v1": 65504.0,
    "v_pk_mul_f16 v3, v1, v1": 65504.0,
    "v_pk_fma_f16 v3, v1, v1, v1": 65504.0,
    "v_fma_mixlo_f16 v3, v0, v0, v0": 65504.0,
    "v_cvt_f16_f32_dpp v3, v0 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf": 65504.0,
}
OF_ONE_ARCH = {
    "gfx90a": ["v_add_f16_sdwa v3, v1, v1 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_0"],
    "gfx950": ["v_cvt_pk_f16_f32 v3, v0, v0"],
    "gfx1100": ["v_dot2_f16_f16 v3, v1, v1, v1", "v_fmac_f16 v3.l, v1.h, v1.l",
                "v_wmma_f16_16x16x16_f16 v[3:10], v[16:23], v[16:23], 0"],
    "gfx1201": ["v_wmma_f16_16x16x16_f16 v[3:6], v[16:19], v[16:19], 0"],
}  # fmt: skip


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201"])
@pytest.mark.parametrize("limited", [0, 1])
def test_the_mode_that_limits_results_of_16_bits(arch: str, limited: int) -> None:
    lanes = 64 if arch.startswith("gfx9") else 32
    given = {r: np.full(lanes, 0x7BFF7BFF, np.uint32) for r in (1, *range(16, 24))}
    given |= {0: words(1e6)[:lanes], 3: np.zeros(lanes, np.uint32), 4: np.full(lanes, 65535, np.uint32)}
    mode = f"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), {limited}\n"
    for text, want in {**OVERFLOWING, **dict.fromkeys(OF_ONE_ARCH.get(arch, ()), 65504.0)}.items():
        got = half(run(arch, mode + text, given), 3)
        assert got == (want if limited else np.copysign(INF, want)), text


def test_an_infinite_source_is_no_overflow() -> None:
    mode = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n"
    for text in ("v_cvt_f16_f32 v3, v0", "v_add_f16 v3, v1, v1", "v_exp_f16 v3, v1", "v_pk_mul_f16 v3, v1, v1"):
        st = run("gfx942", mode + text, {0: words(INF), 1: np.full(64, 0x7C007C00, np.uint32)})
        assert half(st, 3) == INF


OVERFLOW_BY_GROUP = """
s_load_dwordx2 s[4:5], s[0:1], 0x0
v_mov_b32_e32 v1, 0x49742400
s_cmp_eq_u32 s2, 0
s_cbranch_scc1 same
{mode}
same:
v_cvt_f16_f32_e32 v2, v1
s_lshl_b32 s6, s2, 8
v_lshl_add_u32 v0, v0, 2, s6
s_waitcnt lgkmcnt(0)
global_store_dword v0, v2, s[4:5]
s_endpgm
"""


@pytest.mark.parametrize(("mode", "start", "want"), [
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1", 0, [INF, 65504]),
    ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 0", 1, [65504, INF]),
    ("s_nop 0", 1, [65504, 65504]),
])  # fmt: skip
def test_every_wave_has_a_mode_of_its_own(mode: str, start: int, want: list[float]) -> None:
    """Waves part at the branch, and meet again behind it. The descriptor says how they start."""
    text = assembly("gfx942", OVERFLOW_BY_GROUP.format(mode=mode), args=("global_buffer",))
    text = text.replace("\t.end_amdhsa_kernel", f"\t\t.amdhsa_fp16_overflow {start}\n\t.end_amdhsa_kernel")
    out = np.zeros((2, 64), np.uint32)
    emulate(text, "k", [out], grid=(2,), block=(64,))
    assert out.astype(np.uint16).view(np.float16)[:, 0].tolist() == want


@pytest.mark.parametrize("more", ["float_round_mode_32 3", "float_round_mode_16_64 1", "dx10_clamp 0"])
def test_a_start_in_another_mode_is_refused(more: str) -> None:
    text = assembly("gfx942", "s_nop 0", args=("global_buffer",))
    text = text.replace("\t.end_amdhsa_kernel", f"\t\t.amdhsa_{more}\n\t.end_amdhsa_kernel")
    with pytest.raises(UnsupportedInstructionError, match=more.split()[0]):
        emulate(text, "k", [np.zeros(1, np.uint32)], grid=(1,), block=(64,))


def test_a_code_object_says_its_mode() -> None:
    raw = bytearray(64)
    struct.pack_into("<I", raw, 48, 1 << 26 | 1 << 21 | 2 << 12 | 1 << 14)
    found = descriptor_of(bytes(raw), isa_of("gfx942"))
    wanted = {"fp16_overflow": "1", "dx10_clamp": "1", "float_round_mode_32": "2", "float_round_mode_16_64": "1"}
    assert wanted.items() <= found.items()
    assert "dx10_clamp" not in descriptor_of(bytes(raw), isa_of("gfx1201"))  # another meaning


@pytest.mark.parametrize("text", [
    "s_setreg_imm32_b32 hwreg(HW_REG_MODE), 0x3", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 32), 0x800103",
    "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 2, 22), 0x41", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), 0",
    "v_mac_f16_e32 v3, v0, v1", "v_mad_mix_f32 v3, v0, v1, v2",
])  # fmt: skip
def test_other_modes_and_roundings_are_refused(text: str) -> None:
    with pytest.raises(UnsupportedInstructionError):
        run("gfx908", text)


@pytest.mark.parametrize("text", [
    "v_mac_f32_e32 v3, v0, v1", "v_mad_f32 v3, v0, v1, v3", "v_madmk_f32 v3, v0, 0x3f800800, v3",
    "v_mac_f32_dpp v3, v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf",
])  # fmt: skip
def test_a_product_and_sum_that_are_not_fused(text: str) -> None:
    """They round twice, and take and give denormal numbers as 0, whatever the mode says."""
    x = float(np.float32(1 + 2**-12))
    st = run("gfx908", text, {0: words(x, 2.0**-140), 1: words(x), 3: words(-(1 + 2**-11), 2.0**-130)})
    assert st.vf[3][0, :2].tolist() == [0, 0]


@pytest.mark.parametrize(("arch", "infix"), [("gfx942", ""), ("gfx1201", "co_")])
@pytest.mark.parametrize("kind", ["u", "i"])
@pytest.mark.parametrize("clamp", ["", " clamp"])
def test_carries_of_sums_of_64_bits(arch: str, infix: str, kind: str, clamp: str) -> None:
    """Bit 64 of the exact sum, for signed numbers as well; clamp keeps the sum inside of its type."""
    rng, lanes = np.random.default_rng(6), 64 if arch == "gfx942" else 32
    a, b = (rng.integers(0, 2**32, lanes, np.uint64) for _ in range(2))
    c = rng.integers(0, 2**64, lanes, np.uint64)
    c[::4], c[1::4] = 2**63 - 1 - c[::4] % 9, 2**63 + c[1::4] % 9
    low = np.uint64(0xFFFFFFFF)
    given = {0: a, 1: b, 2: c & low, 3: c >> np.uint64(32)}
    mask = "vcc" if lanes == 64 else "vcc_lo"
    text = f"v_mad_{infix}{kind}64_{kind}32 v[4:5], {mask}, v0, v1, v[2:3]{clamp}"
    st = run(arch, text, {r: x.astype(np.uint32) for r, x in given.items()})
    carries = int(st.scalars[0, 106]) | int(st.scalars[0, 107]) << 32
    for lane in range(lanes):
        x, y, z = (int(v[lane]) for v in (a, b, c))
        if kind == "i":
            x, y, z = (v - (v >> bits - 1 << bits) for v, bits in ((x, 32), (y, 32), (z, 64)))
        exact = x * y + z
        least = -(2**63) if kind == "i" else 0
        want = max(least, min(least + 2**64 - 1, exact)) if clamp else exact
        got = int(st.v[4][0, lane]) | int(st.v[5][0, lane]) << 32
        assert (got, carries >> lane & 1) == (want % 2**64, exact >> 64 & 1)


@pytest.mark.parametrize(("arch", "text", "want"), [
    ("gfx1100", "v_fmac_f16_e32 v3.h, v0.l, v1.l", 0x47004200),  # 1 * 2 + 5: the half that it writes
    ("gfx1201", "v_fmac_f16_e32 v3.l, v0.l, v1.l", 0x45004500),
    ("gfx942", "v_fma_f16 v3, v0, v1, 0", 0x45004000),
    ("gfx942", "v_mad_u16 v3, v0, 1, 0", 0x45003C00),
    ("gfx942", "v_mul_f16_e32 v3, v0, v1", 0x00004000),
])  # fmt: skip
def test_the_half_that_a_result_of_16_bits_leaves(arch: str, text: str, want: int) -> None:
    lanes = 64 if arch == "gfx942" else 32
    given = {r: np.full(lanes, x, np.uint32) for r, x in {0: 0x3C00, 1: 0x4000, 3: 0x45004200}.items()}
    assert int(run(arch, text, given).v[3][0, 0]) == want


@pytest.mark.parametrize("size", [16, 32, 64])
@pytest.mark.parametrize("kind", ["max", "min"])
def test_zero_is_larger_than_minus_zero(kind: str, size: int) -> None:
    """In either order; NumPy takes one or the other, as the host does."""
    zeros = (
        np.array([0.0, -0.0, 0.0, -0.0] * 16, f"f{size // 8}"),
        np.array([-0.0, 0.0, 0.0, -0.0] * 16, f"f{size // 8}"),
    )
    want = [0.0, 0.0, 0.0, -0.0] if kind == "max" else [-0.0, -0.0, 0.0, -0.0]
    names = [f"v_{kind}_f{size}"] + [f"v_{kind}3_f{size}"] * (size < 64) + [f"v_pk_{kind}_f16"] * (size == 16)
    for name in names:
        sources = [("v[0:1]", "v[2:3]", "v[4:5]") if size == 64 else ("v0", "v2", "v4")][0]
        text = f"{name} {sources[2]}, {sources[0]}, {sources[1]}" + (f", {sources[1]}" if "3_" in name else "")
        given = {}
        for first, x in zip((0, 2), zeros, strict=True):
            words_of = x.view(f"u{size // 8}").astype(np.uint64)
            given |= {first: words_of.astype(np.uint32), first + 1: (words_of >> np.uint64(32)).astype(np.uint32)}
        st = run("gfx942", text, given)
        top = st.v[5 if size == 64 else 4][0, :4] >> (15 if size == 16 else 31) & 1
        assert top.tolist() == [int(np.signbit(x)) for x in want], name


def test_zeros_of_atomic_and_clamped_results() -> None:
    st = run("gfx942", "v_add_f32_e64 v1, v0, v0 clamp\nv_med3_f32 v2, v0, v3, v3", {0: words(-0.0), 3: words(0.0)})
    assert (int(st.v[1][0, 0]), int(st.v[2][0, 0])) == (0, 0)
    given = {0: np.zeros(64, np.uint32), 1: words(-0.0), 2: words(0.0)}
    st = run("gfx942", "ds_write_b32 v0, v1\nds_max_f32 v0, v2\nds_max_f32 v0, v1\nds_read_b32 v3, v0", given)
    assert int(st.v[3][0, 0]) == 0
