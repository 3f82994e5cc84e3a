"""Correct kernels by the rules of their own backend: the nearest legal kernel, as a diff that the caller may apply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..arch import get_arch
from ..model import correction
from ..model.correction import Correction
from ..model.kernel import KernelSpec
from ..model.problem import Problem
from . import get_backend_op


def nearest_legal(
    spec: KernelSpec, problem: Problem | None = None, *, keep: Iterable[str] = (), limit: int = 5000
) -> Correction | None:
    """Return the legal kernel with the fewest steps of tunables from `spec`; None if none is among `limit` kernels.

    With a problem, the kernel also accepts that problem. Fields in `keep` stay as they are. `spec` itself is unchanged:
    `correction.spec` is the legal kernel, `correction.changes` the difference.

    >>> from tilewright.codegen import KernelConfig
    >>> print(nearest_legal(KernelConfig(tile_k=128).spec()))
    tile_k 128 -> 64
    """
    op = get_backend_op(spec.backend, spec.op)
    return correction.nearest_legal(
        spec, get_arch(spec.arch), op.rules, op.tunables(), keep=keep, limit=limit, problem=problem
    )


@dataclass
class Corrected:
    """The result of correcting many kernels: those with a legal neighbour, and those without."""

    corrections: list[Correction] = field(default_factory=list)
    hopeless: list[KernelSpec] = field(default_factory=list)

    @property
    def specs(self) -> list[KernelSpec]:
        """The legal kernels, each once."""
        return list(dict.fromkeys(c.spec for c in self.corrections))


def correct_all(specs: Iterable[KernelSpec], problem: Problem | None = None) -> Corrected:
    """Return the nearest legal kernel of each of `specs`."""
    result = Corrected()
    for spec in specs:
        found = nearest_legal(spec, problem)
        if found is None:
            result.hopeless.append(spec)
        else:
            result.corrections.append(found)
    return result
