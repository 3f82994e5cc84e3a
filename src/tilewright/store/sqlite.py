"""The live store: one SQLite file in WAL mode. Every row is committed as it comes, so a killed process loses nothing
but what it was measuring; several processes may read and write at once."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import SchemaError, StoreError
from ..model.canonical import canonical_json
from ..settings import Settings
from .ledger import Missed
from .measurement import Measurement

STORE_SCHEMA = 1
TABLES = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS problems (tuning_key TEXT PRIMARY KEY, op TEXT NOT NULL, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS specs (digest TEXT PRIMARY KEY, backend TEXT NOT NULL, arch TEXT NOT NULL,
                                  data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS devices (digest TEXT PRIMARY KEY, data TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS measurements (
  id TEXT PRIMARY KEY, tuning_key TEXT NOT NULL, spec_digest TEXT NOT NULL, device_digest TEXT NOT NULL,
  launch TEXT NOT NULL, build_key TEXT NOT NULL, status TEXT NOT NULL, samples TEXT NOT NULL, error REAL,
  tolerance REAL, tier TEXT, clocks TEXT NOT NULL, policy TEXT NOT NULL, artifact TEXT NOT NULL,
  toolchain TEXT NOT NULL, host TEXT NOT NULL, run TEXT NOT NULL, at REAL NOT NULL, message TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS by_problem ON measurements (tuning_key, device_digest);
CREATE TABLE IF NOT EXISTS missed (
  tuning_key TEXT NOT NULL, device_digest TEXT NOT NULL, problem TEXT NOT NULL, count INTEGER NOT NULL,
  seconds REAL NOT NULL, answered_by TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (tuning_key, device_digest));
"""
PLAIN = ("build_key", "status", "error", "tolerance", "tier", "artifact", "toolchain", "host", "run", "at", "message")
PACKED = ("launch", "samples", "clocks", "policy")
INSERT = (
    "INSERT OR REPLACE INTO measurements (id, tuning_key, spec_digest, device_digest, "
    f"{', '.join((*PLAIN, *PACKED))}) VALUES ({', '.join('?' * (4 + len(PLAIN) + len(PACKED)))})"
)
SELECT = (
    "SELECT p.data, s.data, d.data, m.tuning_key, m.spec_digest, "
    f"{', '.join('m.' + c for c in (*PLAIN, *PACKED))} FROM measurements m JOIN problems p USING (tuning_key) "
    "JOIN specs s ON s.digest = m.spec_digest JOIN devices d ON d.digest = m.device_digest"
)
ANY = (
    "SELECT 1 FROM measurements m JOIN problems p USING (tuning_key) WHERE m.device_digest = ? AND p.op = ? "
    "AND m.status = 'ok' LIMIT 1"
)
FILTERS = {"op": "p.op", "arch": "s.arch", "backend": "s.backend", "tuning_key": "m.tuning_key",
           "device": "m.device_digest", "status": "m.status", "run": "m.run"}  # fmt: skip


def data_root(settings: Settings | None = None) -> Path:
    """The folder of measurements and models: the setting `data_dir`, or the platform's folder for user data.

    >>> str(data_root(Settings(data_dir="/tmp/x")))
    '/tmp/x'
    """
    settings = settings if settings is not None else Settings.from_env()
    if settings.data_dir:
        return Path(settings.data_dir).expanduser().absolute()
    import platformdirs

    return Path(platformdirs.user_data_dir("tilewright", appauthor=False))


def store_path(settings: Settings | None = None) -> Path:
    """The user's own store.

    >>> store_path(Settings(data_dir="/tmp/x")).name
    'measurements.sqlite'
    """
    return data_root(settings) / "measurements.sqlite"


class Store:
    """Measurements by what they are of. Thread-safe; the file is made at the first write.

    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp() + "/s.sqlite")
    >>> store.put([Measurement({"op": "gemm"}, "t", {"backend": "cpu", "arch": "a"}, "s", {}, "b", {"name": "d"})])
    >>> [m.tuning_key for m in store.rows(op="gemm")]
    ['t']
    """

    def __init__(self, path: str | Path) -> None:
        self.path, self._file = Path(path), os.fspath(path)
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._version: tuple[int, int] | None = None
        self._holds: dict[tuple[str, str], bool] = {}
        self._known: dict[str, set[str]] = {"problems": set(), "specs": set(), "devices": set()}

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; a later use opens it again."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def exists(self) -> bool:
        """Whether anything was ever written: the file is there.

        >>> Store("/nowhere/at/all.sqlite").exists()
        False
        """
        return self._db is not None or os.path.exists(self._file)

    def put(self, rows: Iterable[Measurement]) -> None:
        """Write rows, each replacing an earlier one of the same identity, in one transaction."""
        with self._writing() as db:
            for row in rows:
                self._put_parts(db, row)
                packed = [json.dumps(_plain(getattr(row, c)), separators=(",", ":")) for c in PACKED]
                keys = (row.id, row.tuning_key, row.spec_digest, row.device_digest)
                db.execute(INSERT, (*keys, *(getattr(row, c) for c in PLAIN), *packed))

    def rows(self, **where: str) -> Iterator[Measurement]:
        """The rows with these properties (op, arch, backend, tuning_key, device, status, run), oldest first."""
        if not self.exists():
            return
        unknown = set(where) - set(FILTERS)
        if unknown:
            raise StoreError(f"measurements cannot be filtered by {sorted(unknown)}", remedy=f"use {sorted(FILTERS)}")
        if "op" in where:
            where["op"] = _name_in_files(where["op"])
        tests = " AND ".join(f"{FILTERS[name]} = ?" for name in where)
        query = f"{SELECT}{' WHERE ' + tests if tests else ''} ORDER BY m.at, m.id"
        with self._lock:
            found = self._execute(query, tuple(where.values()))
        for row in found:
            yield _measurement(row)

    def holds(self, op: str, device: str) -> bool:
        """Whether there is any measurement of an op on a device (by digest); asked again only after the file changed.

        >>> Store("/nowhere/at/all.sqlite").holds("gemm", "d")
        False
        """
        if not self.exists():
            return False
        with self._lock:
            version = self._data_version()
            if version != self._version:
                self._version, self._holds = version, {}
            found = self._holds.get((op, device))
            if found is None:
                found = bool(self._execute(ANY, (device, _name_in_files(op))))
                self._holds[op, device] = found
            return found

    def __len__(self) -> int:
        if not self.exists():
            return 0
        with self._lock:
            return int(self._execute("SELECT count(*) FROM measurements")[0][0])

    def counts(self) -> list[tuple[str, str, str, str, int, int]]:
        """(op, backend, arch, status, rows, problems) of every kind of row there is."""
        if not self.exists():
            return []
        query = (
            "SELECT p.op, s.backend, s.arch, m.status, count(*), count(DISTINCT m.tuning_key) FROM measurements m "
            "JOIN problems p USING (tuning_key) JOIN specs s ON s.digest = m.spec_digest GROUP BY 1, 2, 3, 4 "
            "ORDER BY 1, 2, 3, 4"
        )
        with self._lock:
            return self._execute(query)

    def merge(self, rows: Iterable[Measurement]) -> tuple[int, int]:
        """Take over rows of elsewhere; answers (new, known already). Of two with one identity the later one stays."""
        new = known = 0
        with self._writing() as db:
            for row in rows:
                have = db.execute("SELECT at FROM measurements WHERE id = ?", (row.id,)).fetchone()
                if have is not None and have[0] >= row.at:
                    known += 1
                    continue
                new += have is None
                known += have is not None
                self.put([row])
        return new, known

    def check(self) -> list[str]:
        """What is wrong with the file, by SQLite's own check and by reading every row; empty where nothing is."""
        with self._lock:
            said = [r[0] for r in self._execute("PRAGMA integrity_check")]
        found = [s for s in said if s != "ok"]
        for row in self.rows():
            if row.ok and not row.seconds > 0:
                found.append(f"measurement {row.id[:12]} has {row.seconds} seconds")
        return found

    # The ledger: problems that no measurement answered.

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
        """The ledger, most time first; problems that were measured since are left out."""
        if not self.exists():
            return []
        query = (
            "SELECT tuning_key, device_digest, problem, count, seconds, answered_by, at FROM missed x WHERE NOT EXISTS "
            "(SELECT 1 FROM measurements m WHERE m.tuning_key = x.tuning_key AND m.device_digest = x.device_digest "
            "AND m.status = 'ok')"
        )
        with self._lock:
            found = [Missed(r[0], r[1], json.loads(r[2]), *r[3:]) for r in self._execute(query)]
        return sorted(found, key=lambda e: (-e.weight, e.tuning_key))

    def forget_missed(self) -> int:
        """Empty the ledger; answers how many entries there were."""
        with self._writing() as db:
            return db.execute("DELETE FROM missed").rowcount

    # Inside.

    def _put_parts(self, db: sqlite3.Connection, row: Measurement) -> None:
        """The problem, spec and device of a row, each written once."""
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
        """One transaction; a nested one joins it."""
        with self._lock, _Errors(self.path):
            db = self._open()
            if db.in_transaction:
                yield db
                return
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                for known in self._known.values():
                    known.clear()
                raise
            db.execute("COMMIT")

    def _data_version(self) -> tuple[int, int]:
        """What changes with every write, here or elsewhere."""
        with _Errors(self.path):
            db = self._open()
            return db.execute("PRAGMA data_version").fetchone()[0], db.total_changes

    def _execute(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with _Errors(self.path):
            return self._open().execute(query, values).fetchall()

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            db = sqlite3.connect(self.path, timeout=30.0, isolation_level=None, check_same_thread=False)
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = NORMAL")
            db.executescript(TABLES)
            db.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (str(STORE_SCHEMA),))
            schema = db.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()[0]
            if schema != str(STORE_SCHEMA):
                db.close()
                raise SchemaError(f"store {self.path} has schema {schema}; this version reads {STORE_SCHEMA}")
            self._db = db
        return self._db


def _name_in_files(op: str) -> str:
    """What problem files call an op: "grouped_conv" for "conv"."""
    from ..errors import UnknownNameError
    from ..ops import get_op

    try:
        found = get_op(op)
    except UnknownNameError:
        return op
    return str(found.also_called[-1] if found.also_called else found.name)


class _Errors:
    """Errors of the file as `StoreError`. A class, as every new problem asks the store and generators take longer."""

    __slots__ = ("path",)

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, sqlite3.Error | OSError):
            raise StoreError(
                f"the store {self.path} cannot be used: {error}", remedy="check the folder, or set TILEWRIGHT_DATA_DIR"
            ) from error


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else dict(value)


def _measurement(row: tuple[Any, ...]) -> Measurement:
    problem, spec, device, tuning_key, spec_digest, *rest = row
    values = dict(zip((*PLAIN, *PACKED), rest, strict=True))
    values.update({c: json.loads(values[c]) for c in PACKED})
    values["samples"] = tuple(values["samples"])
    return Measurement(
        json.loads(problem), tuning_key, json.loads(spec), spec_digest, device=json.loads(device), **values
    )
