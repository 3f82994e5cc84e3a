"""Measurements in files: Parquet for datasets, JSON lines for machines that have nothing else, SQLite to hand over."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..errors import MissingExtraError, SchemaError, StoreError
from .measurement import MEASUREMENT_SCHEMA, Measurement
from .sqlite import Store

JSON_COLUMNS = ("problem", "spec", "device", "launch", "clocks", "policy")
TEXT_COLUMNS = ("tuning_key", "spec_digest", "build_key", "status", "tier", "artifact", "toolchain", "host", "run",
                "message")  # fmt: skip
SCHEMA_KEY = b"tilewright.measurements"


def write_rows(rows: Iterable[Measurement], path: str | Path) -> int:
    """Write measurements in the format that the file's name ends in; answers how many.

    >>> import tempfile
    >>> write_rows([], tempfile.mkdtemp() + "/rows.jsonl")
    0
    """
    path = Path(path)
    _, write = _format(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    return int(write(rows, path))


def read_rows(path: str | Path) -> Iterator[Measurement]:
    """The measurements of a file, whatever its format.

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/rows.jsonl.gz"
    >>> write_rows([], name), list(read_rows(name))
    (0, [])
    """
    path = Path(path)
    read, _ = _format(path)
    if not path.exists():
        raise StoreError(f"{path} is not there", remedy="give a file that `tilewright data export` wrote")
    yield from read(path)


def _format(path: Path) -> Any:
    for ending, pair in _FORMATS.items():
        if path.name.endswith(ending):
            return pair
    raise StoreError(
        f"{path.name} is in no known format of measurements", remedy=f"end the name in one of {', '.join(_FORMATS)}"
    )


def _write_lines(rows: Iterable[Measurement], path: Path) -> int:
    count = 0
    with _opened(path, "wt") as file:
        for count, row in enumerate(rows, 1):  # noqa: B007 - counts
            file.write(json.dumps(row.to_dict(), separators=(",", ":")) + "\n")
    return count


def _read_lines(path: Path) -> Iterator[Measurement]:
    number = 0
    try:
        with _opened(path, "rt") as file:
            for number, line in enumerate(file, 1):  # noqa: B007 - the errors below name it
                if not line.endswith("\n"):  # a process that was killed leaves half a line at the end
                    return
                yield Measurement.from_dict(json.loads(line))
    except SchemaError as error:
        raise SchemaError(f"{path}, line {number}: {error.message}", remedy=error.remedy) from None
    except (ValueError, TypeError, AttributeError, EOFError, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise SchemaError(f"{path}, line {max(number, 1)}: no measurement: {error}") from None


def _opened(path: Path, mode: str) -> Any:
    if path.suffix == ".gz":
        return gzip.open(path, mode)
    if path.suffix == ".xz":  # a GPU waits for what is written: three times as fast as usual, and a sixth larger
        return lzma.open(path, mode, preset=3 if mode == "wt" else None)
    return path.open(mode.replace("t", ""))


def _write_store(rows: Iterable[Measurement], path: Path) -> int:
    with Store(path) as store:
        return store.merge(rows)[0]


def _read_store(path: Path) -> Iterator[Measurement]:
    with Store(path) as store:
        yield from store.rows()


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", extra="tune", why="to read and write Parquet datasets") from None
    return pyarrow


def _write_parquet(rows: Iterable[Measurement], path: Path) -> int:
    """Few distinct problems, specs and devices stand in many rows: dictionaries make them cost next to nothing."""
    pa, kept = _arrow(), list(rows)
    text = pa.dictionary(pa.int32(), pa.string())
    columns: dict[str, Any] = {
        c: pa.array([json.dumps(r.to_dict().get(c, {}), sort_keys=True) for r in kept], pa.string()).cast(text)
        for c in JSON_COLUMNS
    }
    columns |= {c: pa.array([getattr(r, c) for r in kept], pa.string()).cast(text) for c in TEXT_COLUMNS}
    columns |= {c: pa.array([getattr(r, c) for r in kept], pa.float32()) for c in ("error", "tolerance")}
    columns["at"] = pa.array([round(r.at) for r in kept], pa.int64())  # whole seconds: digits that nobody needs cost
    columns["samples"] = pa.array([list(r.samples) for r in kept], pa.list_(pa.float32()))
    table = pa.table(columns).replace_schema_metadata({SCHEMA_KEY: str(MEASUREMENT_SCHEMA).encode()})
    pa.parquet.write_table(table, path, compression="zstd", compression_level=19)
    return len(kept)


def _read_parquet(path: Path) -> Iterator[Measurement]:
    table = _arrow().parquet.read_table(path)
    schema = (table.schema.metadata or {}).get(SCHEMA_KEY, b"none").decode()
    if schema != str(MEASUREMENT_SCHEMA):
        raise SchemaError(f"{path} holds measurements of schema {schema}; this version reads {MEASUREMENT_SCHEMA}")
    for row in table.to_pylist():
        row.update({c: json.loads(row[c]) for c in JSON_COLUMNS}, at=float(row["at"]))
        yield Measurement.from_dict({"schema": MEASUREMENT_SCHEMA, **row})


_FORMATS: dict[str, tuple[Callable[[Path], Iterator[Measurement]], Callable[[Iterable[Measurement], Path], int]]] = {
    ".parquet": (_read_parquet, _write_parquet),
    ".jsonl": (_read_lines, _write_lines),
    ".jsonl.gz": (_read_lines, _write_lines),
    ".jsonl.xz": (_read_lines, _write_lines),
    ".sqlite": (_read_store, _write_store),
}
