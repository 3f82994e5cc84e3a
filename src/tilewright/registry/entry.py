"""The values of a registry: one kernel, the result of a merge, the candidates of a problem."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..arch import get_arch
from ..backends import get_backend_op
from ..backends.plain import check_spec
from ..errors import SpecError
from ..model.kernel import Candidate, KernelSpec
from ..model.rule import Rejection


@dataclass(frozen=True)
class Entry:
    """One registered kernel: the spec, its priority, and its source."""

    spec: KernelSpec
    priority: int = 0
    source: str = ""


@dataclass(frozen=True)
class MergeReport:
    """The result of a merge: kernels added, replaced by a higher priority, and kept against an equal or lower one."""

    added: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()


@dataclass
class Consideration:
    """The candidates of one problem: the legal ones, and every other with the rules that removed it."""

    legal: list[Candidate] = field(default_factory=list)
    rejected: list[tuple[KernelSpec, tuple[Rejection, ...]]] = field(default_factory=list)

    def counts(self) -> Counter[str]:
        """Return how many candidates each rule removed."""
        return Counter(r.rule for _, rejections in self.rejected for r in rejections)


def checked_entry(spec: KernelSpec, priority: int, source: str) -> Entry:
    """Return the entry of a kernel whose fields are sound and that breaks no rule."""
    check_spec(spec)
    rejections = get_backend_op(spec.backend, spec.op).check(spec, get_arch(spec.arch))
    if rejections:
        listed = "; ".join(str(r) for r in rejections)
        raise SpecError(f"{spec.name} breaks {len(rejections)} rules: {listed}", rejections=rejections)
    return Entry(spec, priority, source)
