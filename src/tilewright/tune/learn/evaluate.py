"""Evaluation: how close a selector's choice comes to the best measured kernel, on held-out problems.

Efficiency is best measured time / time of the choice. A choice that was not measured or that failed counts as 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log2

import numpy as np
import numpy.typing as npt

from ...model.device import Device
from ...model.kernel import Candidate
from ...model.problem import Problem
from ...model.selector import Ranked, Selector, in_order
from ...registry import Registry
from ...select.features import problem_numbers
from .dataset import Dataset, Measured

TOP = (1, 2, 4, 8)
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Verdict:
    """One problem and one selector: the efficiency of its choice, and of the best of its first few."""

    label: str
    slices: Mapping[str, str]
    efficiency: float
    top: Mapping[int, float]
    missing: bool
    seconds: float


@dataclass
class Score:
    """All verdicts of one selector."""

    selector: str
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def efficiencies(self) -> Floats:
        """Efficiency of each problem, in order."""
        return np.array([v.efficiency for v in self.verdicts])

    def summary(self) -> dict[str, float]:
        """Return mean, median, P10, minimum, top-k and the number of missing choices."""
        e = self.efficiencies
        found = {"mean": float(e.mean()), "median": float(np.median(e)), "p10": float(np.quantile(e, 0.1)),
                 "min": float(e.min())}  # fmt: skip
        for k in TOP[1:]:
            top = np.array([v.top[k] for v in self.verdicts])
            found |= {f"top{k}": float(top.mean()), f"top{k}_p10": float(np.quantile(top, 0.1))}
        return {**found, "missing": sum(v.missing for v in self.verdicts), "problems": len(e)}

    def by_slice(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return mean efficiency, P10, worst, and regret (seconds lost per second of the best) for each slice value."""
        found: dict[str, dict[str, dict[str, float]]] = {}
        for name in dict.fromkeys(n for v in self.verdicts for n in v.slices):
            for value in sorted({v.slices[name] for v in self.verdicts}, key=lambda v: (len(v), v)):  # 2 before 16
                mine = [v for v in self.verdicts if v.slices[name] == value]
                e = np.array([v.efficiency for v in mine])
                best = np.array([v.seconds for v in mine])
                spent = best / np.maximum(e, 0.01)
                regret = float((spent - best).sum() / best.sum())
                found.setdefault(name, {})[value] = {
                    "problems": len(mine), "mean": float(e.mean()), "p10": float(np.quantile(e, 0.1)),
                    "min": float(e.min()), "regret": regret,
                }  # fmt: skip
        return found


def judge(data: Dataset, selectors: Sequence[Selector], registry: Registry | None = None) -> dict[str, Score]:
    """Return the score of each selector on every problem of `data`.

    With a `registry` a selector chooses among all legal candidates, and a choice that was not measured counts as 0.
    Without one it chooses among the measured candidates.
    """
    scores = {s.name: Score(s.name) for s in selectors}
    for measured in data.problems:
        if registry is not None:
            offered = registry.legal(measured.problem, measured.device)
        else:
            offered = sorted((r.candidate for r in measured.rows), key=lambda c: c.key)  # the order must give no hint
        if not offered:
            continue
        for selector in selectors:
            ranked = selector.rank(measured.problem, offered, measured.device)
            scores[selector.name].verdicts.append(verdict_of(measured, ranked))
    return scores


def verdict_of(measured: Measured, ranked: Sequence[Ranked]) -> Verdict:
    """Return how good a ranking is for one measured problem."""
    times, best = measured.times, measured.best
    eff = [best / times.get(r.candidate.key, float("inf")) for r in ranked[: TOP[-1]]]
    top = {k: max(eff[:k], default=0.0) for k in TOP}
    missing = not ranked or ranked[0].candidate.key not in times
    slices = slices_of(measured.problem, measured.device.threads)
    return Verdict(measured.problem.label(), slices, eff[0] if eff else 0.0, top, missing, best)


def slices_of(problem: Problem, threads: int = 1) -> dict[str, str]:
    """Return the slices of a problem: dtype, layout or direction, threads of a CPU, and size.

    >>> from tilewright.ops import problem_from_dict
    >>> slices_of(problem_from_dict({"op": "gemm", "m": 2, "n": 300, "k": 40, "dtype": "fp32"}))["size"]
    'skinny'
    """
    numbers = problem_numbers(problem)
    found = {"dtype": problem.operand_dtype}
    for name in ("layout", "direction"):
        if getattr(problem, name, None):
            found[name] = str(getattr(problem, name))
    if problem.device == "cpu":
        found["threads"] = str(threads)
    short = min(numbers.get("m", 1e9), numbers.get("n", 1e9))
    decade = int(np.log10(max(problem.flops, 1)))
    return {**found, "size": "skinny" if short <= 16 else f"1e{decade} flop"}


@dataclass(frozen=True)
class Gain:
    """The difference of two selectors' mean efficiencies, with a bootstrap interval over the problems."""

    mean: float
    low: float
    high: float
    problems: int
    level: float = 0.9

    def text(self) -> str:
        """Return the gain in points.

        >>> Gain(0.031, 0.02, 0.04, 40).text()
        '+3.10 points (90% interval +2.00 to +4.00, 40 problems)'
        """
        span = f"{self.level:.0%} interval {100 * self.low:+.2f} to {100 * self.high:+.2f}"
        return f"{100 * self.mean:+.2f} points ({span}, {self.problems} problems)"


def gain(new: Score, old: Score, level: float = 0.9, rounds: int = 4000, seed: int = 0) -> Gain:
    """Return how much better `new` chooses than `old`, problem by problem."""
    difference = new.efficiencies - old.efficiencies
    rng = np.random.default_rng(seed)
    means = difference[rng.integers(0, len(difference), (rounds, len(difference)))].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Gain(float(difference.mean()), float(low), float(high), len(difference), level)


class Nearest:
    """nearest: the order of the most similar measured problem."""

    name = "nearest"

    def __init__(self, data: Dataset) -> None:
        self._data = data
        self._places = np.array([self._place(m.problem) for m in data.problems])

    @staticmethod
    def _place(problem: Problem) -> list[float]:
        return [log2(1.0 + abs(v)) for v in problem_numbers(problem).values()]

    def rank(self, problem: Problem, candidates: Sequence[Candidate], device: Device) -> list[Ranked]:
        """Return the candidates in the order of the nearest problem's times; unknown ones last, by key."""
        far = np.abs(self._places - np.array(self._place(problem))).sum(axis=1)
        far += [1e6 * (m.device.digest != device.digest) for m in self._data.problems]
        near = self._data.problems[int(np.argmin(far))]
        times, label = near.times, near.problem.label()
        known = [(times[c.key], Ranked(c, times[c.key], f"as {label}")) for c in candidates if c.key in times]
        rest = [Ranked(c, None, "not measured there") for c in candidates if c.key not in times]
        return [*in_order(known), *sorted(rest, key=lambda r: r.candidate.key)]


@dataclass(frozen=True)
class Flips:
    """How often the winner of a problem depends on when it was measured."""

    problems: int
    flips: int
    beyond_tie: int

    @property
    def rate(self) -> float:
        """Share of problems whose two halves disagree by more than the tie band."""
        return self.beyond_tie / self.problems if self.problems else 0.0


def _halves(measured: Measured) -> tuple[Floats, Floats] | None:
    """Return the times by every other sample of the candidates that stayed near the best; None if there is one of them.

    Those near the best have four samples or more.
    """
    found = [r.source for r in measured.rows if r.ok and len(r.source.samples) >= 4]
    if len(found) < 2:
        return None
    odd, even = (np.array([m.seconds_of(m.samples[start::2]) for m in found]) for start in (0, 1))
    return odd, even


def agreement(measured: Measured) -> float:
    """Return how well the samples of a problem agree: what a choice by half of them reaches by the other half.

    The lower of both ways round, among the candidates near the best. If there is but one of them, nobody else came near
    it, and the samples agree.
    """
    halves = _halves(measured)
    if halves is None:
        return 1.0
    odd, even = halves
    return float(min(even.min() / even[odd.argmin()], odd.min() / odd[even.argmin()]))


def winner_flips(data: Dataset, tie: float = 0.02) -> Flips:
    """Compare odd with even samples: does the same candidate win, within the tie band?

    Only the candidates near the best count.
    """
    problems = flips = beyond = 0
    for odd, even in filter(None, map(_halves, data.problems)):
        a, b = int(odd.argmin()), int(even.argmin())
        problems += 1
        flips += int(a != b)
        beyond += int(even[a] > (1 + tie) * even[b] or odd[b] > (1 + tie) * odd[a])
    return Flips(problems, flips, beyond)
