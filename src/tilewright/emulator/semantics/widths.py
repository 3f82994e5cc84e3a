"""How much a memory instruction moves, from the end of its opcode."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..emit import Emitter
from ..operand import Operand

SMALL = {
    "ubyte": (1, False), "byte": (1, False), "u8": (1, False), "b8": (1, False), "sbyte": (1, True), "i8": (1, True),
    "ushort": (2, False), "short": (2, False), "u16": (2, False), "b16": (2, False), "sshort": (2, True),
    "i16": (2, True),
}  # fmt: skip
WORDS = {"dword": 1, "b32": 1, "b64": 2, "b96": 3, "b128": 4, "b256": 8, "b512": 16}


@dataclass(frozen=True)
class Width:
    """`words` registers, or `size` < 4 bytes that are sign-extended or go into one half (l, h) of a register."""

    words: int
    size: int = 4
    signed: bool = False
    half: str = ""


def width_of(text: str) -> Width | None:
    """Return the width that the end of an opcode names; None if unknown.

    >>> width_of("dwordx4").words, width_of("short_d16_hi").half, width_of("d16_b16").size
    (4, 'h', 2)
    """
    if match := re.fullmatch(r"dwordx(\d+)", text):
        return Width(int(match[1]))
    if text in WORDS:
        return Width(WORDS[text])
    half = "h" if re.search(r"d16_hi", text) else "l" if "d16" in text else ""
    small = SMALL.get(re.sub(r"_?d16(_hi)?_?", "", text))
    return Width(1, small[0], small[1], half) if small else None


def known_width(e: Emitter, text: str) -> Width:
    """Return the width that the end of an opcode names; an unknown one is an error at the instruction."""
    width = width_of(text)
    if width is None:
        e.fail("width")
    return width


def load_by_width(e: Emitter, width: Width, words: str, small: str) -> None:
    """Load into the first operand: by the expression `words` whole registers, by `small` bytes or halves."""
    loaded(e, e.ops[0], width, words if width.size == 4 else small)


def loaded(e: Emitter, destination: Operand, width: Width, expression: str) -> None:
    """Write what was loaded: `expression` is an array, or a list of arrays for words."""
    if width.size == 4:
        e.line(f"r={expression}")
        if destination.count != width.words:
            e.fail(f"{destination.count} registers for {width.words} words")
        for j in range(width.words):
            e.write(replace(destination, reg=destination.reg + j, count=1), "u32", f"r[{j}]")
        return
    if width.signed:
        bits = 8 * width.size
        expression = f"{expression}.astype(np.uint{bits}).view(np.int{bits}).astype(I32).view(U32)"
    half = destination.half or width.half
    e.write(replace(destination, half=half), "u16" if half else "u32", expression)


def stored(e: Emitter, source: Operand, width: Width) -> str:
    """Return the list of arrays that a store writes."""
    if width.size == 4:
        if source.count != width.words:
            e.fail(f"{source.count} registers for {width.words} words")
        return "[" + ",".join(e.read(source, "u32", at=j) for j in range(width.words)) + "]"
    value = e.read(replace(source, half=source.half or width.half), "u32")
    return f"[{value}&U32({(1 << 8 * width.size) - 1})]"
