"""Rows that programs keep as JSON lines in the data folder: read once, appended to, the latest row of a key counts."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Hashable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..errors import SchemaError, TilewrightError
from ..model.json_text import parse_json, read_bytes, refuse_pipe
from ..model.locks import new_lock

R = TypeVar("R")
CONTESTS, COMPILE_TIMES = KEPT_FILES = "contests.jsonl", "compile_times.jsonl"  # in the data folder
MAX_FILE_BYTES = 256 << 20  # of a file: a million rows
log = logging.getLogger("tilewright")


class KeptRows(Generic[R]):
    """Rows of one dataclass, whose fields are texts and numbers, in one file.

    `key` identifies a row; `is_sound` says whether its numbers can be used.

    >>> from dataclasses import dataclass
    >>> import tempfile
    >>> @dataclass(frozen=True)
    ... class Row:
    ...     name: str
    ...     seconds: float
    >>> path = Path(tempfile.mkdtemp()) / "rows.jsonl"
    >>> KeptRows(path, Row, lambda row: row.name, lambda row: row.seconds > 0).add(Row("a", 2.0))
    >>> KeptRows(path, Row, lambda row: row.name, lambda row: row.seconds > 0).get("a")
    Row(name='a', seconds=2.0)
    """

    def __init__(
        self, path: Path, kind: Callable[..., R], key: Callable[[R], Hashable], is_sound: Callable[[R], bool]
    ) -> None:
        self._path, self._kind, self._key, self._is_sound = path, kind, key, is_sound
        self._known: dict[Hashable, R] | None = None
        self._lock = new_lock()
        self.added = 0  # by this process

    def get(self, key: Hashable) -> R | None:
        """Return the latest row of a key; None if there is none."""
        if self._known is None:
            self._known = self._read()
        return self._known.get(key) if self._known else None

    def _read(self) -> dict[Hashable, R]:
        """Return the sound rows of the file, whatever else is in it: no call fails because of it."""
        found: dict[Hashable, R] = {}
        if not self._path.exists():
            return found
        try:
            lines = read_bytes(self._path, MAX_FILE_BYTES).splitlines()
        except TilewrightError as error:
            log.warning("%s is not used: %s", self._path, error.message)
            return found
        left = 0
        for line in lines:
            row = self._row(line)
            if row is None:
                left += 1
            else:
                found[self._key(row)] = row
        if left:
            log.warning("%d of %d lines of %s cannot be read, and are not used", left, len(lines), self._path)
        return found

    def _row(self, line: bytes) -> R | None:
        try:
            data = parse_json(line, "a row", allow_nan=True)  # infinity: a library that failed
            row = self._kind(**data)
            usable = all(_fits(getattr(row, f.name), str(f.type)) for f in fields(row)) and self._is_sound(row)  # type: ignore[arg-type]
        except (SchemaError, TypeError):
            return None
        return row if usable else None

    def add(self, row: R) -> None:
        """Keep a row; a file that cannot be written is reported, and this process still knows the row."""
        with self._lock:
            self._known = {**(self._read() if self._known is None else self._known), self._key(row): row}
            self.added += 1
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            data: Any = row
            if self._path.exists():
                refuse_pipe(self._path)
            with self._path.open("ab+", buffering=0) as file:  # one write: other processes append too
                file.write(_line_end(file) + json.dumps(asdict(data)).encode() + b"\n")
        except OSError as error:
            log.warning("a row of %s was not written: %s", self._path, error)


def _fits(value: Any, kind: str) -> bool:
    """Return whether a value is of the type of its field, which is `str` or `float`."""
    return isinstance(value, str) if kind == "str" else isinstance(value, (int, float)) and not isinstance(value, bool)


def _line_end(file: Any) -> bytes:
    """Return what must come before a new line: a process that was killed leaves half a line at the end."""
    size = file.seek(0, os.SEEK_END)
    if not size:
        return b""
    file.seek(size - 1)
    return b"" if file.read(1) == b"\n" else b"\n"
