"""What a run found and counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

KINDS = {
    "lds-race": "LDS race",
    "global-race": "race in global memory between workgroups",
    "wave-race": "race in global memory between waves of a workgroup",
    "store-in-flight": "store that nobody waited for",
    "missing-wait": "register used before the wait for its load",
    "wait-states": "too few wait states",
    "lds-in-flight": "barrier while accesses to LDS are under way",
    "wmma-halves": "halves of a wave hold different rows of a factor",
    "out-of-bounds": "access outside of every allocation",
    "lds-out-of-bounds": "LDS access out of range",
    "misaligned": "misaligned access",
    "undefined-register": "value that was never written",
    "undefined-lds": "read of LDS that was never written",
    "divergent-barrier": "waves of one workgroup meet at different barriers",
}


@dataclass
class Finding:
    """One fault of a kernel, at its first occurrence; `count` says how often it occurred."""

    kind: str
    kernel: str
    line: int
    text: str
    wave: int
    workgroup: int
    lane: int | None = None
    address: int | None = None
    detail: str = ""
    source: str = ""
    count: int = 1

    def __str__(self) -> str:
        place = f"{self.kernel}, line {self.line}" + (f" ({self.source})" if self.source else "")
        who = f"workgroup {self.workgroup}, wave {self.wave}" + (f", lane {self.lane}" if self.lane is not None else "")
        where = f", address {self.address:#x}" if self.address is not None else ""
        more = f": {self.detail}" if self.detail else ""
        often = f" ({self.count} times)" if self.count > 1 else ""
        return f"{KINDS[self.kind]}{more}\n  {place}: {self.text}\n  {who}{where}{often}"


@dataclass
class Report:
    """The outcome of a launch: findings of the sanitizer, and how much was executed."""

    kernel: str
    sanitized: bool
    findings: list[Finding] = field(default_factory=list)
    instructions: int = 0
    wave_instructions: int = 0
    seconds: float = 0.0

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def kinds(self) -> set[str]:
        """Return the kinds of the findings."""
        return {f.kind for f in self.findings}

    def __str__(self) -> str:
        head = f"{self.kernel}: {self.wave_instructions:,} wave instructions"
        if not self.sanitized:
            return head
        if self.clean:
            return f"{head}; the sanitizer found nothing"
        count = len(self.findings)
        return "\n".join([f"{head}; the sanitizer found {count} fault{'s'[: count > 1]}", *map(str, self.findings)])


class Findings:
    """Collects findings; the same kind at the same instruction is counted, not repeated."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._found: dict[tuple[str, int], Finding] = {}

    def add(
        self, kind: str, index: int, *, wave: int, workgroup: int,
        lane: int | None = None, address: int | None = None, detail: str = "",
    ) -> None:  # fmt: skip
        """Record one fault at the instruction with this index."""
        if (kind, index) in self._found:
            self._found[kind, index].count += 1
            return
        i = self._kernel.instructions[index]
        self._found[kind, index] = Finding(
            kind, self._kernel.name, i.line, i.text, wave, workgroup, lane, address, detail, i.source
        )

    def listed(self) -> list[Finding]:
        """Return the findings in the order of their lines."""
        return sorted(self._found.values(), key=lambda f: (f.line, f.kind))
