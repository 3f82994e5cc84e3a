"""What every instruction does, by kind. `translate` turns one into lines of NumPy source."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import lds, numeric, small_floats
from ..emit import Emitter
from ..instruction import Instruction
from ..numeric import U32, U64
from . import (
    buffers,
    compare,
    control,
    convert,
    device_memory,
    encodings,
    lanes,
    local_memory,
    matrix,
    scalar,
    vector_float,
    vector_integer,
)
from .registry import OPCODES, PATTERNS, handler_of

__all__ = ["OPCODES", "PATTERNS", "names_for_generated_code", "translate"]
KINDS = (compare, control, convert, device_memory, scalar, vector_float, vector_integer)


def put64(v: Any, register: int, value: Any, where: Any, waves: int, lane_count: int) -> None:
    """Write 64-bit values to two registers."""
    value = np.broadcast_to(value, (waves, lane_count))
    value = value.view(U64) if value.dtype != U64 else value
    np.copyto(v[register], value.astype(U32), where=where)
    np.copyto(v[register + 1], (value >> U64(32)).astype(U32), where=where)


def dot_bytes(a: Any, b: Any, signed_a: bool, signed_b: bool) -> Any:
    """Return the sum of the products of four bytes as int32."""
    total: Any = np.int32(0)
    for shift in (0, 8, 16, 24):
        x, y = (((v >> U32(shift)) & U32(255)).astype(np.int32) for v in (a, b))
        x, y = (np.where(v > 127, v - 256, v) if s else v for v, s in ((x, signed_a), (y, signed_b)))
        total = total + (x * y).astype(np.int32)
    return total


def names_for_generated_code() -> dict[str, Any]:
    """Return the globals of generated functions."""
    names: dict[str, Any] = {"np": np, "cp": np.copyto, "put64": put64, "dot_bytes": dot_bytes}
    for module in (numeric, small_floats, lds, lanes, encodings, matrix, local_memory, buffers):
        names.update({n: x for n, x in vars(module).items() if not n.startswith("_")})
    names.update(k31=U32(31), k16=U32(16), m16=U32(0xFFFF), m24=U32(0xFFFFFF))
    return names


def translate(e: Emitter, instruction: Instruction) -> list[str]:
    """Return the source of one instruction; the emitter then knows what it reads and writes."""
    e.begin(instruction)
    if instruction.second is not None:
        _both(e, instruction, instruction.second)
    else:
        _one(e)
    return e.lines


def _one(e: Emitter) -> None:
    found = handler_of(e.ins.opcode)
    if found is None:
        e.fail("unknown opcode")
    handler, groups = found
    if e.ins.encoding == "sdwa":
        encodings.prepare_sdwa(e)
    elif e.ins.encoding in ("dpp", "e64_dpp"):
        encodings.prepare_dpp(e)
    try:
        handler(e, *groups)
    except (ValueError, IndexError, TypeError, AssertionError):  # fewer, more or other operands than it takes
        e.fail("operands that do not fit the opcode")
    e.finish()


def _both(e: Emitter, first: Instruction, second: Instruction) -> None:
    """Two instructions in one: all sources are read before anything is written."""
    lines: list[str] = []
    after: list[str] = []
    reads: set[int] = set()
    writes: set[int] = set()
    for i in (first, second):
        name = i.opcode.replace("v_dual_", "v_")
        e.begin(Instruction(name, "", i.operands, i.modifiers, first.text, i.line, first.index, first.source))
        e.deferred = after
        _one(e)
        lines += e.lines
        reads |= e.reads
        writes |= e.writes
    e.begin(first)
    e.lines, e.reads, e.writes = [*lines, *after], reads, writes
