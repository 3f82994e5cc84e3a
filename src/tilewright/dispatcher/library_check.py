"""One check of a library's result, on the tensors of a call, before the library may win a contest."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..backends import get_backend_op
from ..errors import TilewrightError
from ..jit.launch_checks import address_of
from ..jit.launcher import array_over
from ..model.device import memory_of
from ..model.dtype import numpy_dtype
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.tensor import TensorView
from ..ops import get_op

log = logging.getLogger("tilewright")


class LibraryCheck:
    """Verifies what a kernel of a library computes on a CPU, by the reference of the op, as any kernel is verified.

    The rows or windows that the tier `rows` samples are enough: our own kernels are held to the same bounds. On GPUs
    nothing is verified inside of a call: it would wait for the device, and its tensors would be in the way of CUDA
    graphs. There rules take only what the contract has compared (`tests/contract/contract_vendor.py`).
    """

    def __init__(self, problem: Problem, candidate: Candidate, views: Mapping[str, TensorView]) -> None:
        self._problem, self._candidate = problem, candidate
        self._op = get_op(problem.op)
        self._roles = self._op.roles(problem)
        self._views = [replace(views[role], owner=None) for role in self._roles]  # keeps no tensor alive
        self._written = [self._roles.index(role) for role in self._op.out_roles(problem)]

    def on_addresses(self, run: Callable[..., Any], addresses: tuple[int, ...]) -> bool:
        """Return whether `run` computes right on tensors at these addresses; its results go to memory of its own."""
        views = [replace(view, address=at) for view, at in zip(self._views, addresses, strict=True)]
        arrays = [array_over(view) for view in views]
        for i in self._written:
            arrays[i] = _like(views[i])
        return self._is_right(lambda: run(*(a.__array_interface__["data"][0] for a in arrays)), lambda: arrays)

    def on_tensors(self, run: Callable[..., Any], tensors: tuple[Any, ...]) -> bool:
        """Return the same for tensors; True on a GPU."""
        if memory_of(self._problem.device) != "cpu":
            return True
        given = list(tensors)
        for i in self._written:
            t = given[i]
            given[i] = (
                t.new_empty(0).new_empty_strided(t.shape, t.stride()) if hasattr(t, "stride") else _like(self._views[i])
            )
        return self._is_right(lambda: run(*given), lambda: [*map(_seen, self._views, given)])

    def _is_right(self, run: Callable[[], Any], arrays: Callable[[], list[Any]]) -> bool:
        spec, problem = self._candidate.spec, self._problem
        allowed = get_backend_op(spec.backend, spec.op).product_error(spec, self._candidate.launch)
        try:
            run()
        except RuntimeError as error:  # what torch raises
            log.warning("%s failed and is left out: %s", spec.name, error)
            return False
        try:
            found = self._verified(arrays(), allowed)
        except (MemoryError, TilewrightError) as error:  # no room for the reference, say: that decides nothing
            log.warning("%s was not checked for %s: %s", spec.name, problem.label(), error)
            return True
        if not found.ok:
            log.warning("%s is wrong for %s and is left out: error %s", spec.name, problem.label(), found.error)
        return bool(found.ok)

    def _verified(self, arrays: list[Any], allowed: Any) -> Any:
        given = dict(zip(self._roles, arrays, strict=True))
        out = given[self._roles[self._written[0]]]
        with np.errstate(all="ignore"):  # a program may want errors for values that its tensors hold
            return self._op.verify(self._problem, given, out, tier="rows", product_error=allowed)


def _seen(view: TensorView, tensor: Any) -> Any:
    """Return a tensor as the problem sees it: the caller may have other dimensions, or another order of them."""
    address = tensor.data_ptr() if hasattr(tensor, "data_ptr") else address_of(tensor)
    return array_over(replace(view, address=address))


def _like(view: TensorView) -> Any:
    """Return a new array with the shape and the strides of a view."""
    dtype, (low, high) = numpy_dtype(view.dtype), view.extent
    memory = np.empty(max(high - low, dtype.itemsize), np.uint8)
    strides = tuple(s * dtype.itemsize for s in view.strides)
    return np.ndarray(view.shape, dtype, memory, -low, strides)
