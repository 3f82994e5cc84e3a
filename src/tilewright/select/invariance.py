"""The order of summation of an invariant problem: one for its batches of all sizes."""

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
from .rounded import rounded


def order_for(problem: Problem, registry: Registry, selector: Selector, device: Device) -> str:
    """Return the name of the order of summation of an invariant problem.

    Every order that serves all `batches` of the problem competes; the one with the least predicted time wins, in the
    geometric mean over these batches. They are the same for all batch sizes, and so is the order.
    """
    batches = [rounded(batch, device) for batch in get_op(problem.op).batches(problem)]
    seconds: dict[str, list[float]] = defaultdict(list)
    for batch in batches:
        for order, candidates in _by_order(batch, registry, device).items():
            seconds[order].append(_best(batch, candidates, selector, device))
    whole = {order: sum(map(log, times)) for order, times in seconds.items() if len(times) == len(batches)}
    if not whole:
        raise _no_order(problem, device, len(seconds))
    return min(whole, key=lambda order: (whole[order], order))


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
