"""Vector comparisons: a lane mask in scalar registers."""

from __future__ import annotations

from ..emit import Emitter
from ..isa import EXEC
from ..operand import parse_operand
from .registry import opcodes, pattern

RELATIONS = {
    "eq": "{0}=={1}", "ne": "{0}!={1}", "lt": "{0}<{1}", "le": "{0}<={1}", "gt": "{0}>{1}", "ge": "{0}>={1}",
    "lg": "({0}<{1})|({0}>{1})", "nlg": "~(({0}<{1})|({0}>{1}))", "neq": "{0}!={1}",
    "nlt": "~({0}<{1})", "nle": "~({0}<={1})", "ngt": "~({0}>{1})", "nge": "~({0}>={1})",
    "o": "~(np.isnan({0})|np.isnan({1}))", "u": "np.isnan({0})|np.isnan({1})",
    "t": "np.ones((W,L),np.bool_)", "tru": "np.ones((W,L),np.bool_)", "f": "np.zeros((W,L),np.bool_)",
}  # fmt: skip


@pattern(r"v_cmp(x?)_(eq|ne|lt|le|gt|ge|lg|nlg|neq|nlt|nle|ngt|nge|o|u|t|tru|f)_([uif]\d\d)")
def compare(e: Emitter, to_exec: str, relation: str, ty: str) -> None:
    """Compare lane by lane. A cmpx form also sets the execution mask."""
    a, b = (e.read(o, ty) for o in e.ops[-2:])
    _finish(e, bool(to_exec), RELATIONS[relation].format(a, b))


@opcodes("v_cmp_class_f32 v_cmpx_class_f32")
def compare_class(e: Emitter) -> None:
    """Ask whether a number is NaN, infinite, zero and so on."""
    a, mask = e.read(e.ops[-2], "f32"), e.read(e.ops[-1], "u32")
    _finish(e, "cmpx" in e.ins.opcode, f"float_class(np.broadcast_to({a},(W,L)),{mask})")


def _finish(e: Emitter, to_exec: bool, expression: str) -> None:
    destination = e.ops[0] if len(e.ops) > 2 else None
    if not to_exec:
        e.write_mask(destination or parse_operand("vcc"), expression)
        return
    e.line(f"x={expression}")
    if destination is not None and destination.reg != EXEC:
        e.write_mask(destination, "x")
    e.write_mask(parse_operand("exec"), "x")
