"""What is inside an AMD GPU code object or its assembly: target, kernels, registers, LDS, spills, matrix instructions.

Read without tools: the ELF notes hold a MessagePack map with the facts of each kernel, and matrix instructions are
counted in the assembly. Shared by the backends that compile for AMD GPUs.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ...errors import BuildError

NOTE_METADATA = 32  # NT_AMDGPU_METADATA
ELF_MACHINE = 224  # EM_AMDGPU
HEADER_BYTES = 64  # of an ELF file
_NOTES, _SYMBOLS = 7, (2, 11)  # section types: SHT_NOTE; SHT_SYMTAB and SHT_DYNSYM
_FUNCTION = 2  # STT_FUNC

# Old spellings run the shape into the type (v_mfma_f32_32x32x8f16); "_16b" counts the blocks of a 4x4 instruction.
_MATRIX = re.compile(
    r"^\s+v_(?P<kind>s?mfma|smfmac|s?wmma|swmmac)(?:_scale(?:16)?)?_(?P<acc>[a-z]+\d+)_"
    r"(?P<m>\d+)x(?P<n>\d+)x(?P<k>\d+)(?:_(?P<blocks>\d+)b)?_?(?P<operands>[a-z]\w*?)(?:_1k)?(?:_w(?:32|64))?\s",
    re.MULTILINE,
)


@dataclass(frozen=True)
class KernelCode:
    """One kernel of a code object, as its own metadata says."""

    symbol: str
    vgprs: int
    agprs: int
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    lds_bytes: int
    scratch_bytes: int
    kernarg_bytes: int
    max_threads: int
    wave_size: int
    code_bytes: int = 0


@dataclass(frozen=True, order=True)
class MatrixInstruction:
    """A matrix instruction: what it multiplies at once, and the dtypes of its operands.

    >>> MatrixInstruction.parse("\\tv_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]")
    MatrixInstruction(kind='mfma', m=32, n=32, k=8, operands='f16', accumulator='f32')
    """

    kind: str
    m: int
    n: int
    k: int
    operands: str
    accumulator: str

    @classmethod
    def parse(cls, line: str) -> MatrixInstruction | None:
        """Return the matrix instruction of one line of assembly, or None."""
        found = _MATRIX.search(line + " ")
        return None if found is None else cls._of(found)

    @classmethod
    def _of(cls, found: re.Match[str]) -> MatrixInstruction:
        m, n, k = (int(found[name]) for name in "mnk")
        return cls(found["kind"], m, n, k, found["operands"], found["acc"])

    def __str__(self) -> str:
        return f"{self.kind}_{self.accumulator}_{self.m}x{self.n}x{self.k}_{self.operands}"


def matrix_instructions(assembly: str) -> Counter[MatrixInstruction]:
    """Return how often each matrix instruction stands in an assembly text.

    >>> text = "\\tv_wmma_f32_16x16x16_f16 v[0:7], v[8:15], v[16:23], v[0:7]\\n"
    >>> [(str(i), n) for i, n in matrix_instructions(text * 3).items()]
    [('wmma_f32_16x16x16_f16', 3)]
    """
    return Counter(MatrixInstruction._of(found) for found in _MATRIX.finditer(assembly))


def inspect_code(binary: bytes, assembly: str = "") -> dict[str, Any]:
    """Everything known about a code object, as plain JSON data: target, kernels, sizes, matrix instructions."""
    target, kernels = read_code_object(binary)
    counts = matrix_instructions(assembly)
    return {
        "target": target,
        "kernels": [asdict(k) for k in kernels],
        "code_bytes": sum(k.code_bytes for k in kernels),
        "file_bytes": len(binary),
        "matrix": {str(i): n for i, n in sorted(counts.items())},
    }


def is_code_object(binary: bytes) -> bool:
    """Return whether bytes begin with the whole header of an AMD GPU code object."""
    if binary[:5] != b"\x7fELF\x02" or len(binary) < HEADER_BYTES:
        return False
    return bool(struct.unpack_from("<H", binary, 18)[0] == ELF_MACHINE)


def read_code_object(binary: bytes) -> tuple[str, list[KernelCode]]:
    """Return (target such as gfx942, kernels) of a code object; `BuildError` if the bytes are none."""
    if not is_code_object(binary):
        raise BuildError("this is no AMD GPU code object", remedy="pass the ELF file that the compiler wrote")
    sizes, metadata = dict(_function_sizes(binary)), None
    for kind, offset, size, _, _ in _sections(binary):
        if kind == _NOTES:
            metadata = metadata or code_metadata(binary[offset : offset + size])
    if metadata is None:
        raise BuildError("the code object has no kernel metadata", remedy="compile it for the amdhsa system")
    kernels = [_kernel(entry, sizes) for entry in metadata["amdhsa.kernels"]]
    return metadata["amdhsa.target"].rpartition("--")[2], kernels


def code_object_version(binary: bytes) -> int:
    """Return the version of a code object: 4, 5 or 6. Older runtimes do not load newer versions."""
    return binary[8] + 2  # EI_ABIVERSION


def _kernel(entry: Mapping[str, Any], sizes: Mapping[str, int]) -> KernelCode:
    return KernelCode(
        symbol=entry[".name"],
        vgprs=entry[".vgpr_count"],
        agprs=entry.get(".agpr_count", 0),
        sgprs=entry[".sgpr_count"],
        vgpr_spills=entry.get(".vgpr_spill_count", 0),
        sgpr_spills=entry.get(".sgpr_spill_count", 0),
        lds_bytes=entry[".group_segment_fixed_size"],
        scratch_bytes=entry[".private_segment_fixed_size"],
        kernarg_bytes=entry[".kernarg_segment_size"],
        max_threads=entry[".max_flat_workgroup_size"],
        wave_size=entry[".wavefront_size"],
        code_bytes=sizes.get(entry[".name"], 0),
    )


def _sections(binary: bytes) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield (type, file offset, size, link, entry size) of each ELF section."""
    start, entry, count = struct.unpack_from("<Q", binary, 40)[0], *struct.unpack_from("<HH", binary, 58)
    for i in range(count):
        at = start + i * entry
        kind = struct.unpack_from("<I", binary, at + 4)[0]
        offset, size, link = struct.unpack_from("<QQI", binary, at + 24)
        yield kind, offset, size, link, struct.unpack_from("<Q", binary, at + 56)[0]


def _function_sizes(binary: bytes) -> Iterator[tuple[str, int]]:
    sections = list(_sections(binary))
    for kind, offset, size, link, entry in sections:
        if kind not in _SYMBOLS:
            continue
        names = sections[link][1]
        for at in range(offset, offset + size, entry):
            name, info, _, _, _, length = struct.unpack_from("<IBBHQQ", binary, at)
            if info & 15 == _FUNCTION:
                begin = names + name
                yield binary[begin : binary.index(b"\0", begin)].decode(), length


def code_metadata(notes: bytes) -> dict[str, Any] | None:
    """Return the facts of all kernels out of a section of notes, or None."""
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, at)
        begin = at + 12 + (name_size + 3) // 4 * 4
        if kind == NOTE_METADATA and notes[at + 12 : at + 12 + name_size].rstrip(b"\0") == b"AMDGPU":
            return dict(unpack_message(notes[begin : begin + size]))
        at = begin + (size + 3) // 4 * 4
    return None


def unpack_message(data: bytes) -> Any:
    """Return the value of a MessagePack text: the part of the format that compilers write.

    >>> unpack_message(bytes([0x82, 0xA1, 0x61, 0x01, 0xA1, 0x62, 0x92, 0xC3, 0xCD, 0x01, 0x00]))
    {'a': 1, 'b': [True, 256]}
    """
    return _Reader(data).value()


class _Reader:
    _CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
    _NUMBERS = {0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
                0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}  # fmt: skip
    _SIZED = {0xD9: ("s", ">B"), 0xDA: ("s", ">H"), 0xDB: ("s", ">I"), 0xDC: ("a", ">H"), 0xDD: ("a", ">I"),
              0xDE: ("m", ">H"), 0xDF: ("m", ">I")}  # fmt: skip

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def value(self) -> Any:
        head = self._number(">B")
        if head < 0x80 or head >= 0xE0:
            return head if head < 0x80 else head - 0x100
        if head < 0xC0:
            kind, size = ("m", head & 15) if head < 0x90 else ("a", head & 15) if head < 0xA0 else ("s", head & 31)
            return self._sized(kind, size)
        if head in self._CONSTANTS:
            return self._CONSTANTS[head]
        if head in self._NUMBERS:
            return self._number(self._NUMBERS[head])
        if head in self._SIZED:
            kind, form = self._SIZED[head]
            return self._sized(kind, self._number(form))
        raise BuildError(f"kernel metadata holds the MessagePack type 0x{head:02x}, which no compiler writes")

    def _number(self, form: str) -> Any:
        (number,) = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return number

    def _sized(self, kind: str, size: int) -> Any:
        if kind == "a":
            return [self.value() for _ in range(size)]
        if kind == "m":
            return {self.value(): self.value() for _ in range(size)}
        self._at += size
        return self._data[self._at - size : self._at].decode()
