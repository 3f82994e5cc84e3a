"""Assembly text of the compilers (`clang -S`, Triton's .amdgcn) as kernels that can be executed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from ..errors import AssemblyError, UnknownNameError
from ..model.locks import cached_property
from .constants import Constants
from .instruction import Instruction, parse_instruction
from .isa import Isa, isa_of
from .metadata import Argument, arguments_of, evaluate, parse_metadata

TARGET = re.compile(r'\s*\.amdgcn_target\s+"[^"]*--(\w+)')
LABEL = re.compile(r"\s*([\w.$@]+):(?!:)")
SET = re.compile(r"\.set\s+([^\s,]+),\s*(.+)")
LDS_SYMBOL = re.compile(r"\.amdgpu_lds\s+([^\s,]+),\s*(\d+)(?:,\s*(\d+))?")
FILE = re.compile(r'\.file\s+(\d+)\s+(?:"[^"]*"\s+)?"([^"]*)"')
LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)")
OPCODE = re.compile(r"[a-z][a-z0-9]*_\w+(\s|$)|s_\w+$")


@dataclass(frozen=True)
class Kernel:
    """One kernel: instructions, labels (name to instruction index), descriptor, metadata."""

    name: str
    isa: Isa
    instructions: tuple[Instruction, ...]
    labels: Mapping[str, int]
    descriptor: Mapping[str, str]
    metadata: Mapping[str, Any]
    symbols: Mapping[str, str] = field(repr=False)
    offsets: Mapping[str, int] = field(default_factory=dict)  # of symbols in LDS and in the constants
    constants: bytes = field(default=b"", repr=False)
    relocations: tuple[tuple[int, int], ...] = ()  # (place, address) of pointers in the constants, relative to them
    _numbers: dict[str, int] = field(default_factory=dict, repr=False, compare=False)

    def number(self, name: str, default: int = 0) -> int:
        """Return a value of the descriptor, such as `next_free_vgpr`."""
        text = self.descriptor.get(name)
        if text is None:
            return default
        if name not in self._numbers:
            self._numbers[name] = evaluate(text, self.symbols, f"kernel {self.name}, .amdhsa_{name}")
        return self._numbers[name]

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments by offset; empty if the text has no metadata."""
        return arguments_of(self.metadata)

    @property
    def wave_size(self) -> int:
        """Lanes of a wave."""
        if ".wavefront_size" in self.metadata:
            return int(self.metadata[".wavefront_size"])
        default = 0 if self.isa.family == "cdna" else 1
        return 32 if self.number("wavefront_size32", default) else 64

    @property
    def vector_registers(self) -> int:
        """How many vector registers a lane has, without accumulation registers."""
        total = max(1, self.number("next_free_vgpr", 1))
        return min(total, self.number("accum_offset", total)) if self.isa.family == "cdna" else total

    @property
    def accumulation_registers(self) -> int:
        """How many accumulation registers a lane has."""
        if self.isa.family != "cdna":
            return 0
        if self.isa.name == "gfx908":  # a file of its own, of the same size
            return self.number("next_free_vgpr", 1)
        return max(0, self.number("next_free_vgpr", 1) - self.vector_registers)

    @property
    def lds_bytes(self) -> int:
        """LDS that the kernel has without dynamic LDS."""
        return self.number("group_segment_fixed_size")

    @property
    def kernarg_bytes(self) -> int:
        """Size of the kernel's arguments, hidden ones included."""
        return self.number("kernarg_size", int(self.metadata.get(".kernarg_segment_size", 0)))


class _Reader:
    """Reads one text line by line."""

    def __init__(self, text: str) -> None:
        self.arch = ""
        self.kernels: dict[str, list[Instruction]] = {}
        self.labels: dict[str, dict[str, int]] = {}
        self.descriptors: dict[str, dict[str, str]] = {}
        self.symbols: dict[str, str] = {}
        self.lds: dict[str, int] = {}
        self.files: dict[str, str] = {}
        self.constants = Constants()
        self.current = self.described = self.source = ""
        self.names = set(re.findall(r"^\s*\.amdhsa_kernel\s+(\S+)", text, re.M))
        for number, raw in enumerate(text.splitlines(), 1):
            self._line(number, raw if '"' in raw else raw.split(";")[0].split("//")[0])

    def _line(self, number: int, line: str) -> None:
        if match := LABEL.match(line):
            self._label(match[1])
            line = line[match.end() :]
        stripped = line.strip()
        if not stripped:
            return
        if stripped[0] == ".":
            self._directive(stripped)
        elif self.current:
            if not OPCODE.match(stripped):
                raise AssemblyError(f"line {number}: {stripped!r} is no instruction", kernel=self.current, line=number)
            body = self.kernels[self.current]
            body.append(parse_instruction(stripped.replace("\t", " "), number, len(body), self.source))

    def _label(self, name: str) -> None:
        if name in self.names:
            self.current, self.source = name, ""
            self.kernels[name], self.labels[name] = [], {}
        elif self.current:
            self.labels[self.current][name] = len(self.kernels[self.current])
        else:
            self.constants.label(name)

    def _directive(self, line: str) -> None:
        word, _, rest = line.partition(" ") if " " in line else line.partition("\t")
        if match := TARGET.match(line):
            self.arch = match[1]
        elif word == ".amdhsa_kernel":
            self.described, self.current = rest.strip(), ""
            self.descriptors[self.described] = {}
        elif word == ".end_amdhsa_kernel":
            self.described = ""
        elif word.startswith(".amdhsa_") and self.described:
            self.descriptors[self.described][word[8:]] = rest.strip()
        elif match := SET.match(line):
            self.symbols[match[1]] = match[2]
        elif match := LDS_SYMBOL.match(line):
            self.lds[match[1]] = int(match[2])
        elif match := FILE.match(line):
            self.files[match[1]] = match[2]
        elif match := LOC.match(line):
            self.source = f"{self.files.get(match[1], match[1])}:{match[2]}"
        else:
            self.constants.directive(line)


def _metadata_text(text: str) -> str:
    start = text.find(".amdgpu_metadata")
    if start < 0:
        return ""
    end = text.find(".end_amdgpu_metadata", start)
    if end < 0:
        raise AssemblyError("the metadata has no end: the text is truncated", remedy="pass the whole assembly text")
    return text[text.index("\n", start) : end]


@lru_cache(maxsize=16)
def parse_assembly(text: str) -> dict[str, Kernel]:
    """Return the kernels of an assembly text by name.

    A kernel needs a label, instructions that reach `s_endpgm`, and a descriptor (.amdhsa_kernel ...). What is missing
    is an AssemblyError: truncated text is refused, not guessed at.
    """
    reader = _Reader(text)
    metadata = parse_metadata(_metadata_text(text))
    if not reader.arch:
        raise AssemblyError(
            "the text has no .amdgcn_target: it is truncated, or no AMD assembly", remedy="pass the compiler's output"
        )
    isa = isa_of(reader.arch)
    if not reader.names:
        raise AssemblyError("the text describes no kernel (no .amdhsa_kernel)", remedy="pass the whole assembly text")
    offsets = {**reader.constants.offsets, **_lds_layout(reader.lds)}
    constants = bytes(reader.constants.data)
    kernels = {}
    for name in sorted(reader.names):
        body = tuple(reader.kernels.get(name, ()))
        _check(name, body, reader)
        kernels[name] = Kernel(
            name, isa, body, reader.labels[name], reader.descriptors[name], metadata.get(name, {}), reader.symbols,
            offsets, constants,
        )  # fmt: skip
    return kernels


def _check(name: str, body: tuple[Instruction, ...], reader: _Reader) -> None:
    remedy = "pass the whole assembly text of the compiler"
    if not body:
        raise AssemblyError(f"kernel {name} has a descriptor but no instructions", kernel=name, remedy=remedy)
    if not any(i.opcode == "s_endpgm" for i in body):
        raise AssemblyError(f"kernel {name} has no s_endpgm: the text is truncated", kernel=name, remedy=remedy)
    labels = reader.labels[name]
    for i in body:
        if i.opcode.startswith(("s_branch", "s_cbranch")) and (not i.operands or i.operands[0] not in labels):
            where = i.operands[0] if i.operands else "nothing"
            raise AssemblyError(
                f"kernel {name}, line {i.line}: {i.text!r} goes to {where}, which is no label of the kernel",
                kernel=name, line=i.line, remedy=remedy,
            )  # fmt: skip


def _lds_layout(sizes: Mapping[str, int]) -> dict[str, int]:
    """Offsets of LDS symbols, one after the other; a symbol of size 0 is the dynamic LDS behind them."""
    offsets, top = {}, 0
    for name, size in sorted(sizes.items(), key=lambda item: item[1] == 0):
        top = -(-top // 16) * 16
        offsets[name] = top
        top += size
    return offsets


def kernel_of(text: str, name: str = "") -> Kernel:
    """Return the kernel called `name`; the only one if the name is empty."""
    kernels = parse_assembly(text)
    if name in kernels:
        return kernels[name]
    if not name and len(kernels) == 1:
        return next(iter(kernels.values()))
    raise UnknownNameError("kernel", name, kernels)
