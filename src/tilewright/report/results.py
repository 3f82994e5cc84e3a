"""What a report shows, in one form, however it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp, log
from typing import Any

from ..model.locks import cached_property
from ..tune.measure.timer import QUIET_NOISE


@dataclass(frozen=True)
class Run:
    """One problem that was timed on one device, with its peers in the same run.

    `peers` has the time of each peer divided by ours, `spans` where that ratio lies in most rounds; `threads` is 0 on a
    GPU. `ok` is None if nothing was verified, `noise` if the row does not say how steady the run was.
    """

    problem: Mapping[str, Any]
    label: str
    op: str
    kind: str
    dtype: str
    device: str
    arch: str
    backend: str
    kernel: str
    selector: str
    seconds: float
    flops: float
    bytes: float
    peers: Mapping[str, float]
    threads: int
    ok: bool | None
    note: str
    source: str
    noise: float | None = None
    spans: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def quiet(self) -> bool | None:
        """Whether the run was steady enough for a headline; None if that was not recorded."""
        return None if self.noise is None else self.noise <= QUIET_NOISE

    @property
    def place(self) -> str:
        """The device, with the number of threads if it is a CPU: runs of one place have the same ceilings."""
        return f"{self.device}, {self.threads} thread{'s' * (self.threads > 1)}" if self.threads else self.device

    @property
    def key(self) -> tuple[str, str, int]:
        """What a choice depends on: runs with one key have one explanation."""
        return self.label, self.arch, self.threads

    @property
    def rate(self) -> float:
        """Operations per second."""
        return self.flops / self.seconds

    @property
    def intensity(self) -> float:
        """Operations per byte, if each byte is moved once."""
        return self.flops / max(self.bytes, 1.0)


@dataclass(frozen=True)
class Ceiling:
    """A limit of a device: operations per second (`kind` compute) or bytes per second (memory), and how it is known."""

    place: str
    kind: str
    name: str
    value: float
    how: str


@dataclass(frozen=True)
class Scores:
    """How close the choices of each selector come to the best measured kernel, on the problems of one data set."""

    name: str
    selectors: Mapping[str, Mapping[str, float]]
    gain: str
    note: str
    source: str


@dataclass(frozen=True)
class Winner:
    """The fastest kernel of one problem among those that were measured.

    A map of winners has `row` and `column` as its axes: for a product its rows (as a power of two) and columns, else a
    kind of layer and a size. `margin` is the time of the best kernel of another family divided by this one's; 0 if no
    other family was measured.
    """

    device: str
    op: str
    kind: str
    dtype: str
    row: str | int
    column: float
    family: str
    kernel: str
    label: str
    rate: float
    candidates: int
    margin: float = 0.0


@dataclass(frozen=True)
class Check:
    """What is known of one AMD kernel: whether rules accept it, it compiled as it should, and gave right results."""

    op: str
    arch: str
    backend: str
    dtypes: str
    pipeline: str
    accepted: bool
    good: bool | None
    executed: str  # right, wrong, ... as the run reports it; empty if it was not executed
    rule: str
    beyond: bool  # the rule says more than a compiler can see
    reason: str
    digest: str = ""


@dataclass(frozen=True)
class Build:
    """Seconds that one kernel took to compile."""

    group: str
    name: str
    seconds: float


@dataclass(frozen=True)
class Source:
    """One file that was read: what it holds, and what of it could not be used."""

    name: str
    holds: Mapping[str, int]
    skipped: int = 0
    why: str = ""


@dataclass
class Results:
    """Everything that was read, by section of the report."""

    runs: list[Run] = field(default_factory=list)
    ceilings: list[Ceiling] = field(default_factory=list)
    scores: list[Scores] = field(default_factory=list)
    winners: list[Winner] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    builds: list[Build] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)

    def add(self, value: Any) -> str:
        """Keep one value in the list of its kind; return the name of that list."""
        name = {Run: "runs", Ceiling: "ceilings", Scores: "scores", Winner: "winners", Check: "checks",
                Build: "builds"}[type(value)]  # fmt: skip
        getattr(self, name).append(value)
        return name


@dataclass(frozen=True)
class Ratios:
    """Ratios of many problems to one peer.

    >>> r = Ratios((0.5, 2.0, 1.0))
    >>> round(r.mean, 6), r.least, r.most, r.under(1.0)
    (1.0, 0.5, 2.0, 1)
    """

    values: tuple[float, ...]

    @cached_property
    def mean(self) -> float:
        """Geometric mean."""
        return exp(sum(log(v) for v in self.values) / len(self.values))

    @property
    def least(self) -> float:
        """The smallest ratio."""
        return min(self.values)

    @property
    def most(self) -> float:
        """The largest ratio."""
        return max(self.values)

    def under(self, limit: float) -> int:
        """Return how many ratios are below `limit`."""
        return sum(v < limit for v in self.values)
