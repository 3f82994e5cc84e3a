"""Files of JSON rows, one to a line, which a benchmark that was stopped continues."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any


def append_row(row: dict[str, Any], path: Path, *, sort_keys: bool = False) -> None:
    """Append a row to the file, and to the disk: a run can be stopped at any moment, and threads share a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        is_cut = size > 0 and os.pread(file.fileno(), 1, size - 1) != b"\n"  # a run ended in the middle of a row
        file.write(("\n" * is_cut + json.dumps(row, sort_keys=sort_keys) + "\n").encode())
        os.fsync(file.fileno())


def whole_rows(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a file; one that was cut is named on stderr and left out."""
    found = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            print(f"{path}, line {number} is left out: it is not a whole row", file=sys.stderr)
    return found


def latest_rows(path: Path, key_of: Callable[[dict[str, Any]], str]) -> list[dict[str, Any]]:
    """Return the last row of each part on each machine. A failure names none, and is over with the next row."""
    found: dict[tuple[str, str | None], dict[str, Any]] = {}
    for row in whole_rows(path):
        found.pop((key_of(row), None), None)
        found[key_of(row), row.get("on")] = row
    return list(found.values())


def known_parts(path: Path, key_of: Callable[[dict[str, Any]], str], on: str | None) -> set[str]:
    """Return the keys of the parts that were measured on a machine; None: on any."""
    return {key_of(row) for row in whole_rows(path) if "failure" not in row and on in (None, row["on"])}


def machine_of(device: str, threads: int) -> str:
    """Return what rows call this machine; the name of its first GPU is that of the others too."""
    if device == "cpu":
        return f"cpu, {threads} threads"
    import torch

    return str(torch.cuda.get_device_name())


def show_row(row: dict[str, Any], path: Path | None) -> None:
    """Print a row, and append it to the file if there is one."""
    print(json.dumps(row), flush=True)
    if path:
        append_row(row, path)
