"""Measurements of many machines as one Parquet file, column by column: no row becomes a Python object.

Files are read twice: first the columns that decide which rows stay, then the rows themselves. A thread reads the next
files meanwhile; Arrow's own threads cost more than they gain on files of some thousand rows.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import SchemaError, TilewrightError, plural
from ..jit.files import replacing
from ..model.canonical import canonical_json
from ..model.json_text import MAX_LINE_BYTES, parse_json, refuse_pipe
from .claims import CLAIMS, MAX_REASONS, digest_of, not_its_own
from .measurement import LEAST_SECONDS, MAX_AT, MAX_SECONDS, STATISTICS, STATUSES
from .parquet import JSON_COLUMNS, TEXT_COLUMNS, _arrow, _check, columns_schema

Codes = npt.NDArray[np.int64]
IDENTITY = (
    "spec_digest",
    "launch",
    "build_key",
    "tuning_key",
    "device",
    "policy",
    "host",
)  # as `Measurement.id` has it
JUDGED = ("spec", "problem", "status", "clocks", "artifact", "toolchain", "run", "message")  # other texts of a row
OBJECTS = ("launch", "device", "clocks", "policy")  # those that no claim is about
_MIX = np.uint64(0x9E3779B97F4A7C15)
AHEAD = 4  # files that are read before they are needed
GROUP_ROWS = 200_000  # rows that are written together: they share one dictionary per column


@dataclass
class Union:
    """What became of the rows: kept, the same twice, replaced by a later one, in conflict, or false.

    Rows in conflict have one identity and one time, but other samples; one of them stays, the same in every order of
    the files. False rows name a kernel or problem that is not theirs, or hold impossible values: none of them stays.
    """

    files: int = 0
    rows: int = 0
    kept: int = 0
    same: int = 0
    replaced: int = 0
    conflicts: int = 0
    false: int = 0
    reasons: list[str] = field(default_factory=list)


def union_parquet(files: Sequence[str | Path], out: str | Path) -> Union:
    """Write the rows of many files of measurements to one; of rows with one identity the latest stays.

    >>> import tempfile
    >>> from tilewright.store import write_rows
    >>> folder = tempfile.mkdtemp()
    >>> _ = write_rows([], folder + "/a.parquet")
    >>> union_parquet([folder + "/a.parquet", folder + "/a.parquet"], folder + "/b.parquet").kept
    0
    """
    paths = [Path(f) for f in files]
    if not paths:
        raise SchemaError("no file of measurements is named", remedy="name at least one")
    columns = _Columns()
    for table in _ahead(paths, lambda path: _deciding(path, list(columns.codes))):
        columns.add(table)
    keep, result = columns.choose()
    result.files = len(paths)
    with replacing(Path(out)) as temporary:
        _write(paths, keep, temporary)
    return result


def _ahead(paths: Sequence[Path], read: Callable[[Path], Any]) -> Iterator[Any]:
    """Yield the table of each file in order; a thread reads some files ahead."""
    with ThreadPoolExecutor(1) as reader:
        waiting: deque[Future[Any]] = deque()
        for path in paths:
            waiting.append(reader.submit(read, path))
            if len(waiting) > AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _deciding(path: Path, texts: list[str]) -> Any:
    """Return the columns of a file that decide which rows stay; raise `SchemaError` if it holds no measurements."""
    pa = _arrow()
    try:
        refuse_pipe(path)
        with pa.parquet.ParquetFile(path, read_dictionary=texts) as file:
            _check(file)
            names = [*texts, "at", "samples", "error", "tolerance"]
            schema = pa.schema([columns_schema().field(name) for name in names])
            return file.read(names, use_threads=False).select(names).cast(schema)
    except SchemaError as error:
        raise SchemaError(f"{path}: {error.message}", remedy=error.remedy) from None
    except (pa.ArrowException, OSError) as error:
        raise SchemaError(f"{path} is not a Parquet file of measurements: {error}") from None


class _Columns:
    """The columns that decide, as numbers: each distinct text has one, over all files."""

    def __init__(self) -> None:
        self.codes: dict[str, dict[str, int]] = {name: {} for name in (*IDENTITY, *JUDGED)}
        self.parts: dict[str, list[Any]] = {name: [] for name in (*IDENTITY, "status", "at", "content", "true")}
        # The text of each digest; -1: unknown.
        self.proven: dict[str, Codes] = {claimed: np.zeros(0, np.int64) for claimed, _ in CLAIMS}
        self.false: set[tuple[str, int, int]] = set()  # column, digest, text that do not belong together
        self.reasons: list[str] = []

    def add(self, table: Any) -> None:
        """Add the rows of one file."""
        numbers = {name: self._numbers(name, table[name]) for name in self.codes}
        content, true = _contents(table["samples"].combine_chunks())
        is_ok = numbers["status"] == self.codes["status"].get("ok", -2)
        true &= _true_numbers(table, is_ok)
        for codes in numbers.values():
            true &= codes >= 0
        self._note(int((~true).sum()))
        for claimed, text in CLAIMS:
            true &= self._true_claims(claimed, text, numbers)
        held = {**numbers, "at": table["at"].fill_null(0).to_numpy(), "content": content, "true": true}
        for name, parts in self.parts.items():
            parts.append(held[name])

    def _note(self, impossible: int) -> None:
        if impossible and len(self.reasons) < MAX_REASONS:
            self.reasons.append(f"{plural(impossible, 'row')} with impossible values")

    def _numbers(self, name: str, column: Any) -> Codes:
        """Return the number of each row's text; -1: it cannot be. A policy is the same with other `rounds`."""
        known, found = self.codes[name], []
        for chunk in column.chunks:
            texts = [self._read(name, text) for text in chunk.dictionary.to_pylist()]
            numbers = [-1 if text is None else known.setdefault(text, len(known)) for text in texts]
            indices = chunk.indices.fill_null(len(texts)) if chunk.null_count else chunk.indices
            found.append(np.array([*numbers, -1], np.int64)[indices.to_numpy(zero_copy_only=False)])
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def _read(self, name: str, text: str | None) -> str | None:
        """Return what a text counts as; None if a row cannot have it."""
        if text is None or (name == "status" and text not in STATUSES):
            return None
        if name not in OBJECTS:
            return text
        try:
            data = parse_json(text, name, most_bytes=MAX_LINE_BYTES)
        except SchemaError:
            return None
        if not isinstance(data, dict) or (name == "policy" and data.get("statistic", "least") not in STATISTICS):
            return None
        return canonical_json({k: v for k, v in data.items() if k != "rounds"}) if name == "policy" else text

    def _true_claims(self, claimed: str, text: str, numbers: dict[str, Codes]) -> npt.NDArray[np.bool_]:
        """Return the rows whose digest is that of their text; each pair is computed once."""
        true = (numbers[claimed] >= 0) & (numbers[text] >= 0)
        digests, texts = numbers[claimed][true], numbers[text][true]
        proven = self.proven[claimed]
        proven = self.proven[claimed] = np.pad(proven, (0, len(self.codes[claimed]) - len(proven)), constant_values=-1)
        new = np.flatnonzero(proven[digests] != texts)
        if len(new):
            names, values = list(self.codes[claimed]), list(self.codes[text])
            for digest, value in dict.fromkeys(zip(digests[new].tolist(), texts[new].tolist(), strict=True)):
                if (claimed, digest, value) not in self.false:
                    self._prove(claimed, digest, value, names[digest], values[value])
        true[true] = proven[digests] == texts
        return true

    def _prove(self, claimed: str, digest: int, value: int, name: str, text: str) -> None:
        wrong = _false_claim(claimed, name, text)
        if not wrong:
            self.proven[claimed][digest] = value
            return
        self.false.add((claimed, digest, value))
        self.reasons += [wrong] if len(self.reasons) < MAX_REASONS else []

    def choose(self) -> tuple[npt.NDArray[np.bool_], Union]:
        """Return which rows stay, in the order of the files, and the counts."""
        held = {name: np.concatenate(parts) for name, parts in self.parts.items()}
        true, result = held["true"], Union(rows=len(held["at"]), reasons=self.reasons)
        result.false = int((~true).sum())
        if not result.rows:
            return true, result
        key = _packed([held[name] for name in IDENTITY], [len(self.codes[name]) for name in IDENTITY])
        order = _rivals(key, np.flatnonzero(true))
        content = held["content"][order] * _MIX + held["status"][order].astype(np.uint64)
        at, key = held["at"][order], key[order]
        latest = np.lexsort((content, at, key))
        order, content, at, key = order[latest], content[latest], at[latest], key[latest]
        again = _as_next(key)  # rows whose successor has the same identity
        same_time = again & _as_next(at)
        same = same_time & _as_next(content)
        keep = true.copy()
        keep[order[again]] = False
        result.kept, result.same = int(keep.sum()), int(same.sum())
        result.conflicts = int((same_time & ~same).sum())
        result.replaced = int((again & ~same_time).sum())
        return keep, result


def _rivals(key: Codes, places: Codes) -> Codes:
    """Return those of `places` whose key another of them has too: only these have to be compared."""
    order = places[np.argsort(key[places])]
    twin = _as_next(key[order])
    with_twin = twin.copy()
    with_twin[1:] |= twin[:-1]
    found: Codes = order[with_twin]
    return found


def _as_next(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which values are the same as their successor."""
    found = np.zeros(len(values), bool)
    found[:-1] = values[:-1] == values[1:]
    return found


def _false_claim(claimed: str, digest: str, text: str) -> str:
    """Return what is wrong with a digest of a kernel or problem; empty if it is right."""
    try:
        return not_its_own(claimed, digest, digest_of(claimed, text))
    except TilewrightError as error:
        return f"{claimed} {digest[:12]}: {error}"


def _true_numbers(table: Any, is_ok: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the rows whose other numbers are possible; an error that is no number is, unless the status is ok."""
    at = table["at"].fill_null(int(2 * MAX_AT)).to_numpy()
    true: npt.NDArray[np.bool_] = (at >= -MAX_AT) & (at <= MAX_AT) & table["samples"].is_valid().to_numpy()
    for name in ("error", "tolerance"):
        values = table[name].fill_null(0.0).to_numpy()
        true &= ~(values < 0)
        if name == "error":
            true &= ~is_ok | np.isfinite(values)
    return true


def _contents(samples: Any) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return a number for the samples of each row, and whether all of them are possible."""
    if not len(samples):
        return np.zeros(0, np.uint64), np.zeros(0, bool)
    ends = samples.offsets.to_numpy()
    values = samples.values.to_numpy(zero_copy_only=False).astype(np.float32)
    place = np.arange(len(values), dtype=np.int64) - np.repeat(ends[:-1], np.diff(ends))
    factors = _MIX * (2 * place.astype(np.uint64) + np.uint64(1))
    mixed = (values.view(np.uint32).astype(np.uint64) + np.uint64(1)) * factors
    wrong = ~((values >= LEAST_SECONDS) & (values <= MAX_SECONDS))
    sums, faults = (_running(mixed, np.uint64), _running(wrong, np.int64))
    return sums[ends[1:]] - sums[ends[:-1]], faults[ends[1:]] == faults[ends[:-1]]


def _running(values: Any, dtype: Any) -> Any:
    """Return the sums of the first 0, 1, 2 ... values."""
    return np.concatenate([np.zeros(1, dtype), np.cumsum(values, dtype=dtype)])


def _packed(columns: Sequence[Codes], sizes: Sequence[int]) -> Codes:
    """Return one number per row that is the same for rows that are the same in every column."""
    packed, range_ = columns[0], max(1, sizes[0])
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        if range_ * size >= 1 << 62:  # too many for 64 bits: count those that occur
            values, packed = np.unique(packed, return_inverse=True)
            range_ = len(values)
        packed, range_ = packed * max(1, size) + column, range_ * max(1, size)
    return packed


def _write(paths: Sequence[Path], keep: npt.NDArray[np.bool_], out: Path) -> None:
    """Write the rows that stay, many at a time."""
    pa = _arrow()
    schema = columns_schema()
    start, waiting, writer = 0, [], _writer(out, schema)
    try:
        for table in _ahead(paths, lambda path: pa.parquet.read_table(path, use_threads=False)):
            mine = keep[start : start + table.num_rows]
            start += table.num_rows
            if mine.any():
                chosen = table if mine.all() else table.filter(pa.array(mine))
                waiting.append(chosen.select(schema.names).cast(schema))
            if sum(t.num_rows for t in waiting) >= GROUP_ROWS:
                writer.write_table(pa.concat_tables(waiting).unify_dictionaries())
                waiting = []
        if waiting:
            writer.write_table(pa.concat_tables(waiting).unify_dictionaries())
    finally:
        writer.close()


def _writer(out: Path, schema: Any) -> Any:
    """Return a writer without what nobody reads: dictionaries of numbers, and statistics of columns."""
    options = {"compression": "zstd", "use_dictionary": [*JSON_COLUMNS, *TEXT_COLUMNS], "write_statistics": False}
    return _arrow().parquet.ParquetWriter(out, schema, **options)
