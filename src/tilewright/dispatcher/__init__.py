"""Dispatcher: from a problem and its tensors to a launch; it explains every step on request."""

from __future__ import annotations

from .arguments import content_mistakes
from .dispatcher import MAX_FAILED_KERNELS, Dispatcher
from .explanation import Event, Explanation, no_candidate, padding_of
from .nominal import nominal_device
from .stand_in import StandIn

__all__ = [
    "MAX_FAILED_KERNELS",
    "Dispatcher",
    "Event",
    "Explanation",
    "StandIn",
    "content_mistakes",
    "no_candidate",
    "nominal_device",
    "padding_of",
]
