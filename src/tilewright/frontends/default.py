"""The dispatcher that public functions use if the caller gives none."""

from __future__ import annotations

from typing import Any

from ..dispatcher import Dispatcher, StandIn
from ..errors import TensorError
from ..model.fields import shown
from ..model.locks import new_lock

_lock = new_lock()
made: Dispatcher | None = None  # the default dispatcher, if there is one already
_stand_in: StandIn | None = None  # what default dispatchers run on while a kernel is compiled in the background


def default_dispatcher() -> Dispatcher:
    """Return the dispatcher behind `tilewright.gemm`, made at first use from the environment's settings.

    >>> default_dispatcher() is default_dispatcher()
    True
    """
    global made
    found = made
    if found is None:
        with _lock:
            found = made = made or Dispatcher(stand_in=_stand_in)
    return found


def use_stand_in(compute: StandIn) -> None:
    """Let default dispatchers run on `compute` while a kernel is compiled; one that has a stand-in keeps it."""
    global _stand_in
    with _lock:
        _stand_in = compute
        if made is not None and made.stand_in is None:
            made.stand_in = compute


def reset() -> None:
    """Forget the default dispatcher with its plans, so that changed settings take effect."""
    global made
    with _lock:
        made = None


def chosen(dispatcher: Any) -> Dispatcher:
    """Return the dispatcher of a call: the caller's own, or the default one for None.

    >>> chosen(None) is default_dispatcher()
    True
    """
    if dispatcher is None:
        return default_dispatcher()
    if not isinstance(dispatcher, Dispatcher):
        raise TensorError(f"dispatcher is {shown(dispatcher)}", remedy="pass a tilewright.Dispatcher, or None")
    return dispatcher
