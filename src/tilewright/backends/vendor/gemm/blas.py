"""Products by the C interface of NumPy's BLAS, on addresses."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ....jit.launcher import KEEP_GIL_FLOPS, Launcher, array_over, launcher_at_once, make_call, new_args
from ....model.dtype import get_dtype
from ....model.tensor import TensorView, Views
from ....ops.gemm.problem import GemmProblem
from ..libraries import PLAIN, ROW_MAJOR, TRANSPOSED, Blas, address_of, numpy_blas
from .calls import layouts


class BlasStage:
    """Calls `cblas_sgemm` or `cblas_dgemm`, once for each product of a batch."""

    workspace_bytes = 0

    def __init__(self, name: str, problem: GemmProblem, threads: int) -> None:
        self.name, self._problem, self._threads = name, problem, threads

    def bind(self, views: Views) -> Callable[[Any], None]:
        """Return a function that computes on these tensors; the CPU ignores the stream."""
        run = self.call(views).run_pointers
        addresses = tuple(views[role].address for role in self._problem.roles)
        return lambda stream: run(*addresses)

    def call(self, views: Views) -> Any:
        """Return a call on addresses; one of the C launcher, as of any kernel, for a plain product."""
        active = launcher_at_once()
        if active.module is not None and is_plain(self._problem):
            return plain_call(self._problem, views, self._threads, active)
        return BlasCall(self._problem, self._threads)


class Matrix(NamedTuple):
    """How a matrix lies in memory: by rows, or by columns and so transposed, and the step between them."""

    transposed: bool
    lead: int


def matrix_of(p: GemmProblem, role: str) -> Matrix:
    """Return how the matrix of a role lies in memory."""
    _, (*_, row, column) = layouts(p)[role]
    by_rows = column == 1 and row >= p.shape(role)[1]
    return Matrix(not by_rows, max(1, row if by_rows else column))


@dataclass(frozen=True)
class Entry:
    """The function of the C launcher that calls BLAS, in the place of a built kernel."""

    path: Path
    run_address: int

    def workspace(self, args: Any) -> int:
        """Return 0: the library has its own memory."""
        return 0


def plain_call(p: GemmProblem, views: Views, threads: int, active: Launcher) -> Any:
    """Return a call of the C launcher: nothing of Python runs between the caller and the library."""
    blas = numpy_blas()
    assert isinstance(blas, Blas)  # a rule has asked
    a, b, out = (matrix_of(p, role) for role in ("a", "b", "out"))
    one_column, one_row = p.n == 1, p.m == 1
    if (one_column or one_row) and p.k > 0:  # as NumPy does it: libraries have their own functions for a vector
        function, roles = blas.vectors[p.dtype_a], ("a", "b", "out") if one_column else ("b", "a", "out")
        matrix, vector = (a, b) if one_column else (b, a)
        rows, columns = (p.m, p.k) if one_column else (p.k, p.n)
        is_turned = matrix.transposed is one_column  # the vector is multiplied from the left if it is the only row
        stored = (columns, rows) if matrix.transposed else (rows, columns)
        steps = [1 if m.transposed is one_column else m.lead for m in (vector, out)]
        numbers = [*stored, matrix.lead, *steps, int(is_turned), 0, 0, 1]
    else:
        function, flip = blas.products[p.dtype_a], out.transposed
        roles = ("b", "a", "out") if flip else ("a", "b", "out")
        first, second = (b, a) if flip else (a, b)
        sizes = (p.n, p.m, p.k) if flip else (p.m, p.n, p.k)
        turned = [int(m.transposed is not flip) for m in (first, second)]
        numbers = [*sizes, first.lead, second.lead, out.lead, *turned, 0]
    called, get, put = (address_of(f) for f in (function, blas.get_threads, blas.set_threads))
    launch = (0, called, ctypes.sizeof(blas.integer), int(get_dtype(p.dtype_a).bytes), get, put, threads)
    kernel: Any = Entry(Path(function.__name__), active.module.RUN_PRODUCT)
    order = ("a", "b", "out")
    return make_call(
        kernel, new_args(sizes=numbers, launch=launch), [roles.index(role) for role in order],
        [views[role] for role in order], 2, names=order, release_gil=p.flops > KEEP_GIL_FLOPS, active=active,
    )  # fmt: skip


def is_plain(p: GemmProblem) -> bool:
    """Return whether there is one product, with nothing before or after it."""
    return p.batch == 1 and not p.d and p.epilogue.activation == "none" and p.epilogue.alpha == 1.0


class BlasCall:
    """A product on addresses of a, b, out and d0, in this order."""

    is_library = True  # not a kernel of the C launcher

    def __init__(self, p: GemmProblem, threads: int) -> None:
        found = numpy_blas()
        assert isinstance(found, Blas)  # a rule has asked
        size, strides = int(get_dtype(p.dtype_a).bytes), {r: s for r, (_, s) in layouts(p).items()}
        self._p, self._blas, self._threads = p, found, threads
        self._multiply = found.products[p.dtype_a]
        self._steps = tuple(s[0] * size if p.batch > 1 else 0 for s in strides.values())
        a, b, out = (matrix_of(p, role) for role in ("a", "b", "out"))
        self._flip = out.transposed  # a result by columns is the product of the transposed matrices, by rows
        first, second = (b, a) if self._flip else (a, b)
        self._head = (
            ROW_MAJOR, *(PLAIN if m.transposed is self._flip else TRANSPOSED for m in (first, second)),
            *((p.n, p.m) if self._flip else (p.m, p.n)), p.k, p.epilogue.alpha,
        )  # fmt: skip
        self._leads, self._beta = (first.lead, second.lead, out.lead), p.epilogue.beta if p.d else 0.0
        self._finish = self._make_finish()

    def _make_finish(self) -> Callable[..., Any] | None:
        """Return what is done to the result, an array, after the product; None if nothing is."""
        import numpy as np

        name = self._p.epilogue.activation
        return None if name == "none" else partial(np.clip, a_min=0, a_max={"relu": None, "relu6": 6.0}[name])

    def run_pointers(self, *addresses: int) -> None:
        """Compute on tensors at these addresses."""
        with self._blas.limited(self._threads) if self._threads else nullcontext():
            self._general(*addresses)

    def _general(self, a: int, b: int, out: int, *d: int) -> None:
        whole = out
        if d and (d[0] != out or self._p.repeats("d0")):
            self._array("out", out)[...] = self._array("d0", d[0])
        lead_first, lead_second, lead_out = self._leads
        step_a, step_b, step_out = self._steps[:3]
        for _ in range(self._p.batch):
            first, second = (b, a) if self._flip else (a, b)
            self._multiply(*self._head, first, lead_first, second, lead_second, self._beta, out, lead_out)
            a, b, out = a + step_a, b + step_b, out + step_out
        if self._finish is not None:
            result = self._array("out", whole)
            self._finish(result, out=result)

    def _array(self, role: str, address: int) -> Any:
        shape, strides = layouts(self._p)[role]
        return array_over(TensorView(address, self._p.dtype(role), shape, strides, "cpu", False, None))
