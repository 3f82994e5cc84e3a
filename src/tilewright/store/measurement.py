"""Measurement: one kernel, one launch, one problem, one device, as it was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from statistics import median
from typing import Any

from ..errors import SchemaError
from ..model.canonical import canonical, digest
from ..model.kernel import Launch, fields_from

MEASUREMENT_SCHEMA = 1
STATUSES = ("ok", "wrong", "crash", "hang", "oom", "build", "error")
# What other programs do to a CPU only ever adds time; the clocks of a GPU move both ways.
STATISTICS: dict[str, Callable[[tuple[float, ...]], float]] = {"least": min, "median": median}


@dataclass(frozen=True)
class Measurement:
    """What came of one candidate on one problem.

    `status` is ok, or what went wrong (then `message` says how, and there may be no samples). `samples` are seconds
    per call in the order taken. `error`, `tolerance` and `tier` are those of the verification. `build_key` names the
    build that ran and `artifact` its content; `host` and `run` say where the row comes from.

    >>> Measurement({"op": "gemm"}, "t", {"arch": "x"}, "s", {}, "b", {}, samples=(2.0, 1.0)).seconds
    1.0
    """

    problem: Mapping[str, Any]
    tuning_key: str
    spec: Mapping[str, Any]
    spec_digest: str
    launch: Mapping[str, Any]
    build_key: str
    device: Mapping[str, Any]
    status: str = "ok"
    samples: tuple[float, ...] = ()
    error: float | None = None
    tolerance: float | None = None
    tier: str | None = None
    clocks: Mapping[str, Any] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    artifact: str = ""
    toolchain: str = ""
    host: str = ""
    run: str = ""
    at: float = 0.0
    message: str = ""

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise SchemaError(f"measurement status is {self.status!r}; it must be one of {', '.join(STATUSES)}")

    @property
    def ok(self) -> bool:
        """Whether the kernel ran, was right, and was timed."""
        return self.status == "ok" and bool(self.samples)

    @property
    def seconds(self) -> float:
        """Seconds per call; infinity where there is no sample."""
        if not self.samples:
            return float("inf")
        return STATISTICS[self.policy.get("statistic", "least")](self.samples)

    @cached_property
    def device_digest(self) -> str:
        """Identity of the device."""
        return digest(self.device)

    @cached_property
    def candidate(self) -> tuple[str, str]:
        """(spec digest, launch): what was measured, whatever the problem."""
        return (self.spec_digest, digest(self.launch))

    @cached_property
    def id(self) -> str:
        """Identity of the row: a later measurement of the same thing on the same host replaces it."""
        policy = {k: v for k, v in self.policy.items() if k != "rounds"}
        key = (*self.candidate, self.build_key, self.tuning_key, self.device_digest, digest(policy), self.host)
        return digest(key)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; fields at their default left out."""
        data: dict[str, Any] = canonical(self)
        return {"schema": MEASUREMENT_SCHEMA, **data}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Measurement:
        """A measurement from its plain form; an unknown schema or field is an error."""
        if data.get("schema") != MEASUREMENT_SCHEMA:
            raise SchemaError(
                f"measurement schema {data.get('schema')!r} cannot be read; this version reads {MEASUREMENT_SCHEMA}"
            )
        known = {f.name for f in fields(cls)}
        unknown = set(data) - known - {"schema"}
        if unknown:
            raise SchemaError(
                f"measurement has unknown fields {sorted(unknown)}", remedy="read it with a newer version"
            )
        values = {k: v for k, v in data.items() if k != "schema"}
        values["samples"] = tuple(values.get("samples", ()))
        return cls(**values)


def launch_from_dict(data: Mapping[str, Any]) -> Launch:
    """A launch from its canonical form.

    >>> launch_from_dict({"split_k": 2}).split_k
    2
    """
    return Launch(**fields_from(Launch, data, "launch"))
