"""Attention by NumPy in float64, rounded once to the output dtype; every family, every feature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ....errors import TensorError
from ....model.device import Device
from ....model.kernel import Candidate, KernelSpec
from ....model.kernel_set import KernelSet
from ....model.rule import Broken, Rule, Subject, broken, rule
from ....model.tensor import TensorView
from ....settings import Settings
from ...base import BackendOp

FLOPS_PER_SECOND = 1e9  # a rough figure: it only has to rank behind every real kernel


@dataclass(frozen=True)
class ReferenceFmha:
    """The reference has no choices to make."""

    def label(self) -> str:
        """A short readable text; display only."""
        return "numpy"


@rule("reference.fmha.dropout_rng", "semantic", "dropout in (none, philox): the generator of CK is not written here")
def _dropout_rng(s: Subject) -> Broken | None:
    if s.spec.signature.dropout not in ("none", "philox"):
        return broken(f"dropout by {s.spec.signature.dropout}", "use the philox generator")
    return None


class ReferenceStage:
    """Computes every output and writes it into its tensor; what index tensors hold is checked first."""

    name = "reference"
    workspace_bytes = 0

    def __init__(self, problem: Any) -> None:
        self.problem = problem

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """A function that computes on these host tensors."""
        from ....jit.launcher import array_over
        from ....ops.fmha.contents import content_mistakes
        from ....ops.fmha.reference import all_expected

        arrays = {role: array_over(view) for role, view in views.items()}

        def launch(stream: Any) -> None:
            mistakes = content_mistakes(self.problem, arrays)
            if mistakes:
                raise TensorError.of(f"tensors of {self.problem.label()}", mistakes)
            for role, expected in all_expected(self.problem, arrays).items():
                arrays[role][...] = expected.value.astype(arrays[role].dtype)

        return launch


class ReferenceFmhaOp(BackendOp):
    """How the reference computes attention."""

    backend: ClassVar[str] = "reference"
    op: ClassVar[str] = "fmha"
    algorithm: ClassVar[type] = ReferenceFmha
    rules: ClassVar[tuple[Rule, ...]] = (_dropout_rng,)
    builds: ClassVar[bool] = True

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """One set with the one kernel there is."""
        return (KernelSet("reference_fmha", "fmha", "reference", ({},), description="NumPy float64"),)

    def predict(self, candidate: Candidate, problem: Any, device: Device) -> float:
        """A pessimistic guess."""
        return float(problem.flops) / FLOPS_PER_SECOND + 1e-4

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Nothing has to be built."""
        return None

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Nothing has to be loaded."""
        return None

    def stages(self, candidate: Candidate, problem: Any, kernel: Any, settings: Settings) -> Any:
        """One stage that runs NumPy."""
        return (ReferenceStage(problem),)


OP = ReferenceFmhaOp()
