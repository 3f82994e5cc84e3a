"""Measurement: one kernel with one launch on one problem and one device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from math import isfinite
from operator import attrgetter
from typing import Any

from ..errors import SchemaError
from ..model.canonical import canonical, digest
from ..model.kernel import Launch, candidate_key, fields_from
from ..model.locks import cached_property

MEASUREMENT_SCHEMA = 1
# A time outside of these limits was not measured: a tenth of a nanosecond, and four months.
LEAST_SECONDS, MAX_SECONDS = 1e-10, 1e7
MAX_AT = 1e12  # seconds before or after 1970: far beyond any clock, and every format holds it
STATUSES = ("ok", "wrong", "crash", "hang", "oom", "build", "error")
OBJECTS = ("problem", "spec", "launch", "device", "clocks", "policy")
TEXTS = ("tuning_key", "spec_digest", "build_key", "artifact", "toolchain", "host", "run", "message")


def lower_quartile(samples: tuple[float, ...]) -> float:
    """Return the value that a quarter of the samples are below, between two of them where none is.

    >>> lower_quartile((4.0, 1.0, 2.0, 3.0, 9.0)), lower_quartile((1.0, 2.0))
    (2.0, 1.25)
    """
    ordered = sorted(samples)
    below, part = divmod(len(ordered) - 1, 4)
    return ordered[below] + part / 4 * (ordered[min(below + 1, len(ordered) - 1)] - ordered[below])


def _median(samples: tuple[float, ...]) -> float:
    from statistics import median  # here, because it imports decimal and fractions, which a selection does not need

    return median(samples)


# Other load on a CPU adds time, but a core also runs faster for moments: the least would prefer who was sampled then.
# The clocks of a GPU change both ways.
STATISTICS: dict[str, Callable[[tuple[float, ...]], float]] = {
    "least": min,
    "quartile": lower_quartile,
    "median": _median,
}
_objects, _texts, _STATISTICS = attrgetter(*OBJECTS), attrgetter(*TEXTS), tuple(STATISTICS)


@dataclass(frozen=True)
class Measurement:
    """The outcome of one candidate on one problem.

    `status` is ok, or what went wrong (then `message` has details, and there may be no samples). `samples` are seconds
    per call in the order taken. `error`, `tolerance` and `tier` are those of the verification; an error that is not a
    number (of a kernel that wrote NaN) becomes None. `build_key` names the build that ran and `artifact` its content;
    `host` and `run` name the origin of the row. A field of a wrong type or out of its range is a `SchemaError`.

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
        mistake = _mistake(self)
        if mistake:
            raise SchemaError(f"measurement {mistake}")
        for name, value in (("error", self.error), ("tolerance", self.tolerance)):
            if value is not None:  # a whole number may have more digits than SQLite stores
                object.__setattr__(self, name, float(value) if isfinite(value) else None)

    @property
    def ok(self) -> bool:
        """Whether the kernel ran, was correct, and was timed."""
        return self.status == "ok" and bool(self.samples)

    @property
    def seconds(self) -> float:
        """Seconds per call; infinity if there is no sample."""
        if not self.samples:
            return float("inf")
        return self.seconds_of(self.samples)

    def seconds_of(self, samples: tuple[float, ...]) -> float:
        """Return the time of some of the samples, by the statistic of its policy."""
        return STATISTICS[self.policy.get("statistic", "least")](samples)

    @cached_property
    def device_digest(self) -> str:
        """Identity of the device."""
        return digest(self.device)

    @cached_property
    def candidate(self) -> str:
        """The key of what was measured, independent of the problem."""
        return candidate_key(self.spec_digest, self.launch)

    @cached_property
    def id(self) -> str:
        """Identity of the row: a later measurement of the same thing on the same host replaces it."""
        policy = {k: v for k, v in self.policy.items() if k != "rounds"}
        key = (
            self.spec_digest,
            digest(self.launch),
            self.build_key,
            self.tuning_key,
            self.device_digest,
            digest(policy),
            self.host,
        )
        return digest(key)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON data without fields at their default."""
        data: dict[str, Any] = canonical(self)
        return {"schema": MEASUREMENT_SCHEMA, **data}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Measurement:
        """Return a measurement from its plain form; raise an error for an unknown schema or field, or a bad value."""
        if not isinstance(data, Mapping):
            raise SchemaError(f"a measurement is an object, not {type(data).__name__}")
        if "schema" not in data:
            raise SchemaError("no measurement: it has no schema", remedy="give a file of `tilewright data export`")
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
        absent = [f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING]
        absent = [name for name in absent if name not in values]
        if absent:
            raise SchemaError(f"measurement has no {', '.join(absent)}")
        if isinstance(values.get("samples"), list):
            values["samples"] = tuple(values["samples"])
        return cls(**values)


def _mistake(m: Measurement) -> str:
    """Return what is wrong with the values of a measurement; empty if nothing is."""
    for name, value in zip(OBJECTS, _objects(m), strict=True):
        if type(value) is not dict and not isinstance(value, Mapping):
            return f"{name} is {_shown(value)}; it must be an object"
    for name, value in zip(TEXTS, _texts(m), strict=True):
        if not isinstance(value, str):
            return f"{name} is {_shown(value)}; it must be text"
    if m.status not in STATUSES:
        return f"status is {_shown(m.status)}; it must be one of {', '.join(STATUSES)}"
    if m.tier is not None and not isinstance(m.tier, str):
        return f"tier is {_shown(m.tier)}; it must be text"
    if m.policy.get("statistic", "least") not in _STATISTICS:
        return f"statistic is {_shown(m.policy['statistic'])}; it must be one of {', '.join(STATISTICS)}"
    return _wrong_number(m)


def _wrong_number(m: Measurement) -> str:
    if not isinstance(m.samples, tuple):
        return f"samples are {_shown(m.samples)}; they must be a list of seconds"
    for seconds in m.samples:
        if not _is_number(seconds) or not LEAST_SECONDS <= seconds <= MAX_SECONDS:
            return f"has a sample of {_shown(seconds)}; samples are seconds from {LEAST_SECONDS:g} to {MAX_SECONDS:g}"
    for name, value in (("error", m.error), ("tolerance", m.tolerance)):
        if value is not None and not (_is_number(value) and not value < 0):  # NaN passes
            return f"{name} is {_shown(value)}; it must be a number >= 0"
    if m.status == "ok" and m.error is not None and not isfinite(m.error):
        return f"error is {m.error} of a kernel with status ok"
    if not _is_number(m.at) or not abs(m.at) <= MAX_AT:  # NaN is not
        return f"at is {_shown(m.at)}; it must be a time in seconds"
    return ""


def _is_number(value: Any) -> bool:
    return type(value) is float or (isinstance(value, int | float) and not isinstance(value, bool))


def _shown(value: Any) -> str:
    """Return a value for a message, shortened if it is long."""
    text = repr(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
    return text if len(text) <= 40 else f"{text[:37]}..."


def launch_from_dict(data: Mapping[str, Any]) -> Launch:
    """Return a launch from its canonical form.

    >>> launch_from_dict({"split_k": 2}).split_k
    2
    """
    return Launch(**fields_from(Launch, data, "launch"))
