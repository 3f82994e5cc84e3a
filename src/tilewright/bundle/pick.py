"""Which kernels go into a bundle: the best for some problems, or those that save most time within a size."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..cpp.selection import backend_parts
from ..errors import SelectionError
from ..model.device import Device
from ..model.kernel import KernelSpec
from ..model.problem import Problem
from ..model.summation import ANY
from ..registry import Registry

Sizes = Mapping[str, Mapping[str, int]]  # of each kernel, the bytes of its files by name
UNCOVERED = 10.0  # a problem without a kernel counts as so many times slower than with its best


@dataclass(frozen=True)
class Wanted:
    """A problem and how often it is computed."""

    problem: Problem
    count: float = 1.0


@dataclass(frozen=True)
class Ranked:
    """The kernels of one problem with their predicted seconds, best first."""

    wanted: Wanted
    seconds: Mapping[str, float]

    @property
    def best(self) -> float:
        """The seconds of the best kernel, times the count."""
        return self.wanted.count * min(self.seconds.values())

    def cost(self, chosen: set[str]) -> float:
        """Return the seconds with the chosen kernels, times the count."""
        times = [s for digest, s in self.seconds.items() if digest in chosen]
        return self.wanted.count * min(times) if times else UNCOVERED * self.best


@dataclass(frozen=True)
class Picked:
    """The chosen kernels, and what they cover."""

    specs: tuple[KernelSpec, ...]
    covered: float
    slowdown: float
    bytes: int
    left_out: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = field(default=())

    def report(self) -> dict[str, Any]:
        """Return plain JSON data."""
        return {
            "kernels": len(self.specs), "bytes": self.bytes, "covered_time": round(self.covered, 6),
            "slowdown": round(self.slowdown, 6), "left_out": list(self.left_out), "uncovered": list(self.uncovered),
        }  # fmt: skip


def rank_kernels(
    wanted: Sequence[Wanted], registry: Registry, device: Device, top: int
) -> tuple[list[Ranked], dict[str, KernelSpec]]:
    """Return the best `top` kernels of each problem with their predicted times, and all of them by digest.

    Kernels that a bundle cannot hold do not count, even if they are faster.
    """
    rows, specs = [], dict[str, KernelSpec]()
    for one in wanted:
        if one.problem.summation != ANY:
            raise SelectionError(
                f"{one.problem.label()} asks for an order of summation; bundles do not choose by it",
                remedy="omit summation from the problem, or use the Python package without a bundle",
            )
        seconds, refusals = dict[str, float](), set[str]()
        for r in registry.select(one.problem, None, device):
            spec = r.candidate.spec
            if refusal := backend_parts(spec.backend).refusal(spec):
                refusals.add(refusal)
            elif spec.digest not in seconds and len(seconds) < top:
                seconds[spec.digest] = r.seconds or 0.0
                specs[spec.digest] = spec
        if not seconds:
            why = f": {'; '.join(sorted(refusals))}" if refusals else ""
            raise SelectionError(
                f"no kernel of a bundle computes {one.problem.label()} on {device.arch}{why}",
                remedy="see `tilewright explain` with the same --backend and --arch",
            )
        rows.append(Ranked(one, seconds))
    return rows, specs


def pick(rows: Sequence[Ranked], specs: Mapping[str, KernelSpec], sizes: Sizes, max_bytes: int | None) -> Picked:
    """Return the kernels that save most time for their bytes, one after the other, until the size is reached.

    Without a size, all kernels are taken. A file that several kernels share counts once.

    >>> pick([], {}, {}, None).specs
    ()
    """
    chosen: set[str] = set()
    if max_bytes is None:
        chosen = set(specs)
    else:
        while (best := _best_gain(rows, sizes, chosen, max_bytes - _bytes(sizes, chosen))) is not None:
            chosen.add(best)
    return _picked(rows, specs, sizes, chosen)


def _bytes(sizes: Sizes, chosen: Iterable[str]) -> int:
    return sum({name: size for digest in chosen for name, size in sizes[digest].items()}.values())


def _best_gain(rows: Sequence[Ranked], sizes: Sizes, chosen: set[str], room: int) -> str | None:
    """Return the kernel with the largest gain per byte that it adds and that still fits; ties by digest."""
    gains: dict[str, float] = {}
    known = {name for digest in chosen for name in sizes[digest]}
    added = {digest: sum(size for n, size in files.items() if n not in known) for digest, files in sizes.items()}
    for row in rows:
        now = row.cost(chosen)
        for digest, seconds in row.seconds.items():
            gain = now - row.wanted.count * seconds
            if digest not in chosen and added[digest] <= room and gain > 0:
                gains[digest] = gains.get(digest, 0.0) + gain
    return min(gains, key=lambda d: (-gains[d] / max(added[d], 1), d)) if gains else None


def _picked(rows: Sequence[Ranked], specs: Mapping[str, KernelSpec], sizes: Sizes, chosen: set[str]) -> Picked:
    total = sum(r.best for r in rows) or 1.0
    covered = [r for r in rows if chosen & set(r.seconds)]
    spent, least = sum(r.cost(chosen) for r in covered), sum(r.best for r in covered) or 1.0
    missing = tuple(r.wanted.problem.label() for r in rows if not chosen & set(r.seconds))
    left = tuple(specs[d].name for d in sorted(set(specs) - chosen))
    kept = tuple(specs[d] for d in sorted(chosen))
    share = sum(r.best for r in covered) / total
    return Picked(kept, share, spent / least, _bytes(sizes, chosen), left, missing)
