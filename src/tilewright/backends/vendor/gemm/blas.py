"""Products by the C interface of NumPy's BLAS, on addresses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ....jit.launcher import array_over
from ....model.dtype import get_dtype
from ....model.tensor import TensorView
from ....ops.gemm.problem import GemmProblem
from ..libraries import PLAIN, ROW_MAJOR, TRANSPOSED, Blas, numpy_blas
from .calls import layouts


class BlasStage:
    """Calls `cblas_sgemm` or `cblas_dgemm`, once for each product of a batch."""

    workspace_bytes = 0

    def __init__(self, name: str, problem: GemmProblem, threads: int) -> None:
        self.name, self._problem, self._threads = name, problem, threads

    def bind(self, views: Mapping[str, TensorView]) -> Callable[[Any], None]:
        """Return a function that computes on these tensors; the CPU ignores the stream."""
        run = BlasCall(self._problem, self._threads).run_pointers
        addresses = tuple(views[role].address for role in self._problem.roles)
        return lambda stream: run(*addresses)

    def call(self, views: Mapping[str, TensorView]) -> Any:
        """Return a call on addresses; on arrays of NumPy, if `np.matmul` takes them as they are: that is quicker."""
        fits = is_plain(self._problem) and all(_is_as_it_is(self._problem, r, v) for r, v in views.items())
        return MatmulCall(self._threads) if fits else BlasCall(self._problem, self._threads)


def is_plain(p: GemmProblem) -> bool:
    """Return whether there is one product, with nothing before or after it."""
    return p.batch == 1 and not p.d and p.epilogue.activation == "none" and p.epilogue.alpha == 1.0


def _is_as_it_is(p: GemmProblem, role: str, view: TensorView) -> bool:
    """Return whether the owner of a view is an array with the problem's rows and columns; `out` by rows."""
    owner = view.owner
    same = type(owner).__module__ == "numpy" and owner.shape == p.shape(role) and owner.ctypes.data == view.address
    return same and (role != "out" or p.n == 1 or view.strides[1] == 1)


class MatmulCall:
    """A plain product by NumPy itself, on its own arrays: no address is converted."""

    is_library = True  # not a kernel of the C launcher

    def __init__(self, threads: int) -> None:
        import numpy as np

        found = numpy_blas()
        assert isinstance(found, Blas)
        self._multiply, self._blas, self._threads = np.matmul, found, threads

    def run_tensors(self, a: Any, b: Any, out: Any) -> None:
        """Compute on these arrays."""
        if self._threads and self._blas.get_threads is not None and self._blas.get_threads() != self._threads:
            with self._blas.limited(self._threads):
                self._multiply(a, b, out=out)
        else:
            self._multiply(a, b, out=out)


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
        by_rows = {role: strides[role][-1] == 1 and strides[role][-2] >= p.shape(role)[1] for role in ("a", "b", "out")}
        lead = {role: max(1, strides[role][-2] if by_rows[role] else strides[role][-1]) for role in by_rows}
        self._flip = not by_rows["out"]  # a result by columns is the product of the transposed matrices, by rows
        first, second = ("b", "a") if self._flip else ("a", "b")
        self._head = (
            ROW_MAJOR, *(PLAIN if by_rows[r] is not self._flip else TRANSPOSED for r in (first, second)),
            *((p.n, p.m) if self._flip else (p.m, p.n)), p.k, p.epilogue.alpha,
        )  # fmt: skip
        self._leads, self._beta = (lead[first], lead[second], lead["out"]), p.epilogue.beta if p.d else 0.0
        self._finish = self._make_finish()
        self._run: Callable[..., None] = self._general
        if is_plain(p):
            self._run = self._plain()
        self._get_threads = found.get_threads or (lambda: threads)

    def _make_finish(self) -> Callable[[Any], None] | None:
        """Return what is done to the result, an array, after the product; None if nothing is."""
        import numpy as np

        top = {"none": None, "relu": np.inf, "relu6": 6.0}[self._p.epilogue.activation]
        if top is None:
            return None
        return lambda out: np.clip(out, 0, None, out=out) if top == np.inf else np.clip(out, 0, top, out=out)

    def _plain(self) -> Callable[[int, int, int], None]:
        """Return one product without anything else, as few steps of Python as possible: it runs for microseconds."""
        multiply, (first, second, last), zero = partial(self._multiply, *self._head), self._leads, 0.0
        if self._flip:
            return lambda a, b, out: multiply(b, first, a, second, zero, out, last)
        return lambda a, b, out: multiply(a, first, b, second, zero, out, last)

    def run_pointers(self, *addresses: int) -> None:
        """Compute on tensors at these addresses."""
        if self._threads and self._get_threads() != self._threads:
            with self._blas.limited(self._threads):
                self._run(*addresses)
        else:
            self._run(*addresses)

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
            self._finish(self._array("out", whole))

    def _array(self, role: str, address: int) -> Any:
        shape, strides = layouts(self._p)[role]
        return array_over(TensorView(address, self._p.dtype(role), shape, strides, "cpu", False, None))
