"""What a reader of declarations returns: kernel sets, and notes about what it changed."""

from __future__ import annotations

from dataclasses import dataclass

from ...model.kernel_set import KernelSet


@dataclass(frozen=True)
class Note:
    """Something that was filled in, corrected, removed or not used, and where.

    >>> str(Note("a.cpp", 3, 5, "filled in", "wave 2,2,1"))
    'a.cpp:3:5: filled in: wave 2,2,1'
    """

    path: str
    line: int
    column: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.kind}: {self.text}"


@dataclass(frozen=True)
class Declared:
    """The kernel sets of a source, in order, and the notes about them."""

    sets: tuple[KernelSet, ...]
    notes: tuple[Note, ...] = ()
