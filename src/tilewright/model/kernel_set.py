"""KernelSet: a named declaration of kernels with lists, ranges and wildcards, expanded lazily for one arch.

Every combination that a rule removes is counted, so that a set never shrinks silently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from ..errors import SpecError, check_known
from .arch import Arch
from .kernel import KernelSpec
from .rule import Rejection, Rule, Subject, judge
from .tunable import Tunable

WILDCARD = "*"
MAX_MEMBERS = 4096  # of one range
MAX_COMBINATIONS = 1 << 18  # of one set: more would take too long to check in a call


@dataclass(frozen=True)
class Range:
    """`min`, `min + step`, ... up to and including `max`.

    >>> Range(32, 128, 32).values()
    (32, 64, 96, 128)
    """

    min: int
    max: int
    step: int

    def values(self) -> tuple[int, ...]:
        """Return the members, ascending."""
        if self.step <= 0 or self.max < self.min:
            raise SpecError(
                f"range {self.min}..{self.max} step {self.step} is not valid", remedy="need step > 0, max >= min"
            )
        members = range(self.min, self.max + 1, self.step)
        if self.max - self.min >= self.step * MAX_MEMBERS:
            raise SpecError(
                f"range {self.min}..{self.max} step {self.step} has more than {MAX_MEMBERS:,} members",
                remedy="make it shorter, or its step larger",
            )
        return tuple(members)

    def __contains__(self, value: Any) -> bool:
        return type(value) is int and self.min <= value <= self.max and (value - self.min) % self.step == 0


@dataclass(frozen=True)
class KernelSet:
    """A named family of kernels.

    `signature` and `algorithms` map field names to a value, a list of values, a `Range`, or "*" (any value of a
    signature field; every declared choice of an algorithm field). `algorithms` holds one or more such maps; the set is
    the union of their cross products. Omitted fields keep their default.
    """

    name: str
    op: str
    backend: str
    algorithms: tuple[Mapping[str, Any], ...]
    signature: Mapping[str, Any] = field(default_factory=dict)
    archs: tuple[str, ...] = (WILDCARD,)
    priority: int = 0
    description: str = ""

    def serves(self, arch: str) -> bool:
        """Return whether this set declares kernels for `arch`."""
        return WILDCARD in self.archs or arch in self.archs

    def takes(self, signature: Any, arch: str) -> bool:
        """Return whether this set declares kernels for `signature` on `arch`."""
        return self.serves(arch) and all(
            _matches(getattr(signature, name), pattern) for name, pattern in self.signature.items()
        )


@dataclass
class Expansion:
    """The expansion of a set on one arch: the legal specs, and why the others are not."""

    specs: list[KernelSpec] = field(default_factory=list)
    rejected: list[tuple[KernelSpec, tuple[Rejection, ...]]] = field(default_factory=list)

    def counts(self) -> Counter[str]:
        """Return how many combinations each rule removed (a combination counts once for each rule it breaks)."""
        return Counter(r.rule for _, rejections in self.rejected for r in rejections)


def expand(
    kernel_set: KernelSet,
    arch: Arch,
    signature: Any,
    algorithm_class: type,
    tunables: Sequence[Tunable],
    rules: Iterable[Rule],
) -> Expansion:
    """Return all kernels of the set for one signature on one arch, checked by `rules`, in declaration order."""
    rules, seen, result = [r for r in rules if r.kind != "problem"], set[Any](), Expansion()
    for fields in _combinations(kernel_set.algorithms, tunables):
        algorithm = algorithm_class(**fields)
        if algorithm in seen:  # cheaper than the digest, and the rest of the spec is the same
            continue
        seen.add(algorithm)
        spec = KernelSpec(kernel_set.op, kernel_set.backend, arch.name, signature, algorithm)
        rejections = judge(rules, Subject(spec, arch))
        if rejections:
            result.rejected.append((spec, rejections))
        else:
            result.specs.append(spec)
    return result


def _combinations(maps: Sequence[Mapping[str, Any]], tunables: Sequence[Tunable]) -> Iterator[dict[str, Any]]:
    known, total = {t.name: t for t in tunables}, 0
    for fields in maps:
        for name in fields:
            check_known("algorithm field", name, known)
        lists = [listed(v, known[name].choices) for name, v in fields.items()]
        total += prod(map(len, lists))
        if total > MAX_COMBINATIONS:
            raise SpecError(
                f"the kernel set has {total:,} combinations or more; the limit is {MAX_COMBINATIONS:,}",
                remedy="declare several smaller sets",
            )
        for values in product(*lists):
            yield dict(zip(fields, values, strict=True))


def listed(pattern: Any, choices: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values of a pattern.

    >>> listed("*", (1, 2)), listed([4, 8], ()), listed(3, ())
    ((1, 2), (4, 8), (3,))
    """
    if isinstance(pattern, str) and pattern == WILDCARD:
        return tuple(choices)
    if isinstance(pattern, Range):
        return pattern.values()
    if isinstance(pattern, (list, tuple)):
        return tuple(pattern)
    return (pattern,)


def _matches(value: Any, pattern: Any) -> bool:
    if isinstance(pattern, str) and pattern == WILDCARD:
        return True
    if isinstance(pattern, Range):
        return value in pattern
    if isinstance(pattern, list):
        return value in pattern
    return bool(value == pattern)
