"""A copy of the package with something added, and what a program says that runs on it: tests of pages about adding."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tilewright

LEFT_OUT = ("__pycache__", "*.npz", "emulator")


def ask_copy(
    place: Path, added: Mapping[str, str], program: str, edits: Mapping[str, tuple[str, str]] | None = None
) -> Any:
    """Copy the package to `place`, add files and edit one place in some, run `program`; return the JSON it prints last.

    `added` has texts and `edits` pairs (old, new) by path in the package. An old text is there once.
    """
    package = place / "tilewright"
    shutil.copytree(Path(tilewright.__file__).parent, package, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for name, text in added.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, (old, new) in (edits or {}).items():
        text = (package / name).read_text()
        assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times"
        (package / name).write_text(text.replace(old, new))
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=place,
        env={**os.environ, "PYTHONPATH": str(place), "TILEWRIGHT_DATA_DIR": str(place / "data")},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])
