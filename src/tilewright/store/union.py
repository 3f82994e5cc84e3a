"""Measurements of many machines as one Parquet file, column by column: no row becomes a Python object.

Files are read twice: first the columns that decide which rows stay, then the rows themselves, a file at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..backends.plain import spec_from_dict
from ..errors import SchemaError, TilewrightError
from ..jit.files import replacing
from ..model.canonical import canonical_json
from ..model.json_text import MOST_LINE_BYTES, parse_json
from ..ops import problem_from_dict
from .measurement import LEAST_SECONDS, MOST_SECONDS, STATUSES
from .parquet import SCHEMA_KEY, _arrow, _check

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
# A digest and the text that it must be of: rows whose pair does not hold are set aside.
CLAIMS = (("spec_digest", "spec"), ("tuning_key", "problem"))
_MIX = np.uint64(0x9E3779B97F4A7C15)


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
    for path in paths:
        columns.read(path)
    keep, result = columns.choose()
    result.files = len(paths)
    with replacing(Path(out)) as temporary:
        _write(paths, keep, temporary)
    return result


class _Columns:
    """The columns that decide, as numbers: each distinct text has one, over all files."""

    def __init__(self) -> None:
        self.codes: dict[str, dict[str, int]] = {name: {} for name in (*IDENTITY, "spec", "problem", "status")}
        self.parts: dict[str, list[Any]] = {name: [] for name in (*self.codes, "at", "content", "valid")}

    def read(self, path: Path) -> None:
        """Add the rows of one file."""
        pa = _arrow()
        try:
            with pa.parquet.ParquetFile(path, read_dictionary=list(self.codes)) as file:
                _check(file)
                table = file.read([*self.codes, "at", "samples"])
        except SchemaError as error:
            raise SchemaError(f"{path}: {error.message}", remedy=error.remedy) from None
        except (pa.ArrowException, OSError) as error:
            raise SchemaError(f"{path} is not a Parquet file of measurements: {error}") from None
        for name in self.codes:
            self.parts[name].append(self._numbers(name, table[name]))
        self.parts["at"].append(table["at"].to_numpy())
        content, valid = _contents(table["samples"].combine_chunks())
        self.parts["content"].append(content)
        self.parts["valid"].append(valid)

    def _numbers(self, name: str, column: Any) -> Codes:
        """Return the number of each row's text; a policy is the same with another number of rounds."""
        known, found = self.codes[name], []
        for chunk in column.chunks:
            encoded = chunk if hasattr(chunk, "dictionary") else chunk.dictionary_encode()
            texts = [_without_rounds(t) if name == "policy" else t for t in encoded.dictionary.to_pylist()]
            numbers = np.array([known.setdefault(t or "", len(known)) for t in texts] or [0], np.int64)
            found.append(numbers[encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)])
        return np.concatenate(found) if found else np.zeros(0, np.int64)

    def choose(self) -> tuple[npt.NDArray[np.bool_], Union]:
        """Return which rows stay, in the order of the files, and the counts."""
        held = {name: np.concatenate(parts) for name, parts in self.parts.items()}
        result = Union(rows=len(held["at"]))
        true = held["valid"] & self._true_statuses(held["status"])
        for claimed, text in CLAIMS:
            true &= self._claims(claimed, text, held, result)
        result.false = int((~true).sum())
        if not result.rows:
            return true, result
        key = _packed([held[name] for name in IDENTITY], [len(self.codes[name]) for name in IDENTITY])
        content = held["content"] * _MIX + held["status"].astype(np.uint64)
        places = np.flatnonzero(true)
        order = places[np.lexsort((content[places], held["at"][places], key[places]))]
        again = np.zeros(len(order), bool)  # rows whose successor has the same identity
        again[:-1] = key[order[:-1]] == key[order[1:]]
        same_time = again.copy()
        same_time[:-1] &= held["at"][order[:-1]] == held["at"][order[1:]]
        same = same_time.copy()
        same[:-1] &= content[order[:-1]] == content[order[1:]]
        keep = np.zeros(result.rows, bool)
        keep[order[~again]] = True
        result.kept, result.same = int(keep.sum()), int(same.sum())
        result.conflicts = int((same_time & ~same).sum())
        result.replaced = int((again & ~same_time).sum())
        return keep, result

    def _true_statuses(self, codes: Codes) -> npt.NDArray[np.bool_]:
        known = np.array([text in STATUSES for text in self.codes["status"]] or [True])
        return known[codes] if len(codes) else np.ones(0, bool)

    def _claims(self, claimed: str, text: str, held: dict[str, Any], result: Union) -> npt.NDArray[np.bool_]:
        """Return the rows whose digest is that of their text; each pair is computed once."""
        texts, digests = list(self.codes[text]), list(self.codes[claimed])
        pairs, which = np.unique(held[claimed] * len(texts) + held[text], return_inverse=True)
        holds = np.ones(len(pairs), bool)
        for i, pair in enumerate(pairs.tolist()):
            digest, value = digests[pair // len(texts)], texts[pair % len(texts)]
            told = _false_claim(claimed, digest, value)
            if told:
                holds[i] = False
                result.reasons += [told] if len(result.reasons) < 8 else []
        return holds[which]


def _false_claim(claimed: str, digest: str, text: str) -> str:
    """Return what is wrong with a digest of a kernel or problem; empty if it is right."""
    try:
        data = parse_json(text, claimed, most_bytes=MOST_LINE_BYTES)
        true = spec_from_dict(data).digest if claimed == "spec_digest" else problem_from_dict(data).tuning_key
    except TilewrightError as error:
        return f"{claimed} {digest[:12]}: {error}"
    return "" if true == digest else f"{claimed} {digest[:12]} is that of another one; its own is {true[:12]}"


def _without_rounds(text: str | None) -> str:
    data = parse_json(text or "{}", "policy", most_bytes=MOST_LINE_BYTES)
    if not isinstance(data, dict):
        raise SchemaError("policy is not an object")
    return canonical_json({k: v for k, v in data.items() if k != "rounds"})


def _contents(samples: Any) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.bool_]]:
    """Return a number for the samples of each row, and whether all of them are possible."""
    if not len(samples):
        return np.zeros(0, np.uint64), np.zeros(0, bool)
    ends = samples.offsets.to_numpy()
    values = samples.values.to_numpy(zero_copy_only=False).astype(np.float32)
    place = np.arange(len(values), dtype=np.int64) - np.repeat(ends[:-1], np.diff(ends))
    factors = _MIX * (2 * place.astype(np.uint64) + np.uint64(1))
    mixed = (values.view(np.uint32).astype(np.uint64) + np.uint64(1)) * factors
    wrong = ~((values >= LEAST_SECONDS) & (values <= MOST_SECONDS))
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
    """Write the rows that stay, a file at a time."""
    pa = _arrow()
    writer, start = None, 0
    try:
        for path in paths:
            with pa.parquet.ParquetFile(path) as file:
                table = file.read()
            mine = keep[start : start + table.num_rows]
            start += table.num_rows
            if writer is None:
                meta = {SCHEMA_KEY: table.schema.metadata[SCHEMA_KEY]}
                schema = table.schema.with_metadata(meta)
                writer = pa.parquet.ParquetWriter(out, schema, compression="zstd")
            if mine.any():
                chosen = table if mine.all() else table.filter(pa.array(mine))
                writer.write_table(chosen.select(schema.names).cast(schema))
    finally:
        if writer is not None:
            writer.close()
