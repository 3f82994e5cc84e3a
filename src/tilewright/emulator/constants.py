"""Constants of an assembly text: objects in read-only sections, which kernels reach by addresses relative to their own.

They lie behind each other in one piece of memory. `s_getpc_b64` gives its address, and a symbol (`name@rel32@lo+4`) is
its offset in it, so that the sum of both is right.
"""

from __future__ import annotations

import ast
import re

from ..errors import AssemblyError

SECTION = re.compile(r"\.section\s+\"?([\w.$]+)")
READ_ONLY = (".rodata", ".data.rel.ro")
WIDTHS = {".byte": 1, ".short": 2, ".value": 2, ".2byte": 2, ".long": 4, ".4byte": 4, ".quad": 8, ".8byte": 8}
ALIGNMENT = 16


class Constants:
    """Collects the objects of a text, line by line."""

    def __init__(self) -> None:
        self.data, self.offsets = bytearray(), dict[str, int]()
        self._label, self._here = "", False

    def label(self, name: str) -> None:
        """Remember a label outside of kernels; it names an object if data follow."""
        self._label = name

    def directive(self, line: str) -> None:
        """Read a directive: a section, or data of the object whose label came last."""
        word, _, rest = line.replace("\t", " ").partition(" ")
        if match := SECTION.match(line):
            self._here = match[1].startswith(READ_ONLY)
        elif word in (".text", ".data", ".bss"):
            self._here = False
        elif self._here and (found := _bytes(word, rest.strip())) is not None:
            if self._label:
                self.data += bytes(-len(self.data) % ALIGNMENT)
                self.offsets[self._label], self._label = len(self.data), ""
            self.data += found


def _bytes(word: str, rest: str) -> bytes | None:
    """Return the bytes of a data directive; None for any other directive, or for an address."""
    if word in WIDTHS:
        try:
            number = int(rest.split("#")[0], 0)
        except ValueError:
            return None
        return (number % (1 << 8 * WIDTHS[word])).to_bytes(WIDTHS[word], "little")
    if word in (".zero", ".skip"):
        return bytes(int(rest.split(",")[0], 0))
    if word in (".ascii", ".asciz", ".string"):
        try:
            text = ast.literal_eval(f"b{rest}")
        except (SyntaxError, ValueError):
            raise AssemblyError(f"{word} {rest[:60]} is no text") from None
        return bytes(text) + (b"" if word == ".ascii" else b"\0")
    return None
