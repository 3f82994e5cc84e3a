"""AbiStage: the launch of a kernel that follows the C ABI. AbiTemplate: its launches for all sizes of a shape class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from operator import mul
from typing import Any

from ..backends import get_backend_op
from ..jit.launch_checks import Operand
from ..jit.launcher import KEEP_GIL_FLOPS, new_call
from ..jit.loader import new_args
from ..model.dtype import numpy_dtype
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.shape_class import shape_class_of
from ..model.tensor import TensorView
from ..model.trace import Code, code_of
from ..ops import get_op
from ..settings import Settings

GRID_SLOTS = 2
MAX_TEMPLATES = 1024  # of one kernel


def launch_values(candidate: Candidate, problem: Problem, threads: int) -> list[int]:
    """Return the launch in the order of `AbiLayout.launch`; 0 leaves a choice to the kernel."""
    launch, spec = candidate.launch, candidate.spec
    grid = get_backend_op(spec.backend, spec.op).thread_grid(candidate, problem, threads)
    splits = max(launch.split_k, launch.num_splits)  # of k, or of the keys of an attention: no op has both
    return [threads, splits, *grid, *(0,) * (GRID_SLOTS - len(grid)), *launch.blocks]


class AbiTemplate:
    """The launches of a candidate for the problems of one shape class.

    Roles and slots are the same for all of them. Sizes, scalars and strides are code of the sizes (`model.trace`).
    `names` maps a role to a tensor of the plan, whose problem is `planned`, if the two have different names.
    """

    def __init__(self, problem: Problem, candidate: Candidate, names: Mapping[str, str], planned: Problem) -> None:
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

        self._compute, self._first = values, problem
        self._shape_class = shape_class_of(problem, op.extents)

    @cached_property
    def _code(self) -> Code:
        return code_of(self._compute, self._first, self._shape_class)

    def values(self, problem: Problem) -> tuple[Any, Any, Any, Any]:
        """Return the sizes, scalars, strides by slot and flops of a problem."""
        found: tuple[Any, Any, Any, Any] | None = None
        if problem is not self._first:  # a model whose shapes never change needs no code
            found = self._code(*self._shape_class.sizes_of(problem))
        values: tuple[Any, Any, Any, Any] = found if found is not None else self._compute(problem)
        return values


def template_of(
    problem: Problem, candidate: Candidate, kernel: Any, names: Mapping[str, str] | None, planned: Problem
) -> AbiTemplate:
    """Return the template of a problem's launch by a loaded kernel, which keeps it."""
    key = (shape_class_of(problem, get_op(problem.op).extents), names and tuple(names.items()))
    found: AbiTemplate | None = kernel.templates.get(key)
    if found is None:
        if len(kernel.templates) >= MAX_TEMPLATES:
            kernel.templates.clear()
        found = kernel.templates[key] = AbiTemplate(problem, candidate, names or {}, planned)
    return found


class AbiStage:
    """A stage whose kernel follows the C ABI (backends `cpu` and `ck_tile`)."""

    def __init__(
        self,
        problem: Problem,
        candidate: Candidate,
        kernel: Any,
        settings: Settings,
        names: Mapping[str, str] | None,
        planned: Problem,
    ) -> None:
        template = self._template = template_of(problem, candidate, kernel, names, planned)
        self.name, self._kernel = template.name, kernel
        sizes, scalars, strides, flops = template.values(problem)
        threads = candidate.launch.threads or settings.resolved_threads()
        self._args = new_args(sizes, scalars, launch_values(candidate, problem, threads), strides)
        self._release_gil = flops > KEEP_GIL_FLOPS
        self._call: Any = None

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
        if self._call is None:  # two threads may both make it: their calls do the same
            template = self._template
            operands = tuple([_operand(views[row[0]], *row) for row in template.operands])
            self._call = new_call(self._kernel, self._args, operands, template.out, self._release_gil)
        return self._call

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """Return a function that launches on these tensors; the CPU ignores the stream."""
        run = self._prepared(views).run_pointers
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
