"""Settings of a library that belong to the whole process, and that calls in several threads change for a while."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from ...model.locks import after_fork, new_lock


class SharedSetting:
    """A setting of a process: the first of several users saves what was set, the last one restores it.

    >>> found = {"precision": "medium"}
    >>> setting = SharedSetting(lambda: found["precision"], lambda value: found.update(precision=value))
    >>> with setting.at("highest"):
    ...     found["precision"], setting.differs("highest")
    ('highest', True)
    >>> found["precision"]
    'medium'
    """

    def __init__(self, get: Callable[[], Any], put: Callable[[Any], None]) -> None:
        self._get, self._put = get, put
        self._lock = new_lock()
        self._users, self._before = 0, None
        self._is_saved = False  # `_before` is what was set, as others had changed it when the process forked
        after_fork(self._forget_users)

    def _forget_users(self) -> None:
        """Forget, in a forked child, users in threads that are not there; the next user restores what they changed."""
        self._users, self._is_saved = 0, self._is_saved or self._users > 0

    def differs(self, value: Any) -> bool:
        """Return whether a call has to ask for `value`: others may ask for it just now, and take it away."""
        with self._lock:
            return self._users > 0 or self._is_saved or self._get() != value

    @contextmanager
    def at(self, value: Any) -> Iterator[None]:
        """Set `value` for as long as this lasts. If others ask for another value, the last one counts for all."""
        with self._lock:
            if not self._users and not self._is_saved:
                self._before = self._get()
            self._users += 1
            self._put(value)
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._is_saved = False
                    self._put(self._before)


class TorchThreads:
    """The number of torch's threads: each thread has its own, and begins with the one that was set last in any.

    >>> torch = type("Torch", (), {"get_num_threads": lambda: 4, "set_num_threads": print})
    >>> with TorchThreads(torch).at(1):
    ...     pass
    1
    4
    """

    def __init__(self, torch: Any) -> None:
        self._get, self._put = torch.get_num_threads, torch.set_num_threads
        self._lock = new_lock()
        self._users, self._first, self._wanted = 0, 0, 0
        self._mine = threading.local()  # has `is_known` if a thread has a number that no call has set
        after_fork(self._forget_users)

    def _forget_users(self) -> None:
        """Forget, in a forked child, the users in threads that are not there."""
        self._users = 0

    def _own(self) -> int:
        """Return the number of this thread; that of the first user if this thread began with what a user has set."""
        own: int = self._get()
        if not self._users:
            self._mine.is_known = True
        is_known = getattr(self._mine, "is_known", False)
        return self._first if not is_known and own == self._wanted else own

    def differs(self, threads: int) -> bool:
        """Return whether a call has to set so many threads."""
        with self._lock:
            return self._own() != threads

    @contextmanager
    def at(self, threads: int) -> Iterator[None]:
        """Compute with so many threads in this thread."""
        with self._lock:
            before = self._own()
            if not self._users:
                self._first = before
            self._users, self._wanted = self._users + 1, threads
            self._put(threads)
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                self._put(before)
                self._mine.is_known = True


@cache
def torch_precision(torch: Any) -> SharedSetting:
    """Return torch's precision of fp32 products."""
    return SharedSetting(torch.get_float32_matmul_precision, torch.set_float32_matmul_precision)


@cache
def torch_threads(torch: Any) -> TorchThreads:
    """Return the number of torch's threads."""
    return TorchThreads(torch)
