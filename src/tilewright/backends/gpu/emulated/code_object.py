"""Kernels of a file, ready for the emulator: assembly text, or a code object that llvm-objdump takes apart.

Of a code object, arguments come from its notes, registers and sizes from the kernel's descriptor, constants from its
sections. A file may be damaged or made to do harm: every size in it is checked against the file's own.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from ....emulator import Kernel, parse_assembly
from ....emulator.instruction import Instruction, parse_instruction
from ....emulator.isa import Isa, isa_of
from ....errors import AssemblyError, BuildError, ToolchainError, UnknownNameError
from ..amd_code import ELF_MACHINE, code_metadata

MAX_FILE_BYTES, MAX_IMAGE_BYTES, SECONDS = 1 << 28, 1 << 26, 120
BUNDLE, COMPRESSED = b"__CLANG_OFFLOAD_BUNDLE__", b"CCOB"
RELATIVE64, ABS64 = 13, 3  # relocations: an address in the image; the address of a symbol
ALLOCATED, NO_BITS, RELA, SYMBOLS = 2, 8, 4, (2, 11)
LINE = re.compile(r"\s+(?P<text>\S.*?)\s*//\s*(?P<at>[0-9A-Fa-f]+):")
SOURCE = re.compile(r";\s+(?P<file>\S.*):(?P<line>\d+)")
TOOL = "llvm-objdump"
DAMAGE = (struct.error, LookupError, ValueError, TypeError, OverflowError, RecursionError, BuildError)
REMEDY = "install ROCm or a newer LLVM (llvm-objdump on PATH), or pass the assembly text of the compiler (.s)"


def load_kernel(path: Path | str, name: str = "", arch: str = "") -> Kernel:
    """Return a kernel of a file: of assembly text, a code object, or a bundle of code objects (`arch` chooses).

    The name may be left out if the file has one kernel only.
    """
    file = Path(path)
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise AssemblyError(f"{file} has more than {MAX_FILE_BYTES:,} bytes", remedy="pass one kernel's file")
        data = file.read_bytes()
    except OSError as error:
        raise AssemblyError(f"{file} cannot be read: {error.strerror}", remedy="check the path") from None
    try:
        kernels = _kernels(data, arch, file)
        if name not in kernels and (name or len(kernels) != 1):
            raise UnknownNameError("kernel", name, kernels)
        found = kernels[name] if name else next(iter(kernels.values()))
        made = found if isinstance(found, Kernel) else found()
    except DAMAGE as error:
        raise AssemblyError(f"{file} is a damaged code object ({error})", remedy="compile it again") from None
    if arch and made.isa.name != arch:
        raise AssemblyError(f"{file} is for {made.isa.name}, not for {arch}", remedy=f"compile it for {arch}")
    return made


def _kernels(data: bytes, arch: str, file: Path) -> Mapping[str, Any]:
    """Return kernels, or functions that make them, by name."""
    if data.startswith(BUNDLE):
        data = _unbundled(data, arch)
    if data.startswith(COMPRESSED):
        raise AssemblyError(f"{file} is a compressed bundle", remedy="compile with --no-offload-compress")
    if not data.startswith(b"\x7fELF"):
        if b"\0" in data[:4096]:
            raise AssemblyError(f"{file} is neither assembly text nor a code object", remedy="pass a .s or .co file")
        return parse_assembly(data.decode(errors="replace"))
    image = Image(data)
    isa = image.isa()
    return {str(e[".name"]): partial(kernel_of_image, image, isa, e, file) for e in image.entries()}


def _unbundled(data: bytes, arch: str) -> bytes:
    """Return the code object of an arch out of a bundle; the only one if no arch is given."""
    at = len(BUNDLE)
    (count,) = struct.unpack_from("<Q", data, at)
    found, at = dict[str, bytes](), at + 8
    for _ in range(min(count, 256)):
        offset, size, length = struct.unpack_from("<QQQ", data, at)
        triple = data[at + 24 : at + 24 + length].decode()
        at += 24 + length
        if "amdgcn" in triple and offset + size <= len(data):
            found[triple.split(":")[0].rpartition("-")[2]] = data[offset : offset + size]
    if arch in found or (not arch and len(found) == 1):
        return found[arch] if arch else next(iter(found.values()))
    raise UnknownNameError("arch of the bundle", arch, found)


@dataclass(frozen=True)
class Section:
    """One section of an ELF file."""

    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    entry: int


class Image:
    """What an AMD GPU code object loads, by address."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        if data[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", data, 18)[0] != ELF_MACHINE:
            raise AssemblyError("the file is no AMD GPU code object", remedy="pass what hipcc or Triton wrote")
        start, entry, count = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HH", data, 58)
        self.sections = [self._section(start + i * entry) for i in range(count)]
        loaded = [s for s in self.sections if s.flags & ALLOCATED and s.address]
        self.base = min((s.address for s in loaded), default=0)
        self.size = max((s.address + s.size for s in loaded), default=0) - self.base
        if not 0 <= self.size <= MAX_IMAGE_BYTES:
            raise ValueError(f"it loads {self.size:,} bytes")
        self.content = bytearray(self.size)
        for s in loaded:
            if s.kind != NO_BITS:
                self.content[s.address - self.base : s.address - self.base + s.size] = self._bytes(s)

    def _section(self, at: int) -> Section:
        _, kind, flags, address, offset, size, link, _, _, entry = struct.unpack_from("<IIQQQQIIQQ", self.data, at)
        if kind != NO_BITS and offset + size > len(self.data):
            raise ValueError("a section lies beyond the end of the file")
        return Section(kind, flags, address, offset, size, link, entry)

    def _bytes(self, s: Section) -> bytes:
        return self.data[s.offset : s.offset + s.size]

    def _metadata(self) -> dict[str, Any]:
        found = next((m for s in self.sections if s.kind == 7 if (m := code_metadata(self._bytes(s)))), None)
        if found is None:
            raise AssemblyError("the code object has no kernel metadata", remedy="compile it for the amdhsa system")
        return found

    def isa(self) -> Isa:
        """Return the instruction set that the notes name."""
        return isa_of(str(self._metadata()["amdhsa.target"]).rpartition("--")[2].split(":")[0])

    def entries(self) -> list[dict[str, Any]]:
        """Return the metadata of each kernel."""
        return [e for e in self._metadata()["amdhsa.kernels"] if isinstance(e, dict) and ".name" in e]

    def symbols(self) -> Iterator[tuple[str, int, int]]:
        """Yield (name, section number, address) of each symbol."""
        for s in self.sections:
            if s.kind in SYMBOLS and s.entry >= 24:
                names = self._bytes(self.sections[s.link])
                for at in range(s.offset, s.offset + s.size - 23, s.entry):
                    name, _, _, where, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
                    yield names[name : names.index(b"\0", name)].decode(), where, value

    def address_of(self, symbol: str) -> int:
        """Return the address of a symbol."""
        found = next((value for name, where, value in self.symbols() if name == symbol and where), None)
        if found is None:
            raise ValueError(f"no symbol {symbol}")
        return found

    def relocations(self) -> Iterator[tuple[int, int]]:
        """Yield (place, address) of pointers in the image, both relative to it."""
        every = list(self.symbols())
        for s in self.sections:
            if s.kind == RELA and s.flags & ALLOCATED:
                for at in range(s.offset, s.offset + s.size - 23, 24):
                    place, info, addend = struct.unpack_from("<QQq", self.data, at)
                    if not self.base <= place <= self.base + self.size - 8:
                        raise ValueError("a relocation lies outside of the image")
                    if info & 0xFFFFFFFF == RELATIVE64:
                        yield place - self.base, addend - self.base
                    elif info & 0xFFFFFFFF == ABS64:
                        yield place - self.base, every[info >> 32][2] + addend - self.base


def kernel_of_image(image: Image, isa: Isa, entry: Mapping[str, Any], file: Path) -> Kernel:
    """Return one kernel of a code object."""
    name = str(entry[".name"])
    at = image.address_of(str(entry.get(".symbol", f"{name}.kd"))) - image.base
    if not 0 <= at <= image.size - 64:
        raise ValueError(f"the descriptor of {name} lies outside of the image")
    body, labels = disassembled(image, isa, name, file)
    if not any(i.opcode == "s_endpgm" for i in body):
        raise ValueError(f"kernel {name} has no s_endpgm")
    return Kernel(
        name, isa, body, labels, descriptor_of(bytes(image.content[at : at + 64]), isa), dict(entry), {}, {},
        bytes(image.content), relocations=tuple(image.relocations()),
    )  # fmt: skip


def descriptor_of(raw: bytes, isa: Isa) -> dict[str, str]:
    """Return the fields of a kernel descriptor (AMD's code object ABI) by the names of assembly directives."""
    lds, scratch, arguments = struct.unpack_from("<III", raw, 0)
    third, first, second, properties, preload = struct.unpack_from("<IIIHH", raw, 44)
    wave32 = properties >> 10 & 1
    granule = (4 if isa.name == "gfx908" else 8) if isa.family == "cdna" else 8 if wave32 else 4
    found = {
        "group_segment_fixed_size": lds, "private_segment_fixed_size": scratch, "kernarg_size": arguments,
        "next_free_vgpr": ((first & 63) + 1) * granule, "user_sgpr_count": second >> 1 & 31,
        "enable_private_segment": second & 1, "wavefront_size32": wave32,
        "system_sgpr_workgroup_info": second >> 10 & 1, "system_vgpr_workitem_id": second >> 11 & 3,
        "user_sgpr_kernarg_preload_length": preload & 127, "user_sgpr_kernarg_preload_offset": preload >> 7,
    }  # fmt: skip
    found |= {f"system_sgpr_workgroup_id_{axis}": second >> 7 + i & 1 for i, axis in enumerate("xyz")}
    found |= {
        "float_round_mode_32": first >> 12 & 3, "float_round_mode_16_64": first >> 14 & 3,
        "fp16_overflow": first >> 26 & 1,
    }  # fmt: skip
    if isa.family != "rdna4":
        found["dx10_clamp"] = first >> 21 & 1
    names = ("private_segment_buffer", "dispatch_ptr", "queue_ptr", "kernarg_segment_ptr", "dispatch_id",
             "flat_scratch_init", "private_segment_size")  # fmt: skip
    found |= {f"user_sgpr_{name}": properties >> i & 1 for i, name in enumerate(names)}
    if isa.family == "cdna" and isa.name != "gfx908":
        found["accum_offset"] = ((third & 63) + 1) * 4
    return {name: str(value) for name, value in found.items()}


def disassembled(image: Image, isa: Isa, name: str, file: Path) -> tuple[tuple[Instruction, ...], dict[str, int]]:
    """Return the instructions of a kernel, and its labels."""
    rows: list[tuple[int, str, str, int]] = []  # address, text, source, line of the listing
    source = ""
    for number, line in enumerate(_listing(image.data, isa.name, name, file).splitlines(), 1):
        if match := LINE.match(line):
            rows.append((int(match["at"], 16), match["text"], source, number))
        elif match := SOURCE.match(line.strip()):
            source = f"{Path(match['file']).name}:{match['line']}"
    while rows and rows[-1][1].startswith(("s_code_end", "s_nop")):
        rows.pop()
    body, places, labels = [], {at: index for index, (at, *_) in enumerate(rows)}, dict[str, int]()
    for index, (at, text, origin, number) in enumerate(rows):
        i = parse_instruction(_with_places(text, at, image.base), number, index, origin or f"+{at - rows[0][0]:#x}")
        if i.opcode.startswith(("s_branch", "s_cbranch")):
            goal = int(i.operands[0].removeprefix("to"), 0)
            if goal not in places:
                raise ValueError(f"{text!r} of {name} leaves the kernel")
            labels[i.operands[0]] = places[goal]
        body.append(i)
    return tuple(body), labels


def _with_places(text: str, at: int, base: int) -> str:
    """Return an instruction with the address that a branch goes to, or that the program counter has, in it."""
    words = text.split()
    if words[0].startswith(("s_branch", "s_cbranch")) and re.fullmatch(r"\d+", words[1]):
        step = int(words[1])
        return f"{words[0]} to{at + 4 + 4 * (step - 0x10000 if step & 0x8000 else step):#x}"
    return f"{text}, {at + 4 - base}" if words[0] == "s_getpc_b64" else text


def _listing(data: bytes, arch: str, name: str, file: Path) -> str:
    """Return what llvm-objdump prints of one kernel."""
    tried = []
    for tool in disassemblers():
        command = [tool, "-d", "-l", f"--mcpu={arch}", f"--disassemble-symbols={name}", "-"]
        try:
            done = subprocess.run(command, input=data, capture_output=True, timeout=SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            tried.append(f"{tool}: {type(error).__name__}")
            continue
        said = done.stderr.decode(errors="replace").strip()
        text = done.stdout.decode(errors="replace")
        if done.returncode == 0 and "not a recognized processor" not in said and "//" in text:
            return text
        tried.append(f"{tool}: {said.splitlines()[0] if said else 'no instructions'}")
    beside = next((p.name for s in (".s", ".amdgcn") if (p := file.with_suffix(s)).is_file()), "")
    raise ToolchainError(
        f"no {TOOL} here can take code of {arch} apart ({'; '.join(tried) or 'none was found'})",
        remedy=f"pass {beside}, which lies beside it" if beside else REMEDY,
    )


@lru_cache(maxsize=1)
def disassemblers() -> tuple[str, ...]:
    """Return the paths of every llvm-objdump: ROCm's, that of PATH, and those with a version, newest first."""
    roots = [Path(os.environ.get("ROCM_PATH") or "/opt/rocm")]
    found = [str(p) for root in roots for sub in ("llvm/bin", "lib/llvm/bin") if (p := root / sub / TOOL).is_file()]
    names = [f"{TOOL}-{n}" for n in range(40, 13, -1)]
    found += [tool for name in (TOOL, *names) if (tool := shutil.which(name))]
    return tuple(dict.fromkeys(found))
