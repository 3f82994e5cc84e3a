"""The common part of ops whose sub-package has the usual modules: tensors, padding, reference, verify and on_device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from ..model.device import memory_of
from ..model.fields import field_value, fields_from
from ..model.op import Expected, Op
from ..model.problem import P
from ..model.tensor import Tensors, Views


class PackageOp(Op[P]):
    """An op that finds its parts in its own sub-package. Each is imported at its first use, so a call stays cheap."""

    name: str
    package: str
    signature_type: type[Any]

    def part(self, name: str) -> Any:
        """Return a module of the sub-package."""
        return import_module(f"{self.package}.{name}")

    def roles(self, problem: P) -> tuple[str, ...]:
        """Return the tensors of a problem, in order."""
        return problem.roles

    def signature_from_dict(self, data: Mapping[str, Any]) -> Any:
        """Return a signature from its canonical form."""
        return self.signature_type(**fields_from(self.signature_type, data, f"{self.name} signature"))

    def signature_value(self, name: str, value: Any) -> Any:
        """Return one signature field from its canonical form."""
        return field_value(self.signature_type, name, value, f"{self.name} signature")

    def mismatches(self, problem: P, views: Views) -> list[str]:
        """Return every mismatch between tensors and problem."""
        return self.part("tensors").mismatches(problem, views)

    def fitted(self, problem: P, views: Views) -> P:
        """Return the problem with the strides and the pointer alignments of `views`."""
        return self.part("tensors").fitted(problem, views)

    def padded(self, problem: P) -> P | None:
        """Return the problem padded for kernels that take only whole vectors; None if nothing is to pad."""
        return self.part("padding").padded_problem(problem)

    def copy_in(self, problem: P, padded: P, role: str, source: Any, target: Any) -> None:
        """Copy one tensor into its zero-filled padded form."""
        self.part("padding").copy_in(source, target)

    def copy_out(self, problem: P, padded: P, role: str, source: Any, target: Any) -> None:
        """Copy the wanted part of a padded result into its tensor."""
        self.part("padding").copy_out(source, target)

    def random_tensors(self, problem: P, seed: int) -> dict[str, Any]:
        """Return new tensors of every role: NumPy arrays on the host, torch tensors on a GPU."""
        where = "tensors" if memory_of(problem.device) == "cpu" else "on_device"
        return self.part(where).random_tensors(problem, seed)

    def expected(self, problem: P, tensors: Tensors) -> Expected:
        """Return the main output in float64 and its magnitude."""
        return self.part("reference").expected(problem, tensors)

    def verify(self, problem: P, tensors: Tensors, out: Any, **options: Any) -> Any:
        """Compare `out` with the reference (options: tier, product_error, seed)."""
        return self.part("verify").verify(problem, tensors, out, **options)

    def checker(self, problem: P, tensors: Tensors) -> Callable[..., Any]:
        """Return a function (out, product_error=0.0) that verifies many results against one reference."""
        return self.part("verify").checker(problem, tensors)
