"""Readers of result rows: each recognises one form of row and returns what it holds.

Files come from elsewhere, so every value is checked: text is shortened, numbers are finite and positive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import isfinite
from typing import Any

from ..arch import get_arch
from ..backends import get_backend_op
from ..backends.plain import spec_from_dict
from ..errors import SchemaError
from ..model.canonical import canonical_json
from ..model.json_text import parse_json
from ..model.problem import Problem
from ..ops import problem_from_dict
from .results import Build, Ceiling, Check, Run, Scores
from .tables import is_noisy, noise_of

Row = Mapping[str, Any]
MAX_TEXT = 400
# Kinds of rules about what a compiler cannot see: kernels that they refuse may well compile.
BEYOND = ("known-miscompile", "listed", "semantic", "problem")
SCORE_KEYS = ("mean", "median", "p10", "min", "missing", "problems")


def read_row(row: Any, about: Row, source: str) -> Iterator[Any]:
    """Yield what one JSON object of a results file holds; raise `SchemaError` if its form is unknown or wrong.

    `about` has facts that the rows of the file leave out, such as the device.

    >>> row = {"problem": {"op": "gemm", "m": 64, "n": 64, "k": 64, "dtype": "fp32"}, "time_ms": 0.5, "device": "a CPU",
    ...        "kernel": "k", "peers": {"numpy": {"time_ms": 1.0}}}
    >>> run, = read_row(row, {}, "results.jsonl")
    >>> run.peers["numpy"], run.device, run.label
    (2.0, 'a CPU', 'gemm 64x64x64 fp32_rcr')
    """
    if not isinstance(row, Mapping):
        raise SchemaError("not an object")
    for keys, reader in _FORMS:
        if all(key in row for key in keys):
            yield from reader(row, about, source)
            return
    raise SchemaError(f"no known form of result (keys {', '.join(map(str, list(row)[:6]))})")


def _bench(row: Row, about: Row, source: str) -> Iterator[Run]:
    """A line of `tilewright bench --out`."""
    if row.get("failure") or row["time_ms"] is None:
        raise SchemaError(f"it failed: {_text(row.get('failure'), 'no reason given')}")
    seconds = _number(row["time_ms"], "time_ms") / 1e3
    peers, noisy, spans = {}, [], {}
    for name, peer in _object(row.get("peers") or {}, "peers").items():
        interval = _intervals(_object(peer, "a peer"))
        if is_noisy(interval):
            noisy.append(_text(name))
            continue
        if len(interval) == 2:
            spans[_text(name)] = (interval["low"], interval["high"])
        ratio = peer.get("ratio")
        if ratio is None and peer.get("time_ms") is not None:
            ratio = _number(peer["time_ms"], "time_ms") / 1e3 / seconds
        if ratio is not None:
            peers[_text(name)] = _number(ratio, "ratio")
    policy = row.get("policy")
    threads = policy.get("threads") if isinstance(policy, Mapping) else None
    note = f"error {row['error']:.2g} of {row['tolerance']:.2g} ({_text(row.get('tier'))})" if _checked(row) else ""
    note = "; ".join([*([note] if note else []), *(f"too noisy for a ratio to {name}" for name in noisy)])
    kind = "packed weights" if isinstance(row.get("run"), Mapping) and row["run"].get("packed") else ""
    yield _run(row, about, source, seconds, peers, threads=threads, note=note, kind=kind, spans=spans)


def _intervals(peer: Row) -> dict[str, float]:
    """The ends of a ratio's interval, if the row has them: older ones have not."""
    return {n: _number(peer[n], n) for n in ("low", "high") if peer.get(n) is not None}


def _checked(row: Row) -> bool:
    return all(isinstance(row.get(n), int | float) for n in ("error", "tolerance"))


def _ratio_row(row: Row, about: Row, source: str) -> Iterator[Run]:
    """A line of the CPU benchmarks of convolution and attention."""
    interval = _intervals(row)
    peers = {} if is_noisy(interval) else {"torch": _number(row["ratio"], "ratio")}
    spans = {"torch": (interval["low"], interval["high"])} if len(interval) == 2 else {}
    kind = _text(row.get("kind") or row.get("bucket")).replace("_", " ")
    seconds = _number(row["ours_ms"], "ours_ms") / 1e3
    yield _run(row, about, source, seconds, peers, threads=row.get("threads"), kind=kind, spans=spans)


def _choices(row: Row, about: Row, source: str) -> Iterator[Run]:
    """A line of the GPU benchmark of convolution: candidates in the order of the selector, the choice first."""
    found = [c for c in row["candidates"] if isinstance(c, Mapping) and c.get("us") is not None]
    chosen = min(found, key=lambda c: _number(c.get("place", 0), "place", least=0), default=None)
    if chosen is None:
        raise SchemaError("no candidate was timed")
    seconds = _number(chosen["us"], "us") / 1e6
    peers = {"torch": _number(row["torch_us"], "torch_us") / 1e6 / seconds}
    yield _run({**row, "kernel": chosen.get("algorithm")}, about, source, seconds, peers)


def _lanes(row: Row, about: Row, source: str) -> Iterator[Run | Ceiling]:
    """A line of the GPU benchmark of attention: seconds of kernels and peers by name. Only kernels have errors."""
    times, own = _object(row["seconds"], "seconds"), _object(row["errors"], "errors")
    picked = row["picked"]
    if picked not in times:
        raise SchemaError("the picked kernel has no time")
    seconds = _number(times[picked], "seconds")
    peers = {_text(n): _number(t, "seconds") / seconds for n, t in times.items() if n not in own}
    family = _text(row["problem"].get("family") if isinstance(row["problem"], Mapping) else "")
    yield _run({**row, "kernel": picked}, about, source, seconds, peers, kind={"bwd": "backward"}.get(family, ""))
    if row.get("copy_gbps") is not None:
        device = _text(row.get("device") or about.get("device"), "unknown device")
        yield Ceiling(device, "memory", "copy", _number(row["copy_gbps"], "copy_gbps") * 1e9, "measured")


def _run(
    row: Row,
    about: Row,
    source: str,
    seconds: float,
    peers: Mapping[str, float],
    *,
    threads: Any = None,
    note: str = "",
    kind: str = "",
    spans: Mapping[str, tuple[float, float]] | None = None,
) -> Run:
    problem = parse_problem(row["problem"])
    data = _object(row["problem"], "problem")
    on_host = problem.device == "cpu" and not about.get("gpu")
    ok = row.get("ok")
    direction = _text(data.get("direction")).replace("_", " ")
    if ok is False:  # its time says nothing
        peers, spans, note = {}, {}, "; ".join(filter(None, (note, "not compared with peers: its result is wrong")))
    return Run(
        problem=data, label=problem.label(), op=problem.op, dtype=_text(problem.operand_dtype), seconds=seconds,
        kind=" ".join(filter(None, (direction, kind))),
        device=_text(row.get("device") or about.get("device"), "device not recorded"),
        arch=_text(row.get("arch") or about.get("arch")), backend=_text(row.get("backend") or about.get("backend")),
        kernel=_text(row.get("kernel"), "unknown"), selector=_text(row.get("selector") or about.get("selector")),
        flops=float(problem.flops), bytes=float(problem.bytes), peers=peers,
        threads=int(_number(threads, "threads")) if threads and on_host else 0,
        ok=ok if isinstance(ok, bool) else None, note=note, source=source, noise=noise_of(row), spans=spans or {},
    )  # fmt: skip


def parse_problem(data: Any) -> Problem:
    """Return the problem of a row; rows of many kernels share problems, so recent ones are kept."""
    return _parsed_problem(canonical_json(_object(data, "problem")))


@lru_cache(maxsize=4096)
def _parsed_problem(text: str) -> Problem:
    return problem_from_dict(parse_json(text, "problem"))


def _evaluated(row: Row, about: Row, source: str) -> Iterator[Scores]:
    """An entry of `tilewright evaluate --json`."""
    selectors = {}
    for name, score in _object(row["scores"], "scores").items():
        values = {k: _object(score, "a score").get(k) for k in SCORE_KEYS}
        selectors[_text(name)] = {k: _number(v, k, least=0) for k, v in values.items() if v is not None}
    if not all({"mean", "median", "p10", "min"} <= set(s) for s in selectors.values()):
        raise SchemaError("a score lacks mean, median, p10 or min")
    gain = row.get("gain")
    text = ""
    if isinstance(gain, Mapping) and {"mean", "low", "high"} <= set(gain):
        mean, low, high = (_number(gain[k], k, least=None) for k in ("mean", "low", "high"))
        text = f"learned over analytical {100 * mean:+.1f} points ({100 * low:+.1f} to {100 * high:+.1f})"
    yield Scores(_text(row["name"]), selectors, text, _text(row.get("note")), source)


def _audited(row: Row, about: Row, source: str) -> Iterator[Check | Build]:
    """A line of the audit of the CK Tile rules: one kernel, compiled, and judged by the rules of today."""
    if row["outcome"] not in ("ok", "error", "inspect", "generator", "crash"):
        raise SchemaError(f"unsettled: {_text(row['outcome'])}")
    backend = _text(row.get("backend"), "ck_tile")
    spec = spec_from_dict(
        {"schema": 1, "backend": backend, **{k: row[k] for k in ("op", "arch", "signature", "algorithm")}}
    )
    own = get_backend_op(spec.backend, spec.op)
    broken = sorted({r.rule for r in own.check(spec, get_arch(spec.arch))})
    if len(broken) > 1:
        raise SchemaError("several rules refuse it today, so it shows nothing of one of them")
    if broken and row["outcome"] == "generator":
        raise SchemaError("refused, and there is no text to compile")
    kinds = {rule.id: rule.kind for rule in own.rules}
    yield Check(
        op=spec.op, arch=spec.arch, backend=backend, dtypes=_operands(row["signature"]),
        pipeline=_text(row.get("pipeline")), accepted=not broken, good=bool(row["good"]), executed="",
        rule="".join(broken), beyond=kinds.get("".join(broken), "") in BEYOND, reason=_text(row.get("reason")),
        digest=_text(row.get("digest")),
    )  # fmt: skip
    if row.get("seconds") and row["outcome"] == "ok":
        yield Build(f"{backend} {spec.op} {spec.arch}", "", _number(row["seconds"], "seconds"))


def _reason(row: Row) -> Any:
    return next((row[name] for name in ("why", "reason", "message") if row.get(name)), None)


def _executed(row: Row, about: Row, source: str) -> Iterator[Check | Build]:
    """A line of the AMD kernels that ran in the emulator."""
    spec, op, arch = _object(row.get("spec") or {}, "spec"), _text(row["op"]), _text(row["arch"])
    signature, algorithm = (_object(spec.get(n) or {}, n) for n in ("signature", "algorithm"))
    backend = _text(row.get("backend"), "ck_tile")
    yield Check(
        op=op, arch=arch, backend=backend, dtypes=_operands(signature), pipeline=_text(algorithm.get("pipeline")),
        accepted=True, good=None if row.get("compiled") is None else row["compiled"] == "ok",
        executed=_text(row["executed"]), rule="", beyond=False, reason=_text(_reason(row)),
        digest=_text(row.get("digest")),
    )  # fmt: skip
    if row.get("seconds"):
        yield Build(f"{backend} {op} {arch}", _text(row.get("name")), _number(row["seconds"], "seconds"))


def _operands(signature: Any) -> str:
    """Return the dtypes of a signature's operands, once if they are equal."""
    held = _object(signature, "signature")
    names = ("dtype", "dtype_a", "dtype_b", "dtype_input", "dtype_weight", "dtype_q", "dtype_k")
    return " x ".join(dict.fromkeys(_text(held[n]) for n in names if n in held)) or "default"


def _ceilings(row: Row, about: Row, source: str) -> Iterator[Ceiling]:
    """Read a line with the measured ceilings of a device: rates in operations and bytes per second, by name."""
    device, threads = _text(row.get("device") or about.get("device"), "unknown device"), row.get("threads")
    place = f"{device}, {threads} thread{'s' * (threads > 1)}" if isinstance(threads, int) and threads else device
    for kind in ("compute", "memory"):
        for name, value in _object(row["ceilings"].get(kind) or {}, kind).items():
            yield Ceiling(place, kind, _text(name), _number(value, name), "measured")


def _host_cost(row: Row, about: Row, source: str) -> Iterator[Build]:
    """The figures of one machine's host: the cold build of some kernels."""
    cold = _object(row["cold build"], "cold build")
    kernels, workers = (int(_number(cold[n], n)) for n in ("kernels", "workers"))
    what = f"{_text(row.get('device'))}, {workers} workers, mean of {kernels}"
    yield Build(what, "", _number(cold["seconds"], "seconds") / kernels)


_FORMS: Sequence[tuple[tuple[str, ...], Callable[[Row, Row, str], Iterator[Any]]]] = (
    (("problem", "time_ms"), _bench),
    (("problem", "ours_ms", "ratio"), _ratio_row),
    (("problem", "candidates", "torch_us"), _choices),
    (("problem", "seconds", "errors", "picked"), _lanes),
    (("name", "scores"), _evaluated),
    (("arch", "outcome", "side", "good"), _audited),
    (("arch", "executed", "op"), _executed),
    (("ceilings",), _ceilings),
    (("cold build",), _host_cost),
)


def _number(value: Any, name: str, least: float | None = 1e-300) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise SchemaError(f"{name} is not a number")
    if least is not None and value < least:
        raise SchemaError(f"{name} is {value:g}; it must be positive")
    return float(value)


def _text(value: Any, default: str = "") -> str:
    if value is None or value == "":
        return default
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 3]}..."


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SchemaError(f"{name} is not an object")
    return value
