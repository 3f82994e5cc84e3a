"""An inspection for tests: the artifact's own file says what was found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read(folder: Path) -> Any:
    """What the file says."""
    return json.loads((folder / "facts.json").read_text())
