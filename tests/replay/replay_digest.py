"""One short digest for everything that the replay compares."""

from __future__ import annotations

import hashlib
import json
from typing import Any

DIGITS = 12


def digest(value: Any) -> str:
    """The first hex digits of the SHA-256 of plain data, of text or of bytes."""
    if not isinstance(value, (str, bytes)):
        value = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(value if isinstance(value, bytes) else value.encode()).hexdigest()[:DIGITS]
