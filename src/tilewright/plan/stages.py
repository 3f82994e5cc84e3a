"""Stages that run no kernel of their own: padding, zeros; and the tensors that they work on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..jit.arrays import is_torch
from ..model.device import memory_of
from ..model.problem import Problem
from ..model.tensor import TensorView
from ..ops import get_op

if TYPE_CHECKING:
    from .plan import Plan


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
        from ..jit.arrays import view_of

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


def tensor_over(view: TensorView, of_torch: bool = False) -> Any:
    """Return a NumPy array over the memory of a view on the host, a torch tensor over that of one on a GPU.

    With `of_torch` a tensor of torch stays one on the host too.
    """
    from ..jit.launcher import array_over

    if memory_of(view.device) == "cpu" and not (of_torch and is_torch(view.owner)):
        return array_over(view)
    torch: Any = import_module("torch")
    owner = view.owner if is_torch(view.owner) else torch.from_dlpack(view.owner)
    first = owner.storage_offset() + (view.address - owner.data_ptr()) // owner.element_size()
    return owner.detach().as_strided(view.shape, view.strides, first)


def on_stream(device: str, stream: Any) -> Any:
    """Return a context in which torch works on `stream`; nothing to do on the host, or if no stream is given."""
    if memory_of(device) == "cpu" or stream is None:
        return nullcontext()
    torch: Any = import_module("torch")
    raw = getattr(stream, "cuda_stream", stream)
    return torch.cuda.stream(torch.cuda.ExternalStream(int(raw), device=memory_of(device)))
