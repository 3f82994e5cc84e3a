"""Wait for commands with time limits, cancellation and bounded output. What is stopped dies with its process group."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .supervisor import SUPERVISOR, start

TICK = 0.05  # seconds between checks of the cancel flag while a command runs
MAX_ANSWER_BYTES = 1 << 20


def never() -> bool:
    """Return False: the wait is never cancelled."""
    return False


def wait_for_end(
    process: subprocess.Popen[bytes], remaining: float | None, stopping: Callable[[], bool] = never
) -> str:
    """Wait for a command; return "exited", "timeout" or "cancelled".

    At the time limit, and if `stopping` returns True, the whole process group is killed.
    """
    deadline = time.monotonic() + remaining if remaining is not None else float("inf")
    try:
        with _end_of(process) as ended_within:
            while True:
                if ended_within(min(TICK, max(0.0, deadline - time.monotonic()))):
                    return "exited"
                if stopping():
                    return "cancelled"
                if time.monotonic() >= deadline:
                    return "timeout"
    finally:
        finish(process)


def finish(process: subprocess.Popen[bytes]) -> None:
    """Reap a command that ended, or kill it with its whole group."""
    if process.returncode is None:
        if not _has_ended(process.pid):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        SUPERVISOR.forget(process.pid)
        process.wait()
    else:
        SUPERVISOR.forget(process.pid)


def _has_ended(pid: int) -> bool:
    """Return whether the child has ended. It stays a zombie, so no other process gets its number."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except (AttributeError, OSError):
        return False


@contextlib.contextmanager
def _end_of(process: subprocess.Popen[bytes]) -> Iterator[Callable[[float], bool]]:
    """Yield a function that waits some seconds and returns whether the process ended; polls only without pidfd."""
    try:
        descriptor = os.pidfd_open(process.pid)  # type: ignore[attr-defined,unused-ignore]
    except (AttributeError, OSError):

        def polled(seconds: float) -> bool:
            if not _has_ended(process.pid):
                time.sleep(min(seconds, 0.01))
            return _has_ended(process.pid)

        yield polled
        return
    watcher = select.poll()
    watcher.register(descriptor, select.POLLIN)
    try:
        yield lambda seconds: bool(watcher.poll(seconds * 1000))
    finally:
        os.close(descriptor)


@dataclass(frozen=True)
class Answer:
    """Output and exit status of a short command. `status` is None if it was killed at the limit in `over`."""

    status: int | None
    stdout: str
    stderr: str
    over: str = ""


def ask(argv: tuple[str, ...], seconds: float, env: dict[str, str], most_bytes: int = MAX_ANSWER_BYTES) -> Answer:
    """Return what a command prints within `seconds` and `most_bytes`; at either limit its whole group is killed.

    >>> ask(("echo", "hello"), 60, dict(os.environ)).stdout
    'hello\\n'
    """
    with SUPERVISOR.session():
        process = start(argv, cwd=None, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            over, said = _collect(process, time.monotonic() + seconds, most_bytes)
            if over:
                limit = f"{seconds:g} s" if over == "time" else f"{most_bytes:,} bytes of output"
                return Answer(None, said[0], said[1], limit)
        finally:
            finish(process)
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
    return Answer(process.returncode, *said)


def _collect(process: subprocess.Popen[bytes], deadline: float, most_bytes: int) -> tuple[str, tuple[str, str]]:
    """Read both pipes until the command ends or a limit is reached; return the limit ("" if none) and both texts."""
    assert process.stdout is not None
    assert process.stderr is not None
    held = {stream.fileno(): bytearray() for stream in (process.stdout, process.stderr)}
    watcher = select.poll()
    for descriptor in held:
        os.set_blocking(descriptor, False)
        watcher.register(descriptor, select.POLLIN)
    over, open_pipes = "", len(held)
    while not over:
        ended = _has_ended(process.pid)
        ready = watcher.poll(0 if ended else TICK * 1000) if open_pipes else []
        for descriptor, _ in ready:
            data = os.read(descriptor, 65536)
            held[descriptor] += data
            if not data:
                watcher.unregister(descriptor)
                open_pipes -= 1
        if sum(map(len, held.values())) > most_bytes:
            over = "bytes"
        elif ended and not ready:
            break
        elif not open_pipes and not ended:
            time.sleep(TICK / 10)
        if not over and time.monotonic() >= deadline:
            over = "time"
    first, second = (bytes(data).decode("utf-8", errors="replace") for data in held.values())
    return over, (first, second)
