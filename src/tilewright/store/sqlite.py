"""The live store: one SQLite file in WAL mode. Every row is committed at once, so a killed process loses only the
current measurement; several processes may read and write at once. Reading never creates or changes the file."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from ..errors import SchemaError, StoreError
from ..model.canonical import canonical_json
from ..model.json_text import MAX_LINE_BYTES, json_text, parse_json
from ..model.locks import after_fork, new_rlock
from ..settings import Settings
from .connection import Errors, Reader, file_identity, open_to_write
from .ledger import Missed
from .measurement import Measurement

PATIENCE = 30.0  # seconds that a command waits for another writer
CALL_PATIENCE = 0.1  # seconds that a selection waits; it has other ways to choose
CHUNK = 256  # rows that a merge writes at once
CHUNK_PAUSE = 0.005  # seconds between them, so that others can write
log = logging.getLogger("tilewright")

PLAIN = ("build_key", "status", "error", "tolerance", "tier", "artifact", "toolchain", "host", "run", "at", "message")
PACKED = ("launch", "samples", "clocks", "policy")
INSERT = (
    "INSERT OR REPLACE INTO measurements (id, tuning_key, spec_digest, device_digest, "
    f"{', '.join((*PLAIN, *PACKED))}) VALUES ({', '.join('?' * (4 + len(PLAIN) + len(PACKED)))})"
)
SELECT = (
    "SELECT p.data, s.data, d.data, m.tuning_key, m.spec_digest, "
    f"{', '.join('m.' + c for c in (*PLAIN, *PACKED))} FROM measurements m "  # a row without a part is a bad row
    "LEFT JOIN problems p USING (tuning_key) LEFT JOIN specs s ON s.digest = m.spec_digest "
    "LEFT JOIN devices d ON d.digest = m.device_digest"
)
ANY = (
    "SELECT 1 FROM measurements m JOIN problems p USING (tuning_key) WHERE m.device_digest = ? AND p.op = ? "
    "AND m.status = 'ok' LIMIT 1"
)
FILTERS = {"op": "p.op", "arch": "s.arch", "backend": "s.backend", "tuning_key": "m.tuning_key",
           "device": "m.device_digest", "status": "m.status", "run": "m.run"}  # fmt: skip


def data_root(settings: Settings | None = None) -> Path:
    """Return the folder of measurements and models: the setting `data_dir`, or the platform's folder for user data.

    >>> str(data_root(Settings(data_dir="/tmp/x")))
    '/tmp/x'
    """
    settings = settings if settings is not None else Settings.from_env()
    if settings.data_dir:
        return Path(settings.data_dir).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("tilewright", appauthor=False))


def store_path(settings: Settings | None = None) -> Path:
    """Return the user's own store.

    >>> store_path(Settings(data_dir="/tmp/x")).name
    'measurements.sqlite'
    """
    return data_root(settings) / "measurements.sqlite"


_of_parent: list[Any] = []  # connections that a fork inherited; closing one would act on the file


class Store:
    """A store of measurements. Thread-safe; the file is created at the first write.

    `patience` is how long to wait for another process that writes, in seconds. Rows that are not measurements are
    skipped, with one warning.

    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp() + "/s.sqlite")
    >>> store.put([Measurement({"op": "gemm"}, "t", {"backend": "cpu", "arch": "a"}, "s", {}, "b", {"name": "d"})])
    >>> [m.tuning_key for m in store.rows(op="gemm")]
    ['t']
    """

    writes: ClassVar[int] = 0  # transactions of this process, on any store

    def __init__(self, path: str | Path, patience: float = PATIENCE) -> None:
        self.path, self._file, self.patience = Path(path), os.fspath(path), patience
        self._lock = new_rlock()
        self._reader: Reader | None = None
        self._writer: sqlite3.Connection | None = None
        self._written: tuple[int, ...] = ()
        self._reported = False
        self._version: int | None = None
        self._holds: dict[tuple[str, str], bool] = {}
        self._known: dict[str, set[str]] = {"problems": set(), "specs": set(), "devices": set()}
        after_fork(self._leave_connections)

    def _leave_connections(self) -> None:
        """Open the file anew in a forked child: SQLite's connections belong to the process that opened them."""
        _of_parent.extend(one for one in (self._reader, self._writer) if one is not None)
        self._reader = self._writer = self._version = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # nobody closed it; Python may be ending
            self.close()

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        with self._lock:
            self._close_reader()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def exists(self) -> bool:
        """Return whether anything was ever written: the file exists.

        >>> Store("/nowhere/at/all.sqlite").exists()
        False
        """
        return self._reader is not None or os.path.exists(self._file)

    def put(self, rows: Iterable[Measurement]) -> None:
        """Write rows, each replacing an earlier one of the same identity, in one transaction."""
        with self._writing() as db:
            for row in rows:
                self._put(db, row)

    def rows(self, **where: str) -> Iterator[Measurement]:
        """Yield the rows with these properties (op, arch, backend, tuning_key, device, status, run), oldest first."""
        bad, read = [], _Parts()
        for row in self._select(where):
            try:
                yield _measurement(row, read)
            except SchemaError as error:
                bad.append(error.message)
        if bad and not self._reported:
            self._reported = True
            log.warning("%d rows of the store %s are skipped: %s", len(bad), self.path, bad[0])

    def checked_rows(self) -> Iterator[Measurement]:
        """Yield all rows; raise `SchemaError` at the first that is not a measurement. For files from elsewhere."""
        with self._lock, Errors(self.path):
            if self._open_reader() is None and self.exists():
                raise SchemaError(f"{self.path} is empty: it was truncated", remedy="get the file again")
        read = _Parts()
        for row in self._select({}):
            try:
                yield _measurement(row, read)
            except SchemaError as error:
                raise SchemaError(f"{self.path}: {error.message}", remedy="get the file again") from None

    def _select(self, where: dict[str, str]) -> list[Any]:
        unknown = set(where) - set(FILTERS)
        if unknown:
            raise StoreError(f"measurements cannot be filtered by {sorted(unknown)}", remedy=f"use {sorted(FILTERS)}")
        if "op" in where:
            where["op"] = _name_in_files(where["op"])
        tests = " AND ".join(f"{FILTERS[name]} = ?" for name in where)
        query = f"{SELECT}{' WHERE ' + tests if tests else ''} ORDER BY m.at, m.id"
        return self._execute(query, where.values())

    def holds(self, op: str, device: str) -> bool:
        """Return whether there is any measurement of an op on a device (by digest); cached until the file changes.

        >>> Store("/nowhere/at/all.sqlite").holds("gemm", "d")
        False
        """
        if not self.exists():
            return False
        with self._lock:
            version = self._data_version()
            if version is None:
                return False
            if version != self._version:
                self._version, self._holds = version, {}
            found = self._holds.get((op, device))
            if found is None:
                found = bool(self._execute(ANY, (device, _name_in_files(op))))
                self._holds[op, device] = found
            return found

    def __len__(self) -> int:
        return sum(row[0] for row in self._execute("SELECT count(*) FROM measurements"))

    def counts(self) -> list[tuple[str, str, str, str, int, int]]:
        """Return (op, backend, arch, status, rows, problems) of every kind of row."""
        query = (
            "SELECT p.op, s.backend, s.arch, m.status, count(*), count(DISTINCT m.tuning_key) FROM measurements m "
            "JOIN problems p USING (tuning_key) JOIN specs s ON s.digest = m.spec_digest GROUP BY 1, 2, 3, 4 "
            "ORDER BY 1, 2, 3, 4"
        )
        return self._execute(query)

    def merge(self, rows: Iterable[Measurement], chunk: int = CHUNK) -> tuple[int, int]:
        """Add rows from elsewhere; return (new, already known). Of two rows with one identity the later one stays.

        Every `chunk` rows are one transaction, and others may write between them. If a later row cannot be read, merged
        rows stay and another merge continues there; a `chunk` of 0 adds all rows or none.
        """
        rows, new, known = iter(rows), 0, 0
        while part := list(islice(rows, chunk or None)):
            added = self._merge_part(part)
            new, known = new + added, known + len(part) - added
            if len(part) < chunk:
                break
            time.sleep(CHUNK_PAUSE)
        return new, known

    def _merge_part(self, rows: Iterable[Measurement]) -> int:
        new = 0
        with self._writing() as db:
            for row in rows:
                have = db.execute("SELECT at FROM measurements WHERE id = ?", (row.id,)).fetchone()
                new += have is None
                if have is None or have[0] < row.at:
                    self._put(db, row)
        return new

    def seal(self) -> None:
        """Close the file in a form to pass on: one file, readable from a read-only folder."""
        with self._lock, Errors(self.path):
            self._close_reader()
            self._open_writer().execute("PRAGMA journal_mode = DELETE")
            self.close()

    def check(self) -> list[str]:
        """Return what is wrong with the file, by SQLite's own check and by reading every row; empty if nothing is."""
        found = [r[0] for r in self._execute("PRAGMA integrity_check") if r[0] != "ok"]
        read = _Parts()
        for row in self._select({}):
            try:
                _measurement(row, read)
            except SchemaError as error:
                found.append(error.message)
        return found

    # The ledger: problems that were planned without a measurement.

    def miss(self, entries: Iterable[Missed]) -> None:
        """Add to the ledger; counts and times of the same problem on the same device add up."""
        query = (
            "INSERT INTO missed VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tuning_key, device_digest) DO UPDATE SET "
            "count = count + excluded.count, seconds = excluded.seconds, answered_by = excluded.answered_by, "
            "at = excluded.at"
        )
        with self._writing() as db:
            for e in entries:
                row = (e.tuning_key, e.device_digest, json.dumps(e.problem), e.count, e.seconds, e.answered_by)
                db.execute(query, (*row, e.at or time.time()))

    def missed(self) -> list[Missed]:
        """Return the ledger, most time first, without problems that were measured since."""
        query = (
            "SELECT tuning_key, device_digest, problem, count, seconds, answered_by, at FROM missed x WHERE NOT EXISTS "
            "(SELECT 1 FROM measurements m WHERE m.tuning_key = x.tuning_key AND m.device_digest = x.device_digest "
            "AND m.status = 'ok')"
        )
        found = [m for m in map(_missed, self._execute(query)) if m is not None]
        return sorted(found, key=lambda e: (-e.weight, e.tuning_key))

    def forget_missed(self) -> int:
        """Empty the ledger; return how many entries there were."""
        with self._writing() as db:
            return db.execute("DELETE FROM missed").rowcount

    # Inside.

    def _put(self, db: sqlite3.Connection, row: Measurement) -> None:
        self._put_parts(db, row)
        packed = [json_text(_plain(getattr(row, c)), separators=(",", ":")) for c in PACKED]
        keys = (row.id, row.tuning_key, row.spec_digest, row.device_digest)
        db.execute(INSERT, (*keys, *(getattr(row, c) for c in PLAIN), *packed))

    def _put_parts(self, db: sqlite3.Connection, row: Measurement) -> None:
        """Write the problem, spec and device of a row, each once."""
        op, spec = str(row.problem.get("op", "")), row.spec
        parts: tuple[tuple[str, str, tuple[str, ...], Mapping[str, Any]], ...] = (
            ("problems", row.tuning_key, (op,), row.problem),
            ("specs", row.spec_digest, (str(spec.get("backend", "")), str(spec.get("arch", ""))), spec),
            ("devices", row.device_digest, (), row.device),
        )
        for table, key, columns, data in parts:
            if key not in self._known[table]:
                marks = ", ".join("?" * (2 + len(columns)))
                values = (key, *columns, canonical_json(data))
                db.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", values)
                self._known[table].add(key)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Run one transaction."""
        with self._lock, Errors(self.path):
            db = self._open_writer()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                for known in self._known.values():
                    known.clear()
                raise
            db.execute("COMMIT")
            Store.writes += 1

    def _data_version(self) -> int | None:
        """Return a number that changes with every write, of any process; None if there is no store."""
        with Errors(self.path):
            reader = self._open_reader()
            return None if reader is None else int(reader.db.execute("PRAGMA data_version").fetchone()[0])

    def _execute(self, query: str, values: Iterable[Any] = ()) -> list[Any]:
        """Return the rows of a query; none if there is no store."""
        with self._lock, Errors(self.path):
            reader = self._open_reader()
            return reader.db.execute(query, tuple(values)).fetchall() if reader is not None else []

    def _open_reader(self) -> Reader | None:
        if self._reader is not None and self._reader.stale():
            self._close_reader()
        if self._reader is None:
            if not os.path.exists(self._file):
                return None
            self._reader = Reader(self.path, self.patience)
        if self._reader.empty:
            self._close_reader()
        return self._reader

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.db.close()
        self._reader, self._version = None, None

    def _open_writer(self) -> sqlite3.Connection:
        if self._writer is not None and file_identity(self._file) != self._written:
            self._writer.close()  # the file was removed or replaced
            self._writer = None
        if self._writer is None:
            self._writer = open_to_write(self.path, self.patience)
            self._written = file_identity(self._file)
            for known in self._known.values():
                known.clear()
        return self._writer


def _name_in_files(op: str) -> str:
    """Return the name of an op in problem files: "grouped_conv" for "conv"."""
    from ..errors import UnknownNameError
    from ..ops import get_op

    try:
        found = get_op(op)
    except UnknownNameError:
        return op
    return str(found.also_called[-1] if found.also_called else found.name)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value)


class _Parts(dict[str, Any]):
    """Problems, specs and devices by their text: many rows share them, so each is read once."""

    def __missing__(self, text: str) -> Any:
        found = self[text] = _json(text)
        return found


def _json(text: Any) -> Any:
    """Return the data of a JSON text in the store. Older versions wrote NaN where nothing was known."""
    if not isinstance(text, str):
        raise SchemaError(f"a {type(text).__name__} instead of a text")
    return parse_json(text, "a text", most_bytes=MAX_LINE_BYTES, allow_nan=True)


def _measurement(row: tuple[Any, ...], read: _Parts) -> Measurement:
    """Return the measurement of a row; raise `SchemaError` if the row is not one."""
    problem, spec, device, tuning_key, spec_digest, *rest = row
    values = dict(zip((*PLAIN, *PACKED), rest, strict=True))
    try:
        values.update({c: _json(values[c]) for c in PACKED})
        values["samples"] = tuple(values["samples"])
        parts = [read[part] for part in (problem, spec, device)]
    except (SchemaError, TypeError) as error:
        said = error.message if isinstance(error, SchemaError) else error
        raise SchemaError(f"a row of problem {str(tuning_key)[:12]} is no measurement: {said}") from None
    return Measurement(parts[0], tuning_key, parts[1], spec_digest, device=parts[2], **values)


def _missed(row: tuple[Any, ...]) -> Missed | None:
    """Return an entry of the ledger; None if the row is not one."""
    try:
        problem = _json(row[2])
        numbers = (int(row[3]), float(row[4]), str(row[5]), float(row[6]))
    except (SchemaError, ValueError, TypeError, OverflowError):
        return None
    return Missed(str(row[0]), str(row[1]), problem, *numbers) if isinstance(problem, dict) else None
