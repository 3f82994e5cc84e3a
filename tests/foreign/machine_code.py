"""The loops of a compiled unit, read from the assembly that the compiler writes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

LABEL = re.compile(r"^(\.?\w[\w.$]*):")
CONDITIONS = "eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|any|none|first|last|pmore|tcont"
BRANCH = re.compile(rf"^\s*(?:b|b\.?(?:{CONDITIONS})|cbn?z|tbn?z)\s.*?(\.L\w+)\s*$")


@dataclass(frozen=True)
class Loop:
    """The instructions of one loop, in order."""

    function: str
    lines: tuple[str, ...]

    def count(self, pattern: str) -> int:
        """Return how many instructions match."""
        return sum(bool(re.match(pattern, line)) for line in self.lines)

    @property
    def names(self) -> Counter[str]:
        """How often each instruction is there; those that name a lane end in `[]`."""
        return Counter(line.split()[0] + "[]" * bool(re.search(r"\[\d\]$", line)) for line in self.lines)


def loops(assembly: str, holding: str) -> list[Loop]:
    """Return the innermost loops with an instruction that matches `holding`: from a label to a branch back to it.

    >>> text = "f:\\n\\tnop\\n.L2:\\n\\tfmla v0.4s, v1.4s, v2.s[1]\\n\\tb.ne .L2\\n\\tret\\n"
    >>> [loop.lines for loop in loops(text, "fmla")]
    [('fmla v0.4s, v1.4s, v2.s[1]', 'b.ne .L2')]
    """
    found: list[tuple[int, int, str]] = []
    lines: list[str] = []
    places: dict[str, int] = {}
    function = ""
    for line in assembly.splitlines():
        label = LABEL.match(line)
        if label:
            places[label[1]] = len(lines)
            function = function if label[1].startswith(".L") else label[1]
            continue
        text = " ".join(line.split("//")[0].split())
        if not text or text.startswith((".", "#")):
            continue
        lines.append(text)
        branch = BRANCH.match(line)
        if branch and branch[1] in places:
            found.append((places[branch[1]], len(lines), function))
    kept = [one for one in found if any(re.match(holding, line) for line in lines[one[0] : one[1]])]
    inner = [one for one in kept if not any(_inside(other, one) for other in kept)]
    return [Loop(name, tuple(lines[start:end])) for start, end, name in inner]


def _inside(one: tuple[int, int, str], other: tuple[int, int, str]) -> bool:
    return one != other and other[0] <= one[0] and one[1] <= other[1]
