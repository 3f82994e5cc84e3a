"""Which candidates a sweep measures: for each problem the likely winners first, then a sample of the others."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from typing import Any

from ...errors import SelectionError
from ...model.device import Device
from ...model.kernel import Candidate, KernelSpec
from ...model.problem import Problem
from ...model.selector import Ranked, Selector
from ...registry import Registry
from ...select import get_selector

BASELINES = ("first_fit", "rules", "analytical")
FAR = 6.0  # times the best predicted time
Uses = dict[str, dict[int, tuple[float, int]]]


@dataclass
class Wanted:
    """One problem with its legal candidates: ranked by the guide, and the first choices of the baselines in order."""

    problem: Problem
    ranked: list[Candidate]
    firsts: list[Candidate] = field(default_factory=list)

    def order(self, top: int, explore: int, built: set[str], seed: int = 0) -> list[Candidate]:
        """Return candidates whose kernel is built: the first choices, the `top` best, then `explore` of the others.

        The others are chosen by a hash of problem and candidate, so that every run chooses the same ones.
        """
        usable = [c for c in self.ranked if c.spec.digest in built]
        best = [*(c for c in self.firsts if c.spec.digest in built), *usable[:top]]
        rest = sorted(usable[top:], key=lambda c: _lot(self.problem.tuning_key, c.key, seed))
        return list(dict.fromkeys([*best, *rest[:explore]]))


def _in_reach(ranked: Sequence[Ranked], far: float) -> list[Candidate]:
    """Return the candidates, best first, without those that are predicted so slow that they cannot win.

    One of these may take longer than all others together.
    """
    best = min((r.seconds for r in ranked if r.seconds), default=0.0)
    return [r.candidate for r in ranked if not best or not r.seconds or r.seconds <= far * best]


def _lot(*parts: Any) -> str:
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()


def wanted_of(
    problems: Iterable[Problem], registry: Registry, device: Device, guide: Selector | None = None, far: float = FAR
) -> tuple[list[Wanted], list[str]]:
    """Return the candidates of each problem ranked by `guide` (default: analytical), and why some problems have none.

    Candidates whose predicted time is more than `far` times the best are omitted.
    """
    guide = guide or get_selector("analytical")
    baselines = [get_selector(name) for name in BASELINES]
    found, without = [], []
    for problem in problems:
        legal = registry.legal(problem, device)
        if not legal:
            without.append(f"{problem.label()}: no legal candidate on {device.arch}")
            continue
        ranked = _in_reach(guide.rank(problem, legal, device), far)
        firsts = [s.rank(problem, legal, device)[0].candidate for s in baselines]
        found.append(Wanted(problem, ranked, firsts))
    if not found:
        raise SelectionError(f"nothing can be tuned: {without[0] if without else 'no problem was given'}")
    return found, without


def ranked_for(problem: Problem, device: Device, selector: Selector, registry: Registry) -> list[Candidate]:
    """Return the legal candidates of `problem` on `device`, the best by `selector` first.

    >>> from tilewright.arch import get_nominal_devices
    >>> from tilewright.ops import problem_from_dict
    >>> from tilewright.registry import default_registry
    >>> problem = problem_from_dict({"op": "gemm", "m": 512, "n": 512, "k": 512, "dtype": "fp16", "device": "cuda:0"})
    >>> h100 = get_nominal_devices("sm_90")[0]
    >>> ranked_for(problem, h100, get_selector("analytical"), default_registry())[0].spec.backend
    'triton'
    """
    return [r.candidate for r in selector.rank(problem, registry.legal(problem, device), device)]


def kernel_order(wanted: Sequence[Wanted], top: int, need: int = 0) -> list[KernelSpec]:
    """Return the kernels in the order of their benefit: those that many problems rank high come first.

    A greedy cover: after each pick, problems that it serves well count less, so that the pool stays diverse. With
    `need`, problems that have fewer built candidates than that count as well, at any rank of a kernel. Without it, the
    first choices of the cost model come before all others.
    """
    specs, uses = _uses(wanted, 4 * top if not need else None)
    served, missing = [0.0] * len(wanted), [float(need)] * len(wanted)

    def value(digest: str) -> float:
        gains = ((g / (1.0 + served[i]), min(n, missing[i])) for i, (g, n) in uses[digest].items())
        return sum(gain + (count / need if need else 0.0) for gain, count in gains)

    def take(digest: str) -> None:
        for number, (gain, count) in uses.pop(digest).items():
            served[number] += gain
            missing[number] = max(0.0, missing[number] - count)

    # A gain is measured against the cost model's choice: without it a problem cannot be evaluated.
    firsts = Counter(w.firsts[-1].spec.digest for w in wanted if w.firsts and not need)
    order = [digest for digest, _ in sorted(firsts.items(), key=lambda item: (-item[1], item[0]))]
    for digest in order:
        take(digest)
    # Values only fall, so a kernel that still leads after an update is the best.
    left = [(-value(digest), digest) for digest in uses]
    heapify(left)
    while left:
        now = (-value(left[0][1]), left[0][1])
        if now > left[0]:
            heapreplace(left, now)
            continue
        take(heappop(left)[1])
        order.append(now[1])
    return [specs[d] for d in order]


def _uses(wanted: Sequence[Wanted], most: int | None) -> tuple[dict[str, KernelSpec], Uses]:
    """Return kernels by digest, and for each the problems that it helps: (by its rank there, candidates)."""
    specs: dict[str, KernelSpec] = {}
    uses: Uses = {}
    for number, w in enumerate(wanted):
        for rank, candidate in enumerate(w.ranked[:most]):
            specs[candidate.spec.digest] = candidate.spec
            mine = uses.setdefault(candidate.spec.digest, {})
            gain, count = mine.get(number, (0.0, 0))
            mine[number] = (max(gain, 1.0 / (1.0 + rank)), count + 1)
        for candidate in w.firsts:
            specs[candidate.spec.digest] = candidate.spec
            uses.setdefault(candidate.spec.digest, {}).setdefault(number, (0.0, 0))
    return specs, uses
