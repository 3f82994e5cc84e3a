"""Compare many results of one problem with a reference that stays on the GPU; wait only for the outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..model.inexact import Inexact
from .device_drift import allowed_drift, drift_sums, shares_of
from .drift import Drift
from .tolerance import Tolerance
from .verify import Verification

MAX_INVERSE = 1e30
Allowed = Inexact | float
Again = Callable[[Any, Allowed], Verification]


@dataclass(frozen=True)
class Against:
    """A reference as results are compared with it: its values, the inverse of their bounds, and what the shared error
    is computed from (see `device_drift`)."""

    value: Any
    inverse: Any
    size: float
    rounding: float
    drift: float


class DeviceCheck:
    """Every element of a result against `value`, within a bound from `magnitude` (torch tensors, as reference sums).

    A call with a result returns a `Verification`. `queue` only enqueues the comparison: several results may be queued,
    and `results` returns all outcomes with a single wait. `again` is the full comparison, which handles infinities; it
    decides if the quick one finds a result wrong.
    """

    def __init__(
        self, value: Any, magnitude: Any, tolerance: Callable[[Allowed], Tolerance], again: Again, dtype: str
    ) -> None:
        self._value, self._magnitude, self._dtype = value, magnitude, dtype
        self._tolerance, self._again = tolerance, again
        self._against: dict[Allowed, Against] = {}
        self._room: Any = None
        self._found: list[tuple[Any, Any, Any, Allowed]] = []

    def __call__(self, out: Any, product_error: Allowed = 0.0) -> Verification:
        """Return the outcome of one result."""
        self.queue(out, product_error)
        (found,) = self.results()
        return found if found.ok else self._again(out, product_error)

    def queue(self, out: Any, product_error: Allowed = 0.0) -> None:
        """Compare the content of `out` at this point of the GPU's queue."""
        import torch

        against, room = self._prepared(out, product_error), self._room
        room.copy_(out)
        room.sub_(against.value)
        shared = torch.dot(_flat(room), _flat(against.value))
        room.mul_(against.inverse).abs_()
        worst, where = _flat(room).max(0)
        self._found.append((worst, where, shared, product_error))

    def results(self) -> list[Verification]:
        """Return the outcomes of everything queued since the last call; `again` rechecks those that are not ok."""
        import torch

        found, self._found = self._found, []
        if not found:
            return []
        inverse = torch.stack([_flat(self._against[p].inverse)[w] for _, w, _, p in found]).double()
        worst = torch.stack([w for w, _, _, _ in found]).double()
        shared = torch.stack([s for _, _, s, _ in found]).double()
        rows = torch.stack([worst, 1.0 / inverse, shared]).cpu().tolist()
        return [
            self._outcome(ratio, allowed, together, self._against[f[3]])
            for (ratio, allowed, together), f in zip(zip(*rows, strict=True), found, strict=True)
        ]

    def _outcome(self, ratio: float, allowed: float, shared: float, against: Against) -> Verification:
        error = ratio * allowed
        found = Verification(ratio <= 1.0, "device", error, error, allowed, ratio)
        if against.drift == float("inf"):
            return found
        return found.with_drift([Drift("the result", abs(shared + against.rounding) / against.size, against.drift)])

    def _prepared(self, out: Any, product_error: Allowed) -> Against:
        """Return the reference and the inverse of its bound, in the memory layout of results."""
        import torch

        known = self._against.get(product_error)
        if known is not None:
            return known
        t, v = self._tolerance(product_error), self._value
        # Sixteen bits round more coarsely than single precision resolves: use it to halve the memory traffic.
        kind = torch.float32 if out.element_size() <= 2 else torch.float64
        first = next(iter(self._against.values()), None)
        value = first.value if first is not None else _as_laid(v, out, kind)
        # A bound of 0 (a sum of no products) must not turn an exact zero into NaN.
        inverse = _as_laid((1.0 / t.bound_of(v, self._magnitude)).clamp(max=MAX_INVERSE), out, kind)
        # A result minus the rounded reference is what it is minus the reference, plus the rounding of that.
        sums = drift_sums(v, self._magnitude, v, t, self._dtype, out.dtype)
        drift = allowed_drift(sums, shares_of(v), t.bias, self._dtype)
        made = self._against[product_error] = Against(value, inverse, float(sums[1]), float(sums[0]), drift)
        if self._room is None:
            self._room = torch.empty_like(value)
        return made


def _as_laid(x: Any, out: Any, kind: Any) -> Any:
    """Return `x` with the strides of `out` if that is dense, so that both are read in the same order."""
    import torch

    if not _is_dense(out):
        return x.to(kind).contiguous()
    made = torch.empty_strided(tuple(out.shape), tuple(out.stride()), dtype=kind, device=out.device)
    return made.copy_(x)


def _is_dense(x: Any) -> bool:
    reach = sum(s * (n - 1) for s, n in zip(x.stride(), x.shape, strict=True)) + 1
    return bool(reach == x.numel())


def _flat(x: Any) -> Any:
    """Return all elements in memory order."""
    return x.as_strided((x.numel(),), (1,))
