"""What a dispatcher reports: events, and the selection of a problem, or of a padded one, with all reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..arch import get_arch
from ..backends import get_backend_op
from ..errors import SelectionError, TilewrightError, plural
from ..model.arch import CpuArch
from ..model.device import Device
from ..model.dtype import FLOAT64_REMEDY
from ..model.kernel import KernelSpec, PlanStep
from ..model.problem import Problem
from ..model.rule import Rejection
from ..model.selector import Ranked
from ..ops import get_op

EXPLAIN = "see `tilewright explain`"


@dataclass(frozen=True)
class Event:
    """Something to report to the user: a kernel that failed to build, or a choice that could not be used."""

    kind: str
    message: str
    kernel: str = ""


@dataclass(frozen=True, repr=False)
class Explanation:
    """The selection of one problem: ranked candidates, removed ones with their rules, and the device."""

    problem: Problem
    device: Device
    selector: str
    ranked: tuple[Ranked, ...]
    rejected: tuple[tuple[KernelSpec, tuple[Rejection, ...]], ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    note: str = ""  # how the problem was changed so that a kernel accepts it
    predicted_as: str = ""  # the problem whose times were predicted, if it has rounded sizes
    summation: str = ""  # the order of summation of all ranked candidates, if the problem asks for one

    @property
    def chosen(self) -> Ranked | None:
        """The candidate that would run, if any is left."""
        return self.ranked[0] if self.ranked else None

    @property
    def steps(self) -> tuple[PlanStep, ...]:
        """The steps of the plan that would run, with the scratch buffers between them."""
        if self.chosen is None:
            return ()
        spec = self.chosen.candidate.spec
        return get_backend_op(spec.backend, spec.op).steps(self.chosen.candidate, self.problem)

    def text(self, most: int = 5) -> str:
        """Return the best `most` candidates with their reasons, as lines; `to_dict` has all."""
        ranked, rejected = plural(len(self.ranked), "candidate"), plural(len(self.rejected), "kernel")
        lines = [f"{self.problem.label()} on {self.device.arch}: {ranked}, {rejected} rejected"]
        for place, r in enumerate(self.ranked[:most], 1):
            launch, time = r.candidate.launch.label(), "" if r.seconds is None else f"{r.seconds * 1e6:,.2f} us "
            lines.append(f"  {place}. {r.candidate.spec.name} {launch} {time}({r.reason})")
        return "\n".join(lines)

    __repr__ = text  # the fields of all candidates would fill many screens

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Return plain JSON data; `limit` bounds the listed candidates of each kind."""
        notes = {"note": self.note, "predicted_as": self.predicted_as, "summation": self.summation}
        return {
            **{name: text for name, text in notes.items() if text},
            "problem": self.problem.to_dict(),
            "device": self.device.to_dict(),
            "selector": self.selector,
            "steps": [{"name": s.name, "buffers": dict(s.buffers)} for s in self.steps],
            "ranked": [_ranked_dict(r) for r in self.ranked[:limit]],
            "rejected": [
                {"kernel": spec.name, "digest": spec.digest, "rules": [_rejection_dict(r) for r in rejections]}
                for spec, rejections in self.rejected[:limit]
            ],
            "counts": {"ranked": len(self.ranked), "rejected": len(self.rejected), "by_rule": dict(self.counts)},
        }


def no_candidate(explanation: Explanation) -> TilewrightError:
    """Return the error that says why no candidate is left."""
    label, arch = explanation.problem.label(), explanation.device.arch
    if not explanation.rejected:
        return SelectionError(
            f"no kernel is declared for {label} on {arch}",
            remedy="declare a kernel set for it, see `tilewright support`",
        )
    rules = ", ".join(f"{rule} ({count})" for rule, count in sorted(explanation.counts.items()))
    spec, rejections = explanation.rejected[0]
    total = len(explanation.rejected)
    decisive = next((r for r in rejections if explanation.counts.get(r.rule) == total), None)
    if decisive is not None:
        return SelectionError(
            f"{label} cannot be computed on {arch}: {decisive.message} (rule {decisive.rule}, all {total} kernels)",
            remedy=FLOAT64_REMEDY if "fp64" in explanation.problem.to_dict().values() else decisive.remedy or EXPLAIN,
        )
    removed = f"all {total} candidates for {label} on {arch} are removed by rules: {rules}"
    return SelectionError(
        f"{removed}; for example {spec.name}: {rejections[0]}",
        remedy=EXPLAIN,
    )


def _ranked_dict(ranked: Ranked) -> dict[str, Any]:
    return {
        "kernel": ranked.candidate.spec.name,
        "digest": ranked.candidate.spec.digest,
        "backend": ranked.candidate.spec.backend,
        "launch": ranked.candidate.launch.label(),
        "predicted_ms": None if ranked.seconds is None else ranked.seconds * 1e3,
        "reason": ranked.reason,
    }


def _rejection_dict(rejection: Rejection) -> dict[str, Any]:
    return {
        "rule": rejection.rule,
        "message": rejection.message,
        "values": dict(rejection.values),
        "remedy": rejection.remedy,
    }


def padding_of(problem: Problem, device: Device) -> Problem | None:
    """Return the problem padded so that more kernels accept it; None if its op cannot, or if nothing needs padding.

    Products on CPUs are not padded: their kernels take every size, so what they refuse is something else.
    """
    if problem.op == "gemm" and isinstance(get_arch(device.arch), CpuArch):
        return None
    padded: Problem | None = get_op(problem.op).padded(problem)
    return padded
