"""Which counters a wait instruction names, and how many accesses may still be under way."""

from __future__ import annotations

import re

from ..errors import UnsupportedInstructionError
from .instruction import Instruction
from .isa import Isa

NAMED = re.compile(r"(vmcnt|lgkmcnt|expcnt|vscnt)(?:_sat)?\((\d+)\)")
COUNTERS = {"vmcnt": "vm", "lgkmcnt": "lgkm", "vscnt": "vs"}
RDNA4 = {
    "s_wait_loadcnt": ("load",),
    "s_wait_storecnt": ("store",),
    "s_wait_dscnt": ("ds",),
    "s_wait_kmcnt": ("km",),
    "s_wait_loadcnt_dscnt": ("load", "ds"),
    "s_wait_storecnt_dscnt": ("store", "ds"),
}


def waits_of(i: Instruction, isa: Isa) -> dict[str, int]:
    """Return how many accesses of each counter a wait leaves under way; empty for other instructions.

    >>> from .instruction import parse_instruction
    >>> from .isa import isa_of
    >>> waits_of(parse_instruction("s_waitcnt vmcnt(3) lgkmcnt(0)"), isa_of("gfx942"))
    {'vm': 3, 'lgkm': 0}
    """
    text = i.operands[0] if i.operands else ""
    if i.opcode == "s_waitcnt":
        if re.fullmatch(r"\d+|0x[0-9a-fA-F]+", text):
            return _decoded(int(text, 0), isa)
        return {COUNTERS[name]: int(n) for name, n in NAMED.findall(text) if name in COUNTERS}
    if i.opcode in RDNA4:
        names, value = RDNA4[i.opcode], _number(i, text)
        return {names[0]: value} if len(names) == 1 else {names[0]: value >> 8 & 63, names[1]: value & 63}
    if i.opcode == "s_waitcnt_vscnt":
        return {"vs": _number(i, text.split(",")[-1].strip())}
    return {}


def _number(i: Instruction, text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise UnsupportedInstructionError(
            f"line {i.line}: {i.text!r} waits for no number", line=i.line, remedy="use a constant"
        ) from None


def _decoded(value: int, isa: Isa) -> dict[str, int]:
    """Return the counters of a bare number."""
    if isa.family == "cdna":
        return {"vm": value & 15 | value >> 10 & 48, "lgkm": value >> 8 & 15}
    return {"vm": value >> 10 & 63, "lgkm": value >> 4 & 63}
