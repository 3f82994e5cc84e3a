"""Plan: one problem, one kernel, ready to launch. BoundPlan: a plan with its tensors. Plans: those that are kept.

A plan is immutable and may be shared by threads; its stages are built and loaded. A bound plan belongs to one thread
and one stream. Calling it again allocates nothing: the launcher provides the workspace and keeps it between calls.
An `AbiStage` launches a kernel that follows the C ABI; `AbiTemplate` has its launches for all sizes of a shape class.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from operator import mul
from typing import Any

from ..backends import get_backend, get_backend_op
from ..errors import TensorError
from ..jit.arrays import is_torch
from ..jit.background import Pending
from ..jit.launch_checks import Operand
from ..jit.launcher import KEEP_GIL_FLOPS, Kernel, array_over, launcher_is_pending, new_args, new_call
from ..model.backend import Stage
from ..model.device import memory_of
from ..model.dtype import numpy_dtype
from ..model.kernel import Candidate, PlanStep
from ..model.locks import after_fork, new_lock
from ..model.problem import MAX_TEMPLATES, Problem, shape_class_of
from ..model.tensor import TensorView
from ..model.trace import code_of
from ..ops import get_op
from ..settings import Settings
from .stages import ZeroStage

GRID_SLOTS = 2
MAX_CALLS = 4096  # prepared calls that are kept
MAX_PLANS = 8192  # plans that are kept: the normal program has fewer, a server with new shapes at each call has more


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
        self.successor: Plan | None = None  # the plan of the library's kernel, if it has won
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

    def bind(self, views: Mapping[str, TensorView], *, reads_indices: bool = False) -> BoundPlan:
        """Return the plan on these tensors (views that were checked against the problem).

        With `reads_indices`, each call checks the lengths and tables that are in host memory.
        """
        if self._storage_bytes:
            self._check_storage(views)
        launches = tuple(stage.bind(views) for stage in self.stages)
        out = views[get_op(self.problem.op).out_roles(self.problem)[0]]
        indices = index_arrays(self.problem, views) if reads_indices else {}
        if indices:
            return IndexedBoundPlan(self, out.owner, launches, views, indices)
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


class IndexedBoundPlan(BoundPlan):
    """A plan with tensors that decide where its kernel reads: each call checks their contents, which may change.

    A class of its own, because plans without such tensors must not pay for the question.
    """

    __slots__ = ("_indices",)

    def __init__(
        self,
        plan: Plan,
        out: Any,
        launches: tuple[Callable[[Any], None], ...],
        views: Mapping[str, TensorView],
        indices: Mapping[str, Any],
    ) -> None:
        super().__init__(plan, out, launches, views)
        self._indices = indices

    def __call__(self, stream: Any = None) -> Any:
        """Check the lengths and tables, launch on `stream` and return the output tensor."""
        if self._moved() < 0:  # else there may be no memory to read; the launch reports it
            problem = self.plan.problem
            mistakes = get_op(problem.op).content_mistakes(problem, self._indices)
            if mistakes:
                raise TensorError.of(f"tensors of {problem.label()}", mistakes)
        return super().__call__(stream)


def index_arrays(problem: Problem, views: Mapping[str, TensorView]) -> dict[str, Any]:
    """Return NumPy arrays over the lengths and tables that decide where a kernel reads; none of a GPU's memory.

    >>> from tilewright.ops import problem_from_dict
    >>> index_arrays(problem_from_dict({"op": "gemm", "m": 4, "n": 2, "k": 2, "dtype": "fp32"}), {})
    {}
    """
    if memory_of(problem.device) != "cpu":
        return {}
    return {role: array_over(views[role]) for role in get_op(problem.op).index_roles if role in views}


def empty_plan(problem: Problem) -> Plan:
    """Return the plan of a problem whose main result has no elements: no kernel runs, other results become zeros.

    >>> from tilewright.ops import problem_from_dict
    >>> empty_plan(problem_from_dict({"op": "gemm", "m": 0, "n": 2, "k": 2, "dtype": "fp32"})).stages
    ()
    """
    others = get_op(problem.op).out_roles(problem)[1:]
    written = any(0 not in problem.shape(role) for role in others)
    return Plan(problem, None, (ZeroStage(problem),) if written else ())


def launch_values(candidate: Candidate, problem: Problem, threads: int) -> list[int]:
    """Return the launch in the order of `AbiLayout.launch`; 0 leaves a choice to the kernel."""
    launch, spec = candidate.launch, candidate.spec
    grid = get_backend_op(spec.backend, spec.op).thread_grid(candidate, problem, threads)
    splits = max(launch.split_k, launch.num_splits)  # of k, or of the keys of an attention: no op has both
    return [threads, splits, *grid, *(0,) * (GRID_SLOTS - len(grid)), *launch.blocks]


class AbiTemplate:
    """The launches of a kernel that follows the C ABI, for the problems of one shape class.

    Roles and slots are the same for all of them. Sizes, scalars and strides are code of the sizes (`model.trace`).
    `names` maps a role to a tensor of the plan, whose problem is `planned`, if the two have different names.
    `storage_bytes` is what the backend says of packed weights; `threads` are those of launches that leave them open.
    """

    def __init__(
        self,
        problem: Problem,
        candidate: Candidate,
        names: Mapping[str, str],
        planned: Problem,
        storage_bytes: Mapping[str, int],
        threads: int,
    ) -> None:
        self.storage_bytes, self.threads = storage_bytes, threads
        op, order = get_op(problem.op), get_op(planned.op).roles(planned)
        abi = op.abi_for(problem)
        self.name = candidate.spec.name
        self.roles = op.roles(problem)
        self.names = [names.get(r, r) for r in self.roles]
        self.order = [order.index(name) for name in self.names]
        written, aliases = op.out_roles(problem), op.may_alias(problem)
        self.operands = [
            (n, abi.slot(r), r in written, r in aliases) for n, r in zip(self.names, self.roles, strict=True)
        ]
        self.out = self.roles.index(written[0])

        def values(p: Problem) -> Any:
            strides = [op.strides(p, r) if r in self.roles else () for r in abi.roles]
            return op.sizes(p), op.scalars(p), strides, p.flops

        self._compute, self._shape_class = values, shape_class_of(problem, op.extents)
        self._code = code_of(values, problem, self._shape_class)

    def values(self, problem: Problem) -> tuple[Any, Any, Any, Any]:
        """Return the sizes, scalars, strides by slot and flops of a problem."""
        found: tuple[Any, Any, Any, Any] | None = self._code(*self._shape_class.sizes_of(problem))
        return found if found is not None else self._compute(problem)


class AbiStage:
    """A stage whose kernel follows the C ABI (backends `cpu` and `ck_tile`)."""

    def __init__(self, problem: Problem, candidate: Candidate, kernel: Any, template: AbiTemplate) -> None:
        self._template, self.name, self._kernel = template, template.name, kernel
        sizes, scalars, strides, flops = template.values(problem)
        threads = candidate.launch.threads or template.threads
        self._args = new_args(sizes, scalars, launch_values(candidate, problem, threads), strides)
        self._release_gil = flops > KEEP_GIL_FLOPS
        self._made: tuple[Any, bool] = None, False  # the call; whether it goes when the C launcher is built

    @property
    def workspace_bytes(self) -> int:
        """Scratch memory that one launch needs."""
        needed: int = self._kernel.workspace(self._args)
        return needed

    def call(self, views: Mapping[str, TensorView]) -> Any:
        """Return the prepared launch for tensors like `views`; `run_pointers` takes addresses in role order."""
        call, order = self._prepared(views), self._template.order
        return call if order == sorted(order) else _Reordered(call, order)

    def _prepared(self, views: Mapping[str, TensorView]) -> Any:
        call, is_provisional = self._made
        if call is None or (is_provisional and not launcher_is_pending()):
            template = self._template  # two threads may both make it: their calls do the same
            operands = tuple([_operand(views[row[0]], *row) for row in template.operands])
            is_provisional = launcher_is_pending()
            call = new_call(self._kernel, self._args, operands, template.out, self._release_gil)
            self._made = call, is_provisional
        return call

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """Return a function that launches on these tensors; the CPU ignores the stream."""
        call = self._prepared(views)
        is_torchs = any(is_torch(view.owner) for view in views.values())
        run = getattr(call, "run_lent", call.run_pointers) if is_torchs else call.run_pointers
        addresses = tuple(views[name].address for name in self._template.names)
        return lambda stream: run(*addresses)


def _operand(view: TensorView, name: str, slot: int, written: bool, may_alias: bool) -> Operand:
    dtype = numpy_dtype(view.dtype)
    size = dtype.itemsize
    strides = tuple(map(mul, view.strides, repeat(size)))
    return Operand(name, slot, dtype, view.shape, strides, dtype.alignment, written, may_alias)


class _Reordered:
    """A call whose kernel takes the tensors in another order."""

    def __init__(self, call: Any, order: Sequence[int]) -> None:
        self._run, self._order = call.run_pointers, order

    def run_pointers(self, *addresses: int) -> None:
        self._run(*(addresses[i] for i in self._order))


def make_plan(problem: Problem, candidate: Candidate, kernel: Any, settings: Settings) -> Plan:
    """Return the plan that runs `candidate` with its loaded kernel; a backend may supply its own stages."""
    templates: dict[Any, AbiTemplate] = kernel.templates if isinstance(kernel, Kernel) else {}
    found = templates.get((shape_class_of(problem, get_op(problem.op).extents), None))
    if found is not None:  # the backend has answered for this shape class
        return Plan(problem, candidate, (AbiStage(problem, candidate, kernel, found),), found.storage_bytes)
    backend = get_backend_op(candidate.spec.backend, candidate.spec.op)
    storage_bytes = backend.storage_bytes(candidate, problem, kernel)
    stages = backend.plan_stages(candidate, problem, kernel, settings)
    if stages is not None:
        stages = get_backend(candidate.spec.backend).at_place(problem.device, stages, settings)
        return Plan(problem, candidate, stages, storage_bytes)
    inner, solved, names = backend.delegate(candidate, problem) or (candidate, problem, None)
    key = (shape_class_of(solved, get_op(solved.op).extents), names and tuple(names.items()))
    template = templates.get(key)
    if template is None:
        if len(templates) >= MAX_TEMPLATES:
            templates.clear()
        threads = settings.resolved_threads()
        template = templates[key] = AbiTemplate(solved, inner, names or {}, problem, storage_bytes, threads)
    return Plan(problem, candidate, (AbiStage(solved, inner, kernel, template),), storage_bytes)


class _Turn:
    """A plan that one thread makes; `over` is held until it is there, or has failed. Cheaper than a `Future`."""

    __slots__ = ("error", "maker", "over", "plan")

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.error: Exception | None = None
        self.maker = threading.get_ident()
        self.over = threading.Lock()  # not registered: a turn is forgotten as a whole


class Plans:
    """Plans by the identity of their problem. Each is made once; no lock is held while one is made.

    With more than `most` of them, those that were made first are forgotten: the next such problem is planned again.

    >>> plans = Plans()
    >>> plans.get_or_make("key", lambda: Plan(None, None, ())) is plans.get("key")
    True
    """

    def __init__(self, most: int = MAX_PLANS) -> None:
        self._most = most
        self._made: dict[Any, Plan] = {}
        self._making: dict[Any, _Turn] = {}
        self._lock = new_lock()
        after_fork(self._forget_turns)

    def _forget_turns(self) -> None:
        """Forget, in a forked child, the turns of threads that are not there: the next call makes the plan."""
        mine = threading.get_ident()
        self._making = {key: turn for key, turn in self._making.items() if turn.maker == mine}

    def __len__(self) -> int:
        return len(self._made)

    def get(self, key: Any) -> Plan | None:
        """Return the plan of `key`, or None if none is made yet."""
        return self._made.get(key)

    def all(self) -> list[Plan]:
        """Return the plans that are made."""
        with self._lock:
            return list(self._made.values())

    def put(self, key: Any, plan: Plan) -> Plan:
        """Keep and return a plan that took no time to make: two threads may both make it."""
        with self._lock:
            self._keep(key, plan)
        return plan

    def _keep(self, key: Any, plan: Plan) -> None:
        while len(self._made) >= self._most:
            del self._made[next(iter(self._made))]
        self._made[key] = plan

    def drop(self, key: Any, plan: Plan) -> None:
        """Forget `plan`, if it is still the plan of `key`."""
        with self._lock:
            if self._made.get(key) is plan:
                del self._made[key]

    def get_or_make(self, key: Any, make: Callable[[], Plan]) -> Plan:
        """Return the plan of `key`. The first thread makes it; the others wait and get the same plan.

        An error of `make` is raised in every waiting thread and is not kept: a later call tries again.
        """
        turn = _Turn()
        while True:
            with turn.over:  # before others see it: an interrupt ends it wherever it comes
                with self._lock:
                    plan = self._made.get(key)
                    if plan is not None:
                        return plan
                    found = self._making.setdefault(key, turn)
                    # An interrupt has left a turn that is over, or `make` asks for its own plan.
                    if found.maker == turn.maker or not found.over.locked():
                        found = self._making[key] = turn
                if found is turn:
                    return self._make(key, make, turn)
            with found.over:
                pass
            if found.plan is not None:
                return found.plan
            if found.error is not None:
                raise found.error
            # The thread that made it was interrupted: take its place.

    def _make(self, key: Any, make: Callable[[], Plan], turn: _Turn) -> Plan:
        try:
            plan = turn.plan = make()
            with self._lock:
                self._keep(key, plan)
            return plan
        except Exception as error:
            turn.error = error
            raise
        finally:
            with self._lock:
                if self._making.get(key) is turn:
                    del self._making[key]


class PreparedCalls:
    """Launches that front ends prepared, by the keys of their tensors. They go when the plans go.

    `in_c` is the C launcher's memo of these calls, None until something is kept there. `deterministic` is the mode of
    torch in which they were prepared.

    >>> calls = PreparedCalls()
    >>> calls.keep("key", "launch")
    >>> calls.find("key"), calls.find("other"), calls.find(["no key"])
    ('launch', None, None)
    """

    __slots__ = ("_kept", "deterministic", "in_c", "templates")

    def __init__(self, deterministic: bool = False) -> None:
        self.deterministic = deterministic
        self._kept: dict[Any, Any] = {}
        self.templates: dict[Any, Any] = {}  # templates of calls, by what calls of other sizes share
        self.in_c: Any = None

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: Any) -> Any:
        """Return the launch of `key`, or None. What cannot be a key is a wrong argument; planning says so in words."""
        try:
            return self._kept.get(key)
        except TypeError:
            return None

    def keep(self, key: Any, launch: Any) -> None:
        """Remember a launch. With more than `MAX_CALLS` of them the collection starts anew."""
        if len(self._kept) >= MAX_CALLS:
            self._kept.clear()
        self._kept[key] = launch

    def keep_templates(self, key: Any, templates: Any) -> None:
        """Remember the templates of calls that ask for the same. With `MAX_TEMPLATES` of these the collection starts
        anew: an option may be another number in each call.
        """
        if len(self.templates) >= MAX_TEMPLATES:
            self.templates.clear()
        self.templates[key] = templates
