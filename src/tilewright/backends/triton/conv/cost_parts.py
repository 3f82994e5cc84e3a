"""What the cost models of the pipelines are written with: prices, and launches in shares.

Prices are fitted to kernels and shapes on an H200 (`benchmarks/gpu/conv_gpu.py`, rows in `benchmarks/results/`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....model.kernel import KernelSpec, Launch, split_launch
from ....ops.conv.problem import ConvProblem
from .algorithm import is_weight
from .geometry import weight_size

MAX_SPLITS = 1024


@dataclass(frozen=True)
class Constants:
    """What the sweep taught. Rates are per multiprocessor and cycle, times in seconds."""

    launch: float = 2.0e-6
    memory: float = 0.75  # share of device memory bandwidth
    l2: float = 40.0  # bytes per cycle from beyond L1
    l1: float = 60.0  # bytes per cycle of loads that hit L1
    issue: float = 80.0  # vector instructions per cycle (of 128 lanes)
    matrix: float = 0.4  # share of the matrix units' peak
    step: float = 600.0  # cycles of latency of a loop's turn, shared by the programs of a multiprocessor
    start: float = 2500.0  # cycles around the loop


def seconds(f: Any, c: Constants) -> Any:
    """Return the price of what a launch does (`features`) in seconds."""
    busy = f.load_bytes / c.l1 + f.far_bytes / c.l2
    limits = (busy, f.instructions / c.issue, f.matrix_cycles / c.matrix, f.waves * f.steps * c.step)
    cycles = sum(x**3 for x in limits) ** (1 / 3) + f.waves * c.start
    memory = f.memory_seconds / c.memory
    return c.launch + (memory**3 + (cycles / f.clock) ** 3) ** (1 / 3) + f.reduce_seconds


def family(spec: KernelSpec, kind: str = "") -> str:
    """Return the name under which the prices of a kernel's `kind` are kept."""
    return str(spec.algorithm.pipeline) + kind + ("_weight" if is_weight(spec) else "")


def known_launches(spec: KernelSpec, problem: ConvProblem) -> Sequence[Launch] | None:
    """The only launch: one share outside of backward weight, and what a problem asks for; None if shares are chosen."""
    if problem.direction != "backward_weight":
        return (split_launch(1),)
    return (split_launch(problem.split_k),) if problem.split_k is not None else None


def most_shares(spec: KernelSpec, problem: ConvProblem, steps: int) -> int:
    """Shares must not cost more than the pixels: their bytes stay under half of them."""
    if spec.algorithm.sum == "atomic":
        return min(steps, MAX_SPLITS)
    return max(1, min(steps, MAX_SPLITS, problem.bytes // max(1, 16 * weight_size(problem))))
