"""Rules: each has a name, a formula as text, and a check that reports numbers and a remedy.

One list of rules serves enumeration, validation, correction, explain and the documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic

from .problem import P

if TYPE_CHECKING:
    from .kernel import KernelSpec, Launch

# Why a rule refuses a spec: it is not meaningful; the hardware cannot; the compiler cannot; it compiles and computes
# the wrong thing; no table of the arch lists it, so it is untested; it does not fit the problem.
KINDS = ("semantic", "hardware", "compile", "known-miscompile", "listed", "problem")


@dataclass(frozen=True)
class Rejection:
    """Why a candidate was removed: the rule, the numbers that broke it, and a remedy.

    >>> str(Rejection("lds", "LDS 73,728 B > 65,536 B", {"got": 73728}, "shrink tile_k to 32"))
    'lds: LDS 73,728 B > 65,536 B (shrink tile_k to 32)'
    """

    rule: str
    message: str
    values: Mapping[str, Any] = field(default_factory=dict)
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.rule}: {self.message}" + (f" ({self.remedy})" if self.remedy else "")


@dataclass(frozen=True)
class Subject(Generic[P]):
    """What a rule checks. `problem` and `launch` are absent if only a spec is checked."""

    spec: KernelSpec
    arch: Any  # an `Arch`, of the kind that the backend's kernels run on
    problem: P = None  # type: ignore[assignment]  # absent: rules of kind "problem" are not asked then
    launch: Launch | None = None

    @property
    def algorithm(self) -> Any:
        """The algorithm of the kernel."""
        return self.spec.algorithm

    @property
    def signature(self) -> Any:
        """The signature of the kernel."""
        return self.spec.signature


@dataclass(frozen=True)
class Rule:
    """A named rule. `check` returns None or the (message, remedy, values) that broke it.

    `parts` are checks that together are equivalent to this one; each may rely on those before it. For many kernels they
    are evaluated one by one, because each depends on fewer fields. Empty: the check has no parts.
    """

    id: str
    kind: str
    formula: str
    check: Check
    parts: tuple[Check, ...] = ()

    def __call__(self, subject: Subject[Any]) -> Rejection | None:
        """Return the rejection, or None if the subject passes (problem rules pass if there is no problem)."""
        if self.kind == "problem" and subject.problem is None:
            return None
        broken = self.check(subject)
        return None if broken is None else Rejection(self.id, broken.message, broken.values, broken.remedy)


@dataclass(frozen=True)
class Broken:
    """What a check returns if its rule does not hold."""

    message: str
    remedy: str
    values: Mapping[str, Any]


Check = Callable[[Subject[Any]], Broken | None]


def broken(message: str, remedy: str = "", **values: Any) -> Broken:
    """Return the result of a check whose rule does not hold.

    >>> broken("3 > 2", "use 2", got=3).values
    {'got': 3}
    """
    return Broken(message, remedy, values)


def first_broken(checks: Iterable[tuple[Any, str]], remedy: str, what: str = "") -> Broken | None:
    """Return the result of a check with several parts, (whether it is broken, what is wrong); None if none is broken.

    >>> first_broken([(False, "a"), (True, "b"), (True, "c")], "use d", "a kernel with ").message
    'a kernel with b'
    """
    wrong = [text for bad, text in checks if bad]
    return broken(f"{what}{wrong[0]}", remedy, all=wrong) if wrong else None


def rule(id: str, kind: str, formula: str) -> Callable[[Check], Rule]:
    """Turn a check function into a `Rule` (a decorator).

    >>> @rule("demo.even", "compile", "m % 2 == 0")
    ... def even(s):
    ...     return None
    >>> even.id
    'demo.even'
    """
    if kind not in KINDS:
        raise ValueError(f"rule kind {kind!r} is not one of {KINDS}")
    return lambda check: Rule(id, kind, formula, check)


def judge(rules: Iterable[Rule], subject: Subject[Any]) -> tuple[Rejection, ...]:
    """Return every rejection of `subject`, in rule order; empty means legal."""
    asked = rules if subject.problem is not None else (r for r in rules if r.kind != "problem")
    broken = [(r.id, found) for r in asked if (found := r.check(subject)) is not None]  # most subjects break nothing
    return tuple(Rejection(name, found.message, found.values, found.remedy) for name, found in broken)
