"""A program: ends the compilers of a process that died. See `supervisor`, which starts and feeds it.

`python -I -S reaper.py PARENT` reads lines from stdin: "+N" to watch the process group N, "-N" to forget it. When the
process PARENT ends for any reason, or stdin is closed, every watched group is killed. Imports nothing of tilewright.
"""

import os
import select
import signal
import sys

TICK_MS = 200  # between checks of the parent if the system has no descriptor for a process


class GoneError(Exception):
    """The pipe was closed: the parent is gone."""


def main(parent: int) -> None:
    """Wait for the end of `parent`, then kill the groups that are watched."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.set_blocking(0, False)
    groups: set[int] = set()
    watcher = select.poll()
    watcher.register(0, select.POLLIN | select.POLLHUP)
    process, wait = _process(parent), None
    if process is None:
        wait = TICK_MS
    elif process >= 0:
        watcher.register(process, select.POLLIN)
    rest = b""
    while True:
        ended = process == -1 or os.getppid() != parent
        if not ended:
            ready = {descriptor for descriptor, _ in watcher.poll(wait)}
            ended = process in ready
        try:
            rest = _read(groups, rest)
        except GoneError:
            ended = True
        if ended:
            break
    for group in groups:
        try:
            os.killpg(group, signal.SIGKILL)
        except OSError:
            continue  # it ended by itself


def _process(parent: int) -> "int | None":
    """Return a descriptor that becomes readable when `parent` ends; None if not supported, -1 if it has ended."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(parent)
    except ProcessLookupError:
        return -1
    except OSError:
        return None


def _read(groups: "set[int]", rest: bytes) -> bytes:
    """Apply the complete lines; return the partial line at the end."""
    while True:
        try:
            data = os.read(0, 65536)
        except BlockingIOError:
            return rest
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            number = int(line[1:])
            groups.add(number) if line[:1] == b"+" else groups.discard(number)
        if not data:
            raise GoneError


if __name__ == "__main__":
    main(int(sys.argv[1]))
