"""Compare many results of one problem with a reference that stays on the GPU; wait only for the outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .tolerance import Tolerance
from .verify import Verification

MOST_INVERSE = 1e30
Again = Callable[[Any, float], Verification]


class DeviceCheck:
    """Every element of a result against `value`, within a bound from `magnitude` (torch tensors, as reference sums).

    A call with a result returns a `Verification`. `queue` only enqueues the comparison: several results may be queued,
    and `results` returns all outcomes with a single wait. `again` is the full comparison, which handles infinities; it
    decides if the quick one finds a result wrong.
    """

    def __init__(self, value: Any, magnitude: Any, tolerance: Callable[[float], Tolerance], again: Again) -> None:
        self._value, self._magnitude = value, magnitude
        self._tolerance, self._again = tolerance, again
        self._against: dict[float, tuple[Any, Any]] = {}
        self._room: Any = None
        self._found: list[tuple[Any, Any, float]] = []

    def __call__(self, out: Any, product_error: float = 0.0) -> Verification:
        """Return the outcome of one result."""
        self.queue(out, product_error)
        (found,) = self.results()
        return found if found.ok else self._again(out, product_error)

    def queue(self, out: Any, product_error: float = 0.0) -> None:
        """Compare the content of `out` at this point of the GPU's queue."""
        value, inverse = self._prepared(out, product_error)
        room = self._room
        room.copy_(out)
        room.sub_(value).mul_(inverse).abs_()
        worst, where = _flat(room).max(0)
        self._found.append((worst, where, product_error))

    def results(self) -> list[Verification]:
        """Return the outcomes of everything queued since the last call; `again` rechecks those that are not ok."""
        import torch

        found, self._found = self._found, []
        if not found:
            return []
        places = [w for _, w, _ in found]
        inverse = torch.stack([_flat(self._against[p][1])[w] for _, w, p in found]).double()
        worst = torch.stack([r for r, _, _ in found]).double()
        rows = torch.stack([worst, 1.0 / inverse, torch.stack(places).double()]).cpu().tolist()
        return [
            Verification(ratio <= 1.0, "device", ratio * allowed, ratio * allowed, allowed, ratio)
            for ratio, allowed, _ in zip(*rows, strict=True)
        ]

    def _prepared(self, out: Any, product_error: float) -> tuple[Any, Any]:
        """Return the reference and the inverse of its bound, in the memory layout of results."""
        import torch

        known = self._against.get(product_error)
        if known is not None:
            return known
        t = self._tolerance(product_error)
        bound = (t.u_out + t.epilogue_error) * self._value.abs() + (t.scale * self._magnitude + 0.5 * t.smallest)
        # Sixteen bits round more coarsely than single precision resolves: use it to halve the memory traffic.
        kind = torch.float32 if out.element_size() <= 2 else torch.float64
        first = next(iter(self._against.values()), None)
        value = first[0] if first is not None else _as_laid(self._value, out, kind)
        # A bound of 0 (a sum of no products) must not turn an exact zero into NaN.
        made = self._against[product_error] = (value, _as_laid((1.0 / bound).clamp(max=MOST_INVERSE), out, kind))
        if self._room is None:
            self._room = torch.empty_like(made[0])
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
