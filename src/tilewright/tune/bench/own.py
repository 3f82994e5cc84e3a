"""Benchmarks of our own kernels: libraries are left out of the candidates, and calls wait for compilers."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

from ...settings import PREFIX

DEFAULTS = {f"{PREFIX}VENDOR": "0", f"{PREFIX}BUILD": "wait"}


def own_kernels_only(environment: MutableMapping[str, str] | None = None) -> str:
    """Set the environment so that only kernels of tilewright are chosen, unless it says otherwise; return a line that
    says what is compared.

    >>> own_kernels_only({"TILEWRIGHT_VENDOR": "1"})
    'libraries are candidates too (TILEWRIGHT_VENDOR=1)'
    """
    where = os.environ if environment is None else environment
    for name, value in DEFAULTS.items():
        where.setdefault(name, value)
    chosen = where[f"{PREFIX}VENDOR"]
    what = "our own kernels only" if chosen == "0" else "libraries are candidates too"
    return f"{what} ({PREFIX}VENDOR={chosen})"
