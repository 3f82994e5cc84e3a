"""Locks and turns that a forked child finds free.

A child of `os.fork` has only the thread that called it. What other threads held or had begun stays held and begun there
forever. So every lock of tilewright is made here, and what is more than a lock says by `after_fork` how it starts anew.
Python's locks on modules are not ours to renew: a fork waits until no other thread imports a part of tilewright.
"""

from __future__ import annotations

import _imp
import contextlib
import functools
import logging  # noqa: F401  (it must not be imported, and ask to be called at forks, while a fork waits)
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

_locks: weakref.WeakSet[Any] = weakref.WeakSet()
_resets: list[weakref.WeakMethod[Any]] = []
IMPORT_PAUSES = 10_000  # of a millisecond; unlike seconds, they do not pass while the whole process stands still
_TIDY = 256  # resets after which those of dead objects are dropped


def new_lock() -> threading.Lock:
    """Return a `threading.Lock` that is free in a forked child.

    >>> with new_lock() as held:
    ...     held
    True
    """
    made = threading.Lock()
    _locks.add(made)
    return made


def new_rlock() -> Any:
    """Return a `threading.RLock` that is free in a forked child, unless the thread that forked holds it."""
    made = threading.RLock()
    _locks.add(made)
    return made


if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):
        """Python's `cached_property`, with a lock that a forked child finds free.

        Until Python 3.11 a property has one lock for all objects, held while a value is computed; later ones have none.
        """

        def __init__(self, func: Callable[[Any], Any]) -> None:
            super().__init__(func)
            if hasattr(self, "lock"):
                self.lock = new_rlock()


def after_fork(reset: Callable[[], None]) -> None:
    """Call a bound method in each forked child, after all locks are free; its object is not kept alive."""
    global _resets
    if len(_resets) >= _TIDY and not len(_resets) & (len(_resets) - 1):
        _resets = [known for known in _resets if known() is not None]
    _resets.append(weakref.WeakMethod(reset))


def _start_anew() -> None:
    for lock in list(_locks):
        if not (hasattr(lock, "_is_owned") and lock._is_owned()):
            lock._at_fork_reinit()  # CPython's own modules use it for the same purpose
    for known in list(_resets):
        reset = known()
        if reset is not None:
            reset()


def _stop_imports() -> None:
    """Wait until no other thread imports a part of tilewright, and let none begin before the fork."""
    _imp.acquire_lock()
    for _ in range(IMPORT_PAUSES):
        if not _imports_elsewhere():
            return
        _imp.release_lock()
        time.sleep(0.001)
        _imp.acquire_lock()


def _allow_imports() -> None:
    with contextlib.suppress(RuntimeError):  # another version of Python released it in the child
        _imp.release_lock()


def _imports_elsewhere() -> bool:
    """Return whether another thread is importing a module of tilewright: a first call does."""
    locks = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    mine = threading.get_ident()
    for name, known in list(locks.items()):
        lock = known() if name.startswith("tilewright") else None
        if lock is not None and getattr(lock, "owner", None) not in (None, mine):
            return True
    return False


os.register_at_fork(before=_stop_imports, after_in_parent=_allow_imports, after_in_child=_allow_imports)
os.register_at_fork(after_in_child=_start_anew)
