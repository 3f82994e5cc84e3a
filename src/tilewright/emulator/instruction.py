"""One line of assembly: opcode, operands, modifiers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

ENCODING = re.compile(r"_(e64_dpp|e32|e64|dpp|sdwa)$")
# Modifiers with a value, and those without. What is in neither list and is no operand is an error later on.
VALUED = re.compile(
    r"(offset|offset0|offset1|op_sel|op_sel_hi|neg_lo|neg_hi|quad_perm|row_shl|row_shr|row_ror|row_newbcast|row_share|"
    r"row_xmask|row_bcast|wave_shl|wave_shr|wave_rol|wave_ror|row_mask|bank_mask|bound_ctrl|dst_sel|dst_unused|src0_sel|"
    r"src1_sel|cbsz|abid|blgp|mul|div|format|th|scope|dpp8|fi|index_key|byte_sel|bitop3|matrix_\w+):(.*)"
)
FLAGS = frozenset(
    ("offen", "idxen", "addr64", "lds", "glc", "slc", "dlc", "sc0", "sc1", "nt", "clamp", "gds", "tfe", "row_mirror",
     "row_half_mirror")
)  # fmt: skip
# Their operands are text with blanks and parentheses, read by their own handlers.
VERBATIM = ("s_wait", "s_delay_alu", "s_sendmsg", "s_getreg", "s_setreg")


@dataclass(frozen=True)
class Instruction:
    """An instruction: opcode without its encoding, the encoding, operand texts, modifiers, and where it stands."""

    opcode: str
    encoding: str
    operands: tuple[str, ...]
    modifiers: dict[str, str]
    text: str
    line: int
    index: int = 0
    source: str = ""
    second: Instruction | None = field(default=None)

    @property
    def ends_block(self) -> bool:
        """Whether the program counter may go somewhere else after it."""
        return self.opcode in ("s_endpgm", "s_barrier", "s_barrier_wait", "s_setpc_b64", "s_swappc_b64", "s_trap") or (
            self.opcode.startswith(("s_branch", "s_cbranch"))
        )


def split_outside(text: str, blanks: bool) -> list[str]:
    """Split at commas, or at blanks, that no bracket encloses.

    >>> split_outside("v[0:1], op_sel:[0,1]", blanks=False)
    ['v[0:1]', 'op_sel:[0,1]']
    """
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        if letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
        elif depth == 0 and (letter in " \t" if blanks else letter == ","):
            parts.append(text[start:at].strip())
            start = at + 1
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def parse_instruction(text: str, line: int = 0, index: int = 0, source: str = "") -> Instruction:
    """Return the instruction of one line without its comment.

    >>> i = parse_instruction("v_add_f32_e64 v0, v1, -v2 clamp")
    >>> i.opcode, i.encoding, i.operands, i.modifiers
    ('v_add_f32', 'e64', ('v0', 'v1', '-v2'), {'clamp': ''})
    """
    if "::" in text:
        first, second = (parse_instruction(part.strip(), line, index, source) for part in text.split("::"))
        return Instruction(
            first.opcode, "vopd", first.operands, first.modifiers, text.strip(), line, index, source, second
        )
    name, _, rest = text.strip().partition(" ")
    match = ENCODING.search(name)
    opcode, encoding = (name[: match.start()], match[1]) if match else (name, "")
    if opcode.startswith(VERBATIM):
        return Instruction(opcode, encoding, (rest.strip(),), {}, text.strip(), line, index, source)
    operands: list[str] = []
    modifiers: dict[str, str] = {}
    for part in split_outside(rest, blanks=False):
        for word in split_outside(part, blanks=True):
            if valued := VALUED.fullmatch(word):
                modifiers[valued[1]] = valued[2]
            elif word in FLAGS:
                modifiers[word] = ""
            else:
                operands.append(word)
    return Instruction(opcode, encoding, tuple(operands), modifiers, text.strip(), line, index, source)
