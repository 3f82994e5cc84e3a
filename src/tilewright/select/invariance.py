"""The order of summation of an invariant problem: one for all batches of it, whatever their sizes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import log
from typing import Any

from ..backends import by_cost, get_backend_op
from ..errors import SelectionError
from ..model.device import Device
from ..model.kernel import Candidate
from ..model.problem import Problem
from ..model.selector import Selector
from ..ops import get_op
from ..registry import Registry
from .rounded import is_cpu, rounded

Order = tuple[int, str]  # which of the op's ways to cut sums into parts, and the name


def one_order(problem: Problem, registry: Registry, selector: Selector, device: Device) -> dict[str, Any]:
    """Return the fields of an invariant problem that hold its order of summation: the name, and a number of parts.

    Every order that serves all `batches` of the problem competes; the one with the least predicted time wins, in the
    geometric mean over these batches. They are the same for all batch sizes, and so is the order.
    """
    op = get_op(problem.op)
    ways: Sequence[Any] = (problem,) if is_cpu(device.arch) else op.in_parts(problem)
    seconds: dict[Order, list[float]] = defaultdict(list)
    samples = [op.batches(way) for way in ways]
    for at, batches in enumerate(samples):
        for batch in batches:
            for order, candidates in _by_order(rounded(batch, device), registry, device).items():
                seconds[at, order].append(_best(rounded(batch, device), candidates, selector, device))
    whole = {order: times for order, times in seconds.items() if len(times) == len(samples[order[0]])}
    if not whole:
        raise _no_order(problem, device, len(seconds))
    at, order = min(whole, key=lambda order: (sum(map(log, whole[order])), order))
    changed = [name for name in problem.__dataclass_fields__ if getattr(ways[at], name) != getattr(problem, name)]
    return {"summation": order, **{name: getattr(ways[at], name) for name in changed}}


def _by_order(problem: Problem, registry: Registry, device: Device) -> dict[str, list[Candidate]]:
    found: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in registry.legal(problem, device):
        found[get_backend_op(candidate.spec.backend, problem.op).order_of(candidate, problem)].append(candidate)
    return found


def _best(problem: Problem, candidates: Sequence[Candidate], selector: Any, device: Device) -> float:
    """Return the least predicted seconds: by the selector's models, never by measurements, which come and go."""
    predict = getattr(selector, "predicted", None)
    seconds = predict(problem, candidates, device)[0].seconds if predict is not None else None
    return float(seconds or by_cost(problem, candidates, device)[0].seconds or 1.0)


def _no_order(problem: Problem, device: Device, partial: int) -> SelectionError:
    why = "the kernels for it declare no order of summation"
    if partial:
        why = f"each of the {partial} orders of its kernels serves some batch sizes only"
    return SelectionError(
        f"{problem.label()} has no batch-invariant result on {device.arch}: {why}",
        remedy="omit invariant, or pass dense tensors with rows of multiples of 16 bytes",
    )
