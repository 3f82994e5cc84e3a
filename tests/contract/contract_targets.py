"""Who runs the list: a backend at a place. Which rows it takes, by which rule it refuses, and which kernel runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from contract_conv import SPACE as CONV
from contract_cover import RULE
from contract_fmha import SPACE as FMHA
from contract_gemm import SPACE as GEMM
from contract_space import Choice, Space

from tilewright.arch import get_arch
from tilewright.backends import get_backend_op
from tilewright.dispatcher.dispatcher import padding_of
from tilewright.dispatcher.nominal import nominal_device
from tilewright.errors import TilewrightError
from tilewright.model.tunable import tunables_of
from tilewright.ops import get_op
from tilewright.registry import Registry, default_registry

SPACES: dict[str, Space] = {space.op: space for space in (GEMM, CONV, FMHA)}


@dataclass(frozen=True)
class Target:
    """A backend for an arch. `device` is where its problems run; the list itself is made without any device."""

    name: str
    backend: str
    arch: str
    device: str = "cpu"

    @property
    def registry(self) -> Registry:
        """The kernels of the backend alone."""
        return _registry(self.backend)

    def problems(self, space: Space, choice: Choice) -> Iterator[Any]:
        """Yield the problem of a choice; with a packed B once for each format that a kernel may read."""
        problem = space.problem_of(choice, self.device)
        if choice.get("b_format") != "packed":
            yield problem
            return
        plain = [c.spec for c in self.registry.legal(_solid(problem), nominal_device(self.arch))]
        yield from get_backend_op(self.backend, "gemm").packed_forms(problem, plain, get_arch(self.arch))

    def accepted(self, problem: Any) -> Any:
        """Return the problem that a kernel takes: it, or it padded; None if there is no kernel."""
        solid = _solid(problem)
        if self._has_kernel(solid):
            return solid
        padded = padding_of(solid, nominal_device(self.arch))
        return padded if padded is not None and self._has_kernel(padded) else None

    def _has_kernel(self, problem: Any) -> bool:
        """Return whether any kernel takes the problem; the set that took the last one is asked first."""
        arch, op = get_arch(self.arch), get_backend_op(self.backend, problem.op)
        order = _order(self.backend, self.arch, problem.op)
        for place, kernel_set in enumerate(order):
            if not kernel_set.takes(problem.signature, self.arch):
                continue
            specs = self.registry.expansion(kernel_set, self.arch, problem.signature).specs
            if any(not op.check_problem(spec, arch, problem) for spec in specs):
                order.insert(0, order.pop(place))
                return True
        return False

    def takes(self, space: Space, choice: Choice) -> str | None:
        """Return None if a kernel takes the choice, else why the problem or the contract refuses it, or RULE."""
        why = space.mistake(choice)
        if why is not None:
            return why
        if _refused_dtypes(self, space.op, tuple(choice[n] for n in _dtype_factors(space))):
            return RULE
        return None if any(self.accepted(p) is not None for p in self.problems(space, choice)) else RULE

    def rule(self, space: Space, choice: Choice) -> str:
        """Return the rule that refuses a choice: one that all kernels break, else the most common one."""
        for problem in self.problems(space, choice):
            considered = self.registry.consider(_solid(problem), nominal_device(self.arch))
            counts = considered.counts()
            if counts:
                return max(counts, key=lambda r: (counts[r], r))
        return f"{self.backend}.no_kernel_set"


def _solid(problem: Any) -> Any:
    """Return the problem with its empty sizes filled: an empty one is taken if the filled one is."""
    if not get_op(problem.op).is_empty(problem):
        return problem
    names = ("m", "n", "batch") if problem.op == "gemm" else ("batch", "bias_batch", "seqlen_q")
    return replace(problem, strides={}, **{n: 8 for n in names if getattr(problem, n) == 0}, **_totals(problem))


def _totals(problem: Any) -> dict[str, int]:
    if problem.op != "fmha" or problem.mode != "group":
        return {}
    batch, longest = problem.batch or 8, problem.seqlen_q or 8
    if problem.page_size:
        return {"total_q": batch * longest}
    return {"total_q": batch * longest, "total_k": batch * problem.seqlen_k}


@cache
def _registry(backend: str) -> Registry:
    return default_registry([backend])


@cache
def _dtype_factors(space: Space) -> tuple[str, ...]:
    return tuple(f.name for f in space.factors if f.name.startswith("dtype") or f.name in ("direction", "family"))


@cache
def _refused_dtypes(target: Target, op: str, values: tuple[Any, ...]) -> bool:
    """Return whether a rule about dtypes refuses the plainest problem with them: nothing else can then help."""
    space = SPACES[op]
    choice = {**space.plain(), **dict(zip(_dtype_factors(space), values, strict=True))}
    try:
        problem = space.problem_of(choice)
    except TilewrightError:
        return False  # this family needs more fields
    if target.accepted(problem) is not None:
        return False
    return "dtype" in target.rule(space, choice) or target.rule(space, choice).endswith("no_kernel_set")


@cache
def _order(backend: str, arch: str, op: str) -> list[Any]:
    return [s for s in _registry(backend).sets(get_arch(arch).kind) if s.op == op]


def kind_of(spec: Any) -> str:
    """Return what kind of kernel a spec is: its pipeline and other choices that have names."""
    names = [t.name for t in tunables_of(type(spec.algorithm)) if isinstance(t.default, str)]
    return " ".join(str(getattr(spec.algorithm, name)) for name in names)


CK_TILE = Target("ck_tile-gfx942", "ck_tile", "gfx942")
# What the lists are made for. Asking the rules of CK Tile for a product takes seconds a row: it runs what it takes.
TARGETS = (
    Target("cpu", "cpu", "x86_64_v3"),
    Target("triton-sm_90", "triton", "sm_90"),
    Target("triton-gfx942", "triton", "gfx942"),
)


def targets_of(op: str) -> tuple[Target, ...]:
    """Return the targets whose pairs the list of an op shows."""
    return TARGETS if op == "gemm" else (*TARGETS, CK_TILE)
