"""Plan: one problem, one kernel, ready to launch. BoundPlan: a plan with its tensors.

A plan is immutable and may be shared by threads; its stages are built and loaded. A bound plan belongs to one thread
and one stream. Calling it again allocates nothing: the launcher provides the workspace and keeps it between calls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module
from typing import Any

from .backends import get_backend, get_backend_op
from .errors import TensorError
from .jit.background import Pending
from .model.backend import Stage
from .model.device import memory_of
from .model.kernel import Candidate, PlanStep
from .model.locks import after_fork, new_lock
from .model.problem import Problem
from .model.tensor import TensorView
from .ops import get_op
from .settings import Settings

# A shorter launch is done before another thread could take the interpreter lock.
KEEP_GIL_FLOPS = 200_000
MOST_CALLS = 4096  # prepared calls that are kept
MOST_PLANS = 8192  # plans that are kept: the normal program has fewer, a server with new shapes at each call has more


GRID_SLOTS = 2
Layout = Sequence[Any]  # of a tensor: shape, strides in elements


def _launch_values(candidate: Candidate, problem: Problem, settings: Settings) -> list[int]:
    """Return the launch in the order of `AbiLayout.launch`; 0 leaves a choice to the kernel."""
    launch, spec = candidate.launch, candidate.spec
    threads = launch.threads or settings.resolved_threads()
    grid = get_backend_op(spec.backend, spec.op).thread_grid(candidate, problem, threads)
    splits = max(launch.split_k, launch.num_splits)  # of k, or of the keys of an attention: no op has both
    return [threads, splits, *grid, *(0,) * (GRID_SLOTS - len(grid)), *launch.blocks]


class AbiStage:
    """A stage whose kernel follows the C ABI (backends `cpu` and `ck_tile`).

    `names` maps a role of `problem` to a tensor of the plan if the two have different names; `order` is then the order
    of the plan's own roles.
    """

    def __init__(
        self,
        problem: Problem,
        candidate: Candidate,
        kernel: Any,
        settings: Settings,
        names: Mapping[str, str] | None = None,
        order: Sequence[str] = (),
    ) -> None:
        from .jit.loader import new_args

        op = get_op(problem.op)
        abi = op.abi_for(problem)
        self.name = candidate.spec.name
        self.roles = op.roles(problem)
        self._names = [(names or {}).get(r, r) for r in self.roles]
        self._order = [order.index(name) for name in self._names] if names else list(range(len(self.roles)))
        self._kernel = kernel
        self._slots = tuple(abi.slot(r) for r in self.roles)
        self._written = [abi.slot(r) for r in op.out_roles(problem)]
        self._aliases = [abi.slot(r) for r in op.may_alias(problem)]
        self._release_gil = problem.flops > KEEP_GIL_FLOPS
        self._args = new_args(
            sizes=op.sizes(problem),
            scalars=op.scalars(problem),
            launch=_launch_values(candidate, problem, settings),
            strides=[op.strides(problem, r) if r in self.roles else () for r in abi.roles],
        )
        self.workspace_bytes = kernel.workspace(self._args)
        self._call: Any = None
        self._lock = new_lock()

    def resized(self, problem: Problem, layouts: Sequence[Layout], like: Any) -> Any:
        """Return a launch like `like`, a call of this stage, for a problem of other sizes; None if it cannot be made.

        `layouts` begin with shape and strides of each tensor in role order; they were checked. Scalars and the launch
        stay as they are.
        """
        from .jit.launcher import resize_call

        if isinstance(like, _Reordered):
            return None
        op, args = get_op(problem.op), type(self._args).from_buffer_copy(self._args)
        sizes = op.sizes(problem)
        args.sizes[: len(sizes)] = sizes
        for slot, role in zip(self._slots, self.roles, strict=True):
            strides = op.strides(problem, role)
            args.strides[slot][: len(strides)] = strides
        out = self._slots.index(self._written[0])
        return resize_call(like, self._kernel, args, layouts, out, self._release_gil)

    def call(self, views: Mapping[str, TensorView]) -> Any:
        """Return the prepared launch for tensors like `views`; `run_pointers` takes addresses in role order."""
        call = self._prepared(views)
        return call if self._order == sorted(self._order) else _Reordered(call, self._order)

    def _prepared(self, views: Mapping[str, TensorView]) -> Any:
        from .jit.launcher import make_call

        with self._lock:
            if self._call is None:
                self._call = make_call(
                    self._kernel,
                    self._args,
                    self._slots,
                    [views[name] for name in self._names],
                    self._written[0],
                    written=self._written,
                    may_alias=self._aliases,
                    names=self._names,
                    release_gil=self._release_gil,
                )
        return self._call

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """Return a function that launches on these tensors; the CPU ignores the stream."""
        run = self._prepared(views).run_pointers
        addresses = tuple(views[name].address for name in self._names)
        return lambda stream: run(*addresses)


class _Reordered:
    """A call whose kernel takes the tensors in another order."""

    def __init__(self, call: Any, order: Sequence[int]) -> None:
        self._run, self._order = call.run_pointers, order

    def run_pointers(self, *addresses: int) -> None:
        self._run(*(addresses[i] for i in self._order))


class PaddedStage:
    """Runs the plan of a padded problem: copies tensors into padded ones and the results out again.

    It uses NumPy on the host, torch on a GPU. The op provides `padded`, `copy_in` and `copy_out`.
    """

    name = "padded"
    workspace_bytes = 0

    def __init__(self, problem: Problem, inner: Plan) -> None:
        self._problem, self._inner = problem, inner

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """Return a function that copies in, computes and copies out."""
        from .jit.arrays import view_of

        op, given, padded = get_op(self._problem.op), self._problem, self._inner.problem
        own = {role: tensor_over(view) for role, view in views.items()}
        large = op.random_tensors(padded, 0)
        for tensor in large.values():
            tensor[...] = 0
        bound = self._inner.bind({role: view_of(tensor, role) for role, tensor in large.items()})
        results = op.out_roles(given)

        def launch(stream: Any) -> None:
            with on_stream(given.device, stream):
                for role, tensor in own.items():  # results too: some are updated in place
                    op.copy_in(given, padded, role, tensor, large[role])
            bound(stream)
            with on_stream(given.device, stream):
                for role in results:
                    op.copy_out(given, padded, role, large[role], own[role])

        return launch

    def call(self, views: Mapping[str, TensorView]) -> None:
        """Return None: it copies tensors, so it needs more than their addresses."""


class ZeroStage:
    """Writes zeros: the results of a problem whose main result has no elements. Gradients of keys without rows."""

    name = "zeros"
    workspace_bytes = 0

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """Return a function that writes the results that have elements."""
        own = [tensor_over(views[role]) for role in get_op(self._problem.op).out_roles(self._problem)]

        def launch(stream: Any) -> None:
            with on_stream(self._problem.device, stream):
                for tensor in own:
                    tensor[...] = 0

        return launch

    def call(self, views: Mapping[str, TensorView]) -> None:
        """Return None: it needs more than addresses."""


def empty_plan(problem: Problem) -> Plan:
    """Return the plan of a problem whose main result has no elements: no kernel runs, other results become zeros.

    >>> from tilewright.ops import problem_from_dict
    >>> empty_plan(problem_from_dict({"op": "gemm", "m": 0, "n": 2, "k": 2, "dtype": "fp32"})).stages
    ()
    """
    others = get_op(problem.op).out_roles(problem)[1:]
    written = any(0 not in problem.shape(role) for role in others)
    return Plan(problem, None, (ZeroStage(problem),) if written else ())


def tensor_over(view: TensorView, of_torch: bool = False) -> Any:
    """Return a NumPy array over the memory of a view on the host, a torch tensor over that of one on a GPU.

    With `of_torch` a tensor of torch stays one on the host too.
    """
    from .jit.launcher import array_over

    is_torch = type(view.owner).__module__.partition(".")[0] == "torch"
    if memory_of(view.device) == "cpu" and not (is_torch and of_torch):
        return array_over(view)
    torch: Any = import_module("torch")
    owner = view.owner if is_torch else torch.from_dlpack(view.owner)
    first = owner.storage_offset() + (view.address - owner.data_ptr()) // owner.element_size()
    return owner.detach().as_strided(view.shape, view.strides, first)


def on_stream(device: str, stream: Any) -> Any:
    """Return a context in which torch works on `stream`; nothing to do on the host, or if no stream is given."""
    if memory_of(device) == "cpu" or stream is None:
        return nullcontext()
    torch: Any = import_module("torch")
    raw = getattr(stream, "cuda_stream", stream)
    return torch.cuda.stream(torch.cuda.ExternalStream(int(raw), device=memory_of(device)))


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

    @property
    def takes_any_size(self) -> bool:
        """Whether `resized_call` may be asked for a problem of other sizes."""
        if self.candidate is None or self.awaits is not None or self._storage_bytes or len(self.stages) != 1:
            return False
        spec = self.candidate.spec
        return isinstance(self.stages[0], AbiStage) and get_backend_op(spec.backend, spec.op).takes_any_size

    def resized_call(self, problem: Problem, layouts: Sequence[Layout], like: Any) -> Any:
        """Return a call like `like`, one of this plan, for a problem of other sizes; None if it cannot be made."""
        stage = self.stages[0]
        assert isinstance(stage, AbiStage)
        return stage.resized(problem, layouts, like)

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
        from .jit.arrays import has_address
        from .jit.memo import watch_memory

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


class _Turn:
    """A plan that one thread makes; `over` is held until it is there, or has failed. Cheaper than a `Future`."""

    __slots__ = ("error", "maker", "over", "plan")

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.error: Exception | None = None
        self.maker = threading.get_ident()
        self.over = threading.Lock()  # not registered: a turn is forgotten as a whole
        self.over.acquire()


class Plans:
    """Plans by the identity of their problem. Each is made once; no lock is held while one is made.

    With more than `most` of them, those that were made first are forgotten: the next such problem is planned again.

    >>> plans = Plans()
    >>> plans.get_or_make("key", lambda: Plan(None, None, ())) is plans.get("key")
    True
    """

    def __init__(self, most: int = MOST_PLANS) -> None:
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
        while True:
            with self._lock:
                plan, turn = self._made.get(key), self._making.get(key)
                if plan is not None:
                    return plan
                if turn is None:
                    turn = self._making[key] = _Turn()
                    break
            with turn.over:
                pass
            if turn.plan is not None:
                return turn.plan
            if turn.error is not None:
                raise turn.error
            # The thread that made it was interrupted: take its place.
        return self._make(key, make, turn)

    def _make(self, key: Any, make: Callable[[], Plan], turn: _Turn) -> Plan:
        try:
            plan = turn.plan = make()
        except BaseException as error:
            with self._lock:
                self._making.pop(key, None)
            turn.error = error if isinstance(error, Exception) else None
            raise
        else:
            with self._lock:
                self._keep(key, plan)
                self._making.pop(key, None)
        finally:
            turn.over.release()
        return plan


class PreparedCalls:
    """Launches that front ends prepared, by the looks of their tensors. They go when the plans go.

    `plain` is the C launcher's cache of plain products of NumPy arrays, `in_c` its memo of all calls; both are None
    until something is kept there.

    >>> calls = PreparedCalls()
    >>> calls.keep("key", "launch")
    >>> calls.find("key"), calls.find("other"), calls.find(["no key"])
    ('launch', None, None)
    """

    __slots__ = ("_kept", "alike", "in_c", "plain")

    def __init__(self) -> None:
        self._kept: dict[Any, Any] = {}
        self.alike: dict[Any, Any] = {}  # templates of calls, by what calls of other sizes share
        self.plain: Any = None
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
        """Remember a launch. With more than `MOST_CALLS` of them the collection starts anew."""
        if len(self._kept) >= MOST_CALLS:
            self._kept.clear()
        self._kept[key] = launch


def make_plan(problem: Problem, candidate: Candidate, kernel: Any, settings: Settings) -> Plan:
    """Return the plan that runs `candidate` with its loaded kernel; a backend may supply its own stages."""
    backend = get_backend_op(candidate.spec.backend, candidate.spec.op)
    stages = backend.plan_stages(candidate, problem, kernel, settings)
    if stages is not None:
        stages = get_backend(candidate.spec.backend).at_place(problem.device, stages, settings)
    if stages is None:
        inner, solved, names = backend.stands_for(candidate, problem) or (candidate, problem, None)
        order = get_op(problem.op).roles(problem)
        stages = (AbiStage(solved, inner, kernel, settings, names, order),)
    return Plan(problem, candidate, stages, backend.storage_bytes(candidate, problem, kernel))
