"""What a dispatcher keeps: plans by their problem, and prepared calls by the keys of their tensors."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..model.locks import after_fork, new_lock

if TYPE_CHECKING:
    from .plan import Plan

MAX_CALLS = 4096  # prepared calls that are kept
MAX_PLANS = 8192  # plans that are kept: the normal program has fewer, a server with new shapes at each call has more


class _Turn:
    """A plan that one thread makes; `over` is held until it is there, or has failed. Cheaper than a `Future`."""

    __slots__ = ("error", "maker", "over", "plan")

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.error: Exception | None = None
        self.maker = threading.get_ident()
        self.over = threading.Lock()  # not registered: a turn is forgotten as a whole
        self.over.acquire()


class Plans:
    """Plans by the identity of their problem. Each is made once; no lock is held while one is made.

    With more than `most` of them, those that were made first are forgotten: the next such problem is planned again.

    >>> from tilewright.plan import Plan
    >>> plans = Plans()
    >>> plans.get_or_make("key", lambda: Plan(None, None, ())) is plans.get("key")
    True
    """

    def __init__(self, most: int = MAX_PLANS) -> None:
        self._most = most
        self._made: dict[Any, Plan] = {}
        self._making: dict[Any, _Turn] = {}
        self._lock = new_lock()
        after_fork(self._forget_turns)

    def _forget_turns(self) -> None:
        """Forget, in a forked child, the turns of threads that are not there: the next call makes the plan."""
        mine = threading.get_ident()
        self._making = {key: turn for key, turn in self._making.items() if turn.maker == mine}

    def __len__(self) -> int:
        return len(self._made)

    def get(self, key: Any) -> Plan | None:
        """Return the plan of `key`, or None if none is made yet."""
        return self._made.get(key)

    def all(self) -> list[Plan]:
        """Return the plans that are made."""
        with self._lock:
            return list(self._made.values())

    def put(self, key: Any, plan: Plan) -> Plan:
        """Keep and return a plan that took no time to make: two threads may both make it."""
        with self._lock:
            self._keep(key, plan)
        return plan

    def _keep(self, key: Any, plan: Plan) -> None:
        while len(self._made) >= self._most:
            del self._made[next(iter(self._made))]
        self._made[key] = plan

    def drop(self, key: Any, plan: Plan) -> None:
        """Forget `plan`, if it is still the plan of `key`."""
        with self._lock:
            if self._made.get(key) is plan:
                del self._made[key]

    def get_or_make(self, key: Any, make: Callable[[], Plan]) -> Plan:
        """Return the plan of `key`. The first thread makes it; the others wait and get the same plan.

        An error of `make` is raised in every waiting thread and is not kept: a later call tries again.
        """
        while True:
            with self._lock:
                plan, turn = self._made.get(key), self._making.get(key)
                if plan is not None:
                    return plan
                if turn is None:
                    turn = self._making[key] = _Turn()
                    break
            with turn.over:
                pass
            if turn.plan is not None:
                return turn.plan
            if turn.error is not None:
                raise turn.error
            # The thread that made it was interrupted: take its place.
        return self._make(key, make, turn)

    def _make(self, key: Any, make: Callable[[], Plan], turn: _Turn) -> Plan:
        try:
            plan = turn.plan = make()
        except BaseException as error:
            with self._lock:
                self._making.pop(key, None)
            turn.error = error if isinstance(error, Exception) else None
            raise
        else:
            with self._lock:
                self._keep(key, plan)
                self._making.pop(key, None)
        finally:
            turn.over.release()
        return plan


class PreparedCalls:
    """Launches that front ends prepared, by the keys of their tensors. They go when the plans go.

    `in_c` is the C launcher's memo of these calls, None until something is kept there.

    >>> calls = PreparedCalls()
    >>> calls.keep("key", "launch")
    >>> calls.find("key"), calls.find("other"), calls.find(["no key"])
    ('launch', None, None)
    """

    __slots__ = ("_kept", "in_c", "templates")

    def __init__(self) -> None:
        self._kept: dict[Any, Any] = {}
        self.templates: dict[Any, Any] = {}  # templates of calls, by what calls of other sizes share
        self.in_c: Any = None

    def __len__(self) -> int:
        return len(self._kept)

    def find(self, key: Any) -> Any:
        """Return the launch of `key`, or None. What cannot be a key is a wrong argument; planning says so in words."""
        try:
            return self._kept.get(key)
        except TypeError:
            return None

    def keep(self, key: Any, launch: Any) -> None:
        """Remember a launch. With more than `MAX_CALLS` of them the collection starts anew."""
        if len(self._kept) >= MAX_CALLS:
            self._kept.clear()
        self._kept[key] = launch
