"""tilewright for torch."""

from __future__ import annotations

from .recorder import Capture, capture

__all__ = ["Capture", "capture"]
