"""Files of JSON rows, one to a line, which a benchmark that was stopped continues."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def append_row(row: dict[str, Any], path: Path, *, sort_keys: bool = False) -> None:
    """Append a row to the file, and to the disk: a run can be stopped at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a") as file:
        print(json.dumps(row, sort_keys=sort_keys), file=file, flush=True)
        os.fsync(file.fileno())


def show_row(row: dict[str, Any], path: Path | None) -> None:
    """Print a row, and append it to the file if there is one."""
    print(json.dumps(row), flush=True)
    if path:
        append_row(row, path)
