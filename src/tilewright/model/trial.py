"""Trial: a small problem that takes a kernel along one of its paths, for the check of a kernel before it is trusted."""

from __future__ import annotations

from dataclasses import dataclass, field

from .kernel import Launch
from .problem import Problem


@dataclass(frozen=True)
class Trial:
    """One execution. `path` names what it shows: the device kernel, a tail, padding, a split."""

    path: str
    problem: Problem
    launch: Launch = field(default_factory=Launch)
