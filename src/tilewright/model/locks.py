"""Locks and turns that a forked child finds free.

A child of `os.fork` has only the thread that called it. What other threads held or had begun stays held and begun there
forever. So every lock of tilewright is made here, and what is more than a lock says by `after_fork` how it starts anew.
Python's locks on modules are not ours to renew: a fork waits until no other thread imports a part of tilewright, or
something else for it, and until what `between_forks` encloses is over.
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
_forks = threading.RLock()  # held by each fork
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


def between_forks() -> Any:
    """Return a context in which no other thread forks, for what a fork must not cut in two. It must be short.

    >>> with between_forks():
    ...     pass
    """
    return _forks


def _start_anew() -> None:
    for lock in list(_locks):
        if not (hasattr(lock, "_is_owned") and lock._is_owned()):
            lock._at_fork_reinit()  # CPython's own modules use it for the same purpose
    for known in list(_resets):
        reset = known()
        if reset is not None:
            reset()


def _stop_imports() -> None:
    """Wait until no other thread imports a part of tilewright or for it, and let none begin before the fork."""
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
    """Return whether another thread is importing a module of tilewright, or another one for it: a first call does."""
    locks = getattr(sys.modules.get("_frozen_importlib"), "_module_locks", {})
    mine = threading.get_ident()
    for name, known in list(locks.items()):
        owner = getattr(known(), "owner", None)
        if owner not in (None, mine) and (_is_ours(name) or _runs_ours(owner)):
            return True
    return False


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "tilewright"


def _runs_ours(thread: int) -> bool:
    """Return whether a thread is in a function of tilewright, or in one that was called from there."""
    frame = sys._current_frames().get(thread)
    while frame is not None:
        if _is_ours(str(frame.f_globals.get("__name__"))):
            return True
        frame = frame.f_back
    return False


def _begin_fork() -> None:
    _forks.acquire()
    _stop_imports()


def _end_fork() -> None:
    _allow_imports()
    _forks.release()


os.register_at_fork(before=_begin_fork, after_in_parent=_end_fork, after_in_child=_end_fork)
os.register_at_fork(after_in_child=_start_anew)
