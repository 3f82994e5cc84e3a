"""Arithmetic that NumPy has no name for: conversions, bit fields, 8-bit floats. Generated code calls these by name."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

U8, U16, U32, U64 = np.uint8, np.uint16, np.uint32, np.uint64
I8, I16, I32, I64 = np.int8, np.int16, np.int32, np.int64
F16, F32, F64 = np.float16, np.float32, np.float64
Array = Any  # arrays and NumPy scalars mix freely here


def join(low: Array, high: Array) -> Array:
    """Return 64-bit values of two halves."""
    return low.astype(U64) | (high.astype(U64) << U64(32))


def low_half(x: Array) -> Array:
    """Return the float16 in the low 16 bits as float32, in which sums and products of two are rounded right."""
    return (x & U32(0xFFFF)).astype(U16).view(F16).astype(F32)


def half_of(x: Array, limited: Array) -> Array:
    """Return floats rounded to float16. Where `limited` (FP16_OVFL), the largest number takes the place of an overflow.

    >>> with np.errstate(over="ignore"):
    ...     half_of(np.array([1e6, np.inf], F32), np.array(True)).tolist()
    [65504.0, inf]
    """
    found = x.astype(F16)
    if limited.any():
        over = limited & np.isinf(found) & np.isfinite(x)
        found = np.where(over, np.copysign(F16(65504), found), found)
    return found


def bits_of_half(x: Array, limited: Array) -> Array:
    """Return floats rounded to float16 (see half_of) as bits in uint32."""
    return half_of(x, limited).view(U16).astype(U32)


def overflown(x: Array, source: Array) -> Array:
    """Return float64 values in which an infinity of a finite source is an overflow, as gfx1201 takes 1 / 0 and log(0).

    >>> overflown(np.array([-np.inf, np.inf, 2.0]), np.array([0.0, np.inf, 0.5])).tolist()
    [-1e+300, inf, 2.0]
    """
    return np.where(np.isinf(x) & np.isfinite(source), np.copysign(1e300, x), x)


def bits_of(x: Array) -> Array:
    """Return the bits of 32-bit values: of integers as they are, of floats as float32."""
    x = x.astype(F32) if x.dtype.kind == "f" else x
    return x.view(U32) if x.dtype.itemsize == 4 else x.astype(U32)


def float_of_bf16(x: Array) -> Array:
    """Return the bfloat16 in the low 16 bits as float32."""
    return (x << U32(16)).view(F32)


def bits_of_bf16(x: Array) -> Array:
    """Return float32 values as bits of bfloat16, rounded to nearest even."""
    x = x.astype(F32)
    bits = x.view(U32)
    rounded = (bits + U32(0x7FFF) + ((bits >> U32(16)) & U32(1))) >> U32(16)
    return np.where(np.isnan(x), (bits >> U32(16)) | U32(0x40), rounded).astype(U32)


def rounded_bf16(x: Array) -> Array:
    """Return float32 values rounded to bfloat16."""
    return float_of_bf16(bits_of_bf16(x))


TINY16, TINY32 = F32(2.0**-14), F32(2.0**-126)  # the least normal numbers of float16, and of float32 and bfloat16


def flushed(x: Array, least: Array) -> Array:
    """Return numbers with those below `least` replaced by 0 of the same sign.

    >>> flushed(np.array([2.0**-15, -(2.0**-14)], F32), TINY16).tolist()
    [0.0, -6.103515625e-05]
    """
    return np.where(np.abs(x) < least, np.copysign(x.dtype.type(0), x), x)


def half_toward_zero(x: Array) -> Array:
    """Return float32 values as bits of float16, rounded toward zero."""
    near = x.astype(F16)
    bits = near.view(U16).astype(U32)
    return np.where(np.abs(near.astype(F32)) > np.abs(x), bits - U32(1), bits).astype(U32)


def _whole(x: Array, low: int, high: int) -> Array:
    """Return floats as int64: truncated, saturated to `low` and `high`, 0 for NaN.

    The cast gets only numbers that it can represent: what it does with others differs between CPUs.
    """
    x = np.trunc(np.asarray(x, F64))
    return np.clip(np.where(np.isnan(x), 0.0, x), low, high).astype(I64)


def to_u32(x: Array) -> Array:
    """Return floats as uint32: truncated, saturated, 0 for NaN."""
    return _whole(x, 0, 4294967295).astype(U32)


def to_i32(x: Array) -> Array:
    """Return floats as int32: truncated, saturated, 0 for NaN."""
    return _whole(x, -2147483648, 2147483647).astype(I32)


def to_i16(x: Array) -> Array:
    """Return floats as int16 in int32, saturated."""
    return _whole(x, -32768, 32767).astype(I32)


def to_u16(x: Array) -> Array:
    """Return floats as uint16 in uint32, saturated."""
    return _whole(x, 0, 65535).astype(U32)


def to_u8(x: Array) -> Array:
    """Return floats as uint8 in uint32, saturated."""
    return _whole(x, 0, 255).astype(U32)


TIE32 = I64((1 << 28) - 1)  # bits of a float64 that are 0 if it lies halfway between two numbers of float32


LIMITS = {
    "u16": (0, 0xFFFF, U32), "i16": (-0x8000, 0x7FFF, I32), "u32": (0, 0xFFFFFFFF, U32),
    "i32": (-0x80000000, 0x7FFFFFFF, I32),
}  # fmt: skip


def saturated(x: Array, ty: str) -> Array:
    """Return whole numbers, computed in int64, kept inside of a type.

    >>> saturated(np.array([-1, 5, 2**32]), "u32").tolist()
    [0, 5, 4294967295]
    """
    low, high, kind = LIMITS[ty]
    return np.clip(x, low, high).astype(kind)


def fma32(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c of float32, rounded once.

    The product is exact in float64. The sum is not, so a sum that seems to lie halfway between two numbers of float32
    is rounded to odd first: then the second rounding sees on which side it lies.

    >>> float(fma32(F32(24929), F32(673), F32(2.0**-30)))
    16777218.0
    """
    product, c = a.astype(F64) * b.astype(F64), c.astype(F64)
    total = product + c
    tie = (total.view(I64) & TIE32) == 0
    return (_to_odd(product, c, total) if tie.any() else total).astype(F32)


def _to_odd(a: Array, b: Array, total: Array) -> Array:
    """Return the float64 `total` of a + b, rounded to odd: an inexact sum gets an odd last bit, towards the rest."""
    part = total - a
    rest = (a - (total - part)) + (b - part)
    bits = np.asarray(total).view(I64)
    step = np.where((rest > 0) == (total > 0), I64(1), I64(-1))
    inexact = (rest != 0) & np.isfinite(rest) & ((bits & I64(1)) == 0)
    return np.where(inexact, bits + step, bits).view(F64)


def fma16(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c of numbers of float16; float64 holds every sum that matters to the one rounding."""
    return a.astype(F64) * b.astype(F64) + c.astype(F64)


def mad32(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c of float32, rounded twice; denormal numbers count as 0 whatever the mode says: v_mad, v_mac."""
    a, b, c = (flushed(x, TINY32) for x in (a, b, c))
    return flushed(flushed(a * b, TINY32) + c, TINY32)


def total_bit64(a: Array, b: Array, total: Array) -> Array:
    """Return bit 64 of the exact sum of two 64-bit numbers, of which `total` is the rest: v_mad_u64_u32, v_mad_i64_i32.

    >>> low = np.array([-2**63, 2**63 - 1, 5])
    >>> total_bit64(low, np.array([-1, 1, -6]), low + np.array([-1, 1, -6])).tolist()
    [True, False, True]
    """
    if total.dtype == U64:
        return total < b
    return (total < 0) ^ (((a ^ total) & (b ^ total)) < 0)


def _fma64(a: float, b: float, c: float) -> float:
    plain = a * b + c
    if not np.isfinite((a, b, c)).all():
        return plain
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return plain  # exact as well, with the right sign
    try:
        return float(exact)  # rounded once
    except OverflowError:
        return float("inf") if exact > 0 else float("-inf")


_FMA64 = np.frompyfunc(_fma64, 3, 1)


def fma64(a: Array, b: Array, c: Array) -> Array:
    """Return a * b + c of float64, rounded once. Slow, and the same on every host: `long double` is not."""
    return np.asarray(_FMA64(a, b, c)).astype(F64)


def ldexp32(x: Array, n: Array) -> Array:
    """Return x * 2**n, rounded once."""
    return np.ldexp(x.astype(F64), np.clip(n, -1000, 1000)).astype(F32)


def ldexp64(x: Array, n: Array) -> Array:
    """Return x * 2**n of float64."""
    return np.ldexp(x, np.clip(n, -3000, 3000))


def fract32(x: Array) -> Array:
    """Return x - floor(x), below one."""
    return np.minimum(x - np.floor(x), F32(0.99999994)).astype(F32)


def smaller(a: Array, b: Array) -> Array:
    """Return the smaller number; a NaN only of two. -0 is smaller than 0: NumPy takes either, as the host does.

    >>> smaller(np.array([0.0, -0.0, np.nan], F32), np.array([-0.0, 0.0, 2.0], F32)).tolist()
    [-0.0, -0.0, 2.0]
    """
    return -larger(-a, -b)


def larger(a: Array, b: Array) -> Array:
    """Return the larger number; a NaN only of two. 0 is larger than -0 (see `smaller`)."""
    return np.where((a == 0) & (b == 0), a + b, np.fmax(a, b))


def least(a: Array, b: Array) -> Array:
    """Return the smaller number, or NaN if one is."""
    return -greatest(-a, -b)


def greatest(a: Array, b: Array) -> Array:
    """Return the larger number, or NaN if one is."""
    return np.where((a == 0) & (b == 0), a + b, np.maximum(a, b))


def med3(a: Array, b: Array, c: Array) -> Array:
    """Return the middle one of three; the least of the others if one is NaN."""
    middle = larger(smaller(a, b), smaller(larger(a, b), c))
    return np.where(np.isnan(a) | np.isnan(b) | np.isnan(c), smaller(smaller(a, b), c), middle)


def bit_count(x: Array) -> Array:
    """Return how many bits are set."""
    x = np.asarray(x).astype(U64)
    x = x - ((x >> U64(1)) & U64(0x5555555555555555))
    x = (x & U64(0x3333333333333333)) + ((x >> U64(2)) & U64(0x3333333333333333))
    x = (x + (x >> U64(4))) & U64(0x0F0F0F0F0F0F0F0F)
    return ((x * U64(0x0101010101010101)) >> U64(56)).astype(U32)


def reverse_bits(x: Array) -> Array:
    """Return the 32 bits in reverse order."""
    for shift, mask in ((1, 0x55555555), (2, 0x33333333), (4, 0x0F0F0F0F), (8, 0x00FF00FF)):
        x = ((x >> U32(shift)) & U32(mask)) | ((x & U32(mask)) << U32(shift))
    return (x >> U32(16)) | (x << U32(16))


def leading_zeros(x: Array) -> Array:
    """Return the number of zeros above the highest set bit; all ones if there is none."""
    exponent = np.frexp(np.asarray(x).astype(F64))[1]
    return np.where(x == 0, U32(0xFFFFFFFF), (32 - exponent).astype(U32)).astype(U32)


def leading_signs(x: Array) -> Array:
    """Return the number of copies of the sign bit from the top; all ones if every bit is one."""
    flipped = np.where(x < 0, ~x, x).view(U32)
    return leading_zeros(flipped)


def trailing_zeros(x: Array) -> Array:
    """Return the number of zeros below the lowest set bit; all ones if there is none."""
    low = x & (~x + U32(1))
    return np.where(x == 0, U32(0xFFFFFFFF), (np.frexp(np.asarray(low).astype(F64))[1] - 1).astype(U32)).astype(U32)


def signed_field(x: Array, offset: Array, width: Array) -> Array:
    """Return `width` bits of x from bit `offset`, sign-extended to int32. Bits beyond the top repeat the sign of x."""
    offset, width = np.asarray(offset).astype(I64), np.minimum(np.asarray(width).astype(I64), 32)
    field = (np.asarray(x).view(I32).astype(I64) >> offset) & ((I64(1) << width) - 1)
    sign = (width > 0) & ((field >> np.maximum(width - 1, 0)) & 1).astype(np.bool_)
    return np.where(sign, field - (I64(1) << width), field).astype(I32)


def field64(x: Array, control: Array, signed: bool) -> Array:
    """Return a bit field of 64-bit values; `control` holds the offset and, from bit 16, the width."""
    offset, width = (control & U32(63)).astype(U64), np.minimum((control >> U32(16)) & U32(127), U32(64)).astype(U64)
    mask = np.where(width >= 64, U64(0xFFFFFFFFFFFFFFFF), (U64(1) << (width & U64(63))) - U64(1))
    if not signed:
        return (x >> offset) & mask
    field = (x.view(I64) >> offset.astype(I64)).view(U64) & mask
    top = np.where(width == 0, U64(0), (field >> (np.maximum(width, U64(1)) - U64(1))) & U64(1))
    return np.where(top != 0, field | ~mask, field)


def permute_bytes(a: Array, b: Array, selector: Array) -> Array:
    """Return the four bytes of {a, b} (b is the low half) that the bytes of `selector` name: v_perm_b32."""
    a, b, selector = np.broadcast_arrays(a, b, selector)
    source = np.ascontiguousarray(np.stack([b, a], -1)).view(U8)
    pick = np.ascontiguousarray(selector[..., None]).view(U8)
    found = np.take_along_axis(source, (pick & 7).astype(np.intp), -1)
    found = np.where(pick == 12, 0, np.where(pick > 12, 255, found))
    signs = (pick >= 8) & (pick < 12)
    if signs.any():
        byte = np.take_along_axis(source, np.where(signs, (pick.astype(np.intp) - 8) * 2 + 1, 0), -1)
        found = np.where(signs, (byte >> 7) * 255, found)
    return np.ascontiguousarray(found.astype(U8)).view(U32)[..., 0]


def part_differences(a: Array, b: Array, c: Array, bits: int) -> Array:
    """Return c plus the absolute differences of the bytes or halves: v_sad_u8, v_sad_u16.

    >>> a, b, c = np.array([[0x00030001], [0x00010005], [10]], U32)
    >>> part_differences(a, b, c, 16).tolist()
    [16]
    """
    total = c
    for shift in range(0, 32, bits):
        x, y = ((v >> U32(shift)) & U32((1 << bits) - 1) for v in (a, b))
        total = total + np.where(x > y, x - y, y - x)
    return total


def float_class(x: Array, mask: Array) -> Array:
    """Return whether each float32 belongs to a class that `mask` has a bit for: v_cmp_class_f32."""
    bits = np.asarray(x).view(U32)
    exponent, fraction, negative = (bits >> U32(23)) & U32(255), bits & U32(0x7FFFFF), (bits >> U32(31)) != 0
    nan, inf = (exponent == 255) & (fraction != 0), (exponent == 255) & (fraction == 0)
    zero, tiny = (exponent == 0) & (fraction == 0), (exponent == 0) & (fraction != 0)
    quiet = nan & ((fraction >> U32(22)) != 0)
    normal = ~(nan | inf | zero | tiny)
    kinds = (nan & ~quiet, quiet, inf & negative, normal & negative, tiny & negative, zero & negative,
             zero & ~negative, tiny & ~negative, normal & ~negative, inf & ~negative)  # fmt: skip
    found = np.zeros(np.broadcast_shapes(np.shape(x), np.shape(mask)), np.bool_)
    for bit, kind in enumerate(kinds):
        found |= kind & (((mask >> U32(bit)) & U32(1)) != 0)
    return found


def divide_fixup(quotient: Array, denominator: Array, numerator: Array) -> Array:
    """Return the quotient with sign, infinities, zeros and NaN as a division has them: v_div_fixup."""
    kind = quotient.dtype.type
    sign = np.signbit(numerator) ^ np.signbit(denominator)
    found = np.where(sign, -np.abs(quotient), np.abs(quotient))
    infinite, nothing = np.where(sign, -np.inf, np.inf), np.where(sign, -0.0, 0.0)
    found = np.where((denominator == 0) | np.isinf(numerator), infinite, found)
    found = np.where((numerator == 0) | np.isinf(denominator), nothing, found)
    bad = np.isnan(numerator) | np.isnan(denominator) | ((numerator == 0) & (denominator == 0))
    return np.where(bad | (np.isinf(numerator) & np.isinf(denominator)), np.nan, found).astype(kind)


def pack_mask(mask: Array) -> Array:
    """Return lane masks, bool [waves, lanes], as one uint64 per wave."""
    raw = np.packbits(mask, axis=1, bitorder="little")
    return raw.view(U32)[:, 0].astype(U64) if raw.shape[1] == 4 else raw.view(U64)[:, 0]


def unpack_mask(bits: Array, lanes: int) -> Array:
    """Return one lane mask per wave as bool [waves, lanes]."""
    raw = np.ascontiguousarray(bits.astype(U64)).view(U8).reshape(-1, 8)
    return np.unpackbits(raw, axis=1, bitorder="little").view(np.bool_)[:, :lanes]


def active(mask: Array, execution: Array, waves: int, lanes: int) -> Array:
    """Return `mask` with the lanes cleared that do not execute."""
    mask = np.broadcast_to(mask, (waves, lanes))
    return mask if execution is True else mask & execution
