"""Which function translates which opcode."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from ..emit import NARROW, Emitter
from ..numeric import LIMITS
from ..operand import Operand

Handler = Callable[..., None]
OPCODES: dict[str, Handler] = {}
PATTERNS: list[tuple[re.Pattern[str], Handler]] = []


def opcodes(names: str) -> Callable[[Handler], Handler]:
    """Register a function of the emitter for opcodes, separated by blanks."""

    def register(handler: Handler) -> Handler:
        for name in names.split():
            OPCODES[name] = handler
        return handler

    return register


def pattern(text: str) -> Callable[[Handler], Handler]:
    """Register a function of the emitter and the groups of a regular expression over opcodes."""

    def register(handler: Handler) -> Handler:
        PATTERNS.append((re.compile(text), handler))
        return handler

    return register


def table(entries: dict[str, tuple[str, str]]) -> None:
    """Register arithmetic: opcodes -> (types of the destination and the sources, expression of {0}, {1}, {2})."""
    for names, (types, expression) in entries.items():
        for name in names.split():
            OPCODES[name] = _arithmetic(types.split(), expression)


def _arithmetic(types: list[str], expression: str) -> Handler:
    def handle(e: Emitter) -> None:
        destination, *sources = select_halves(e, types)
        if len(sources) != len(types) - 1:
            e.fail(f"{len(sources)} sources, not {len(types) - 1}")
        values = [e.read(o, t) for o, t in zip(sources, types[1:], strict=True)]
        made = expression
        if types[0] in LIMITS and e.has("clamp"):
            values, made = wide_values(e, values), f"saturated({expression},{types[0]!r})"
        e.write(destination, types[0], made.format(*values))

    return handle


# Integer results that clamp keeps inside of their type: sums, differences, and sums of products.
SATURATING = re.compile(r"v_(pk_)?(add|sub|subrev|mad)_(nc_)?([ui]16|[ui]32)(_u24|_[ui]16)?|v_dot4_(i32_i8|u32_u8)")


def wide_values(e: Emitter, values: list[str]) -> list[str]:
    """Return operands as int64, so that the sum is exact before it is clamped."""
    if not SATURATING.fullmatch(e.ins.opcode):
        e.fail("modifier clamp")
    return [
        value if e.ins.opcode.startswith("v_dot") and at < 2 else f"np.asarray({value}).astype(np.int64)"
        for at, value in enumerate(values)
    ]


def select_halves(e: Emitter, types: list[str]) -> list[Operand]:
    """Return the operands with op_sel applied: which half of a register a 16-bit source or result is."""
    operands = list(e.ops)
    if "op_sel" not in e.ins.modifiers:
        return operands
    chosen = e.bits("op_sel", len(types), 0)
    order = [*range(1, len(types)), 0]  # the destination comes last
    for bit, at in zip(chosen, order, strict=False):
        if bit and types[at] not in NARROW:
            e.fail("op_sel of a 32-bit operand")
        if bit and at < len(operands) and operands[at].kind not in ("v", "s"):
            e.fail(f"op_sel of {operands[at].text}")
        if at < len(operands) and types[at] in NARROW and operands[at].kind in ("v", "s"):
            operands[at] = replace(operands[at], half="h" if bit else "l")
    return operands


def handler_of(opcode: str) -> tuple[Handler, tuple[str | None, ...]] | None:
    """Return the function for an opcode, and the groups of its pattern; None if there is none."""
    if opcode in OPCODES:
        return OPCODES[opcode], ()
    for compiled, handler in PATTERNS:
        match = compiled.fullmatch(opcode)
        if match:
            return handler, match.groups()
    return None
