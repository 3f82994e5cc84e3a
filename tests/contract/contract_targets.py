"""Who runs the list: a backend at a place. Which rows it takes, by which rule it refuses, and which kernel runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from random import Random
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
from tilewright.model.kernel import KernelSpec
from tilewright.model.kernel_set import KernelSet, expand
from tilewright.model.rule import Rule, Subject, judge
from tilewright.model.tunable import tunables_of
from tilewright.ops import get_op
from tilewright.registry import Registry, default_registry

FIRST = 200  # kernels of a set that are asked first
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
        op = get_backend_op(self.backend, "gemm")
        if self.backend == "cpu":  # the panels of each kernel are a format of their own
            plain = [c.spec for c in self.registry.legal(_solid(problem), nominal_device(self.arch))]
            yield from op.packed_forms(problem, plain, get_arch(self.arch))
        else:
            yield from op.packed_forms(problem, (), get_arch(self.arch))

    def accepted(self, problem: Any) -> Any:
        """Return the problem that a kernel takes: it, or it padded; None if there is no kernel."""
        solid = _solid(problem)
        if self._has_kernel(solid):
            return solid
        padded = padding_of(solid, nominal_device(self.arch))
        return padded if padded is not None and self._has_kernel(padded) else None

    def _has_kernel(self, problem: Any) -> bool:
        """Return whether any kernel takes the problem; the set that took the last one is asked first."""
        order = _order(self.backend, self.arch, problem.op)
        for place, kernel_set in enumerate(order):
            if kernel_set.takes(problem.signature, self.arch) and self._any_of(kernel_set, problem):
                order.insert(0, order.pop(place))
                return True
        return False

    def _any_of(self, kernel_set: KernelSet, problem: Any) -> bool:
        """Return whether a kernel of a set takes the problem. Tens of thousands of problems ask this.

        If many kernels of the set, and those that took the last problems, all break one rule, the others are not asked.
        Else each kernel is done with at the first rule that it breaks.
        """
        if self._common_rule(kernel_set, problem) is not None:
            return False
        algorithms, rules = _asked(self, kernel_set.op, kernel_set.name)
        for place, algorithm in enumerate(algorithms):
            subject = self._subject(kernel_set, algorithm, problem)
            breaks = next((i for i, rule in enumerate(rules) if rule(subject) is not None), None)
            if breaks is None:
                algorithms.insert(0, algorithms.pop(place))
                return True
            rules.insert(0, rules.pop(breaks))
        return False

    def _common_rule(self, kernel_set: KernelSet, problem: Any) -> str | None:
        """Return a rule that all kernels break which are asked first."""
        algorithms, rules = _asked(self, kernel_set.op, kernel_set.name)
        subjects = [self._subject(kernel_set, a, problem) for a in algorithms[:FIRST]]
        return next((r.id for r in rules if all(r(s) is not None for s in subjects)), None)

    def _subject(self, kernel_set: KernelSet, algorithm: Any, problem: Any) -> Subject[Any]:
        spec = KernelSpec(kernel_set.op, kernel_set.backend, self.arch, problem.signature, algorithm)
        return Subject(spec, get_arch(self.arch), problem)

    def takes(self, space: Space, choice: Choice) -> str | None:
        """Return None if a kernel takes the choice, else why the problem or the contract refuses it, or RULE."""
        why = space.mistake(choice)
        if why is not None:
            return why
        if _refused_dtypes(self, space.op, tuple(choice[n] for n in _dtype_factors(space))):
            return RULE
        return None if any(self.accepted(p) is not None for p in self.problems(space, choice)) else RULE

    def computes(self, space: Space, choice: Choice) -> bool:
        """Return whether a kernel runs for the choice: one takes it, and the result is not empty."""
        return self.takes(space, choice) is None and not get_op(space.op).is_empty(space.problem_of(choice))

    def rule(self, space: Space, choice: Choice) -> str:
        """Return the rule that refuses a choice: one that all kernels of a set break, else the most common one."""
        for problem in self.problems(space, choice):
            solid, counts = _solid(problem), Counter[str]()
            for kernel_set in _order(self.backend, self.arch, solid.op):
                if kernel_set.takes(solid.signature, self.arch):
                    common = self._common_rule(kernel_set, solid)
                    if common is not None:
                        return common
                    for algorithm in _asked(self, kernel_set.op, kernel_set.name)[0][:FIRST]:
                        counts.update({r.rule for r in judge(get_backend_op(self.backend, solid.op).rules,
                                                             self._subject(kernel_set, algorithm, solid))})  # fmt: skip
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
def _order(backend: str, arch: str, op: str) -> list[KernelSet]:
    return [s for s in _registry(backend).sets(get_arch(arch).kind) if s.op == op]


@cache
def _asked(target: Target, op_name: str, name: str) -> tuple[list[Any], list[Rule]]:
    """Return the algorithms and the rules of a set in the order in which they are asked: at first mixed."""
    op, space = get_backend_op(target.backend, op_name), SPACES[op_name]
    kernel_set = next(s for s in _order(target.backend, target.arch, op_name) if s.name == name)
    signature = space.problem_of(space.plain()).signature
    every = expand(kernel_set, get_arch(target.arch), signature, op.algorithm, op.tunables(), ())
    algorithms = [spec.algorithm for spec in every.specs]
    Random(0).shuffle(algorithms)
    return algorithms, list(op.rules)


def kind_of(spec: Any) -> str:
    """Return what kind of kernel a spec is: its pipeline and other choices that have names."""
    names = [t.name for t in tunables_of(type(spec.algorithm)) if isinstance(t.default, str)]
    return " ".join(str(getattr(spec.algorithm, name)) for name in names)


TARGETS = (  # what the lists are made for
    Target("cpu", "cpu", "x86_64_v3"),
    Target("triton-sm_90", "triton", "sm_90"),
    Target("triton-gfx942", "triton", "gfx942"),
    Target("ck_tile-gfx942", "ck_tile", "gfx942"),
)
