"""Operands of instructions: registers, constants and their modifiers."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from .isa import ACCUMULATORS, EXEC, M0, TTMP, VCC

INLINE_FLOATS = {
    text: float(text)
    for text in ("0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494", "0.15915494309189532")
}
NAMED = {
    "vcc": (VCC, 2),
    "vcc_lo": (VCC, 1),
    "vcc_hi": (VCC + 1, 1),
    "exec": (EXEC, 2),
    "exec_lo": (EXEC, 1),
    "exec_hi": (EXEC + 1, 1),
    "m0": (M0, 1),
    "flat_scratch": (102, 2),
    "flat_scratch_lo": (102, 1),
    "flat_scratch_hi": (103, 1),
    "xnack_mask": (104, 2),
}
REGISTER = re.compile(r"(v|s|a|ttmp)(\d+)(?:\.([lh]))?")
RANGE = re.compile(r"(v|s|a|ttmp)\[(\d+):(\d+)\]")
INTEGER = re.compile(r"-?(\d+|0x[0-9a-fA-F]+)")


@dataclass(frozen=True)
class Operand:
    """One operand. `kind`: v (vector register), s (scalar), c (constant), scc, null, off, or text.

    `half` is l or h for one half of a register, `select` a byte or word (SDWA), and `local` names a variable that
    holds the value already (the shuffled source of DPP).
    """

    text: str
    kind: str
    reg: int = 0
    count: int = 1
    value: int | float = 0
    neg: bool = False
    abs: bool = False
    sext: bool = False
    half: str = ""
    select: str = ""
    local: str = ""

    @property
    def bits16(self) -> int:
        """The 16 bits of a constant."""
        if isinstance(self.value, float):
            return int(struct.unpack("<H", struct.pack("<e", self.value))[0])
        return self.value & 0xFFFF

    @property
    def bits32(self) -> int:
        """The 32 bits of a constant."""
        if isinstance(self.value, float):
            return int(struct.unpack("<I", struct.pack("<f", self.value))[0])
        return self.value & 0xFFFFFFFF

    @property
    def bits64(self) -> int:
        """The 64 bits of a constant; a negative integer is sign-extended."""
        if isinstance(self.value, float):
            return int(struct.unpack("<Q", struct.pack("<d", self.value))[0])
        return self.value & 0xFFFFFFFFFFFFFFFF


def parse_operand(text: str, symbols: Mapping[str, int] | None = None) -> Operand:
    """Return the operand that `text` spells.

    >>> parse_operand("-|v3|").neg, parse_operand("s[4:7]").count, parse_operand("0x10").value
    (True, 4, 16)
    """
    if symbols and (known := _symbol(text, symbols)) is not None:
        return Operand(text, "c", value=known)
    return _parse(text)


def _symbol(text: str, symbols: Mapping[str, int]) -> int | None:
    name, _, part = text.partition("@")
    if name not in symbols:
        return None
    return (symbols[name] >> (32 if "@hi" in part else 0)) & 0xFFFFFFFF


@lru_cache(maxsize=8192)
def _parse(text: str) -> Operand:
    inner, neg, absolute, sext = text, False, False, False
    if match := re.fullmatch(r"sext\((.*)\)", inner):
        sext, inner = True, match[1]
    if (match := re.fullmatch(r"neg\((.*)\)", inner)) or (match := re.fullmatch(r"-(?![\d.])(.*)", inner)):
        neg, inner = True, match[1]
    if (match := re.fullmatch(r"\|(.*)\|", inner)) or (match := re.fullmatch(r"abs\((.*)\)", inner)):
        absolute, inner = True, match[1]
    kind, reg, count, value, half = _plain(inner)
    return Operand(text, kind, reg, count, value, neg, absolute, sext, half)


def _plain(text: str) -> tuple[str, int, int, int | float, str]:
    """Return (kind, first register, registers, value, half) of an operand without modifiers."""
    if match := REGISTER.fullmatch(text):
        kind, reg = _file(match[1], int(match[2]))
        return kind, reg, 1, 0, match[3] or ""
    if match := RANGE.fullmatch(text):
        kind, reg = _file(match[1], int(match[2]))
        return kind, reg, int(match[3]) - int(match[2]) + 1, 0, ""
    if text in NAMED:
        return "s", *NAMED[text], 0, ""
    if INTEGER.fullmatch(text):
        return "c", 0, 1, int(text, 0), ""
    if text in INLINE_FLOATS:
        return "c", 0, 1, INLINE_FLOATS[text], ""
    if text in ("scc", "src_scc"):
        return "scc", 0, 1, 0, ""
    if text in ("off", "null"):
        return text, 0, 1, 0, ""
    return "text", 0, 1, 0, ""


def _file(letter: str, number: int) -> tuple[str, int]:
    if letter == "a":
        return "v", number + ACCUMULATORS
    return ("s", number + TTMP) if letter == "ttmp" else (letter, number)
