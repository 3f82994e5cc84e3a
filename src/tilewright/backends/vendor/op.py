"""The common part of vendor kernels of every op: nothing is built, one stage calls the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from ...model.backend import Stage
from ...model.canonical import digest
from ...model.device import Device
from ...model.kernel import Candidate, KernelSpec, PlanStep
from ...model.kernel_set import KernelSet
from ...model.problem import P, Problem
from ...model.tensor import Views
from ...ops import get_op
from ...settings import Settings
from ..base import BackendOp
from .libraries import imported_torch, version_of
from .tensors import Guard, Layout, on_stream, tensor_call, tensor_over

LIBRARY_KEY = "library-"  # begins the build key of a kernel that is a library's


class TorchStage:
    """Calls a function of torch on tensors over the caller's memory, on the current stream."""

    workspace_bytes = 0

    def __init__(
        self, name: str, problem: Problem, layouts: Mapping[str, Layout], compute: Callable[..., None], threads: int
    ) -> None:
        self.name, self._problem, self._layouts, self._compute = name, problem, layouts, compute
        self._torch = imported_torch()
        self._guard = Guard(self._torch, problem.device, threads, problem.operand_dtype == "fp32")

    def bind(self, views: Views) -> Callable[[Any], None]:
        """Return a function of the stream that computes on these tensors."""
        tensors = [tensor_over(self._torch, views[role], layout) for role, layout in self._layouts.items()]

        def launch(stream: Any) -> None:
            with on_stream(self._torch, self._problem.device, stream):
                self._guard.run(self._compute, tensors)

        return launch

    def bind_sets(self, sets: Sequence[Views], space: int) -> list[Callable[[Any], None]]:
        """Return a launch for each set of tensors, for the meter of GPUs; `space` is not needed."""
        return [self.bind(views) for views in sets]

    def call(self, views: Views) -> Any:
        """Return a call on tensors (`run_tensors`) like those of `views`; None if there is none for their types."""
        return tensor_call(self._torch, views, self._layouts, self._compute, self._guard)


class Library:
    """How: the library that computes."""

    library: str

    def label(self) -> str:
        """Return a short readable text; display only."""
        return f"vendor-{self.library}"


class VendorOp(BackendOp[P]):
    """How libraries compute one op. The module `calls` of its sub-package says which calls, and what they take."""

    backend = "vendor"
    builds = True
    package: ClassVar[str]
    copied: ClassVar[tuple[str, ...]] = ()  # libraries that allocate their result: it is copied into the tensor

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """Return one set with every library that has the op."""
        what = f"libraries that compute {self.op}"
        return (KernelSet(f"vendor_{self.op}", self.op, "vendor", ({"library": "*"},), description=what),)

    def default_sets(self) -> tuple[KernelSet, ...]:
        """Return the same: a default registry has them unless the setting `vendor` is off."""
        return self.kernel_sets()

    def predict(self, candidate: Candidate, problem: P, device: Device) -> float:
        """Return seconds by a few fitted numbers per library and arch."""
        from .cost import seconds

        return seconds(candidate.spec, problem, device)

    def cost_basis(self, spec: KernelSpec) -> str:
        """Return what the numbers were fitted to."""
        from .cost import basis

        return basis(spec)

    def doubt(self, spec: KernelSpec, problem: P) -> float:
        """Return the factor between predicted and measured times of held-out problems; infinity without any."""
        from .cost import doubt

        return doubt(spec, problem)

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Return None: nothing has to be built."""
        return None

    def library(self, spec: KernelSpec) -> str:
        """Return the identity of the library that would run now, in the place of a build key."""
        return library_key(spec.digest, version_of(spec.algorithm.library))

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return the version of the library. A worker that measures imports it now: its parent chose the kernel."""
        return version_of(spec.algorithm.library)

    def steps(self, candidate: Candidate, problem: P) -> tuple[PlanStep, ...]:
        """Return the call, and the copy of its result if the library allocates that itself."""
        library = candidate.spec.algorithm.library
        return (PlanStep(library), *([PlanStep("copy of the result")] if library in self.copied else []))

    def stages(self, candidate: Candidate, problem: P, kernel: Any, settings: Settings) -> tuple[Stage, ...]:
        """Return one stage that calls torch."""
        calls = import_module(f"{self.package}.calls")
        layouts = calls.layouts(problem)
        ordered = {role: layouts[role] for role in get_op(problem.op).roles(problem)}
        compute = calls.compute(imported_torch(), problem, candidate.spec.algorithm.library)
        return (TorchStage(candidate.spec.name, problem, ordered, compute, settings.threads),)


@cache
def library_key(spec_digest: str, version: str) -> str:
    """Return the key of a kernel that a version of a library computes.

    >>> library_key("d", "torch 2.11")[:8]
    'library-'
    """
    return LIBRARY_KEY + digest({"spec": spec_digest, "library": version})
