"""Threads that want one plan make it in turns, and an interrupt leaves no turn that nobody ends."""

from __future__ import annotations

import linecache
import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from tilewright.plan import Plan, Plans
from tilewright.plan import plan as module

MOST_LINES = 60
PATIENCE = 20.0


def plan() -> Plan:
    return Plan(None, None, ())  # type: ignore[arg-type]


def interrupted_at(count: int, run: Callable[[], Any]) -> bool:
    """Run with an interrupt before the `count`-th line of plans; False if there are fewer.

    Not before a `with`: the same line is traced when it ends, where Python looks for no interrupts.
    """
    lines = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal lines
        if frame.f_code.co_filename != module.__file__:
            return None
        if event == "line" and not linecache.getline(module.__file__, frame.f_lineno).lstrip().startswith("with "):
            lines += 1
            if lines == count:
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def in_thread(run: Callable[[], Any]) -> Any:
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(run()), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert found, "it waits for a turn that nobody ends"
    return found[0]


@pytest.mark.timeout(60)
@pytest.mark.parametrize("other_thread", [False, True])
def test_an_interrupt_at_any_line_leaves_no_turn(other_thread: bool) -> None:
    for count in range(1, MOST_LINES):
        plans = Plans()
        if not interrupted_at(count, lambda plans=plans: plans.get_or_make("key", plan)):  # type: ignore[misc]
            break
        again = lambda plans=plans: plans.get_or_make("key", plan)  # noqa: E731
        made = in_thread(again) if other_thread else again()
        assert plans.get("key") is made
        plans.drop("key", made)
        assert (in_thread(again) if other_thread else again()) is not made
    assert 5 < count < MOST_LINES - 1


def test_an_interrupt_while_a_plan_is_made_lets_another_thread_make_it() -> None:
    plans, begun, go = Plans(), threading.Event(), threading.Event()

    def stopped() -> Plan:
        begun.set()
        assert go.wait(PATIENCE)
        raise KeyboardInterrupt

    def first() -> None:
        with pytest.raises(KeyboardInterrupt):
            plans.get_or_make("key", stopped)

    interrupted = threading.Thread(target=first)
    interrupted.start()
    assert begun.wait(PATIENCE)
    threading.Timer(0.05, go.set).start()
    made = in_thread(lambda: plans.get_or_make("key", plan))
    interrupted.join()
    assert plans.get("key") is made


def test_threads_that_wait_get_one_plan_or_one_error() -> None:
    for error in (None, ValueError("no")):
        plans, go, made, found = Plans(), threading.Event(), list[Plan](), list[Any]()

        def make(error: Exception | None = error, go: threading.Event = go, made: list[Plan] = made) -> Plan:
            assert go.wait(PATIENCE)
            if error is not None:
                raise error
            made.append(plan())
            return made[-1]

        def ask(plans: Plans = plans, make: Any = make, found: list[Any] = found) -> None:
            try:
                found.append(plans.get_or_make("key", make))
            except ValueError as raised:
                found.append(raised)

        threads = [threading.Thread(target=ask) for _ in range(6)]
        for thread in threads:
            thread.start()
        go.set()
        for thread in threads:
            thread.join(PATIENCE)
        assert len(found) == 6
        assert len(made) == (error is None)
        assert all(f is error or f in made for f in found)
        assert not plans._making


def test_a_plan_that_asks_for_itself_does_not_wait_for_itself() -> None:
    plans = Plans()
    outer = in_thread(lambda: plans.get_or_make("key", lambda: plans.get_or_make("key", plan)))
    assert plans.get("key") is outer
