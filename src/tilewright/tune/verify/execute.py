"""Execute a built kernel on its trials at an emulated place: are the results right, and is the sanitizer content?"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ...arch import get_arch
from ...backends import get_backend_op
from ...backends.packed import stored
from ...errors import SanitizerError, TilewrightError
from ...jit.arrays import view_of
from ...model.device import EMULATED
from ...model.kernel import Candidate, KernelSpec
from ...model.rule import Rejection
from ...model.trial import Trial
from ...ops import get_op
from ...plan import make_plan
from ...settings import Settings

NOT_SUPPORTED = 801  # the stand-in's HIP error for what the emulator has no semantics for
MAX_FINDINGS = 5  # kept of one execution
MAX_TEXT = 500
SEED = 4


@dataclass(frozen=True)
class Outcome:
    """One execution. `state` is right, wrong, fault (the kernel failed) or refused (the emulator cannot execute it).

    `findings` are the sanitizer's reports; a result may be right although there are some.
    """

    path: str
    problem: str
    launch: str
    state: str
    error: float | None = None
    tolerance: float | None = None
    findings: tuple[str, ...] = ()
    message: str = ""
    seconds: float = 0.0

    @property
    def clean(self) -> bool:
        """Whether the result is right and nothing was found."""
        return self.state == "right" and not self.findings


@dataclass(frozen=True)
class Executed:
    """All executions of a kernel; `reason` says why there are none."""

    outcomes: tuple[Outcome, ...]
    reason: str = ""

    @property
    def state(self) -> str:
        """The verdict: right, wrong or refused.

        >>> Executed((), "no trial").state
        'refused'
        """
        if any(o.state in ("wrong", "fault") or o.findings for o in self.outcomes):
            return "wrong"
        return "right" if self.outcomes and all(o.clean for o in self.outcomes) else "refused"

    @property
    def why(self) -> str:
        """The first thing that is not right, in words; empty if all is."""
        for o in self.outcomes:
            if not o.clean:
                said = o.message or (o.findings[0] if o.findings else f"error {o.error:.3g} > {o.tolerance:.3g}")
                return f"{o.path} ({o.problem}): {said}"
        return self.reason

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"state": self.state, "why": self.why, "outcomes": [asdict(o) for o in self.outcomes]}


def shortened(text: str) -> str:
    """Return a message with mangled names cut short, and at most `MAX_TEXT` characters of it.

    >>> shortened("kernel _Z" + "N" * 300 + ", line 7: unknown")
    'kernel _ZNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN..., line 7: unknown'
    """
    return re.sub(r"\b(_Z\w{30})\w+", r"\1...", text)[:MAX_TEXT]


def place_for(spec: KernelSpec) -> str | None:
    """Return the emulated place of a kernel's arch; None if the arch is not emulated.

    >>> from tilewright.backends.ck_tile.gemm import preselected_kernels
    >>> place_for(preselected_kernels("fp16_rcr_essential", "gfx942")[0])
    'emu:gfx942'
    """
    from ...emulator import ISAS

    return f"{EMULATED}:{spec.arch}" if spec.arch in ISAS else None


@dataclass
class Chosen:
    """The trials of a kernel that its rules allow, and what they say about the others."""

    trials: list[Trial] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)


def chosen_trials(spec: KernelSpec, place: str) -> Chosen:
    """Return the trials that break no rule."""
    op, found = get_backend_op(spec.backend, spec.op), Chosen()
    for trial in op.trials(spec, place):
        broken = op.check(spec, get_arch(spec.arch), trial.problem, trial.launch)
        if broken:
            found.rejected += broken
        else:
            found.trials.append(trial)
    return found


def execute(
    spec: KernelSpec, kernel: Any, settings: Settings, wanted: Callable[[Trial], bool] = lambda trial: True
) -> Executed:
    """Execute a loaded kernel on every trial, or on those that are wanted, under the sanitizer."""
    place = place_for(spec)
    if place is None:
        return Executed((), f"{spec.arch} is not emulated")
    found = chosen_trials(spec, place)
    if not found.trials:
        return Executed((), str(found.rejected[0]) if found.rejected else "it runs only as a part of another kernel")
    watched = replace(settings, sanitize=True)
    return Executed(tuple(_executed(spec, kernel, trial, watched) for trial in found.trials if wanted(trial)))


def _executed(spec: KernelSpec, kernel: Any, trial: Trial, settings: Settings) -> Outcome:
    start = time.monotonic()
    shown = Outcome(trial.path, trial.problem.label(), trial.launch.label(), "fault")
    try:
        found = _compared(spec, kernel, trial, settings)
    except TilewrightError as error:
        state = "refused" if getattr(error, "code", 0) == NOT_SUPPORTED else "fault"
        found = {"state": state, "message": shortened(str(error))}
    return replace(shown, **found, seconds=round(time.monotonic() - start, 3))


def _compared(spec: KernelSpec, kernel: Any, trial: Trial, settings: Settings) -> dict[str, Any]:
    op, backend = get_op(spec.op), get_backend_op(spec.backend, spec.op)
    plan = make_plan(trial.problem, Candidate(spec, trial.launch), kernel, settings)
    tensors = op.random_tensors(trial.problem, SEED)
    held = stored(spec, tensors, lambda: kernel)
    bound = plan.bind({role: view_of(t, role) for role, t in held.items()})
    findings: Sequence[Any] = ()
    try:
        bound()
    except SanitizerError as error:
        findings = error.findings
    allowed = backend.product_error(spec, trial.launch)
    out = tensors[op.out_roles(trial.problem)[0]]
    result = op.verify(trial.problem, tensors, out, tier="float64", product_error=allowed)
    return {
        "state": "right" if result.ok else "wrong",
        "error": float(result.error),
        "tolerance": float(result.tolerance),
        "findings": tuple(shortened(str(f)) for f in findings[:MAX_FINDINGS]),
    }
