"""The common part of ops whose sub-package has the usual modules: sets, cost, lower (and thumb)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

from ..model.backend import Features
from ..model.device import Device
from ..model.kernel import Candidate, KernelSpec, Launch
from ..model.kernel_set import KernelSet
from ..model.locks import cached_property
from ..model.problem import P
from ..settings import Settings
from .base import BackendOp
from .formula_cost import FormulaCost

if TYPE_CHECKING:
    from ..model.trial import Trial


class PackageOp(BackendOp[P]):
    """An op that finds its parts in its own sub-package.

    `sets` holds NAMED_SETS and DEFAULT_SETS, `cost` holds `launches`, `lower` holds `request_of`, and the module called
    `thumb` holds `preference` (None: no rule of thumb). The cost model is the formulas of `features`, or `predict` of
    `cost` if `formulas` is off. `trials` holds small problems that check a kernel, `summation` holds `order`. Each is
    imported at its first use, so listing backends and ops stays cheap.
    """

    package: ClassVar[str]
    thumb: ClassVar[str | None] = None
    formulas: ClassVar[bool] = True
    builds = True

    def part(self, name: str) -> Any:
        """Return a module of the sub-package."""
        return import_module(f"{self.package}.{name}")

    def _part_if_any(self, name: str) -> Any:
        return self.part(name) if find_spec(f"{self.package}.{name}") is not None else None

    @cached_property
    def cost(self) -> Any:
        """Launches and prices; kept, because one selection uses them thousands of times."""
        return self.part("cost")

    @cached_property
    def formula_cost(self) -> FormulaCost:
        """The cost model, if it is written as formulas."""
        return FormulaCost(self.op, self.part("features"), self.tunables())

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """Return the named sets of this backend."""
        return self.part("sets").NAMED_SETS

    def default_sets(self) -> tuple[KernelSet, ...]:
        """Return the sets of a default registry."""
        return self.part("sets").DEFAULT_SETS

    def launches(self, spec: KernelSpec, problem: P, device: Device) -> Sequence[Launch]:
        """Return the run-time choices worth considering, best guess first."""
        return self.cost.launches(spec, problem, device)

    def predict(self, candidate: Candidate, problem: P, device: Device) -> float:
        """Return the predicted seconds of the analytical model."""
        return (self.formula_cost.seconds if self.formulas else self.cost.predict)(candidate, problem, device)

    def preference(self, candidate: Candidate, problem: P, device: Device) -> tuple[float, str]:
        """Return score and reason by rules of thumb."""
        if self.thumb is None:
            return super().preference(candidate, problem, device)
        return self.part(self.thumb).preference(candidate, problem, device)

    @cached_property
    def has_orders(self) -> bool:
        """Whether the sub-package has a module `summation`."""
        return find_spec(f"{self.package}.summation") is not None

    @cached_property
    def _order(self) -> Callable[[Candidate, P], str]:
        return self.part("summation").order

    def summation(self, candidate: Candidate, problem: P) -> str:
        """Return what `order` of the module `summation` returns; empty if the sub-package has none."""
        return self._order(candidate, problem) if self.has_orders else ""

    def features(self) -> Features | None:
        """Return the module `features` of the sub-package; None if it has none."""
        return self._part_if_any("features")

    def trials(self, spec: KernelSpec, place: str) -> Sequence[Trial]:
        """Return what the module `trials` of the sub-package yields; none if it has none."""
        part = self._part_if_any("trials")
        return tuple(part.trials(spec, place)) if part is not None else ()

    def counted_trials(self, spec: KernelSpec, place: str) -> Sequence[Trial]:
        """Return what `counted` of the module `trials` returns; none if it has none."""
        counted = getattr(self._part_if_any("trials"), "counted", None)
        return counted(spec, place) if counted is not None else ()

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Return the build request of one kernel."""
        return self.part("lower").request_of(spec, settings)
