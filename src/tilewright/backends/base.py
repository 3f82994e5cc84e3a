"""The interface of a backend, and of its part for one op. Generic code uses backends only through these classes."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import cache, partial
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from ..arch import get_arch
from ..errors import SpecError, ToolchainError, check_known
from ..model.arch import Arch
from ..model.backend import Features, Stage
from ..model.device import Device, full_device_name
from ..model.inexact import Inexact
from ..model.kernel import Candidate, KernelSpec, Launch, PlanStep, fields_from
from ..model.kernel_set import KernelSet
from ..model.kernel_tree import KernelTree
from ..model.problem import P, Problem
from ..model.rule import Check, Rejection, Rule, Subject, judge
from ..model.summation import ANY, accepts
from ..model.tensor import TensorView
from ..model.tunable import Tunable, tunables_of
from ..settings import Settings

if TYPE_CHECKING:
    from ..model.trial import Trial


class BackendOp(Generic[P]):
    """How one backend computes one op: algorithm, space, rules, cost and lowering.

    Subclasses set the class attributes; those that can build kernels override `request` and `load`.
    """

    backend: ClassVar[str]
    op: ClassVar[str]
    algorithm: ClassVar[type]
    rules: ClassVar[tuple[Rule, ...]] = ()
    builds: ClassVar[bool] = False
    _split: tuple[tuple[Rule, ...], tuple[Rule, ...], tuple[Check, ...]] = ((), (), ())  # rules, `_split_rules` of them

    def tunables(self) -> tuple[Tunable, ...]:
        """Return the declared tunables of the algorithm, in field order."""
        return tunables_of(self.algorithm)

    def algorithm_from_dict(self, data: Mapping[str, Any]) -> Any:
        """Return the algorithm from its canonical form; the error for an unknown field names the nearest known one."""
        return self.algorithm(**fields_from(self.algorithm, data, f"{self.backend} {self.op} algorithm"))

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """Return the named sets that this backend ships for the op."""
        return ()

    def default_sets(self) -> tuple[KernelSet, ...]:
        """Return the sets of a default registry."""
        return ()

    def check(
        self, spec: KernelSpec, arch: Arch, problem: P | None = None, launch: Launch | None = None
    ) -> tuple[Rejection, ...]:
        """Return every rule that `spec` breaks on `arch` (and for `problem`, if one is given)."""
        return judge(self.rules, Subject(spec, arch, problem, launch))

    def check_problem(
        self, spec: KernelSpec, arch: Arch, problem: P, launch: Launch | None = None
    ) -> tuple[Rejection, ...]:
        """Return every rule about problems that `spec`, which is legal by itself, breaks for `problem`."""
        return judge(self.problem_rules, Subject(spec, arch, problem, launch))

    def candidates(self, tree: KernelTree, problem: P, device: Device) -> list[Candidate]:
        """Return the launches of the kernels of `tree`, each legal by itself, that break no rule for `problem`."""
        if problem.summation != ANY and not self.has_orders:
            return []
        arch, legal, subjects = get_arch(tree.specs[0].arch), tree.everything, dict[int, Subject[P]]()

        def passes(spec: KernelSpec, check: Check) -> bool:
            subject = subjects.get(id(spec))  # the tree keeps its specs alive, so ids are unique
            if subject is None:
                subject = subjects[id(spec)] = Subject(spec, arch, problem)
            return check(subject) is None

        for check in self.problem_checks:
            legal = tree.those(check, partial(passes, check=check), legal)
        found: list[tuple[int, Sequence[Launch]]] = []
        for answer, members in tree.answers("launches", lambda spec: self.offered(spec, problem, device), legal):
            found += [(at, answer) for at in tree.indices(members)]
        found.sort(key=itemgetter(0))
        return [tree.candidate(at, launch) for at, launches in found for launch in launches]

    @property
    def problem_rules(self) -> tuple[Rule, ...]:
        """Return the rules that read a problem; the others were checked at registration or expansion."""
        return self._split_rules()[1]

    @property
    def problem_checks(self) -> tuple[Check, ...]:
        """Return the checks of the rules that read a problem, in order; those of a rule with parts one by one."""
        return self._split_rules()[2]

    def _split_rules(self) -> tuple[tuple[Rule, ...], tuple[Rule, ...], tuple[Check, ...]]:
        """Return `rules`, those that read a problem, and their checks; kept until `rules` is another tuple."""
        split = self._split
        if split[0] is not self.rules:
            read = tuple(r for r in self.rules if r.kind == "problem")
            split = self._split = self.rules, read, tuple(check for r in read for check in r.parts or (r.check,))
        return split

    def launches(self, spec: KernelSpec, problem: P, device: Device) -> Sequence[Launch]:
        """Return the run-time choices worth considering for this kernel and problem, best guess first."""
        return (Launch(),)

    def offered(self, spec: KernelSpec, problem: P, device: Device) -> Sequence[Launch]:
        """Return those of `launches` that sum in the order that the problem asks for."""
        asked = problem.summation
        if asked == ANY:
            return self.launches(spec, problem, device)
        found = self.launches(spec, problem, device) if self.has_orders else ()
        return tuple(x for x in found if accepts(asked, self.order_of(Candidate(spec, x), problem)))

    def order_of(self, candidate: Candidate, problem: P) -> str:
        """Return the order of summation of a launch with its backend's name; empty if none is declared."""
        order = self.summation(candidate, problem)
        return f"{self.backend}:{order}" if order else ""

    @property
    def has_orders(self) -> bool:
        """Whether launches of this op declare orders of summation."""
        return False

    def summation(self, candidate: Candidate, problem: P) -> str:
        """Return the name of the order in which a launch sums, one word; empty: it declares none.

        Launches with one name give a row the same bits, however many rows, or sequences, the problem has. So a launch
        whose order depends on these must not have a name.
        """
        return ""

    def predict(self, candidate: Candidate, problem: P, device: Device) -> float:
        """Return predicted seconds of one launch, by the backend's analytical cost model."""
        raise SpecError(f"{self.backend} has no cost model for {self.op}", remedy="select with first_fit or rules")

    def cost_basis(self, spec: KernelSpec) -> str:
        """Return what the prediction for a kernel rests on, in words; empty if all kernels are judged alike."""
        return ""

    def doubt(self, spec: KernelSpec, problem: P) -> float:
        """Return the factor by which the prediction for a kernel may be wrong; infinity if it is a guess."""
        return 1.0

    def least_seconds(self, problem: P, device: Device) -> float:
        """Return the seconds that no prediction is below; 0 if formulas are taken as they are."""
        return 0.0

    def has_custom_cost(self, arch: str) -> Callable[[KernelSpec], bool] | None:
        """Return for which kernels of an arch `predict` is not the formulas of `features`; None: for none."""
        return None

    def preference(self, candidate: Candidate, problem: P, device: Device) -> tuple[float, str]:
        """Return (score, reason) by hand-written rules of thumb; smaller is better."""
        return (0.0, "no rule of thumb")

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """Return what a kernel rounds apart from operands, fp32 sums and output; verification allows for it.

        A launch may add to it: parts of a split sum that are rounded before they are added.
        """
        return Inexact()

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Return the `BuildRequest` that lowers `spec` to an artifact; None if nothing has to be built."""
        raise ToolchainError(
            f"{self.backend} kernels for {self.op} can be declared and checked, but this version does not build them",
            remedy="use a backend that builds: see `tilewright support`",
        )

    def library(self, spec: KernelSpec) -> str:
        """Return the key of the library that a kernel calls, with its version; empty if it calls none.

        Measurements of a kernel that nothing is built for have it in the place of a build key.
        """
        return ""

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return the loaded kernel of a built artifact."""
        raise ToolchainError(f"{self.backend} cannot load kernels for {self.op}")

    def delegate(self, candidate: Candidate, problem: P) -> tuple[Candidate, Problem, Mapping[str, str]] | None:
        """Return the equivalent launch of another op: candidate, problem, and our role for each of its roles.

        None if the kernel follows this op's own ABI.
        """
        return None

    def storage_bytes(self, candidate: Candidate, problem: P, kernel: Any) -> Mapping[str, int]:
        """Return the bytes that the kernel reads of each role whose storage does not show its shape: packed weights.

        They are the same for all problems of a shape class.
        """
        return {}

    def steps(self, candidate: Candidate, problem: P) -> tuple[PlanStep, ...]:
        """Return the steps of a launch of this candidate in order; one step by default."""
        return (PlanStep(self.op),)

    def thread_grid(self, candidate: Candidate, problem: P, threads: int) -> tuple[int, ...]:
        """The grid that a launch of the C ABI hands to its kernel: the launch's own; empty if the kernel has none."""
        return candidate.launch.grid

    def stages(self, candidate: Candidate, problem: P, kernel: Any, settings: Settings) -> tuple[Stage, ...] | None:
        """Return the stages of a plan, or None for one C ABI launch."""
        return None

    def plan_stages(
        self, candidate: Candidate, problem: P, kernel: Any, settings: Settings
    ) -> tuple[Stage, ...] | None:
        """Return the same for a plan, which may share work with plans of other sizes."""
        return self.stages(candidate, problem, kernel, settings)

    def trials(self, spec: KernelSpec, place: str) -> Sequence[Trial]:
        """Return small problems at `place` that together take the kernel along its paths; none if it has no trials."""
        return ()

    def counted_trials(self, spec: KernelSpec, place: str) -> Sequence[Trial]:
        """Return two problems that differ only in how often the main loop runs, the shorter one first.

        The difference of what they execute is the work of the loop. Empty if there are none.
        """
        return ()

    def packed_forms(self, problem: P, plain: Sequence[KernelSpec], arch: Any) -> Sequence[P]:
        """Return the problem with weights in each packed format that kernels of `arch` read; `plain` reads it as it is.

        Empty if no kernel of this op reads packed weights.
        """
        return ()

    def pack(self, spec: KernelSpec, weights: TensorView, kernel: Callable[[], Any]) -> Any:
        """Return the storage of weights in the format that `spec` reads.

        `kernel` returns the loaded kernel. It is called only if the kernel itself packs.
        """
        raise SpecError(f"{spec.backend} packs no weights of {spec.op}", remedy="pass the plain weights")

    def features(self) -> Features | None:
        """Return the formulas that models of these kernels learn from; None if there are none."""
        return None

    def read_sweep(self, path: str | Path, wanted: Sequence[Any]) -> Sequence[KernelSet]:
        """Return the sets that a sweep file (JSON or TOML) declares; `wanted` signatures say what it leaves open."""
        from ..model.sweep import Words, read_sweep

        names = tuple(f.name for f in fields(wanted[0]))
        return read_sweep(path, Words(self.op, self.backend, self.tunables(), names))


class Backend:
    """A backend: the kinds of arch it serves ("any": all of them), the devices of this machine, and its ops.

    `places` are the kinds of places whose devices it finds: `cuda` of a tensor on `cuda:0`. Each op is a sub-package.
    """

    name: ClassVar[str]
    arch_kinds: ClassVar[tuple[str, ...]]
    places: ClassVar[tuple[str, ...]] = ()
    untried: ClassVar[tuple[str, ...]] = ()  # kinds of arch whose kernels ran on an emulator only, never on hardware
    compiles: ClassVar[bool] = True  # False: it computes every problem on the host without building anything
    libraries: ClassVar[bool] = False  # its kernels are those of libraries of others: a default registry has none
    package: ClassVar[str]

    def serves(self, arch_kind: str) -> bool:
        """Return whether it has kernels for this kind of arch."""
        return arch_kind in self.arch_kinds or "any" in self.arch_kinds

    @property
    def runs_on(self) -> tuple[str, ...]:
        """The kinds of arch whose devices it finds and launches on; for the others it only compiles."""
        return self.arch_kinds

    def op_names(self) -> list[str]:
        """Return the ops that this backend knows."""
        return list(_op_names(self.package))

    def op(self, name: str) -> BackendOp[Any]:
        """Return how this backend computes the op called `name`."""
        return _load_op(self.package, name)

    def devices(self, settings: Settings) -> Sequence[Device]:
        """Return the devices of this machine that the backend can run on; empty if there are none."""
        return ()

    def placed(self, settings: Settings) -> Mapping[str, Device]:
        """Return the devices of this machine by the names that tensors give their places."""
        found = self.devices(settings) if self.places else ()
        return {full_device_name(f"{self.places[0]}:{i}"): device for i, device in enumerate(found)}

    def device_at(self, place: str, settings: Settings) -> Device | None:
        """Return the device at a place; None if there is none."""
        return self.placed(settings).get(full_device_name(place))

    def at_place(self, place: str, stages: tuple[Stage, ...], settings: Settings) -> tuple[Stage, ...]:
        """Return the stages of a plan as they run at a place: unchanged, unless the backend wraps them there."""
        return stages

    def missing(self, settings: Settings) -> str | None:
        """Return what this backend lacks to build and run here, with the remedy; None if nothing is missing."""
        return None

    def missing_builder(self, settings: Settings) -> str | None:
        """Return what this backend lacks to build, which is enough for an emulated device; None if it can."""
        return self.missing(settings)


@cache
def _op_names(package: str) -> tuple[str, ...]:
    path = import_module(package).__path__
    return tuple(sorted(m.name for m in pkgutil.iter_modules(path) if m.ispkg))


@cache
def _load_op(package: str, name: str) -> BackendOp[Any]:
    check_known(f"op of backend {package.rsplit('.', 1)[-1]}", name, _op_names(package))
    op: BackendOp[Any] = import_module(f"{package}.{name}").OP
    return op
