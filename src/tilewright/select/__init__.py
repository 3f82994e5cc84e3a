"""Selectors: one interface, several ways to rank candidates."""

from __future__ import annotations

from ..errors import UnknownNameError
from ..model.selector import Selector
from .analytical import Analytical
from .first_fit import FirstFit
from .rules import Rules

__all__ = ["Analytical", "FirstFit", "Rules", "get_selector", "selector_names"]

_SELECTORS: dict[str, type[Selector]] = {"first_fit": FirstFit, "rules": Rules, "analytical": Analytical}


def selector_names() -> list[str]:
    """The selectors there are.

    >>> selector_names()
    ['analytical', 'first_fit', 'rules']
    """
    return sorted(_SELECTORS)


def get_selector(name: str) -> Selector:
    """The selector called `name`.

    >>> get_selector("analytical").name
    'analytical'
    """
    if name not in _SELECTORS:
        raise UnknownNameError("selector", name, _SELECTORS)
    return _SELECTORS[name]()
