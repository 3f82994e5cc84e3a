"""Who computes a site of a graph, tilewright or Inductor with a library's kernel: by predicted times.

A library's time is estimated as a multiple of the time that tilewright's cost model predicts for the same problem
without an epilogue. The multiples are measured (docs/performance.md) and on the library's side: what is taken should
gain. `tuning.py` measures what needs no build, or both. A kernel of ours that was not measured must gain more than the
doubt about its prediction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from ...arch import get_arch
from ...backends.formula_cost import device_numbers
from ...dispatcher import Dispatcher
from ...dispatcher.contest import is_library
from ...errors import TilewrightError
from ...model.device import Device
from ...model.kernel import Candidate
from ...model.problem import Problem
from ...model.selector import Ranked
from ...ops.conv import ConvProblem
from ...ops.fmha.problem import FmhaProblem
from ...ops.gemm import Epilogue, GemmProblem

# The time of a library's kernel as a multiple of ours, by (kind of device, op and direction).
LIBRARY = {
    ("cpu", "gemm"): 1.02, ("cpu", "conv"): 1.05, ("cpu", "fmha"): 1.05,
    ("gpu", "gemm"): 0.96, ("gpu", "conv"): 1.05, ("gpu", "fmha"): 0.97,
}  # fmt: skip
FEW_ROWS, FEW_ROWS_FACTOR = 8, 0.85  # products that stream a matrix: libraries read it faster than our unpacked kernels
PATCHES = 0.5  # convolutions that cut an image into patches are products, for a library
GROUPED = 1.4  # times as long: grouped and depthwise convolutions on a GPU
SLOW_16_BIT = 20.0  # products in 16 bit on a CPU without instructions for them
PLAIN_BACKWARD = 0.6  # backward passes of attention with a bias or dropout
CALL = {"cpu": 8e-6, "gpu": 0.0}  # seconds that a call of a Python operator takes longer; a CUDA graph has none
LAUNCH = {"cpu": 3e-6, "gpu": 2e-6}  # seconds of one more kernel of Inductor's
DOUBT = 1.1  # our kernel may take that much longer than predicted
CLOSE = 1.3  # two predicted times that differ by less may be in the other order
FEW_CHANNELS, FEW_CHANNELS_DOUBT = 8, 3.0  # convolutions of images with few channels, on a GPU
# What the epilogue of a convolution takes on a GPU besides what the cost model knows, measured on an H200: seconds per
# number of the result for an activation.
ACTIVATION = {"gelu_erf": 0.3e-12, "gelu_tanh": 0.5e-12, "silu": 0.5e-12, "sigmoid": 0.5e-12, "tanh": 0.9e-12}
# What Inductor's kernel takes on a GPU besides reading and writing, measured on an H200: seconds per number of the
# result for an activation, and for a norm.
INDUCTORS = {"gelu_erf": 0.5e-12, "silu": 0.5e-12, "sigmoid": 0.5e-12, "norm": 0.36e-12}
# Seconds per byte on one core for the weights of each image: Inductor computes a factor, say a sigmoid, per number.
EACH = 4e-9
# Seconds per number on one core for a norm: Inductor computes the root and the quotient of a channel for each number.
NORM = 0.75e-9
GRAIN = 1 << 15  # numbers for which torch uses one more thread
CORE_BANDWIDTH = 1e10  # bytes per second of one core, if the device does not say


@dataclass(frozen=True)
class Verdict:
    """The decision about one site. Times are in seconds; None if there is none.

    `at_most` is our time with the doubt about it.
    """

    taken: bool
    why: str
    kernel: str = ""
    ours: float | None = None
    theirs: float | None = None
    at_most: float = float("inf")

    @property
    def is_close(self) -> bool:
        """Whether a prediction that is as wrong as predictions are would change the decision."""
        if self.ours is None or self.theirs is None:
            return False
        return self.theirs / CLOSE < self.ours < self.theirs * CLOSE or self.ours < self.theirs <= self.at_most


@dataclass(frozen=True)
class Times:
    """Seconds of our kernel, of a library's without what follows, and of Inductor's kernel for that.

    `after` is its time for reading and writing, `activation` that for computing a norm and an activation. `before` is
    what a folded weight takes before our kernel, `doubt` how much longer that may take than said.
    """

    candidate: Candidate
    ours: float
    library: float
    after: float
    before: float = 0.0
    doubt: float = DOUBT
    activation: float = 0.0

    def verdict(self, whole: bool, followed: bool) -> Verdict:
        """Return the decision; `whole`: our kernel computes all of what follows, if it is `followed` at all."""
        rest = self.after + self.activation
        ours = self.before + self.ours + (0.0 if whole else rest)
        theirs = self.library + (rest if followed else 0.0)
        at_most = ours + (self.doubt - 1.0) * self.ours
        taken = at_most < theirs
        why = "" if taken else "the gain is within the doubt" if ours < theirs else "the library is as fast"
        return Verdict(taken, why, self.candidate.spec.name, ours, theirs, at_most)


def estimated(
    problem: Problem, result: int, folded: int, where: Dispatcher, followed: Iterable[str] = ()
) -> Times | str:
    """Return the times of a problem by prediction, or why it is left.

    `result` are the bytes of its result, `folded` those of a weight into which a norm is folded. `followed` names the
    norm and the activation after it.
    """
    ours = our_seconds(problem, where)
    if isinstance(ours, str):
        return ours
    library = library_seconds(plain(problem), where)
    if library is None:
        return "the library's time is not estimated"
    after, fold = (move_seconds(problem, 2 * moved, where) for moved in (result, folded))
    if kind_of(problem) == "cpu":
        computed = _norm_seconds(problem, where) if "norm" in followed else 0.0
        return Times(ours[1], ours[0], library, after, fold, _doubt(problem), computed)
    before = max(0.0, fold - LAUNCH["gpu"])  # all weights of a graph are folded by few kernels
    computed = _numbers(problem) * sum(INDUCTORS.get(name, 0.0) for name in followed)
    return Times(ours[1], ours[0], library, after, before, _doubt(problem), computed)


def _norm_seconds(problem: Problem, where: Dispatcher) -> float:
    """Return what Inductor's kernel on a CPU takes for a norm, besides reading and writing."""
    numbers = _numbers(problem)
    cores = device_numbers(where.device_for(problem), _dtype(problem))["units"]
    return NORM * numbers / min(cores, 1 + numbers // GRAIN)


def _doubt(problem: Problem) -> float:
    """Return how much longer than predicted our kernel may take."""
    if kind_of(problem) == "cpu":
        return DOUBT
    return FEW_CHANNELS_DOUBT if isinstance(problem, ConvProblem) and problem.c_group < FEW_CHANNELS else DOUBT


def our_kernel(problem: Problem, where: Dispatcher) -> Ranked | str:
    """Return the kernel that would run, or why there is none that is worth it."""
    try:
        best = where.choose(problem)
    except TilewrightError as error:
        return error.message
    if best.candidate.spec.backend == "reference":
        return "no compiled kernel computes it"
    if is_library(best.candidate):
        return "a library is faster"
    return best if best.seconds is not None else "its time is not predicted"


def our_seconds(problem: Problem, where: Dispatcher) -> tuple[float, Candidate] | str:
    """Return the predicted time of our kernel and the kernel, or why none is worth it."""
    found = our_kernel(problem, where)
    if isinstance(found, str):
        return found
    return float(found.seconds or 0.0) + CALL[kind_of(problem)] + _epilogue_seconds(problem), found.candidate


def _epilogue_seconds(problem: Problem) -> float:
    """Return what the epilogue takes besides what is predicted."""
    if kind_of(problem) == "cpu" or not isinstance(problem, ConvProblem):
        return 0.0
    return _numbers(problem) * ACTIVATION.get(problem.epilogue.activation, 0.0)


def _numbers(problem: Problem) -> int:
    """Return how many numbers the result of a product or a convolution has; 0 for another problem."""
    if isinstance(problem, GemmProblem):
        return problem.batch * problem.m * problem.n
    return prod(problem.shape(problem.result)) if isinstance(problem, ConvProblem) else 0


def library_seconds(problem: Problem, where: Dispatcher) -> float | None:
    """Return an estimate of a library's time for a problem without an epilogue; None if there is none."""
    try:
        found = where.choose(problem)
    except TilewrightError:
        return None
    if found.seconds is None or found.candidate.spec.backend == "reference":
        return None
    return found.seconds * (1.0 if is_library(found.candidate) else _factor(problem, where.device_for(problem)))


def plain(problem: Problem) -> Problem:
    """Return a problem without factors, residuals and activation; a bias stays, as libraries add it.

    >>> from tilewright.ops import problem_from_dict
    >>> p = problem_from_dict({"op": "gemm", "m": 4, "n": 4, "k": 4, "dtype": "fp32", "epilogue": "Relu"})
    >>> plain(p).epilogue.activation
    'none'
    """
    if not isinstance(problem, (GemmProblem, ConvProblem)):
        return problem
    adds = problem.epilogue.adds
    kept = tuple(d for i, d in enumerate(problem.d) if adds(i) and d.broadcast != "none")
    same = range(len(kept) if adds(0) else 0)  # operands that keep their names
    roles = {"a", "b", "out", "input", "weight", "output", *(f"d{i}" for i in same)}
    strides: dict[str, Any] = {role: steps for role, steps in problem.strides.items() if role in roles}
    alignment = {role: n for role, n in problem.alignment.items() if role in roles}
    return replace(problem, epilogue=Epilogue(), d=kept, strides=strides, alignment=alignment)


def move_seconds(problem: Problem, moved: int, where: Dispatcher) -> float:
    """Return the time of a kernel of Inductor's that reads and writes so many bytes; none is launched for 0."""
    if not moved:
        return 0.0
    device, kind = where.device_for(problem), kind_of(problem)
    numbers = device_numbers(device, _dtype(problem))
    reported = device.bandwidth_gbps or kind == "gpu"
    return moved / (numbers["bandwidth"] if reported else CORE_BANDWIDTH * numbers["units"]) + LAUNCH[kind]


def each_seconds(problem: Problem, made: int, where: Dispatcher) -> float:
    """Return the time in which Inductor multiplies so many bytes of weights by factors, for each image its own."""
    seconds = move_seconds(problem, 2 * made, where)
    if kind_of(problem) == "gpu":
        return seconds
    return seconds + made * EACH / device_numbers(where.device_for(problem), _dtype(problem))["units"]


def kind_of(problem: Problem) -> str:
    """Return whether a problem is computed on the CPU or on a GPU."""
    return "cpu" if problem.device == "cpu" else "gpu"


def _factor(problem: Problem, device: Device) -> float:
    """Return the library's time as a multiple of ours."""
    kind = kind_of(problem)
    factor = LIBRARY[kind, problem.op]
    if isinstance(problem, GemmProblem) and min(problem.m, problem.n) < FEW_ROWS:
        factor = FEW_ROWS_FACTOR
    if isinstance(problem, ConvProblem) and kind == "gpu" and problem.g > 1:
        factor = GROUPED
    if isinstance(problem, ConvProblem) and _cuts_patches(problem):
        factor = PATCHES
    if isinstance(problem, FmhaProblem) and problem.family == "bwd" and (problem.dropout or problem.bias != "none"):
        factor = PLAIN_BACKWARD
    return factor * (SLOW_16_BIT if kind == "cpu" and _is_slow(problem, device) else 1.0)


def _cuts_patches(problem: ConvProblem) -> bool:
    """Return whether each pixel is read once, by filters of more than one."""
    return max(problem.filter) > 1 and problem.stride == problem.filter and problem.direction == "forward"


def _is_slow(problem: Problem, device: Device) -> bool:
    """Return whether a CPU has no instructions for a product of 16-bit numbers."""
    dtype = _dtype(problem)
    return dtype in ("fp16", "bf16") and dtype not in get_arch(device.arch).ops_per_cycle


def _dtype(problem: Problem) -> str:
    if isinstance(problem, GemmProblem):
        return problem.dtype_a
    if isinstance(problem, ConvProblem):
        return problem.dtype_input
    return problem.dtype if isinstance(problem, FmhaProblem) else "fp32"
