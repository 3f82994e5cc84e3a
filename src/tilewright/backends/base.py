"""What a backend offers, and what it offers for one op. Generic code knows backends only through these classes."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, partial
from importlib import import_module
from operator import itemgetter
from typing import Any, ClassVar

from ..arch import get_arch
from ..errors import SpecError, ToolchainError, UnknownNameError
from ..model.arch import Arch
from ..model.device import Device, full_device_name
from ..model.kernel import Candidate, KernelSpec, Launch, PlanStep, fields_from
from ..model.kernel_set import KernelSet
from ..model.kernel_tree import KernelTree
from ..model.rule import Check, Rejection, Rule, Subject, judge
from ..model.tunable import Tunable, tunables_of
from ..settings import Settings


class BackendOp:
    """How one backend computes one op: algorithm, space, rules, cost and lowering.

    Subclasses set the class attributes; those that can build kernels override `request` and `load`.
    """

    backend: ClassVar[str]
    op: ClassVar[str]
    algorithm: ClassVar[type]
    rules: ClassVar[tuple[Rule, ...]] = ()
    builds: ClassVar[bool] = False

    def tunables(self) -> tuple[Tunable, ...]:
        """The declared tunables of the algorithm, in field order."""
        return tunables_of(self.algorithm)

    def algorithm_from_dict(self, data: Mapping[str, Any]) -> Any:
        """The algorithm from its canonical form; an unknown field names the nearest known one."""
        return self.algorithm(**fields_from(self.algorithm, data, f"{self.backend} {self.op} algorithm"))

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """The named sets that this backend ships for the op."""
        return ()

    def default_sets(self) -> tuple[KernelSet, ...]:
        """The sets that a default registry holds."""
        return ()

    def check(
        self, spec: KernelSpec, arch: Arch, problem: Any = None, launch: Launch | None = None
    ) -> tuple[Rejection, ...]:
        """Every rule that `spec` breaks on `arch` (and for `problem`, where one is given)."""
        return judge(self.rules, Subject(spec, arch, problem, launch))

    def check_problem(self, spec: KernelSpec, arch: Arch, problem: Any) -> tuple[Rejection, ...]:
        """Every rule about problems that `spec`, which is legal on its own, breaks for `problem`."""
        return judge(self.problem_rules, Subject(spec, arch, problem))

    def candidates(self, tree: KernelTree, problem: Any, device: Device) -> list[Candidate]:
        """The launches of the kernels of `tree`, each legal on its own, that break no rule for `problem`; in order."""
        arch, legal, subjects = get_arch(tree.specs[0].arch), tree.everything, dict[int, Subject]()

        def passes(spec: KernelSpec, check: Check) -> bool:
            subject = subjects.get(id(spec))  # the tree holds the specs that it asks about
            if subject is None:
                subject = subjects[id(spec)] = Subject(spec, arch, problem)
            return check(subject) is None

        for check in (check for r in self.problem_rules for check in r.parts or (r.check,)):
            legal = tree.those(check, partial(passes, check=check), legal)
        found: list[tuple[int, Sequence[Launch]]] = []
        for answer, members in tree.answers("launches", lambda spec: self.launches(spec, problem, device), legal):
            found += [(at, answer) for at in tree.places(members)]
        found.sort(key=itemgetter(0))
        return [tree.specs[at].launched(launch) for at, launches in found for launch in launches]

    @cached_property
    def problem_rules(self) -> tuple[Rule, ...]:
        """The rules that look at a problem; the others were asked when a kernel was registered or a set expanded."""
        return tuple(r for r in self.rules if r.kind == "problem")

    def launches(self, spec: KernelSpec, problem: Any, device: Device) -> Sequence[Launch]:
        """The run-time choices worth considering for this kernel and problem, best guess first."""
        return (Launch(),)

    def predict(self, candidate: Candidate, problem: Any, device: Device) -> float:
        """Predicted seconds of one launch, by the backend's analytical cost model."""
        raise SpecError(f"{self.backend} has no cost model for {self.op}", remedy="select with first_fit or rules")

    def preference(self, candidate: Candidate, problem: Any, device: Device) -> tuple[float, str]:
        """(score, reason) by hand-written rules of thumb; smaller is better."""
        return (0.0, "no rule of thumb")

    def product_error(self, spec: KernelSpec) -> float:
        """The relative error of one product where the kernel does not form it exactly; verification allows for it."""
        return 0.0

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """The `BuildRequest` that lowers `spec` to an artifact; None where nothing has to be built."""
        raise ToolchainError(
            f"{self.backend} kernels for {self.op} can be declared and checked, but this version does not build them",
            remedy="use a backend that builds: see `tilewright support`",
        )

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """The loaded kernel of a built artifact."""
        raise ToolchainError(f"{self.backend} cannot load kernels for {self.op}")

    def stands_for(self, candidate: Candidate, problem: Any) -> tuple[Candidate, Any, Mapping[str, str]] | None:
        """The launch of another op that computes the same: candidate, problem, and our role behind each of its roles.

        None where the kernel follows this op's own ABI.
        """
        return None

    def storage_bytes(self, candidate: Candidate, problem: Any, kernel: Any) -> Mapping[str, int]:
        """How many bytes the kernel reads of each role whose storage does not show its shape: packed weights."""
        return {}

    def steps(self, candidate: Candidate, problem: Any) -> tuple[PlanStep, ...]:
        """What a launch of this candidate does, in order; one step where nothing else is said."""
        return (PlanStep(self.op),)

    def stages(self, candidate: Candidate, problem: Any, kernel: Any, settings: Settings) -> Any:
        """The stages of a plan (objects with `name`, `workspace_bytes` and `bind`), or None for one C ABI launch."""
        return None


class Backend:
    """A backend: which kinds of arch it serves ("any": all of them), which devices are here, and its ops.

    `places` are the kinds of places whose devices it finds: `cuda` of a tensor on `cuda:0`. Each op is a sub-package.
    """

    name: ClassVar[str]
    arch_kinds: ClassVar[tuple[str, ...]]
    places: ClassVar[tuple[str, ...]] = ()
    package: ClassVar[str]

    def serves(self, arch_kind: str) -> bool:
        """Whether it has kernels for this kind of arch."""
        return arch_kind in self.arch_kinds or "any" in self.arch_kinds

    @property
    def runs_on(self) -> tuple[str, ...]:
        """The kinds of arch whose devices it finds and launches on; for the others it only compiles."""
        return self.arch_kinds

    def op_names(self) -> list[str]:
        """The ops that this backend knows."""
        return list(_op_names(self.package))

    def op(self, name: str) -> BackendOp:
        """How this backend computes the op called `name`."""
        return _load_op(self.package, name)

    def devices(self, settings: Settings) -> Sequence[Device]:
        """The devices of this machine that the backend can run on; empty where there are none."""
        return ()

    def placed(self, settings: Settings) -> Mapping[str, Device]:
        """The devices of this machine by the names that tensors give their places."""
        found = self.devices(settings) if self.places else ()
        return {full_device_name(f"{self.places[0]}:{i}"): device for i, device in enumerate(found)}

    def device_at(self, place: str, settings: Settings) -> Device | None:
        """The device at a place; None if there is none."""
        return self.placed(settings).get(full_device_name(place))

    def at_place(self, place: str, stages: Any, settings: Settings) -> Any:
        """The stages of a plan as they run at a place: unchanged, unless the backend wraps them there."""
        return stages

    def missing(self, settings: Settings) -> str | None:
        """What is missing for this backend to build and run here, with the remedy; None if nothing is."""
        return None


@cache
def _op_names(package: str) -> tuple[str, ...]:
    path = import_module(package).__path__
    return tuple(sorted(m.name for m in pkgutil.iter_modules(path) if m.ispkg))


@cache
def _load_op(package: str, name: str) -> BackendOp:
    if name not in _op_names(package):
        raise UnknownNameError(f"op of backend {package.rsplit('.', 1)[-1]}", name, _op_names(package))
    op: BackendOp = import_module(f"{package}.{name}").OP
    return op
