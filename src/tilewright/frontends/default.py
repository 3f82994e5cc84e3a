"""The dispatcher that public functions use if the caller gives none."""

from __future__ import annotations

import threading
from typing import Any

from ..dispatcher import Dispatcher
from ..errors import TensorError
from ..model.fields import shown

_lock = threading.Lock()
made: Dispatcher | None = None  # the default dispatcher, if there is one already


def default_dispatcher() -> Dispatcher:
    """Return the dispatcher behind `tilewright.gemm`, made at first use from the environment's settings.

    >>> default_dispatcher() is default_dispatcher()
    True
    """
    global made
    found = made
    if found is None:
        with _lock:
            found = made = made or Dispatcher()
    return found


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
