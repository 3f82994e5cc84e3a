"""Reading result files, data sets, the store and the cache for a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..backends.plain import spec_from_dict
from ..errors import SchemaError, TilewrightError
from ..model.canonical import canonical_json
from ..model.json_text import MAX_LINE_BYTES, parse_json, read_bytes, read_json
from ..model.kernel import KernelSpec
from ..store import Measurement, read_rows
from .readers import parse_problem, read_row
from .results import Build, Results, Source, Winner
from .shapes import shape_of

ABOUT = "about.json"  # beside results files: facts that their rows leave out, by pattern of the file name
DATA_SETS = (".parquet", ".sqlite", ".jsonl.gz", ".jsonl.xz")
_FAMILIES: dict[str, str] = {}  # by digest of a spec
SKIPPED_KEYS = ("about", "rows")  # first or last lines that describe a file


def collect(files: Sequence[str | Path]) -> Results:
    """Read files of results and of measurements; rows that cannot be used are counted with the first reason.

    A file that can be read in part, or not at all, is no reason to leave out the others; one that is not there is.

    >>> collect([]).runs
    []
    """
    results = Results()
    for path in map(Path, files):
        try:
            if path.name.endswith(DATA_SETS):
                add_measurements(results, read_rows(path), path.name)
            else:
                _add_rows(results, path)
        except TilewrightError as error:
            if not path.is_file():
                raise
            results.sources.append(Source(path.name, {}, 1, str(error)))
    return results


def _add_rows(results: Results, path: Path) -> None:
    about = _about(path)
    holds: Counter[str] = Counter()
    skipped, why, measurements = 0, "", []
    for where, row in _rows_of(path):
        try:
            if isinstance(row, bytes):
                row = parse_json(row, "JSON", most_bytes=MAX_LINE_BYTES)
            if isinstance(row, Mapping) and any(k in row for k in SKIPPED_KEYS):
                continue
            if isinstance(row, Mapping) and "spec_digest" in row and "samples" in row:
                measurements.append(Measurement.from_dict(dict(row)))
                continue
            for value in read_row(row, about, path.name):
                holds[results.add(value)] += 1
        except (TilewrightError, KeyError, TypeError, ValueError, AttributeError) as error:
            skipped, why = skipped + 1, why or f"{where}: {error}"
    if measurements:
        add_measurements(results, measurements, path.name)
    if holds or skipped or not measurements:
        results.sources.append(Source(path.name, dict(holds), skipped, why))


def _rows_of(path: Path) -> Iterable[tuple[str, Any]]:
    """Yield the objects of a JSON file, or the lines of a file of JSON lines, each with its place."""
    if path.suffix == ".json":
        data = read_json(path)
        yield from ((f"row {i}", row) for i, row in enumerate(data if isinstance(data, list) else [data], 1))
        return
    for number, line in enumerate(read_bytes(path).splitlines(), 1):
        if line.strip():
            yield f"line {number}", line


def _about(path: Path) -> Mapping[str, Any]:
    """Return what `about.json` beside a file says of it."""
    beside = path.parent / ABOUT
    if not beside.is_file():
        return {}
    patterns = read_json(beside)
    if not isinstance(patterns, Mapping):
        raise SchemaError(f"{beside}: not an object")
    found: dict[str, Any] = {}
    for pattern, facts in patterns.items():
        if fnmatch(path.name, pattern) and isinstance(facts, Mapping):
            found |= facts
    return found


def add_measurements(results: Results, rows: Iterable[Measurement], name: str) -> None:
    """Add the fastest measured kernel of each problem on each device, with each number of threads.

    >>> results = Results()
    >>> add_measurements(results, [], "my store")
    >>> results.sources[0].name
    'my store'
    """
    best: dict[tuple[str, str], Measurement] = {}
    families: dict[tuple[str, str], dict[str, float]] = {}  # the least time of each kind of kernel
    candidates: dict[tuple[str, str], set[str]] = {}
    total = failed = 0
    for row in rows:
        total += 1
        if not row.ok:
            failed += 1
            continue
        key = (_place(row), row.tuning_key)
        candidates.setdefault(key, set()).add(row.candidate)
        known = families.setdefault(key, {})
        family = _family(row)
        known[family] = min(row.seconds, known.get(family, row.seconds))
        if key not in best or row.seconds < best[key].seconds:
            best[key] = row
    skipped, why = 0, ""
    for key, row in best.items():
        try:
            results.winners.append(_winner(row, len(candidates[key]), families[key]))
        except TilewrightError as error:
            skipped, why = skipped + 1, why or str(error)
    holds = {"measurements": total, "problems": len(best), "failed measurements": failed}
    results.sources.append(Source(name, {k: v for k, v in holds.items() if v}, skipped, why))


def _winner(row: Measurement, candidates: int, families: Mapping[str, float]) -> Winner:
    problem, spec = parse_problem(row.problem), _spec(canonical_json(row.spec))
    shape, family = shape_of(problem), _family(row)
    others = [seconds for name, seconds in families.items() if name != family]
    return Winner(
        device=_place(row), op=problem.op, kind=shape.kind, dtype=problem.operand_dtype, row=shape.row,
        column=shape.column, family=family, kernel=spec.algorithm.label(), label=problem.label(),
        rate=problem.flops / row.seconds, candidates=candidates,
        margin=min(others) / row.seconds if others else 0.0,
    )  # fmt: skip


def _place(row: Measurement) -> str:
    """Return the device of a row, with the threads that its kernels could use."""
    threads = row.device.get("threads", 1)
    return f"{row.device.get('name', 'unknown')}" + (f", {threads} threads" if threads != 1 else "")


def _family(row: Measurement) -> str:
    """Return the kind of a row's kernel; data sets have many rows of few kernels."""
    if row.spec_digest not in _FAMILIES:
        try:
            _FAMILIES[row.spec_digest] = family_name(_spec(canonical_json(row.spec)))
        except TilewrightError:
            return "unknown"
    return _FAMILIES[row.spec_digest]


@lru_cache(maxsize=4096)
def _spec(text: str) -> KernelSpec:
    return spec_from_dict(parse_json(text, "spec"))


def family_name(spec: KernelSpec) -> str:
    """Return the kind of a kernel: its pipeline, and its inner loop if that is not the usual one."""
    names = []
    for field in fields(spec.algorithm):
        value = getattr(spec.algorithm, field.name)
        if field.name == "pipeline" or (field.name == "inner" and value != field.default):
            names.append(str(value))
    return " ".join(dict.fromkeys(names)) or spec.algorithm.label().split("_")[0]


def add_builds(results: Results, times: Iterable[tuple[str, float]]) -> None:
    """Add the build times that a kernel cache recorded, as (name of the kernel, seconds)."""
    before = len(results.builds)
    for name, seconds in times:
        words = name.split("_")
        group = " ".join(words[1::-1]) if len(words) > 2 else "other"
        results.builds.append(Build(f"{group}, this cache", name, max(seconds, 1e-4)))
    results.sources.append(Source("kernel cache", {"builds": len(results.builds) - before}))
