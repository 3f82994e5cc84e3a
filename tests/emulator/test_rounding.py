"""Rounding, saturation and denormal numbers against exact arithmetic; no result depends on a cast of the host."""

from __future__ import annotations

import json
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.emulator.numeric import fma32, fma64, to_i16, to_i32, to_u8, to_u16, to_u32
from tilewright.emulator.small_floats import FLOAT8, encode8

from one_instruction import Bench, run  # isort: skip

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
    assert encode8(given, kind, False).tolist() == [0x7F, 0xFF]
    assert encode8(given, kind, True).tolist() == [0x80, 0x80]


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
