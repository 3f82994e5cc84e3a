"""Rows that programs keep as JSON lines in the data folder: read once, appended to, the latest row of a key counts."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Hashable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..model.locks import new_lock

R = TypeVar("R")
log = logging.getLogger("tilewright")


class KeptRows(Generic[R]):
    """Rows of one dataclass in one file. `key` identifies a row; `is_sound` says whether its numbers can be used.

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
        found: dict[Hashable, R] = {}
        try:
            lines = self._path.read_text().splitlines() if self._path.exists() else []
        except (OSError, UnicodeDecodeError) as error:
            log.warning("%s is not used: %s", self._path, error)
            return found
        for line in lines:
            try:
                row = self._kind(**json.loads(line))
                sound = self._is_sound(row)
            except (ValueError, TypeError):
                sound = False
            if sound:
                found[self._key(row)] = row
            else:
                log.warning("a line of %s cannot be read, and is not used", self._path)
        return found

    def add(self, row: R) -> None:
        """Keep a row; a file that cannot be written is reported, and this process still knows the row."""
        with self._lock:
            self._known = {**(self._read() if self._known is None else self._known), self._key(row): row}
            self.added += 1
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            data: Any = row
            with self._path.open("a") as file:
                file.write(json.dumps(asdict(data)) + "\n")
        except OSError as error:
            log.warning("a row of %s was not written: %s", self._path, error)
