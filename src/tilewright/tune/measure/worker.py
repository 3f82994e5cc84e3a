"""The measuring process: `python -m tilewright.tune.measure.worker`.

Tasks come from stdin, events go to stdout, one JSON line each.

It announces each candidate first, so that the parent knows which kernel crashed or hangs.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...errors import TilewrightError
from ...model.fields import fields_from
from ...model.json_text import parse_json
from .environment import answer_file
from .meter import Meter, meter_for
from .task import SweepPolicy

MODULE = "tilewright.tune.measure.worker"
MEMORY_WORDS = ("out of memory", "cannot allocate", "bad_alloc", "unable to allocate")
SIGN_SECONDS = 1.0  # a sign of life after so long: a round of slow candidates takes longer than the parent waits
Emit = Callable[[Mapping[str, Any]], None]


def measure(task: Mapping[str, Any], emit: Emit, meters: dict[str, Meter]) -> None:
    """Verify and time the candidates of one task; every outcome is emitted as soon as it is known."""
    policy = SweepPolicy(**fields_from(SweepPolicy, task["policy"], "policy"))
    device = task["problem"].get("device", "cpu")
    meter = meters.get(device) or meters.setdefault(device, meter_for(device, policy))
    try:
        meter.prepare(task["problem"], policy)
    except Exception as error:  # any error belongs to this problem, and the sweep continues
        for index in task["choices"]:
            emit({"index": int(index), **_failure(error)})
        emit({"end": True})
        return
    together = None if task.get("alone") else meter.measure_all({int(i): c for i, c in task["choices"].items()})
    if together is not None:
        _together(together, task["choices"], emit)
    else:
        calls, times = _first_pass(meter, task["choices"], policy, emit)
        _rounds(meter, calls, times, policy, emit, bool(task.get("alone")))
    meter.release()
    emit({"end": True})


def _together(outcomes: Iterator[dict[str, Any]], choices: Mapping[str, Any], emit: Emit) -> None:
    """Measure all candidates at once, for meters that can: the parent sends them one by one if this fails."""
    emit({"begin": [int(i) for i in choices]})
    found = []
    for outcome in outcomes:
        error = outcome.pop("error_of", None)
        found.append({**outcome, **_failure(error)} if error is not None else outcome)
    emit({"found": found})


def _first_pass(meter: Meter, choices: Mapping[str, Any], policy: SweepPolicy, emit: Emit) -> Any:
    """Measure each candidate alone: bind, run, verify, one sample."""
    calls: dict[int, Any] = {}
    times: dict[int, list[float]] = {}
    for index, choice in ((int(i), c) for i, c in choices.items()):
        emit({"begin": index})
        try:
            call = meter.bind(choice)
            found = meter.verify(call, choice)
            if found["status"] == "ok":
                calls[index], times[index] = call, [meter.sample(call)]
                found["samples"] = times[index]
        except Exception as error:
            calls.pop(index, None)
            found = _failure(error)
            if meter.fatal(error):
                emit({"index": index, **found})
                raise
        emit({"index": index, **found, "clocks": meter.clocks()})
    return calls, times


def _rounds(
    meter: Meter, calls: dict[int, Any], times: dict[int, list[float]], policy: SweepPolicy, emit: Emit, alone: bool
) -> None:
    """Sample the candidates near the best in turn, every other round backwards, so that none always follows the same.

    Results are sent at the end: a reader would run at the same time as the candidates. All are announced now and then;
    with `alone`, each before its sample.
    """
    found: dict[int, list[float]] = {}
    signed = float("-inf")
    for number in range(1, policy.rounds):
        best = min((min(t) for t in times.values()), default=0.0)
        near = policy.keep(number)
        left = [i for i in calls if min(times[i]) <= near * best]
        if len(left) < 2 and number > 2:
            break
        for index in left if number % 2 else left[::-1]:
            if alone or time.monotonic() - signed > SIGN_SECONDS:
                emit({"begin": index if alone else sorted(calls)})
                signed = time.monotonic()
            sample = meter.sample(calls[index])
            times[index].append(sample)
            found.setdefault(index, []).append(sample)
    state = {"status": "ok", "more": True, "clocks": meter.clocks()}
    emit({"found": [{"index": i, **state, "samples": s} for i, s in found.items()]})


def _failure(error: BaseException) -> dict[str, Any]:
    text = f"{type(error).__name__}: {error}"
    full = isinstance(error, MemoryError) or any(w in text.lower() for w in MEMORY_WORDS)
    return {"status": "oom" if full else "error", "message": text[:500]}


def die_with_parent() -> None:
    """Ask Linux to end this process when its parent ends for any reason."""
    import ctypes
    import signal

    parent = os.getppid()
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:
        os._exit(1)


def task_from(line: str) -> Mapping[str, Any]:
    """Return the task of a line from the sweep; check that its parts are objects."""
    task = parse_json(line, "a task of the sweep", error=TilewrightError, allow_nan=True)
    absent = [
        n for n in ("policy", "problem", "choices") if not isinstance(task, dict) or not isinstance(task.get(n), dict)
    ]
    if absent:
        raise TilewrightError(f"a task of the sweep has no object {absent[0]}")
    return task


def main() -> int:
    """Serve tasks until stdin ends."""
    die_with_parent()
    out = answer_file()
    meters: dict[str, Meter] = {}

    def emit(event: Mapping[str, Any]) -> None:
        out.write(json.dumps(event) + "\n")
        out.flush()

    emit({"ready": True, "host": os.uname().nodename})
    for line in sys.stdin:
        try:
            measure(task_from(line), emit, meters)
        except TilewrightError as error:
            sys.exit(str(error))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BrokenPipeError, KeyboardInterrupt):
        os._exit(1)
