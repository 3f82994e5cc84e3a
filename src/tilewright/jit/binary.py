"""Facts about a compiled library, read from its bytes: nothing in it is run.

The check reads the header, the program headers and the exported symbols of ELF, and only the header of Mach-O.
"""

from __future__ import annotations

import platform
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass

ELF_MAGIC = b"\x7fELF"
SHARED = 3  # ET_DYN
_DYNAMIC_SEGMENT = 2
_SYMBOL_TABLE, _STRING_TABLE = 11, 3  # SHT_DYNSYM, SHT_STRTAB
_HEADER = struct.Struct("<HHIQQQIHHHHHH")  # after the 16 bytes of identification
_PROGRAM = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
MAX_SYMBOLS = 1_000_000

# The machine number of ELF and of Mach-O, by `platform.machine()` or the first part of a compiler target.
MACHINES = {
    "x86_64": 62, "amd64": 62, "aarch64": 183, "arm64": 183, "riscv64": 243, "loongarch64": 258,
    "powerpc64le": 21, "ppc64le": 21, "s390x": 22, "i686": 3, "i386": 3, "armv7l": 40,
}  # fmt: skip
_MACHINE_NAMES = {62: "x86_64", 183: "aarch64", 243: "riscv64", 258: "loongarch64", 21: "ppc64le", 22: "s390x",
                  3: "i386", 40: "arm"}  # fmt: skip
_MACHO_MAGIC = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")  # one arch, or several in one file
_MACHO_MACHINES = {0x01000007: 62, 0x0100000C: 183}


class BadLibraryError(Exception):
    """Bytes that are not a library for the wanted machine; the text says why."""


@dataclass(frozen=True)
class Library:
    """A shared library that was read: its machine number (0: several, or unknown) and its exported names."""

    machine: int
    exports: frozenset[str]


def machine_of(name: str) -> int | None:
    """Return the ELF machine number of a target or machine name; None if it is not known.

    >>> machine_of("x86_64-linux-gnu"), machine_of("aarch64"), machine_of("vax-dec-ultrix")
    (62, 183, None)
    """
    return MACHINES.get(name.split("-", 1)[0].lower())


def host_machine() -> int | None:
    """Return the ELF machine number of this process; None if it is not known."""
    return machine_of(platform.machine())


def machine_name(number: int) -> str:
    """Return the common name of an ELF machine number.

    >>> machine_name(183), machine_name(7)
    ('aarch64', 'machine 7')
    """
    return _MACHINE_NAMES.get(number, f"machine {number}")


def check_machine(data: bytes, wanted: int | None) -> int:
    """Return the machine of a library from its first bytes; raise `BadLibraryError` if there is none, or another.

    >>> check_machine(b"#!/bin/sh", 62)
    Traceback (most recent call last):
    ...
    tilewright.jit.binary.BadLibraryError: it is not a shared library: it starts with '#!/bin/s'
    """
    if data[:4] in _MACHO_MAGIC and sys.platform == "darwin":
        found = _MACHO_MACHINES.get(int.from_bytes(data[4:8], "little"), 0) if data[0] == 0xCF else 0
    elif data[:4] == ELF_MAGIC:
        found = _elf_machine(data)
    else:
        shown = repr(data[:8].decode("latin-1")) if data else "nothing: it is empty"
        raise BadLibraryError(f"it is not a shared library: it starts with {shown}")
    if wanted is not None and found not in (0, wanted):
        raise BadLibraryError(f"it is for {machine_name(found)}, not for {machine_name(wanted)}")
    return found


def _elf_machine(data: bytes) -> int:
    if len(data) < 64:
        raise BadLibraryError(f"it is cut short: {len(data)} bytes, and an ELF header has 64")
    if data[4] != 2:
        raise BadLibraryError("it is not a 64-bit library")
    order = {1: "<", 2: ">"}.get(data[5])
    if order is None:
        raise BadLibraryError(f"its byte order is {data[5]}")
    kind, machine = struct.unpack_from(f"{order}HH", data, 16)
    if kind != SHARED:
        raise BadLibraryError(f"it is an ELF file of type {kind}, not a shared library")
    return int(machine)


def read_library(data: bytes, wanted: int | None = None) -> Library:
    """Return the exports of the library `data`; raise `BadLibraryError` if it is damaged or for another machine."""
    machine = check_machine(data, wanted)
    if data[:4] != ELF_MAGIC or data[5] != 1:  # Mach-O, or big-endian: only the header is checked
        return Library(machine, frozenset())
    try:
        return Library(machine, frozenset(_exports(data)))
    except (struct.error, IndexError, ValueError) as problem:
        raise BadLibraryError(f"its tables are damaged ({problem})") from None


def _exports(data: bytes) -> Iterator[str]:
    _, _, _, _, program_at, section_at, _, _, program_size, programs, section_size, sections, _ = _HEADER.unpack_from(
        data, 16
    )
    segments = [_PROGRAM.unpack_from(data, program_at + i * program_size) for i in range(programs)]
    if _DYNAMIC_SEGMENT not in {segment[0] for segment in segments}:
        raise BadLibraryError("it is not a shared library: it has no dynamic section")
    for segment in segments:
        offset, stored = segment[2], segment[5]
        if offset + stored > len(data):
            raise BadLibraryError(f"it is cut short: {len(data):,} bytes, and a segment ends at {offset + stored:,}")
    headers = [_SECTION.unpack_from(data, section_at + i * section_size) for i in range(sections)]
    for header in headers:
        if header[1] == _SYMBOL_TABLE:
            names = headers[header[6]]
            yield from _defined(data, (header[4], header[5]), (names[4], names[5]))


def _defined(data: bytes, table: tuple[int, int], names: tuple[int, int]) -> Iterator[str]:
    """Yield the defined names of a symbol table; both arguments are (offset, size)."""
    at, size = table
    if at + size > len(data) or sum(names) > len(data) or size // _SYMBOL.size > MAX_SYMBOLS:
        raise BadLibraryError("it is cut short: its symbol table is outside of the file")
    for offset in range(at, at + size - _SYMBOL.size + 1, _SYMBOL.size):
        name, _, _, section, _, _ = _SYMBOL.unpack_from(data, offset)
        if section != 0 and name < names[1]:
            start = names[0] + name
            yield data[start : data.index(b"\0", start)].decode("ascii", "replace")
