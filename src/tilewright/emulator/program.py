"""A kernel as Python functions of NumPy code, one per basic block, made when a block is first reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import AssemblyError, EmulatorError, UnsupportedInstructionError
from .assembly import Kernel
from .emit import Access, Emitter
from .hazards import Hazards
from .instruction import Instruction
from .semantics import names_for_generated_code, translate
from .waits import waits_of

PREAMBLE = (
    " v,vi,vf,s,si,sf,sb,sbi,sbf,s64,sb64,scc,E,W=st.v,st.vi,st.vf,st.s,st.si,st.sf,st.sb,st.sbi,st.sbf,st.s64,st.sb64,"
    "st.scc,st.E,st.W"
)


@dataclass(frozen=True)
class Block:
    """Straight code: a function of (waves, machine), the instruction that ends it, and where the next block begins."""

    run: Callable[[Any, Any], None]
    last: Instruction | None
    end: int
    count: int
    source: str


class Program:
    """The blocks of one kernel. With `sanitize`, every instruction is preceded by its checks.

    With `traced`, every instruction is followed by a call that says what it did.
    """

    def __init__(self, kernel: Kernel, sanitize: bool, traced: bool = False) -> None:
        self.kernel, self.sanitize, self._traced = kernel, sanitize, traced
        self._emitter = Emitter(kernel)
        self._names = names_for_generated_code()
        self._names["L"] = kernel.wave_size
        starts = {0, *kernel.labels.values()} | {i.index + 1 for i in kernel.instructions if i.ends_block}
        self._starts = sorted(s for s in starts if s < len(kernel.instructions))
        self._blocks: dict[int, Block] = {}
        self.accesses: dict[int, Access] = {}
        self.waits: dict[int, dict[str, int]] = {}
        self.early: dict[int, str] = {}  # instructions that come too early after another one, and why
        self._hazards = Hazards(kernel, self._access)

    def block(self, start: int) -> Block:
        """Return the block that begins at an instruction."""
        found = self._blocks.get(start)
        if found is None:
            found = self._blocks[start] = self._compile(start)
        return found

    def _compile(self, start: int) -> Block:
        body = self.kernel.instructions
        if start >= len(body):
            raise AssemblyError(
                f"kernel {self.kernel.name} runs past its last instruction (line {body[-1].line})",
                kernel=self.kernel.name, line=body[-1].line, remedy="pass the whole assembly text",
            )  # fmt: skip
        end = next((s for s in self._starts if s > start), len(body))
        lines = ["def block(st,M):", PREAMBLE]
        for i in body[start:end]:
            lines += self._instruction(i)
            if self._traced and self._access(i.index):
                lines.append(f" M.traced(st,{i.index})")
        lines.append(" return")
        source = "\n".join(lines)
        names = {**self._names, **self._emitter.constants}
        exec(compile(source, f"<{self.kernel.name}, line {body[start].line}>", "exec"), names)
        last = body[end - 1]
        return Block(names["block"], last if last.ends_block else None, end, end - start, source)

    def _instruction(self, i: Instruction) -> list[str]:
        lines = [f" {line}" for line in translate(self._emitter, i)]
        if not self.sanitize:
            return lines
        access = self._emitter.access()
        self.accesses[i.index] = access
        waits = waits_of(i, self.kernel.isa)
        if waits:
            self.waits[i.index] = waits
            return [f" M.sanitizer.wait(st,{i.index})", *lines]
        early = self._hazards.find(i.index)
        if early:
            self.early[i.index] = early
            lines = [f" M.sanitizer.too_early(st,{i.index})", *lines]
        before = [f" M.sanitizer.check(st,{i.index})"] if access.reads or access.writes or access.kind else []
        if i.opcode == "s_barrier_signal":
            before = [f" M.sanitizer.barrier(st,{i.index})"]
        if access.paired:
            before.append(f" M.sanitizer.halves(st,{i.index})")
        after = [f" M.sanitizer.after(st,{i.index})"] if access.kind in ("lds", "lds-store", "dma", "store") else []
        return [*before, *lines, *after]

    def _access(self, index: int) -> Access:
        """Return what an instruction does to registers, also if it was not reached; nothing if that is unknown."""
        if index not in self.accesses:
            try:
                translate(self._emitter, self.kernel.instructions[index])
            except EmulatorError:
                return Access()
            self.accesses[index] = self._emitter.access()
        return self.accesses[index]

    def reached(self) -> set[int]:
        """Return the lines of the instructions that were executed, by any launch."""
        body = self.kernel.instructions
        return {i.line for start, block in self._blocks.items() for i in body[start : block.end]}

    def unsupported(self) -> list[UnsupportedInstructionError]:
        """Return an error for every instruction that has no semantics."""
        found = []
        for i in self.kernel.instructions:
            try:
                translate(self._emitter, i)
            except UnsupportedInstructionError as error:
                found.append(error)
        return found

    def too_early(self) -> list[tuple[int, str]]:
        """Return (line, why) of every instruction, reached or not, that has too few wait states before it."""
        found = ((i.line, self._hazards.find(i.index)) for i in self.kernel.instructions)
        return [(line, why) for line, why in found if why]


class Programs:
    """Programs by kernel, so that a kernel that is launched again is not translated again."""

    def __init__(self, most: int = 32) -> None:
        self._most = most
        self._found: dict[tuple[int, bool], tuple[Kernel, Program]] = {}

    def get(self, kernel: Kernel, sanitize: bool) -> Program:
        """Return the program of a kernel."""
        key = (id(kernel), sanitize)
        if key not in self._found:
            if len(self._found) >= self._most:
                self._found.pop(next(iter(self._found)))
            self._found[key] = (kernel, Program(kernel, sanitize))  # the kernel is kept, so its id stays its own
        return self._found[key][1]
