"""Plan: one problem, one kernel, ready to launch. BoundPlan: a plan with its tensors.

A plan is immutable and may be shared by threads; its stages are built and loaded. A bound plan belongs to one thread
and one stream. Calling it again allocates nothing: the launcher provides the workspace and keeps it between calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..backends import get_backend, get_backend_op
from ..errors import TensorError
from ..jit.background import Pending
from ..model.backend import Stage
from ..model.kernel import Candidate, PlanStep
from ..model.problem import Problem
from ..model.tensor import TensorView
from ..ops import get_op
from ..settings import Settings
from .abi import AbiStage
from .stages import ZeroStage


class Plan:
    """A problem together with the kernel that was chosen for it and how it is launched.

    `candidate` is None if the main output has no elements; `stages` is then empty, or writes zeros to other outputs.
    """

    def __init__(
        self,
        problem: Problem,
        candidate: Candidate | None,
        stages: tuple[Stage, ...],
        storage_bytes: Mapping[str, int] | None = None,
    ) -> None:
        self.problem = problem
        self.candidate = candidate
        self.stages = stages
        self.awaits: Pending | None = None  # of a stand-in: the build of the kernel that replaces it
        self.contest: Any = None  # with a library's kernel, if the first calls are to decide
        self._storage_bytes = storage_bytes or {}

    def __repr__(self) -> str:
        by = "nothing to compute" if self.candidate is None else f"by {self.candidate.spec.name}"
        return f"<Plan of {self.problem.label()}: {by}>"

    @property
    def workspace_bytes(self) -> int:
        """Scratch memory that one launch needs."""
        return max((s.workspace_bytes for s in self.stages), default=0)

    @property
    def steps(self) -> tuple[PlanStep, ...]:
        """The steps of one launch in order, and the scratch buffers between them; empty if nothing runs."""
        if self.candidate is None:
            return ()
        spec = self.candidate.spec
        return get_backend_op(spec.backend, spec.op).steps(self.candidate, self.problem)

    @property
    def kernel(self) -> str:
        """The name of the kernel; "-" if nothing runs."""
        return self.candidate.spec.name if self.candidate else "-"

    def bind(self, views: Mapping[str, TensorView]) -> BoundPlan:
        """Return the plan on these tensors (views that were checked against the problem)."""
        if self._storage_bytes:
            self._check_storage(views)
        launches = tuple(stage.bind(views) for stage in self.stages)
        out = views[get_op(self.problem.op).out_roles(self.problem)[0]]
        return BoundPlan(self, out.owner, launches, views)

    def prepared_call(self, views: Mapping[str, TensorView]) -> Any:
        """Return a call on addresses or tensors (`Stage.call`) of a plan with one such stage; None for other plans."""
        if self._storage_bytes:
            self._check_storage(views)
        call = self.stages[0].call(views) if len(self.stages) == 1 else None
        return call if self.contest is None else self.contest.call(call, views)

    def _check_storage(self, views: Mapping[str, TensorView]) -> None:
        """Refuse incomplete packed storage: kernels read as many bytes as its shape needs."""
        mistakes = []
        for role, need in self._storage_bytes.items():
            view = views[role]
            if not view.is_dense:
                mistakes.append(f"{role} is packed, but its storage has strides {view.strides}")
            elif view.extent[1] < need:
                mistakes.append(f"{role} is packed storage of {view.extent[1]:,} bytes; its shape needs {need:,}")
        if mistakes:
            raise TensorError.of(f"tensors of {self.problem.label()}", mistakes, "pack it again with pack_weights")


class BoundPlan:
    """A plan with its tensors: calling it launches and returns the output tensor.

    A launch uses the addresses that the tensors had when they were bound; each call checks that they still have them.
    """

    __slots__ = ("_keep", "_launches", "_moved", "_out", "_roles", "plan")

    def __init__(
        self, plan: Plan, out: Any, launches: tuple[Callable[[Any], None], ...], views: Mapping[str, TensorView]
    ) -> None:
        from ..jit.arrays import has_address
        from ..jit.memo import watch_memory

        self.plan, self._out, self._launches = plan, out, launches
        self._keep = tuple(views.values())  # the tensors must outlive the addresses in the launches
        owners = {role: view.owner for role, view in views.items() if has_address(view.owner)}
        self._roles, self._moved = tuple(owners), watch_memory([*owners.values()])

    def __call__(self, stream: Any = None) -> Any:
        """Launch on `stream` (the current one if it is None) and return the output tensor."""
        moved = self._moved()
        if moved >= 0:
            raise TensorError(
                f"{self._roles[moved]} has other memory than when it was bound (resize_, set_ or .data replace it)",
                remedy="bind the plan again",
            )
        for launch in self._launches:
            launch(stream)
        return self._out


def empty_plan(problem: Problem) -> Plan:
    """Return the plan of a problem whose main result has no elements: no kernel runs, other results become zeros.

    >>> from tilewright.ops import problem_from_dict
    >>> empty_plan(problem_from_dict({"op": "gemm", "m": 0, "n": 2, "k": 2, "dtype": "fp32"})).stages
    ()
    """
    others = get_op(problem.op).out_roles(problem)[1:]
    written = any(0 not in problem.shape(role) for role in others)
    return Plan(problem, None, (ZeroStage(problem),) if written else ())


def make_plan(problem: Problem, candidate: Candidate, kernel: Any, settings: Settings) -> Plan:
    """Return the plan that runs `candidate` with its loaded kernel; a backend may supply its own stages."""
    backend = get_backend_op(candidate.spec.backend, candidate.spec.op)
    stages = backend.plan_stages(candidate, problem, kernel, settings)
    if stages is not None:
        stages = get_backend(candidate.spec.backend).at_place(problem.device, stages, settings)
    if stages is None:
        inner, solved, names = backend.delegate(candidate, problem) or (candidate, problem, None)
        stages = (AbiStage(solved, inner, kernel, settings, names, problem),)
    return Plan(problem, candidate, stages, backend.storage_bytes(candidate, problem, kernel))
