"""What the scripts that write pages of the documentation share."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path


def write_page(path: Path, made: Callable[[], str]) -> int:
    """Write the page, or with --check return 1 unless it is up to date."""
    if "--check" in sys.argv[1:]:
        return int(path.read_text() != made())
    path.write_text(made())
    return 0
