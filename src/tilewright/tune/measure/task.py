"""The messages between a sweep and the measuring process. Plain values, sent as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from ...errors import SchemaError, TilewrightError
from ...model.fields import shown
from ...model.json_text import Json

# Once every candidate has its `each` samples, only those within this share of the best continue: (after that round, the
# next, later). One sample is too few, because an interruption makes any kernel look slow. A busy neighbour on the same
# core does so for many samples in a row, hence a wide share at first.
KEEP = (1.5, 1.25, 1.1)

CLOCKS = ("wall", "cpu")


@dataclass(frozen=True)
class SweepPolicy:
    """How a sweep takes times; recorded with every measurement.

    Each candidate is verified and sampled `each` times; those near the best are then sampled again in turn, `rounds`
    times in all. A sample is as many calls as fill `sample_ms`. Candidates within `tie` of each other count as equal.
    `clock` "cpu" counts the time that the calling thread had a core, which other programs affect far less than "wall"
    time; it does not include further threads.

    >>> SweepPolicy(threads=2).to_dict()["statistic"]
    'least'
    """

    threads: int = 1
    cache: str = "hot"
    mode: str = "eager"
    statistic: str = "least"
    rounds: int = 6
    sample_ms: float = 0.6
    tie: float = 0.02
    seed: int = 0
    clock: str = "wall"
    each: int = 2

    @classmethod
    def for_cpu(cls, threads: int, **changes: Any) -> SweepPolicy:
        """Return the policy for `threads` threads of a CPU.

        >>> SweepPolicy.for_cpu(1).clock, SweepPolicy.for_cpu(2).clock
        ('cpu', 'wall')
        """
        return cls(threads=threads, clock="cpu" if threads == 1 else "wall", statistic="quartile", **changes)

    def __post_init__(self) -> None:
        if self.clock not in CLOCKS or (self.clock == "cpu" and self.threads != 1):
            raise TilewrightError(
                f"clock is {self.clock!r} with {self.threads} threads", remedy="use 'wall', or 'cpu' with one thread"
            )
        if self.rounds < 1:
            raise TilewrightError(f"rounds is {self.rounds}; at least 1 is needed", remedy="give --rounds 1 or more")
        if self.each < 1:
            raise TilewrightError(f"each is {self.each}; every candidate needs at least 1 sample")

    def keep(self, taken: int) -> float:
        """Return how many times slower than the best a candidate may be for a further sample, after `taken` of them.

        >>> [SweepPolicy().keep(n) for n in (1, 2, 3, 4, 9)]
        [inf, 1.5, 1.25, 1.1, 1.1]
        """
        return KEEP[min(taken - self.each, len(KEEP) - 1)] if taken >= self.each else float("inf")

    def to_dict(self) -> Json:
        """Return plain JSON data."""
        return asdict(self)


@dataclass(frozen=True)
class Choice:
    """One candidate of a task: its spec and launch in plain form, and the build to measure."""

    spec: Mapping[str, Any]
    digest: str
    launch: Mapping[str, Any]
    build_key: str
    artifact: str = ""
    toolchain: str = ""

    def to_dict(self) -> Json:
        """Return what the measuring process needs to know."""
        return {"spec": dict(self.spec), "digest": self.digest, "launch": dict(self.launch), "build": self.build_key}


@dataclass(frozen=True)
class Task:
    """One problem and the candidates to measure on it."""

    problem: Mapping[str, Any]
    choices: tuple[Choice, ...]
    policy: SweepPolicy = field(default_factory=SweepPolicy)

    def message(self, indices: list[int], alone: bool = False) -> Json:
        """Return the JSON form with only some of the candidates, which keep their numbers; `alone`: one by one."""
        chosen = {str(i): self.choices[i].to_dict() for i in indices}
        return {"problem": dict(self.problem), "choices": chosen, "policy": self.policy.to_dict(), "alone": alone}


@dataclass(frozen=True)
class Event:
    """An event of one candidate: its first outcome, or a further sample (`more`). `open`: others follow at once."""

    index: int
    status: str
    samples: tuple[float, ...] = ()
    more: bool = False
    error: float | None = None
    tolerance: float | None = None
    tier: str | None = None
    clocks: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""
    host: str = ""
    open: bool = False

    @classmethod
    def read(cls, data: Any, candidates: int, **known: Any) -> Event:
        """Return the event that a measuring process sent; raise `SchemaError` if it is none of these candidates.

        Its numbers are checked with the row that they become.

        >>> Event.read({"index": 1, "status": "ok", "samples": [2e-6]}, 2, host="here").samples
        (2e-06,)
        """
        index = data.get("index") if isinstance(data, Mapping) else None
        if type(index) is not int or not 0 <= index < candidates:
            raise SchemaError(f"a result of candidate {shown(index)}; there are 0 to {candidates - 1}")
        try:
            event = cls(**{**data, "samples": tuple(data.get("samples", ())), **known})
        except TypeError as problem:
            raise SchemaError(f"a result that cannot be read: {problem}") from None
        for name, kind in _KINDS.items():
            if not isinstance(getattr(event, name), kind):
                raise SchemaError(f"a result whose {name} is {shown(getattr(event, name))}")
        return event


_KINDS = {
    "status": str, "more": bool, "tier": str | None, "clocks": Mapping, "message": str, "host": str, "open": bool,
}  # fmt: skip
