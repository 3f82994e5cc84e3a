"""NumPy as a peer: `np.matmul(out=)` and, for fused epilogues, the ufuncs a NumPy user would call after it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from math import pi, sqrt
from typing import Any

import numpy as np

from ...jit.loaded import loaded_files
from ...model.problem import Problem
from ...model.tensor import Tensors
from ...ops.gemm.problem import GemmProblem
from .peers import PeerCall, Unable, not_compared

BLAS_DTYPES = ("fp32", "fp64")
# The functions that set the threads of each BLAS; NumPy's wheels contain a renamed OpenBLAS.
THREAD_SETTERS = (
    "scipy_openblas_set_num_threads64_",
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
    "MKL_Set_Num_Threads",
)


WIDENED = "np.matmul in fp32"


class NumpyPeer:
    """NumPy with the BLAS it was built on.

    With `widen`, a problem that NumPy cannot compute is compared with the plain fp32 product of its sizes instead;
    `WIDENED` then marks the call.
    """

    name = "numpy"

    def __init__(self, widen: bool = False) -> None:
        self._widen = widen

    def version(self) -> str:
        """Return NumPy's version and its BLAS."""
        config: Any = np.show_config(mode="dicts")
        blas = config["Build Dependencies"]["blas"]
        return f"numpy {np.__version__} ({blas.get('name', '?')} {blas.get('version', '?')})"

    def limit_threads(self, threads: int) -> str | None:
        """Set the threads of the loaded BLAS."""
        np.matmul(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))  # loads the BLAS
        for setter in _thread_setters():
            setter(threads)
            return None
        return "the threads of NumPy's BLAS cannot be set"

    def prepare(self, problem: Problem, tensors: Tensors) -> PeerCall | Unable:
        """Return the product and its epilogue, or why NumPy has none."""
        if not isinstance(problem, GemmProblem):
            return Unable(f"NumPy has no {problem.op}")
        if problem.device != "cpu":
            return Unable("NumPy computes only on the host")
        reason = not_compared(problem)
        if reason is not None:
            return Unable(reason)
        reason = _cannot(problem)
        if reason is None:
            return _gemm(problem, tensors)
        return _widened(problem, tensors) if self._widen else Unable(reason)


def _widened(problem: GemmProblem, tensors: Tensors) -> PeerCall:
    """Return the same sizes in fp32 without an epilogue, with operands converted before: the best NumPy can do."""
    a, b = (np.ascontiguousarray(tensors[r], dtype=np.float32) for r in ("a", "b"))
    out = np.zeros((*a.shape[:-1], problem.n), np.float32)
    return PeerCall(lambda: np.matmul(a, b, out=out), out, WIDENED)


def _cannot(problem: GemmProblem) -> str | None:
    types = {problem.dtype_a, problem.dtype_b, problem.dtype_out}
    if len(types) > 1 or not types <= set(BLAS_DTYPES):
        return f"NumPy has no fast product of {'/'.join(sorted(types))} (its BLAS takes {', '.join(BLAS_DTYPES)})"
    if problem.scale_a != "none" or problem.scale_b != "none":
        return "NumPy has no scaled product"
    if problem.epilogue.activation == "gelu_erf":
        return "NumPy has no erf"
    if problem.epilogue.is_gradient:
        return "NumPy has no gradients of activations"
    return None


def _gemm(problem: GemmProblem, tensors: Tensors) -> PeerCall:
    a, b, out = tensors["a"], tensors["b"], np.zeros_like(tensors["out"])
    after = [*_alpha(problem, out), *_combines(problem, tensors, out), *_activations(problem, out)]
    if not after:
        return PeerCall(lambda: np.matmul(a, b, out=out), out, "np.matmul(out=)")

    def call() -> None:
        np.matmul(a, b, out=out)
        for step in after:
            step()

    return PeerCall(call, out, f"np.matmul(out=) and {len(after)} ufuncs in place")


def _alpha(problem: GemmProblem, out: Any) -> list[Callable[[], Any]]:
    alpha = out.dtype.type(problem.epilogue.alpha)
    return [] if alpha == 1 else [lambda: np.multiply(out, alpha, out=out)]


def _combines(problem: GemmProblem, tensors: Tensors, out: Any) -> list[Callable[[], Any]]:
    steps: list[Callable[[], Any]] = []
    for i in range(len(problem.d)):
        operand = tensors[f"d{i}"]
        if i == 0 and problem.epilogue.beta != 1.0:
            scaled, beta = np.zeros_like(operand), operand.dtype.type(problem.epilogue.beta)
            steps.append(partial(np.multiply, operand, beta, out=scaled))
            operand = scaled
        steps.append(partial(np.add if problem.epilogue.adds(i) else np.multiply, out, operand, out=out))
    return steps


def _activations(problem: GemmProblem, out: Any) -> list[Callable[[], Any]]:
    name, scratch = problem.epilogue.activation, np.zeros_like(out)
    one, half = out.dtype.type(1), out.dtype.type(0.5)

    def sigmoid_into_scratch() -> None:
        np.exp(np.negative(out, out=scratch), out=scratch)
        np.divide(one, np.add(scratch, one, out=scratch), out=scratch)

    def hard_sigmoid_into_scratch() -> None:
        np.clip(np.add(out, out.dtype.type(3), out=scratch), 0, 6, out=scratch)
        np.divide(scratch, out.dtype.type(6), out=scratch)

    def gelu_tanh() -> None:
        np.multiply(out, out, out=scratch)
        np.multiply(scratch, out.dtype.type(0.044715), out=scratch)
        np.add(scratch, one, out=scratch)
        np.multiply(scratch, out, out=scratch)
        np.multiply(scratch, out.dtype.type(sqrt(2 / pi)), out=scratch)
        np.add(np.tanh(scratch, out=scratch), one, out=scratch)
        np.multiply(np.multiply(out, half, out=out), scratch, out=out)

    steps: dict[str, list[Callable[[], Any]]] = {
        "none": [],
        "relu": [lambda: np.maximum(out, 0, out=out)],
        "tanh": [lambda: np.tanh(out, out=out)],
        "sigmoid": [sigmoid_into_scratch, lambda: np.copyto(out, scratch)],
        "silu": [sigmoid_into_scratch, lambda: np.multiply(out, scratch, out=out)],
        "gelu_tanh": [gelu_tanh],
        "relu6": [lambda: np.clip(out, 0, 6, out=out)],
        "hard_swish": [hard_sigmoid_into_scratch, lambda: np.multiply(out, scratch, out=out)],
    }
    return steps[name]


def _thread_setters() -> list[Any]:
    """Return the thread-setting functions of the BLAS libraries that this process has loaded."""
    found = []
    for path in (p for p in loaded_files() if "openblas" in p or "mkl_rt" in p):
        library = ctypes.CDLL(path)
        names = [n for n in THREAD_SETTERS if hasattr(library, n)]
        found += [getattr(library, n) for n in names[:1]]
    return found


PEER = NumpyPeer
