"""Writes NumPy source for one instruction after the other.

Handlers (`semantics/`) ask an Emitter for expressions of their operands and hand it what to write back. The emitter
records which registers were read and written, so the sanitizer learns that from the translation itself.

Names in generated code: `v`, `vi`, `vf` are vector registers as uint32, int32, float32 [waves, lanes]; `s`, `si`, `sf`
are scalars [waves], and `sb`, `sbi`, `sbf` the same with a lane axis; `s64`, `sb64` are pairs of scalars. `E` is the
execution mask, `W` and `L` are waves and lanes, `st` is the group of waves, `M` the machine.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from ..errors import AssemblyError, UnsupportedInstructionError
from .assembly import Kernel
from .instruction import VERBATIM, Instruction
from .isa import ACCUMULATORS, EXEC, SCC, VECTOR
from .numeric import F16, F32, F64, I32, I64, U32, U64
from .operand import Operand, parse_operand

# Hints to caches: they change no value.
HINTS = frozenset(("glc", "slc", "dlc", "sc0", "sc1", "nt", "th", "scope"))
FILES = {"u32": ("v", "sb", "s"), "i32": ("vi", "sbi", "si"), "f32": ("vf", "sbf", "sf")}
DTYPES: dict[str, Any] = {"u32": U32, "i32": I32, "f32": F32, "u64": U64, "i64": I64, "f64": F64, "f16": F16}
SELECTS = {
    "WORD_0": (0, 16), "WORD_1": (16, 16), "BYTE_0": (0, 8), "BYTE_1": (8, 8), "BYTE_2": (16, 8), "BYTE_3": (24, 8),
}  # fmt: skip
NARROW = ("u16", "i16", "f16", "bf16")

KEEPING = ("v_fma_f16", "v_mad_u16", "v_div_fixup_f16")  # they keep the other half on CDNA, too; its others write 0

# The operand of which the low half of a 64-bit result needs the low half only.
LOW_HALVES = {
    "s_lshl_b64": 1, "v_lshlrev_b64": 2,
    **{f"v_mad_{kind}": 4 for kind in ("u64_u32", "co_u64_u32", "i64_i32", "co_i64_i32")},
}  # fmt: skip


@dataclass(frozen=True)
class Access:
    """What one instruction does to registers and counters, for the sanitizer."""

    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    addresses: frozenset[int] = frozenset()
    stored: frozenset[int] = frozenset()
    counter: str = ""  # a memory access: the counter that says when it is over
    kind: str = ""  # load, store, lds, lds-store, scalar, dma
    to_global: bool = False
    whole_wave: bool = False  # ignores the execution mask
    lane: int = -1  # the only lane of a vector register that is read or written; -1: all that execute
    selects: bool = False  # the result is one of its operands
    branches: bool = False
    publishes: bool = False  # an atomic access to global memory: others learn there what was stored before
    paired: frozenset[int] = frozenset()  # registers whose lower and upper 16 lanes must be equal


class Emitter:
    """Translates the instructions of one kernel."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel, self.isa, self.lanes = kernel, kernel.isa, kernel.wave_size
        self.constants: dict[str, Any] = {}
        self._names: dict[Any, str] = {}
        self._vectors, self._accumulators = kernel.vector_registers, kernel.accumulation_registers
        self.begin(kernel.instructions[0])

    def begin(self, instruction: Instruction) -> None:
        """Start an instruction."""
        self.ins = instruction
        self.ops: tuple[Operand, ...] = tuple(parse_operand(o, self.kernel.offsets) for o in instruction.operands)
        self.lines: list[str] = []
        self.reads: set[int] = set()
        self.writes: set[int] = set()
        self.notes: dict[str, Any] = {}
        self.used: set[str] = set()
        self.mask, self.lanewise = "E", not instruction.opcode.startswith("s_")
        self.place = ("", "")  # SDWA: where in the destination the result goes, and what becomes of the rest
        self.deferred: list[str] | None = None

    def access(self) -> Access:
        """Return what the instruction does to registers."""
        return Access(frozenset(self.reads - self._unused_half()), frozenset(self.writes), **self.notes)

    def _unused_half(self) -> set[int]:
        """Return the register that the low half of a 64-bit result does not depend on.

        Compilers use such instructions for 32-bit results, and leave anything in the high half of the operand.
        """
        at = LOW_HALVES.get(self.ins.opcode)
        if at is None or at >= len(self.ops) or self.ops[at].count != 2:
            return set()
        others = {r for i, o in enumerate(self.ops[1:], 1) if i != at for r in self._registers(o, 0)}
        return set(self._registers(self.ops[at], 0)[1:]) - others

    def fail(self, what: str) -> NoReturn:
        """Raise an error that names the instruction and its line."""
        raise UnsupportedInstructionError(
            f"kernel {self.kernel.name}, line {self.ins.line}: no semantics for {self.ins.text!r} on {self.isa.name}"
            f" ({what})",
            kernel=self.kernel.name, line=self.ins.line,
            remedy="report the instruction, or compile another variant of the kernel",
        )  # fmt: skip

    # ---- modifiers

    def has(self, name: str) -> bool:
        """Return whether a modifier is there, and count it as understood."""
        self.used.add(name)
        return name in self.ins.modifiers

    def integer(self, name: str, default: int = 0) -> int:
        """Return a modifier's number."""
        self.used.add(name)
        text = self.ins.modifiers.get(name)
        if text is None:
            return default
        try:
            return int(text, 0)
        except ValueError:
            self.fail(f"{name}:{text} is no number")

    def bits(self, name: str, count: int, default: int) -> list[int]:
        """Return a modifier such as op_sel:[0,1] as a list of `count` numbers."""
        self.used.add(name)
        text = self.ins.modifiers.get(name)
        given = [int(x, 0) for x in text.strip("[]").split(",")] if text else []
        return [*given, *[default] * (count - len(given))]

    def finish(self) -> None:
        """Refuse modifiers that the handler did not understand, also those that were taken for operands."""
        for o in self.ops:
            if o.kind == "text" and not self.ins.ends_block and not self.ins.opcode.startswith(VERBATIM):
                self.fail(f"operand {o.text}")
        unknown = set(self.ins.modifiers) - self.used - HINTS
        if unknown:
            self.fail(f"modifier {', '.join(sorted(unknown))}")

    # ---- expressions

    def line(self, text: str) -> None:
        """Append a line of source."""
        self.lines.append(text)

    def constant(self, value: Any, dtype: Any) -> str:
        """Return the name of a NumPy scalar."""
        with np.errstate(all="ignore"):
            made = dtype(value)
        return self.named(made, (np.asarray(made).tobytes(), np.dtype(dtype).name))

    def named(self, value: Any, key: Any) -> str:
        """Return the name of any value that generated code uses."""
        if key not in self._names:
            self._names[key] = f"K{len(self._names)}"
            self.constants[self._names[key]] = value
        return self._names[key]

    def array(self, values: Any) -> str:
        """Return the name of an array."""
        made = np.asarray(values)
        return self.named(made, (made.tobytes(), made.dtype.name, made.shape))

    def vector(self, register: int, count: int = 1) -> int:
        """Check that vector registers exist, and return the first one."""
        limit, first = (
            (self._accumulators, register - ACCUMULATORS) if register >= ACCUMULATORS else (self._vectors, register)
        )
        if first + count > limit:
            letter = "a" if register >= ACCUMULATORS else "v"
            raise AssemblyError(
                f"kernel {self.kernel.name}, line {self.ins.line}: {self.ins.text!r} names {letter}{first + count - 1};"
                f" the descriptor allocates {limit} registers",
                kernel=self.kernel.name, line=self.ins.line, remedy="raise .amdhsa_next_free_vgpr",
            )  # fmt: skip
        return register

    def reading(self, o: Operand, count: int = 0) -> None:
        """Record that an operand's registers are read."""
        self.reads.update(self._registers(o, count))

    def writing(self, o: Operand, count: int = 0) -> None:
        """Record that an operand's registers are written."""
        self.writes.update(self._registers(o, count))

    def _registers(self, o: Operand, count: int) -> range:
        """Return the registers of an operand, as sets of registers number them; `count` of them if it is given."""
        size = count or o.count
        if o.kind == "v":
            self.vector(o.reg, size)
            return range(VECTOR + o.reg, VECTOR + o.reg + size)
        return range(o.reg, o.reg + size) if o.kind == "s" else range(0)

    def read(self, o: Operand, ty: str, at: int = 0) -> str:
        """Return an expression of an operand as a type; `at` counts registers from its first."""
        if ty in ("u64", "i64", "f64"):
            return self._signs(o, ty, self._wide(o, ty))
        if ty in NARROW:
            return self._signs(o, ty, self._narrow(o, ty, at))
        return self._signs(o, ty, self._word(o, ty, at))

    def _signs(self, o: Operand, ty: str, expression: str) -> str:
        if not (o.neg or o.abs):
            return expression
        if ty[0] in "fb":
            expression = f"np.abs({expression})" if o.abs else expression
            return f"(-{expression})" if o.neg else expression
        if ty == "u32":  # v_cndmask_b32 and moves: the sign bit
            expression = f"({expression}&U32(0x7fffffff))" if o.abs else expression
            return f"({expression}^U32(0x80000000))" if o.neg else expression
        self.fail(f"sign modifier of {o.text}")

    def _word(self, o: Operand, ty: str, at: int) -> str:
        vector, broad, scalar = FILES[ty]
        if o.local or o.select or o.half:
            bits = self._selected(o, at)
            return bits if ty == "u32" else f"{bits}.view({ty.upper()})"
        if o.kind == "v":
            if not self.lanewise:
                self.fail(f"vector register {o.text} in a scalar instruction")
            self.reading(replace(o, reg=o.reg + at), 1)
            return f"{vector}[{o.reg + at}]"
        if o.kind == "s":
            self.reading(replace(o, reg=o.reg + at), 1)
            return f"{broad if self.lanewise else scalar}[{o.reg + at}]"
        if o.kind == "scc":
            self.reads.add(SCC)
            return f"scc.astype({ty.upper()})" + ("[:,None]" if self.lanewise else "")
        bits32 = self._constant_bits(o, at)
        if ty == "u32":
            return self.constant(bits32, U32)
        return self.constant(struct.unpack("<i" if ty == "i32" else "<f", struct.pack("<I", bits32))[0], DTYPES[ty])

    def _constant_bits(self, o: Operand, at: int = 0) -> int:
        if o.kind in ("null", "off"):
            return 0
        if o.kind != "c":
            self.fail(f"operand {o.text}")
        return o.bits64 >> 32 if at else o.bits32

    def _selected(self, o: Operand, at: int) -> str:
        """Return uint32 bits of a shuffled operand, or of a byte, word or half of a register."""
        whole = o.local or self._word(replace(o, select="", half="", local=""), "u32", at)
        if o.local:
            self.reading(replace(o, reg=o.reg + at), 1)
        select = {"l": "WORD_0", "h": "WORD_1"}.get(o.half, o.select)
        if select not in SELECTS:
            return whole
        shift, width = SELECTS[select]
        part = f"(({whole}>>U32({shift}))&U32({(1 << width) - 1}))"
        return f"{part}.astype(np.uint{width}).view(np.int{width}).astype(I32).view(U32)" if o.sext else part

    def _narrow(self, o: Operand, ty: str, at: int) -> str:
        if o.kind in ("c", "null"):
            bits = 0 if o.kind == "null" else self._constant_half(o, ty) if o.half else o.bits16
            if ty == "f16":
                return self.constant(np.array([bits], np.uint16).view(F16)[0], F32)
            if ty == "bf16":  # inline constants keep the float's own upper half
                bits32 = o.bits32 if isinstance(o.value, float) and not o.half else bits << 16
                return self.constant(np.array([bits32], U32).view(F32)[0], F32)
            return self.constant(bits - 0x10000 if ty == "i16" and bits & 0x8000 else bits, DTYPES[ty[0] + "32"])
        bits_text = self._word(o, "u32", at)
        if ty == "f16":
            return f"low_half({bits_text})"
        if ty == "bf16":
            return f"float_of_bf16({bits_text})"
        return f"({bits_text}&m16)" if ty == "u16" else f"(({bits_text}<<k16).view(I32)>>I32(16))"

    def _constant_half(self, o: Operand, ty: str) -> int:
        """Return one half of a constant of a packed instruction: that of a number is a 16-bit one with zeros above."""
        whole = o.bits32
        if isinstance(o.value, float) and ty in ("f16", "bf16"):
            whole = o.bits16 if ty == "f16" else o.bits32 >> 16
        return whole >> 16 if o.half == "h" else whole & 0xFFFF

    def _wide(self, o: Operand, ty: str) -> str:
        if o.kind in ("c", "null"):
            bits = 0 if o.kind == "null" else o.bits64
            if ty == "f64" and isinstance(o.value, int) and not -16 <= o.value <= 64:
                bits = o.bits32 << 32  # a literal is the upper half
            return self.constant(np.array([bits], U64).view(DTYPES[ty])[0], DTYPES[ty])
        view = "" if ty == "u64" else f".view({ty.upper()})"
        self.reading(o, min(o.count, 2))
        if o.local:
            return f"join({o.local},{o.local}h){view}"
        if o.kind == "v":
            if o.count == 1:
                return f"v[{o.reg}].astype(U64){view}"
            return f"join(v[{o.reg}],v[{o.reg + 1}]){view}"
        if o.kind != "s":
            self.fail(f"operand {o.text}")
        if o.count == 1:
            return f"{'sb' if self.lanewise else 's'}[{o.reg}].astype(U64){view}"
        return f"{'sb64' if self.lanewise else 's64'}[{o.reg}]{view}"

    # ---- results

    def write(self, o: Operand, ty: str, expression: str) -> None:
        """Write an expression to an operand."""
        if o.kind == "null":
            return
        self.writing(o, 2 if ty.endswith("64") else 1)
        if o.kind == "s":
            if self.lanewise and not self.ins.opcode.startswith("v_read"):
                self.fail(f"scalar destination {o.text} of a vector instruction")
            self._write_scalar(o, ty, expression)
        elif o.kind != "v" or not self.lanewise:
            self.fail(f"destination {o.text}")
        else:
            expression = self._output(expression, ty)
            if self.deferred is not None:
                name = f"d{len(self.deferred)}"
                self.line(f"{name}=np.array({expression})")
                self.deferred.append(self._store(o, ty, name))
            else:
                self.line(self._store(o, ty, expression))

    def _output(self, expression: str, ty: str) -> str:
        """Apply output modifiers of floating-point results."""
        if ty[0] not in "fb" or ty == "b32":
            return expression
        kind = "F64" if ty == "f64" else "F32"
        for name, sign in (("mul", "*"), ("div", "/")):
            if self.has(name):
                expression = f"({expression}){sign}{kind}({self.integer(name)})"
        # DX10_CLAMP, which compilers leave on: NaN becomes 0.
        return f"np.fmin(larger({expression},{kind}(0)),{kind}(1))" if self.has("clamp") else expression

    @staticmethod
    def packed(ty: str, low: str, high: str) -> str:
        """Return the bits of two 16-bit floats in one register."""
        low, high = (f"bits_of_half({x},st.limited)" if ty == "f16" else f"bits_of_bf16({x})" for x in (low, high))
        return f"{low}|({high}<<k16)"

    def _store(self, o: Operand, ty: str, expression: str) -> str:
        where = f"where={self.mask}"
        if ty in ("u64", "i64", "f64"):
            return f"put64(v,{o.reg},{expression},{self.mask},W,L)"
        select, unused = self.place
        if ty in NARROW or select or o.half:
            return f"cp(v[{o.reg}],{self._placed(o, ty, expression, select, unused)},{where})"
        return f"cp({FILES[ty][0]}[{o.reg}],{expression},{where})"

    def _placed(self, o: Operand, ty: str, expression: str, select: str, unused: str) -> str:
        """Return the bits of a destination of which a part is written."""
        bits = {
            "u16": f"({expression})&m16",
            "i16": f"(({expression}).astype(U32)&m16)",
            "f16": f"bits_of_half({expression},st.limited)",
            "bf16": f"bits_of_bf16({expression})",
            "u32": expression,
        }.get(ty, f"bits_of({expression})")
        old = f"v[{o.reg}]"
        if select in SELECTS:
            shift, width = SELECTS[select]
            mask = ((1 << width) - 1) << shift
            moved = f"((({bits})<<U32({shift}))&U32({mask}))"
            return f"({old}&U32({0xFFFFFFFF ^ mask}))|{moved}" if unused == "UNUSED_PRESERVE" else moved
        if o.half == "h":
            return f"({old}&m16)|(({bits})<<k16)"
        keeps = self.isa.keeps_high_half or self.ins.opcode in KEEPING
        if o.half == "l" or (keeps and ty in NARROW):
            return f"({old}&~m16)|(({bits})&m16)"
        return bits

    def _write_scalar(self, o: Operand, ty: str, expression: str) -> None:
        file = "s64" if ty.endswith("64") else FILES[ty][2]
        view = ".view(U64)" if ty in ("i64", "f64") else ""
        self.line(f"{file}[{o.reg}][:]={'(' + expression + ')' + view if view else expression}")
        self._after_scalar(o)

    def _after_scalar(self, o: Operand) -> None:
        if o.reg in (EXEC, EXEC + 1):
            self.line("E=st.set_exec()")

    def read_mask(self, o: Operand) -> str:
        """Return a lane mask in scalar registers as bool [waves, lanes]."""
        if o.kind == "c":
            return f"unpack_mask(np.full(W,{self.constant(o.bits64, U64)}),L)"
        self.reading(o, 2 if self.lanes == 64 else 1)
        return f"unpack_mask({'s64' if self.lanes == 64 else 's'}[{o.reg}],L)"

    def write_mask(self, o: Operand, expression: str) -> None:
        """Write bool [waves, lanes] as a lane mask; lanes that do not execute get 0."""
        if o.kind == "null":
            return
        self.writing(o, 2 if self.lanes == 64 else 1)
        self.line(f"{'s64' if self.lanes == 64 else 's'}[{o.reg}][:]=pack_mask(active({expression},{self.mask},W,L))")
        self._after_scalar(o)

    def set_scc(self, expression: str) -> None:
        """Write the scalar condition code."""
        self.writes.add(SCC)
        self.line(f"scc[:]={expression}")

    def note_address(self, *operands: Operand) -> None:
        """Record that operands are used as addresses."""
        registers = {r for o in operands for r in registers_of(o)}
        self.notes["addresses"] = frozenset(self.notes.get("addresses", frozenset()) | registers)

    def note_memory(self, counter: str, kind: str, stored: tuple[Operand, ...] = (), to_global: bool = False) -> None:
        """Record a memory access: which counter waits for it, its kind, and the operands that are stored."""
        self.notes.update(counter=self.isa.counters[counter], kind=kind, to_global=to_global)
        self.notes["stored"] = frozenset(r for o in stored for r in registers_of(o))


def registers_of(o: Operand) -> set[int]:
    """Return the registers of an operand, as the sanitizer numbers them."""
    base = VECTOR + o.reg if o.kind == "v" else o.reg
    return set(range(base, base + o.count)) if o.kind in ("v", "s") else set()
