"""Measurements as Parquet: datasets that are kept for years."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import floor
from pathlib import Path
from typing import Any

from ..errors import MissingExtraError, SchemaError
from ..model.canonical import canonical
from ..model.json_text import MAX_LINE_BYTES, json_text, parse_json, refuse_pipe
from .measurement import MEASUREMENT_SCHEMA, Measurement

JSON_COLUMNS = ("problem", "spec", "device", "launch", "clocks", "policy")
TEXT_COLUMNS = ("tuning_key", "spec_digest", "build_key", "status", "tier", "artifact", "toolchain", "host", "run",
                "message")  # fmt: skip
NUMBER_COLUMNS = ("error", "tolerance", "at", "samples")
SCHEMA_KEY = b"tilewright.measurements"
MAX_SINGLE = float.fromhex("0x1.fffffep127")  # the largest number of single precision
MAX_ROWS = 50_000_000
MAX_BYTES = 8 << 30  # of all columns, unpacked
BATCH = 4096  # rows that are held at once


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", extra="tune", why="to read and write Parquet datasets") from None
    return pyarrow


def columns_schema() -> Any:
    """Return the Arrow schema of a file of measurements."""
    pa = _arrow()
    texts = dict.fromkeys((*JSON_COLUMNS, *TEXT_COLUMNS), pa.dictionary(pa.int32(), pa.string()))
    numbers = {"error": pa.float32(), "tolerance": pa.float32(), "at": pa.int64(), "samples": pa.list_(pa.float32())}
    return pa.schema({**texts, **numbers}, {SCHEMA_KEY: str(MEASUREMENT_SCHEMA).encode()})


def write_parquet(rows: Iterable[Measurement], path: Path) -> int:
    """Write measurements. Many rows share few problems, specs and devices: dictionary columns keep the file small."""
    pa, kept = _arrow(), list(rows)
    columns: dict[str, Any] = {
        c: pa.array([json_text(canonical(getattr(r, c)), sort_keys=True) for r in kept], pa.string())
        for c in JSON_COLUMNS
    }
    columns |= {c: pa.array([getattr(r, c) for r in kept], pa.string()) for c in TEXT_COLUMNS}
    columns |= {c: pa.array([_single(getattr(r, c)) for r in kept], pa.float32()) for c in ("error", "tolerance")}
    # Whole seconds: more digits only take space. Never later than the row itself, which a merge must not replace.
    columns["at"] = pa.array([floor(r.at) for r in kept], pa.int64())
    columns["samples"] = pa.array([list(r.samples) for r in kept], pa.list_(pa.float32()))
    pa.parquet.write_table(pa.table(columns).cast(columns_schema()), path, compression="zstd", compression_level=19)
    return len(kept)


def _single(value: float | None) -> float | None:
    """Return a number that is finite in single precision too: infinity is no error of a correct kernel."""
    return value if value is None else min(value, MAX_SINGLE)


def read_parquet(path: Path) -> Iterator[Measurement]:
    """Yield the measurements of a file, a few thousand rows at a time; raise `SchemaError` for anything else."""
    pa = _arrow()
    number = 0
    try:
        refuse_pipe(path)
        with pa.parquet.ParquetFile(path) as file:
            _check(file)
            for batch in file.iter_batches(BATCH):
                read: dict[str, Any] = {}  # rows share problems, specs and devices
                for row in batch.to_pylist():
                    number += 1
                    yield _measurement(row, read)
    except SchemaError as error:
        where = f", row {number}" if number else ""
        raise SchemaError(f"{path}{where}: {error.message}", remedy=error.remedy) from None
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, MemoryError) as error:
        raise SchemaError(
            f"{path} is not a Parquet file of measurements: {error}", remedy="get the file again"
        ) from None


def _check(file: Any) -> None:
    """Refuse another schema, missing columns, and what would not fit into memory, by the file's metadata."""
    about = file.metadata
    schema = (about.metadata or {}).get(SCHEMA_KEY, b"none").decode(errors="replace")
    if schema != str(MEASUREMENT_SCHEMA):
        raise SchemaError(f"measurements of schema {schema}; this version reads {MEASUREMENT_SCHEMA}")
    absent = {*JSON_COLUMNS, *TEXT_COLUMNS, *NUMBER_COLUMNS} - set(file.schema_arrow.names)
    if absent:
        raise SchemaError(f"the columns {', '.join(sorted(absent))} are missing", remedy="export it again")
    size = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    if about.num_rows > MAX_ROWS or size > MAX_BYTES:
        raise SchemaError(
            f"{about.num_rows:,} rows and {size:,} bytes; at most {MAX_ROWS:,} and {MAX_BYTES:,} are read",
            remedy="split it",
        )


def _measurement(row: dict[str, Any], read: dict[str, Any]) -> Measurement:
    for c in JSON_COLUMNS:
        text = row[c]
        if not isinstance(text, str):
            raise SchemaError(f"{c} is not text")
        if text not in read:
            read[text] = parse_json(text, c, most_bytes=MAX_LINE_BYTES)
        row[c] = read[text]
    row["at"] = float(row["at"])
    return Measurement.from_dict({"schema": MEASUREMENT_SCHEMA, **row})
