"""Selectors: one interface, several ways to rank candidates."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import check_known
from ..model.selector import Selector
from ..settings import Settings

# Name -> module and class; loaded on demand, because models and stores are not always needed.
_SELECTORS = {
    "first_fit": ("first_fit", "FirstFit"),
    "rules": ("rules", "Rules"),
    "analytical": ("analytical", "Analytical"),
    "learned": ("learned", "Learned"),
    "measured": ("chain", "Measured"),
    "chain": ("chain", "Chain"),
}
_WITH_SETTINGS = ("analytical", "learned", "measured", "chain")


def selector_names() -> list[str]:
    """Return the names of all selectors.

    >>> selector_names()
    ['analytical', 'chain', 'first_fit', 'learned', 'measured', 'rules']
    """
    return sorted(_SELECTORS)


def get_selector(name: str, settings: Settings | None = None) -> Selector:
    """Return the selector called `name`; `settings` name the stores and models that it reads.

    >>> get_selector("analytical").name
    'analytical'
    """
    check_known("selector", name, _SELECTORS)
    module, kind = _SELECTORS[name]
    options: dict[str, Any] = {"settings": settings} if name in _WITH_SETTINGS else {}
    selector: Selector = getattr(import_module(f".{module}", __package__), kind)(**options)
    return selector
