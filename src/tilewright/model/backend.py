"""What generic code asks of a backend: the protocols that the classes of `backends.base` implement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from .problem import P_contra, Problem

if TYPE_CHECKING:
    from ..settings import Settings
    from .arch import Arch
    from .device import Device
    from .inexact import Inexact
    from .kernel import Candidate, KernelSpec, Launch, PlanStep
    from .kernel_set import KernelSet
    from .kernel_tree import KernelTree
    from .rule import Rejection, Rule
    from .tensor import TensorView
    from .trial import Trial
    from .tunable import Tunable


class Stage(Protocol):
    """One kernel launch of a plan."""

    @property
    def name(self) -> str:
        """The name of its kernel."""
        ...

    @property
    def workspace_bytes(self) -> int:
        """Scratch memory that one launch needs."""
        ...

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """Return a function of the stream that launches this stage on `views`."""
        ...

    def call(self, views: Mapping[str, TensorView]) -> Any:
        """Return a call on addresses (`run_pointers`) for tensors like `views`; None if the stage has none."""
        ...


class Features(Protocol):
    """The formulas of a backend's op: a module.

    `CONSTANTS` names the numbers of `constants`, `ADDITIVE` the formulas whose sum a model fits. With `ONLY_SHOWN` a
    model leaves kernels that it was not shown to the cost model. Kernels that differ in a name (a pipeline) or in one
    of `LISTS` have price lists of their own.
    """

    @property
    def VERSION(self) -> int:  # noqa: N802
        """The version of the formulas."""
        ...

    @property
    def ADDITIVE(self) -> Sequence[str]:  # noqa: N802
        """The formulas whose sum a model fits."""
        ...

    @property
    def LISTS(self) -> Sequence[str]:  # noqa: N802
        """The tunables, besides names, by which kernels have price lists of their own."""
        ...

    @property
    def CONSTANTS(self) -> Sequence[str]:  # noqa: N802
        """The names of a kernel's numbers beside its tunables."""
        ...

    @property
    def ONLY_SHOWN(self) -> bool:  # noqa: N802
        """Whether a model leaves kernels that it was not shown to the cost model."""
        ...

    @property
    def near(self) -> Callable[[KernelSpec], bool] | None:
        """Whether formulas only come near a kernel's cost; None: they are exact for every kernel."""
        ...

    @property
    def searched(self) -> Callable[[Candidate, Any, Device], tuple[float, ...]] | None:
        """The blocks that are found for a device when a launch is bound; None: launches hold them."""
        ...

    def constants(self, spec: KernelSpec) -> tuple[float, ...]:
        """Return the numbers of a kernel beside its tunables."""
        ...

    def work(self, k: Any, p: Any, d: Any) -> Mapping[str, Any]:
        """Return the formulas by name, of a kernel `k`, a problem `p` and a device `d`."""
        ...


class BackendOp(Protocol[P_contra]):
    """How one backend computes one op: algorithm, space, rules, cost and lowering."""

    backend: ClassVar[str]
    op: ClassVar[str]
    algorithm: ClassVar[type]
    rules: ClassVar[tuple[Rule, ...]]
    builds: ClassVar[bool]
    takes_any_size: ClassVar[bool]  # a kernel that takes a problem takes those that differ in changing sizes too

    def tunables(self) -> tuple[Tunable, ...]:
        """Return the declared tunables of the algorithm, in field order."""
        ...

    def algorithm_from_dict(self, data: Mapping[str, Any]) -> Any:
        """Return the algorithm from its canonical form; the error for an unknown field names the nearest known one."""
        ...

    def kernel_sets(self) -> tuple[KernelSet, ...]:
        """Return the named sets that this backend ships for the op."""
        ...

    def default_sets(self) -> tuple[KernelSet, ...]:
        """Return the sets of a default registry."""
        ...

    def check(
        self, spec: KernelSpec, arch: Arch, problem: P_contra | None = None, launch: Launch | None = None
    ) -> tuple[Rejection, ...]:
        """Return every rule that `spec` breaks on `arch` (and for `problem`, if one is given)."""
        ...

    def check_problem(self, spec: KernelSpec, arch: Arch, problem: P_contra) -> tuple[Rejection, ...]:
        """Return every rule about problems that `spec`, which is legal by itself, breaks for `problem`."""
        ...

    def candidates(self, tree: KernelTree, problem: P_contra, device: Device) -> list[Candidate]:
        """Return the launches of the kernels of `tree`, each legal by itself, that break no rule for `problem`."""
        ...

    def launches(self, spec: KernelSpec, problem: P_contra, device: Device) -> Sequence[Launch]:
        """Return the run-time choices worth considering for this kernel and problem, best guess first."""
        ...

    def predict(self, candidate: Candidate, problem: P_contra, device: Device) -> float:
        """Return predicted seconds of one launch, by the backend's analytical cost model."""
        ...

    def cost_basis(self, spec: KernelSpec) -> str:
        """Return what the prediction for a kernel rests on, in words; empty if all kernels are judged alike."""
        ...

    def judged_apart(self, arch: str) -> Callable[[KernelSpec], bool] | None:
        """Return for which kernels of an arch `predict` is not the formulas of `features`; None: for none."""
        ...

    def preference(self, candidate: Candidate, problem: P_contra, device: Device) -> tuple[float, str]:
        """Return (score, reason) by hand-written rules of thumb; smaller is better."""
        ...

    def product_error(self, spec: KernelSpec, launch: Launch | None = None) -> Inexact:
        """Return what a kernel rounds apart from operands, fp32 sums and output; verification allows for it.

        A launch may add to it: parts of a split sum that are rounded before they are added.
        """
        ...

    def request(self, spec: KernelSpec, settings: Settings) -> Any:
        """Return the `BuildRequest` that lowers `spec` to an artifact; None if nothing has to be built."""
        ...

    def load(self, spec: KernelSpec, artifact: Any) -> Any:
        """Return the loaded kernel of a built artifact."""
        ...

    def stands_for(
        self, candidate: Candidate, problem: P_contra
    ) -> tuple[Candidate, Problem, Mapping[str, str]] | None:
        """Return the equivalent launch of another op: candidate, problem, and our role for each of its roles.

        None if the kernel follows this op's own ABI.
        """
        ...

    def storage_bytes(self, candidate: Candidate, problem: P_contra, kernel: Any) -> Mapping[str, int]:
        """Return the bytes that the kernel reads of each role whose storage does not show its shape: packed weights."""
        ...

    def steps(self, candidate: Candidate, problem: P_contra) -> tuple[PlanStep, ...]:
        """Return the steps of a launch of this candidate in order; one step by default."""
        ...

    def thread_grid(self, candidate: Candidate, problem: P_contra, threads: int) -> tuple[int, ...]:
        """The grid that a launch of the C ABI hands to its kernel: the launch's own; empty if the kernel has none."""
        ...

    def stages(
        self, candidate: Candidate, problem: P_contra, kernel: Any, settings: Settings
    ) -> tuple[Stage, ...] | None:
        """Return the stages of a plan, or None for one C ABI launch."""
        ...

    def plan_stages(
        self, candidate: Candidate, problem: P_contra, kernel: Any, settings: Settings
    ) -> tuple[Stage, ...] | None:
        """Return the same for a plan, which may share work with plans of other sizes."""
        ...

    def trials(self, spec: KernelSpec, place: str) -> Sequence[Trial]:
        """Return small problems at `place` that together take the kernel along its paths; none if it has no trials."""
        ...

    def counted_trials(self, spec: KernelSpec, place: str) -> Sequence[Trial]:
        """Return two problems that differ only in how often the main loop runs, the shorter one first.

        The difference of what they execute is the work of the loop. Empty if there are none.
        """
        ...

    def packed_forms(self, problem: P_contra, plain: Sequence[KernelSpec], arch: Any) -> Sequence[Any]:
        """Return the problem with weights in each packed format that kernels of `arch` read; `plain` reads it as it is.

        Empty if no kernel of this op reads packed weights.
        """
        ...

    def pack(self, spec: KernelSpec, weights: TensorView, kernel: Callable[[], Any]) -> Any:
        """Return the storage of weights in the format that `spec` reads.

        `kernel` returns the loaded kernel. It is called only if the kernel itself packs.
        """
        ...

    def features(self) -> Features | None:
        """Return the formulas that models of these kernels learn from; None if there are none."""
        ...

    def read_sweep(self, path: str | Path, wanted: Sequence[Any]) -> Sequence[KernelSet]:
        """Return the sets that a sweep file (JSON or TOML) declares; `wanted` signatures say what it leaves open."""
        ...


class Backend(Protocol):
    """A backend: the kinds of arch it serves ("any": all of them), the devices of this machine, and its ops."""

    name: ClassVar[str]
    arch_kinds: ClassVar[tuple[str, ...]]
    places: ClassVar[tuple[str, ...]]
    untried: ClassVar[tuple[str, ...]]
    compiles: ClassVar[bool]

    def serves(self, arch_kind: str) -> bool:
        """Return whether it has kernels for this kind of arch."""
        ...

    @property
    def runs_on(self) -> tuple[str, ...]:
        """The kinds of arch whose devices it finds and launches on; for the others it only compiles."""
        ...

    def op_names(self) -> list[str]:
        """Return the ops that this backend knows."""
        ...

    def op(self, name: str) -> BackendOp[Any]:
        """Return how this backend computes the op called `name`."""
        ...

    def devices(self, settings: Settings) -> Sequence[Device]:
        """Return the devices of this machine that the backend can run on; empty if there are none."""
        ...

    def placed(self, settings: Settings) -> Mapping[str, Device]:
        """Return the devices of this machine by the names that tensors give their places."""
        ...

    def device_at(self, place: str, settings: Settings) -> Device | None:
        """Return the device at a place; None if there is none."""
        ...

    def at_place(self, place: str, stages: tuple[Stage, ...], settings: Settings) -> tuple[Stage, ...]:
        """Return the stages of a plan as they run at a place: unchanged, unless the backend wraps them there."""
        ...

    def missing(self, settings: Settings) -> str | None:
        """Return what this backend lacks to build and run here, with the remedy; None if nothing is missing."""
        ...

    def missing_builder(self, settings: Settings) -> str | None:
        """Return what this backend lacks to build, which is enough for an emulated device; None if it can."""
        ...
