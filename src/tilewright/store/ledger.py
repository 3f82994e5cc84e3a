"""The ledger: problems that were planned without a measurement, by the time they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Missed:
    """A problem without a measurement: how often it was planned, and the predicted seconds of one call.

    >>> Missed("t", "d", {}, count=3, seconds=0.5, answered_by="analytical").weight
    1.5
    """

    tuning_key: str
    device_digest: str
    problem: Mapping[str, Any]
    count: int
    seconds: float
    answered_by: str
    at: float = 0.0

    @property
    def weight(self) -> float:
        """Predicted seconds of all calls: the time that tuning could reduce."""
        return self.count * self.seconds
