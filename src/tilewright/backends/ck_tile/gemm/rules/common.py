"""What the rule modules share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .....model.arch import AmdArch
from .....model.rule import Broken, Rule, Subject, broken
from .....model.rule import rule as make_rule
from .....ops.gemm.signature import GemmSignature
from ..algorithm import CkTileGemm

PREFIX = "ck_tile.gemm"


class Parts(NamedTuple):
    """What a rule of the kernel itself looks at."""

    algorithm: CkTileGemm
    signature: GemmSignature
    arch: AmdArch


Check = Callable[[Parts], "Broken | None"]


def rule(name: str, kind: str, formula: str) -> Callable[[Check], Rule]:
    """Decorator: a rule of ck_tile GEMM kernels from a check on algorithm, signature and arch."""

    def make(check: Check) -> Rule:
        def unpack(subject: Subject) -> Broken | None:
            spec: Any = subject.spec
            arch: Any = subject.arch
            return check(Parts(spec.algorithm, spec.signature, arch))

        unpack.__doc__ = check.__doc__
        return make_rule(f"{PREFIX}.{name}", kind, formula)(unpack)

    return make


def say(faults: Sequence[str], fix: dict[str, Any] | None = None, remedy: str = "", **values: Any) -> Broken:
    """The answer of a broken rule. `fix` are changes that mend this rule: the remedy, where no other is given."""
    if fix:
        values["fix"] = fix
        remedy = remedy or "set " + ", ".join(f"{name} to {_shown(value)}" for name, value in fix.items())
    return broken("; ".join(faults), remedy, **values)


def shown(triple: Sequence[int]) -> str:
    """A shape for people.

    >>> shown((256, 128, 64))
    '256x128x64'
    """
    return "x".join(map(str, triple))


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
