"""Kernels broken on purpose: every way to break a kernel that a mechanical edit of its text can make."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tilewright.emulator.assembly import parse_assembly
from tilewright.emulator.waits import waits_of


@dataclass(frozen=True)
class Mutant:
    """A kernel with one line changed."""

    kind: str
    line: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.kind}-{self.line}"

    def apply(self, text: str) -> str:
        lines = text.splitlines()
        assert lines[self.line - 1].strip() == self.old
        lines[self.line - 1] = f"\t{self.new}"
        return "\n".join(lines) + "\n"


NOTHING = "s_nop 0"


def _lines(text: str, pattern: str) -> list[tuple[int, str]]:
    """(line, instruction) of the kernel's instructions that match."""
    [kernel] = [k for k in parse_assembly(text).values() if k.name == "ck_gemm"]
    return [(i.line, i.text) for i in kernel.instructions if re.search(pattern, i.text)]


def _spread(found: list[tuple[int, str]], count: int) -> list[tuple[int, str]]:
    """At most `count` of them, evenly spread."""
    step = max(1, len(found) // count)
    return found[::step][:count]


def dropped_barriers(text: str) -> Iterator[Mutant]:
    for line, old in _lines(text, r"^s_barrier(_signal .*)?$"):
        if old == "s_barrier":
            yield Mutant("barrier", line, old, NOTHING)


def dropped_waits(text: str) -> Iterator[Mutant]:
    """Waits for a counter that something was counted on since its last wait for 0: others wait for nothing."""
    [kernel] = [k for k in parse_assembly(text).values() if k.name == "ck_gemm"]
    counters, under_way = kernel.isa.counters, set[str]()
    for i in kernel.instructions:
        waits = waits_of(i, kernel.isa)
        if under_way & set(waits):
            yield Mutant("wait", i.line, i.text, NOTHING)
        under_way -= {counter for counter, left in waits.items() if left == 0}
        for prefix, kind in (("ds_", "lds"), ("s_load", "scalar"), ("buffer_load", "load"), ("global_load", "load")):
            if i.opcode.startswith(prefix):
                under_way.add(counters[kind])


def weakened_waits(text: str) -> Iterator[Mutant]:
    for line, old in _lines(text, r"^s_waitcnt .*vmcnt\([1-9]|^s_wait_loadcnt 0x[1-9]"):
        if "s_wait_" in old:
            yield Mutant("weak-wait", line, old, re.sub(r"0x(\w+)", lambda m: hex(int(m[1], 16) + 1), old))
        else:
            yield Mutant("weak-wait", line, old, re.sub(r"vmcnt\((\d+)\)", lambda m: f"vmcnt({int(m[1]) + 1})", old))


def wrong_offsets(text: str) -> Iterator[Mutant]:
    for pattern, step in (
        (r"^ds_\w+ .*offset:\d+$", 16),
        (r"^ds_\w+ .*offset:\d+$", 40000),
        (r"^buffer_load\w+ .*offset:\d+", 64),
    ):
        for line, old in _spread(_lines(text, pattern), 3):
            new = re.sub(r"offset:(\d+)", lambda m, by=step: f"offset:{(int(m[1]) + by) % 65536}", old)
            if old.startswith("buffer"):
                new = re.sub(r"offset:(\d+)", lambda m: f"offset:{int(m[1]) % 4096}", new)
            yield Mutant("offset", line, old, new)


def lost_initialisations(text: str) -> Iterator[Mutant]:
    found = _lines(text, r"^v_mov_b32\w* v\d+, (0|v\d+)$|^v_dual_mov_b32 v\d+, 0|^v_lshlrev_b32\w* v\d+, \d+, v\d+$")
    for line, old in _spread(found, 8):
        yield Mutant("initialisation", line, old, NOTHING)


def wrong_layouts(text: str) -> Iterator[Mutant]:
    """Matrix instructions whose factors are exchanged, or whose rows come from a neighbour."""
    for line, old in _spread(_lines(text, r"^v_(mfma|wmma)_"), 4):
        match = re.fullmatch(r"(\S+) ([^,]+), ([^,]+), ([^,]+), (.*)", old)
        assert match
        yield Mutant("layout", line, old, f"{match[1]} {match[2]}, {match[4]}, {match[3]}, {match[5]}")


def oversized_descriptors(text: str) -> Iterator[Mutant]:
    """Sizes of buffers that are too large: a shift further than it was."""
    for line, old in _lines(text, r"^s_lshl_b32 s\d+, s\d+, 1$"):
        yield Mutant("descriptor", line, old, old[:-1] + "4")


def races_between_workgroups(text: str) -> Iterator[Mutant]:
    """Every workgroup takes the tile of the first one."""
    [kernel] = [k for k in parse_assembly(text).values() if k.name == "ck_gemm"]
    number = "ttmp9" if kernel.isa.ids_in_ttmp else f"s{kernel.number('user_sgpr_count', 2)}"
    first = kernel.instructions[0]
    yield Mutant("workgroup", first.line, first.text, f"s_mov_b32 {number}, 0\n\t{first.text}")


def mutants_of(text: str) -> list[Mutant]:
    """Every mutant of a kernel."""
    makers = (dropped_barriers, dropped_waits, weakened_waits, wrong_offsets, lost_initialisations, wrong_layouts,
              oversized_descriptors, races_between_workgroups)  # fmt: skip
    return [m for maker in makers for m in maker(text) if m.new != m.old]
