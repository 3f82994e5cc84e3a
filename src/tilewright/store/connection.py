"""Open the SQLite file of a store, to read without a trace or to write. Foreign and damaged files are refused."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

from ..errors import SchemaError, StoreError

STORE_SCHEMA = 1
APPLICATION_ID = 0x74776D73  # "twms": distinguishes a store from the SQLite file of another program
MAX_VALUE_BYTES = 16 << 20  # of one value in a file that is read
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
NAMES = frozenset(("meta", "problems", "specs", "devices", "measurements", "missed"))
CREATE = f"""BEGIN IMMEDIATE;
{TABLES}
INSERT OR IGNORE INTO meta VALUES ('schema', '{STORE_SCHEMA}');
PRAGMA application_id = {APPLICATION_ID};
COMMIT;"""


class Errors:
    """Turns errors of the file into `StoreError`. A class, because a generator is slower and every problem needs it."""

    __slots__ = ("path",)

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        # SQLite quotes names of a damaged file in its messages, and Python cannot decode all of them.
        if isinstance(error, sqlite3.Error | OSError | UnicodeDecodeError):
            raise StoreError(
                f"the store {self.path} cannot be used: {error}", remedy="check the folder, or set TILEWRIGHT_DATA_DIR"
            ) from error


class Reader:
    """A read-only connection; `stale` once another file has that name.

    A file in a read-only folder is opened as `immutable`, because SQLite otherwise writes a shared index next to a file
    in WAL mode.
    """

    def __init__(self, path: Path, patience: float) -> None:
        self.path, self._file = path, os.fspath(path)
        self.immutable = False
        try:
            self.db = self._connect("mode=ro", patience)
        except sqlite3.OperationalError:
            if os.access(path.parent, os.W_OK) or not os.access(path, os.R_OK):
                raise
            self.immutable = True
            self.db = self._connect("immutable=1", patience)
        try:
            self.empty = not holds_store(self.db, path)
        except BaseException:
            self.db.close()
            raise
        self._stamp = self._now()

    def _connect(self, how: str, patience: float) -> sqlite3.Connection:
        db = _connected(f"{self.path.absolute().as_uri()}?{how}", patience)
        try:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("SELECT 1 FROM sqlite_master").fetchone()  # SQLite opens the log only now
        except BaseException:
            db.close()
            raise
        return db

    def stale(self) -> bool:
        """Return whether the file was replaced or removed since; for an immutable one, whether it changed at all."""
        return self._now() != self._stamp

    def _now(self) -> tuple[int, ...]:
        return file_identity(self._file, self.immutable)


def file_identity(path: str, content: bool = False) -> tuple[int, ...]:
    """Return the identity of the file with this name, with `content` also of its bytes; empty if there is none.

    >>> file_identity("/nowhere/at/all.sqlite")
    ()
    """
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return (found.st_dev, found.st_ino, *((found.st_mtime_ns, found.st_size) if content else ()))


def open_to_write(path: Path, patience: float) -> sqlite3.Connection:
    """Return a writable connection; create a missing file. Wait at most `patience` seconds for others."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    db = _connected(path.absolute().as_uri(), patience)
    try:
        marked = holds_store(db, path) and db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        if not marked:
            db.executescript(CREATE)  # one transaction: a kill leaves all of it or nothing
    except BaseException:
        db.close()
        raise
    return db


def _connected(uri: str, patience: float) -> sqlite3.Connection:
    db = sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)
    if sys.version_info >= (3, 11):
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    return db


def holds_store(db: sqlite3.Connection, path: Path) -> bool:
    """Return whether the file holds a store, False if it is empty; raise `SchemaError` if it holds anything else."""
    mark = db.execute("PRAGMA application_id").fetchone()[0]
    kinds = dict(db.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view', 'trigger')"))
    kinds = {name: kind for name, kind in kinds.items() if not name.startswith("sqlite_")}  # SQLite's own
    own = all(kind == "table" and name in NAMES for name, kind in kinds.items())
    if mark not in (0, APPLICATION_ID) or not own:
        raise SchemaError(
            f"{path} is an SQLite file of another program, not a store of measurements",
            remedy="give a file that `tilewright data export` wrote, or set TILEWRIGHT_DATA_DIR to another folder",
        )
    if kinds.keys() < NAMES:  # empty, or an older version was killed while it created the tables
        return False
    row = db.execute("SELECT value FROM meta WHERE name = 'schema'").fetchone()
    if row is None:
        return False
    if row[0] != str(STORE_SCHEMA):
        raise SchemaError(f"store {path} has schema {row[0]}; this version reads {STORE_SCHEMA}")
    return True
