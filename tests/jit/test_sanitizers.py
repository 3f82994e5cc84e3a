"""`make sanitize` finds what it looks for: a read beyond an array, an overflow, a race."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_planted_defects_are_reported() -> None:
    if shutil.which("g++") is None:
        pytest.skip("the sanitizers need g++")
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "sanitize.py"), "--planted"], capture_output=True, text=True
    )
    if "has no lib" in done.stderr:
        pytest.skip(done.stderr.strip())
    counts = dict(re.findall(r"'(\w+)': (\d+)", done.stdout))
    assert counts.keys() == {"beyond", "overflow", "race"}, done.stdout + done.stderr
    assert all(int(count) for count in counts.values()), done.stdout
    assert done.returncode == 0
