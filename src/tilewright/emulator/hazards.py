"""Wait states: instructions that hardware does not hold back until an earlier result is there.

Compilers put other instructions or `s_nop` between them. The numbers are those of LLVM's GCNHazardRecognizer.cpp, by
arch. What is looked at is the code on every way to an instruction that is executed, not only the way that was taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from .assembly import Kernel
from .emit import Access, registers_of
from .instruction import Instruction
from .isa import EXEC, M0, VCC, VECTOR, Isa
from .operand import parse_operand

SLOW = ("v_mfma", "v_smfmac", "v_wmma", "v_swmmac", "v_dot")
UNMASKED = ("v_readfirstlane_b32", "v_readlane_b32", "v_writelane_b32")  # matrix instructions ignore EXEC, too
FARTHEST = 20  # no rule looks back over more wait states
TRANSCENDENTAL = re.compile(r"v_(?:exp|log|rcp|rsq|sqrt|sin|cos|rcp_iflag|rcp_legacy|rsq_legacy)_(?:f16|bf16|f32|f64)")
MATRIX = re.compile(r"v_s?(?:mfma|mfmac|wmma|wmmac)\w*?_(?P<out>[a-z]+\d+)_(?P<m>\d+)x\d+x(?P<k>\d+)_?(?P<rest>\w+)")


@dataclass(frozen=True)
class Step:
    """An instruction as the rules see it: registers that it writes and reads, by operand."""

    instruction: Instruction
    writes: frozenset[int]
    reads: tuple[frozenset[int], ...]  # of each operand that is read, and of what is read without being named
    matrix: bool
    vector: bool
    memory: bool

    @property
    def opcode(self) -> str:
        """The opcode without its encoding."""
        return self.instruction.opcode

    def factor(self, at: int) -> frozenset[int]:
        """Return the registers of operand `at` of a matrix instruction: 1 and 2 are factors, 3 is the addend."""
        names = self.instruction.operands
        return frozenset(registers_of(parse_operand(names[at]))) if at < len(names) else frozenset()


def step_of(i: Instruction, access: Access) -> Step:
    """Return what the rules need to know about an instruction."""
    matrix = MATRIX.match(i.opcode) is not None
    operands = [frozenset(registers_of(parse_operand(o))) for o in i.operands[int(matrix) :]]
    named = [o & access.reads for o in operands if o & access.reads]
    rest = access.reads - frozenset().union(*named)
    return Step(
        i, access.writes, (*named, rest) if rest else tuple(named), matrix,
        i.opcode.startswith("v_"), i.opcode.startswith(("buffer_", "global_", "flat_", "scratch_", "ds_")),
    )  # fmt: skip


@lru_cache(maxsize=1024)
def passes_of(text: str, arch: str) -> int:
    """Return the passes of a matrix instruction of CDNA, which its latency follows from.

    >>> passes_of("v_mfma_f32_32x32x8_f16", "gfx90a"), passes_of("v_mfma_f32_32x32x8_f16", "gfx942")
    (16, 8)
    """
    found = MATRIX.match(text)
    if found is None:
        return 0
    m, rest = int(found["m"]), found["rest"]
    if found["out"] == "f64":
        return 4 if m == 4 else 16 if arch == "gfx950" else 8
    whole = {4: 2, 16: 8, 32: 16}[m]
    if arch in ("gfx908", "gfx90a") or m == 4 or re.match(r"\d+b_", rest) or rest.startswith("f32"):
        return whole
    if "f8f6f4" in rest:  # formats of 8 bits take twice as long as those of 6 and 4
        formats = [int((re.search(rf"\b{name}:(\d)", text) or "00")[1]) for name in ("cbsz", "blgp")]
        return whole if min(formats) < 2 else whole // 2
    return whole // 2


class Hazards:
    """Finds instructions of a kernel that come too early."""

    def __init__(self, kernel: Kernel, access_of: Callable[[int], Access]) -> None:
        self._body, self._arch = kernel.instructions, kernel.isa.name
        self._access_of, self._steps = access_of, dict[int, Step]()
        self._sources: dict[int, list[int]] = {}
        for i in self._body:
            if i.opcode.startswith(("s_branch", "s_cbranch")):
                self._sources.setdefault(kernel.labels[i.operands[0]], []).append(i.index)
        slow = any(i.opcode.startswith(SLOW) for i in self._body)
        self._rules = rules_of(kernel.isa, slow)

    def find(self, index: int) -> str:
        """Return what is wrong with an instruction; empty if nothing is."""
        this = self._step(index)
        if not (this.vector or this.memory) or not self._rules:
            return ""
        before = list(self._before(index, this.matrix or this.opcode in UNMASKED))
        for rule in self._rules:
            for earlier, states, need in rule(this, iter(before)):
                if states < need:
                    line = earlier.instruction.line
                    many = f"{need} wait state{'s'[: need > 1]}"
                    return f"needs {many} after line {line} ({earlier.opcode}), and has {states}"
        return ""

    def _step(self, index: int) -> Step:
        found = self._steps.get(index)
        if found is None:
            found = self._steps[index] = step_of(self._body[index], self._access_of(index))
        return found

    def _before(self, index: int, lanes: bool) -> Iterator[tuple[Step, int]]:
        """Yield (earlier instruction, wait states in between), nearest first on each way back.

        `lanes`: the instruction acts even where no lane executes it, or lanes were switched on after the earlier one.
        """
        seen: dict[tuple[int, bool], int] = {}
        ways = [(0, j, lanes) for j in self._ahead(index, lanes)]
        while ways:
            states, j, lanes = ways.pop(0)
            if states >= FARTHEST or seen.get((j, lanes), FARTHEST) <= states:
                continue
            seen[j, lanes] = states
            step = self._step(j)
            yield step, states
            i = self._body[j]
            took = int(i.operands[0], 0) + 1 if i.opcode == "s_nop" else 1
            lanes = lanes or not step.writes.isdisjoint((EXEC, EXEC + 1))
            ways += [(states + took, k, lanes) for k in self._ahead(j, lanes)]
            ways.sort()

    def _ahead(self, index: int, lanes: bool) -> list[int]:
        """Return what may be executed before; a jump of a wave without lanes only if that matters."""
        found = [j for j in self._sources.get(index, ()) if lanes or self._body[j].opcode != "s_cbranch_execz"]
        if index and self._body[index - 1].opcode not in ("s_branch", "s_endpgm", "s_setpc_b64"):
            found.append(index - 1)
        return found


Before = Iterator[tuple[Step, int]]
Rule = Callable[[Step, Before], Iterator[tuple[Step, int, int]]]


def rules_of(isa: Isa, slow: bool) -> list[Rule]:
    """Return the rules of an arch; `slow`: the kernel has matrix or dot instructions."""
    if isa.family != "cdna":
        return [*([wmma_factors] if slow else []), *([transcendental_use] if isa.family == "rdna3" else [])]
    rules: list[Rule] = [lambda this, before: _vector(this, before, isa)]
    if slow:
        first = isa.name == "gfx908"
        rules.append(_first_matrix if first else lambda this, before: _matrix(this, before, isa))
    return rules


def wmma_factors(this: Step, before: Before) -> Iterator[tuple[Step, int, int]]:
    """RDNA: one vector instruction between a product and another one that has its result as a factor."""
    if not this.matrix:
        return
    for earlier, _ in before:
        if earlier.matrix and earlier.writes & (this.factor(1) | this.factor(2)):
            yield earlier, 0, 1
        if earlier.vector:
            return


def transcendental_use(this: Step, before: Before) -> Iterator[tuple[Step, int, int]]:
    """RDNA 3: more than 5 vector instructions, or a wait, between a transcendental instruction and its use."""
    if not this.vector:
        return
    vectors = transcendental = 0
    reads = frozenset().union(*this.reads)
    for earlier, _ in before:
        if vectors > 5 or transcendental > 1 or earlier.memory or earlier.opcode == "s_waitcnt_depctr":
            return
        hard = TRANSCENDENTAL.match(earlier.opcode) is not None
        if hard and earlier.writes & reads:
            yield earlier, vectors, 6
            return
        vectors += earlier.vector
        transcendental += hard


def _vector(this: Step, before: Before, isa: Isa) -> Iterator[tuple[Step, int, int]]:
    """CDNA: vector instructions after vector instructions."""
    newer = isa.name in ("gfx942", "gfx950")
    reads = frozenset().union(*this.reads)
    scalars = {r for r in reads if r < VECTOR and r not in (EXEC, EXEC + 1)}
    for earlier, states in before:
        if states >= 5:
            return
        if this.instruction.encoding.endswith("dpp") and {r for r in earlier.writes & reads if r >= VECTOR}:
            yield earlier, states, 2
        if this.memory and earlier.vector and earlier.writes & scalars and not this.opcode.startswith("ds_"):
            yield earlier, states, 5
        if this.opcode.startswith(("buffer_load", "global_load")) and M0 in earlier.writes & reads:
            yield earlier, states, 0 if earlier.vector else 1
        if this.vector and earlier.vector:
            yield earlier, states, _after_vector(this, earlier, reads, scalars, newer)
        if this.vector and "_store_" in earlier.opcode and earlier.memory and not earlier.opcode.startswith("ds_"):
            yield earlier, states, _after_store(this, earlier, newer)


def _after_vector(this: Step, earlier: Step, reads: frozenset[int], scalars: set[int], newer: bool) -> int:
    need = 0
    swaps = this.opcode.startswith(("v_permlane16_swap", "v_permlane32_swap"))
    if EXEC in earlier.writes:
        first = newer and this.opcode == "v_readfirstlane_b32"
        need = 5 if this.instruction.encoding.endswith("dpp") else 4 if this.matrix or swaps or first else 0
    if swaps and earlier.writes & reads:
        need = max(need, 2)
    if this.opcode.startswith("v_div_fmas") and VCC in earlier.writes:
        need = max(need, 4)
    if this.opcode in ("v_readlane_b32", "v_writelane_b32"):
        chooser = frozenset(registers_of(parse_operand(this.instruction.operands[2])))
        need = max(need, 4) if chooser & earlier.writes else need
    if not newer:
        return need
    if TRANSCENDENTAL.match(earlier.opcode) and not TRANSCENDENTAL.match(this.opcode) and earlier.writes & reads:
        need = max(need, 1)
    if earlier.writes & scalars:
        need = max(need, 2)
    if this.opcode.startswith("v_read") and earlier.writes & {r for r in reads if r >= VECTOR}:
        need = max(need, 1)
    return need


def _after_store(this: Step, earlier: Step, newer: bool) -> int:
    """Return the wait states before the data of a wide store may be overwritten."""
    names = earlier.instruction.operands
    at = 0 if earlier.opcode.startswith("buffer_") else 1
    data = frozenset(registers_of(parse_operand(names[at])))
    if len(data) <= 2 or not data & this.writes:
        return 0
    if earlier.opcode.startswith("buffer_") and parse_operand(names[3]).kind == "s":
        return 0
    return 2 if newer else 1


def _matrix(this: Step, before: Before, isa: Isa) -> Iterator[tuple[Step, int, int]]:
    """CDNA 2 and later: matrix instructions before or after any vector instruction or memory access."""
    waiting = {("read", n): reads for n, reads in enumerate(this.reads)}
    waiting["write", 0], waiting["overwrite", 0] = this.writes, this.writes
    for earlier, states in before:
        if not earlier.vector:
            continue
        for key, registers in list(waiting.items()):
            if earlier.matrix and key[0] == "overwrite" and not this.matrix and earlier.factor(3) & registers:
                waiting.pop(key)
                yield earlier, states, _overwritten(earlier, isa)
            elif key[0] == "overwrite" or not earlier.writes & registers:
                continue
            elif earlier.matrix:
                waiting.pop(key)
                if key[0] == "read":
                    yield earlier, states, _read(this, earlier, registers, isa)
                elif not this.matrix:
                    yield earlier, states, _late_write(earlier, isa)
            elif this.matrix and key[0] == "read" and not earlier.opcode.startswith("v_dot"):
                yield earlier, states, 2
            elif earlier.opcode.startswith("v_dot") and not this.matrix:
                summed = key[0] == "write" or registers == this.factor(3 if len(this.instruction.operands) > 3 else 0)
                yield earlier, states, 0 if earlier.opcode == this.opcode and summed else 3


def _margin(earlier: Step, isa: Isa, more: int) -> int:
    """Return the wait states after a matrix instruction whose result is used: its passes, and `more`."""
    passes = passes_of(earlier.instruction.text, isa.name)
    if isa.name == "gfx90a":
        return passes + more
    if MATRIX.match(earlier.opcode)["rest"].startswith("f32"):  # type: ignore[index]  # another unit, one earlier
        return passes + more - 1
    return passes + more + (passes != 2 and isa.name == "gfx950")


def _double(step: Step) -> bool:
    return step.opcode.startswith("v_mfma_f64")


def _read(this: Step, earlier: Step, registers: frozenset[int], isa: Isa) -> int:
    if not this.matrix:
        if _double(earlier):
            small = "_4x4x4" in earlier.opcode
            return (9 if small else 18) if this.memory else (6 if small else 11)
        return _margin(earlier, isa, 3)
    if registers != this.factor(3) or registers in (this.factor(1), this.factor(2)):
        if _double(earlier):
            return 6 if "_4x4x4" in earlier.opcode else 19 if isa.name == "gfx950" else 11
        return _margin(earlier, isa, 3)
    return _addend(this, earlier, registers, isa)


def _addend(this: Step, earlier: Step, registers: frozenset[int], isa: Isa) -> int:
    """Return the wait states before a result is the addend of the next product: none for the very same registers."""
    newer = isa.name != "gfx90a"
    if not newer and _double(earlier) and not _double(this):
        return 0
    if registers == earlier.writes:
        if _double(this) and _double(earlier) and "_4x4x4" in this.opcode and "_4x4x4" in earlier.opcode:
            return 4
        return 2 if newer and passes_of(earlier.instruction.text, isa.name) == 2 else 0
    if _double(earlier):
        return 0 if not _double(this) else 4 if "_4x4x4" in earlier.opcode else 17 if isa.name == "gfx950" else 9
    if not newer:
        return passes_of(earlier.instruction.text, isa.name) + _double(this)
    if MATRIX.match(earlier.opcode)["rest"].startswith("f32") and not (  # type: ignore[index]
        MATRIX.match(this.opcode)["rest"].startswith("f32") or _double(this)  # type: ignore[index]
    ):
        return 0
    return _margin(earlier, isa, 1)


def _late_write(earlier: Step, isa: Isa) -> int:
    if _double(earlier):
        return 6 if "_4x4x4" in earlier.opcode else 11
    return _margin(earlier, isa, 3)


def _overwritten(earlier: Step, isa: Isa) -> int:
    """Return the wait states before the addend of a product may be overwritten."""
    slow = MATRIX.match(earlier.opcode)["rest"].startswith("f32")  # type: ignore[index]
    if _double(earlier) or (slow and isa.name != "gfx90a"):
        return 0
    return {2: 1, 4: 3, 8: 7, 16: 15}[passes_of(earlier.instruction.text, isa.name)]


# CDNA 1: wait states by the passes of the matrix instruction (2, 8, 16) before.
FIRST_READ, FIRST_WRITE, FIRST_OVERWRITE = {2: 4, 8: 10, 16: 18}, {2: 1, 8: 7, 16: 15}, {2: 0, 8: 5, 16: 13}


def _first_matrix(this: Step, before: Before) -> Iterator[tuple[Step, int, int]]:
    """CDNA 1: accumulation registers are a file of their own, moved by instructions of their own."""
    moves_in, moves_out = (this.opcode.startswith(f"v_accvgpr_{what}") for what in ("write", "read"))
    if not (this.matrix or moves_in or moves_out):
        return
    for earlier, states in before:
        touched = earlier.writes & (frozenset().union(*this.reads) | (this.writes if moves_in else frozenset()))
        passes = passes_of(earlier.instruction.text, "gfx908")
        as_addend = bool(touched & this.factor(3)) and not touched & (this.factor(1) | this.factor(2))
        if earlier.matrix and touched and earlier.writes != this.factor(3):
            yield (
                earlier,
                states,
                (FIRST_READ[passes] if moves_out else FIRST_WRITE[passes] if moves_in else 2 if as_addend else 4),
            )
        elif earlier.opcode.startswith("v_accvgpr_write") and touched and not moves_in:
            yield earlier, states, 1 if as_addend else 3
        elif earlier.vector and not earlier.matrix and touched and not moves_out:
            yield earlier, states, 2
        if earlier.matrix and moves_in and earlier.factor(3) & this.writes:
            yield earlier, states, FIRST_OVERWRITE[passes]
