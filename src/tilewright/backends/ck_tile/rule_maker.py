"""Rules from checks on an op's own view of the subject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ...model.arch import AmdArch
from ...model.problem import P
from ...model.rule import Broken, Rule, Subject
from ...model.rule import rule as make_rule

View = TypeVar("View")
RuleMaker = Callable[[str, str, str], Callable[[Callable[[View], "Broken | None"]], Rule]]


@dataclass(slots=True)
class Case(Generic[P]):
    """The input of a rule about a problem; `problem` is None if only a kernel is checked."""

    algorithm: Any
    signature: Any
    arch: AmdArch
    problem: P
    split_k: int

    @classmethod
    def of(cls, subject: Subject[Any]) -> Case[P]:
        """Return the parts of a subject; without a launch, the split of the problem."""
        spec: Any = subject.spec
        arch: Any = subject.arch
        asked = (subject.problem.split_k or 1) if subject.problem is not None else 1
        split_k = subject.launch.split_k if subject.launch is not None else asked
        return cls(spec.algorithm, spec.signature, arch, subject.problem, split_k)


def rule_maker(prefix: str, view: Callable[[Subject[Any]], View]) -> RuleMaker[View]:
    """Return a decorator factory `rule(name, kind, formula)`, whose checks get `view(subject)`.

    >>> rule = rule_maker("demo", Case.of)
    >>> rule("split", "problem", "split_k == 1")(lambda case: None).id
    'demo.split'
    """

    def rule(name: str, kind: str, formula: str) -> Callable[[Callable[[View], Broken | None]], Rule]:
        def make(check: Callable[[View], Broken | None]) -> Rule:
            def unpack(subject: Subject[Any]) -> Broken | None:
                return check(view(subject))

            unpack.__doc__ = check.__doc__
            return make_rule(f"{prefix}.{name}", kind, formula)(unpack)

        return make

    return rule
