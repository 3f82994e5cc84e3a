"""Whether tilewright computes a site of a graph, or Inductor does: by predicted times, or by measured ones.

Without tuning, our prediction is compared with an estimate of the library's kernel and of the kernel that Inductor
would put after it. The estimate is on the library's side, so that what is taken surely gains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...backends.formula_cost import device_numbers
from ...dispatcher import Dispatcher
from ...errors import TilewrightError
from ...model.device import Device
from ...model.problem import Problem

# The share of the peak that a library's kernel reaches at most, by (kind of device, op): on the library's side.
SHARE = {("cpu", "gemm"): 0.9, ("cpu", "conv"): 0.8, ("cpu", "fmha"): 0.6,
         ("gpu", "gemm"): 0.8, ("gpu", "conv"): 0.7, ("gpu", "fmha"): 0.65}  # fmt: skip
BANDWIDTH_SHARE = 0.9
LAUNCH = {"cpu": 3e-6, "gpu": 2e-6}  # seconds of one more kernel
GAIN = 1.0  # ours is taken if its time is less than this share of theirs


@dataclass(frozen=True)
class Verdict:
    """The decision about one site. Times are in seconds; None if there is none."""

    taken: bool
    why: str
    kernel: str = ""
    ours: float | None = None
    theirs: float | None = None


def decide(problem: Problem, after: int, where: Dispatcher) -> Verdict:
    """Return who computes `problem`; `after` is how many bytes Inductor's kernel after the library's would move."""
    try:
        best = where.explain(problem).chosen
    except TilewrightError as error:
        return Verdict(False, error.message)
    if best is None:
        return Verdict(False, "no kernel computes it")
    name = best.candidate.spec.name
    if best.candidate.spec.backend == "reference":
        return Verdict(False, "no compiled kernel computes it", name)
    if best.seconds is None:
        return Verdict(False, "its time is not predicted", name)
    theirs = library_seconds(problem, where.device_for(problem)) + after_seconds(problem, after, where)
    if best.seconds < theirs * GAIN:
        return Verdict(True, "predicted to be faster", name, best.seconds, theirs)
    return Verdict(False, "the library is predicted to be as fast", name, best.seconds, theirs)


def library_seconds(problem: Problem, device: Device) -> float:
    """Return the least time that a library's kernel takes for a problem."""
    kind = kind_of(problem)
    numbers = device_numbers(device, _dtype(problem))
    units = min(numbers["units"], numbers["threads"]) if kind == "cpu" else numbers["units"]
    peak = numbers["rate"] * numbers["clock"] * units * SHARE[kind, problem.op]
    return max(problem.flops / peak, problem.bytes / (numbers["bandwidth"] * BANDWIDTH_SHARE)) + LAUNCH[kind]


def after_seconds(problem: Problem, moved: int, where: Dispatcher) -> float:
    """Return the time of a kernel that reads and writes so many bytes; none is launched for 0."""
    if not moved:
        return 0.0
    numbers = device_numbers(where.device_for(problem), _dtype(problem))
    return moved / numbers["bandwidth"] + LAUNCH[kind_of(problem)]


def kind_of(problem: Problem) -> str:
    """Return whether a problem is computed on the CPU or on a GPU."""
    return "cpu" if problem.device == "cpu" else "gpu"


def _dtype(problem: Any) -> str:
    for name in ("dtype_a", "dtype_input", "dtype"):
        found = getattr(problem, name, None)
        if found is not None:
            return str(found)
    return "fp16"
