"""Floats of 8, 6 and 4 bits, and the scales of blocks of them."""

from __future__ import annotations

import numpy as np

from .numeric import F32, F64, I32, U8, U32, Array


def _table8(exponent_bits: int, mantissa_bits: int, bias: int, fnuz: bool) -> Array:
    """Return the values of the 256 codes of an 8-bit float."""
    found = np.zeros(256, F32)
    for code in range(256):
        exponent = (code >> mantissa_bits) & ((1 << exponent_bits) - 1)
        mantissa = code & ((1 << mantissa_bits) - 1)
        if (fnuz and code == 0x80) or (not fnuz and exponent_bits == 4 and code & 0x7F == 0x7F):
            value = np.nan
        elif not fnuz and exponent_bits == 5 and exponent == 31:
            value = np.nan if mantissa else np.inf
        elif exponent == 0:
            value = mantissa * 2.0 ** (1 - bias - mantissa_bits)
        else:
            value = (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)
        found[code] = -value if code >> 7 else value
    return found


FLOAT8 = {
    ("fp8", True): _table8(4, 3, 8, True),
    ("bf8", True): _table8(5, 2, 16, True),
    ("fp8", False): _table8(4, 3, 7, False),
    ("bf8", False): _table8(5, 2, 15, False),
}


def float8(codes: Array, kind: str, fnuz: bool) -> Array:
    """Return the float32 values of 8-bit codes."""
    return FLOAT8[kind, fnuz][np.asarray(codes) & 255]


def encode8(x: Array, kind: str, fnuz: bool, saturate: Array) -> Array:
    """Return float32 values as codes of an 8-bit float, rounded to nearest even.

    Values that round beyond the largest one, and infinities, saturate. If the mode says otherwise, they become NaN
    (infinity for OCP bf8). OCP formats keep the sign of a NaN; the others have only one.
    """
    table = FLOAT8[kind, fnuz]
    finite = np.array([code for code in range(128) if np.isfinite(table[code])], U8)
    values = table[finite].astype(F64)
    x = np.asarray(x)
    size = np.abs(x.astype(F64))
    tie = values[-1] + (values[-1] - values[-2]) / 2
    beyond = size >= tie if finite[-1] % 2 else size > tie  # a tie goes to the even code: 464 is 448 in OCP fp8
    size = np.minimum(np.where(np.isnan(size), 0.0, size), values[-1])
    at = np.clip(np.searchsorted(values, size), 1, len(values) - 1)
    below, above = size - values[at - 1], values[at] - size
    down = (below < above) | ((below == above) & (finite[at - 1] % 2 == 0))
    codes = finite[np.where(down, at - 1, at)].astype(U32)
    sign = np.signbit(x).astype(U32) << U32(7)
    nan = U32(0x80) if fnuz else U32(0x7F) | sign
    codes = np.where((codes == 0) & fnuz, U32(0), codes | sign)
    codes = np.where(beyond & ~saturate, U32(0x7C) | sign if kind == "bf8" and not fnuz else nan, codes)
    return np.where(np.isnan(x), nan, codes).astype(U32)


def encode8_by_chance(x: Array, chance: Array, kind: str, fnuz: bool, saturate: Array) -> Array:
    """Return float32 values as codes of an 8-bit float; the upper bits of `chance` decide which neighbour is taken.

    The bits below the result's are added to as many bits of `chance` from above; a carry rounds away from 0.
    """
    dropped = 20 if kind == "fp8" else 21
    table = FLOAT8[kind, fnuz]
    values = np.array([table[code] for code in range(128) if np.isfinite(table[code])], F64)
    size = np.abs(np.asarray(x).astype(F64))
    inside = np.isfinite(size) & (size < values[-1])
    at = np.clip(np.searchsorted(values, np.where(inside, size, 0.0), side="right") - 1, 0, len(values) - 2)
    part = (size - values[at]) / (values[at + 1] - values[at])
    carry = part + (np.asarray(chance) >> U32(32 - dropped)).astype(F64) / (1 << dropped) >= 1
    chosen = np.copysign(values[at + carry], np.asarray(x).astype(F64))
    return encode8(np.where(inside, chosen, x).astype(F32), kind, fnuz, saturate)


def _small(exponent_bits: int, mantissa_bits: int, bias: int) -> Array:
    """Return the values of the codes of a float without infinities and NaNs."""
    codes = np.arange(1 << (1 + exponent_bits + mantissa_bits))
    exponent, mantissa = (codes >> mantissa_bits) & ((1 << exponent_bits) - 1), codes & ((1 << mantissa_bits) - 1)
    size = np.where(exponent == 0, mantissa * 2.0 ** (1 - bias - mantissa_bits),
                    (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias))  # fmt: skip
    return np.where(codes >> (exponent_bits + mantissa_bits), -size, size).astype(F32)


SMALL = {"fp6": _small(2, 3, 1), "bf6": _small(3, 2, 3), "fp4": _small(2, 1, 1)}  # of the OCP formats for MX
SMALL_BITS = {"fp6": 6, "bf6": 6, "fp4": 4}


def small_floats(words: Array, kind: str) -> Array:
    """Return the numbers in the bits of the last axis of uint32 words, lowest bits first."""
    width = SMALL_BITS[kind]
    bits = np.unpackbits(np.ascontiguousarray(words).view(U8), axis=-1, bitorder="little")
    return SMALL[kind][bits.reshape(*words.shape[:-1], -1, width) @ (1 << np.arange(width))]


def scale_of(codes: Array) -> Array:
    """Return the powers of two that 8-bit scales (E8M0) stand for; 255 is NaN."""
    codes = np.asarray(codes).astype(I32) & 255
    return np.where(codes == 255, np.nan, 2.0 ** (codes - 127).astype(F64))
