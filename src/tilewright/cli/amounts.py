"""Amounts in the values of options: numbers with a unit."""

from __future__ import annotations

import re

from ..errors import TilewrightError

BYTES = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def amount_of(
    text: str, units: dict[str, int], option: str, example: str, error: type[TilewrightError] = TilewrightError
) -> float:
    """Return a number with a unit; raise `error`, which names the option, for anything else.

    >>> amount_of("2 GB", BYTES, "--max-size", "500MB"), amount_of("1.5h", SECONDS, "--budget", "10m")
    (2000000000.0, 5400.0)
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*", text)
    if match is None or match[2].lower() not in units:
        known = ", ".join(u for u in units if u)
        raise error(f"{option} is {text!r}; it must be a number with a unit ({known})", remedy=f"write {example}")
    return float(match[1]) * units[match[2].lower()]
