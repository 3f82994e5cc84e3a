"""End compilers together with the process that started them, even after `kill -9`.

A small program (`reaper`) runs while commands run. It receives the number of each process group, and kills the groups
that are left when this process ends. A command starts behind a gate: a shell waits for one line before it becomes the
command. That line is written after the reaper received the group. So a kill at any moment leaves no unknown command.

On Linux the reaper is notified of the end of this process; elsewhere it polls five times a second. If Python is
embedded in another program, there is no interpreter for the reaper, and commands run without one.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from ..model.locks import after_fork, between_forks, new_lock

SHELL = "/bin/sh"
GATE = 'read -r go && exec "$@" </dev/null'
REAPER = Path(__file__).with_name("reaper.py")
END_SECONDS = 5.0  # the reaper ends at once when its pipe is closed; after this time it is killed


class Supervisor:
    """Starts the reaper when the first command runs and ends it after the last `session`."""

    def __init__(self) -> None:
        self._lock = new_lock()
        self._groups: set[int] = set()
        self._sessions = 0
        self._reaper: subprocess.Popen[bytes] | None = None

    @contextlib.contextmanager
    def session(self) -> Iterator[None]:
        """Keep one reaper for all commands that start inside."""
        with self._lock:
            self._sessions += 1
        try:
            yield
        finally:
            with self._lock:
                self._sessions -= 1
                reaper = self._reaper if self._sessions == 0 and not self._groups else None
                if reaper is not None:
                    self._reaper = None
            if reaper is not None:
                _end(reaper)

    def watch(self, group: int) -> None:
        """Kill `group` when this process ends."""
        with self._lock:
            self._groups.add(group)
            self._send(f"+{group}\n")

    def forget(self, group: int) -> None:
        """Stop watching `group`. Call it before the process is reaped, while its id cannot be reused."""
        with self._lock:
            self._groups.discard(group)
            if self._reaper is not None:
                self._send(f"-{group}\n")

    def _send(self, line: str) -> None:
        """Write a line to the reaper; if it died, start another one and send it all groups."""
        for _ in range(2):
            if self._reaper is None:
                self._reaper = _start()
                line = "".join(f"+{group}\n" for group in self._groups)
            stream = self._reaper.stdin
            assert stream is not None
            try:
                stream.write(line.encode())
                return
            except OSError:
                _end(self._reaper)
                self._reaper = None

    def abandon(self) -> None:
        """Forget the reaper in the child of a fork: it belongs to the parent."""
        reaper, self._reaper = self._reaper, None
        self._groups, self._sessions = set(), 0
        if reaper is not None:
            reaper.returncode = 0  # not a child of this process: nothing to wait for
            if reaper.stdin is not None:
                with contextlib.suppress(OSError):
                    reaper.stdin.close()


def _popen(argv: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a program. A fork meanwhile would give its child the pipes that are closed here for the program to begin.

    If the child then waited for what is built here, both would wait for ever.
    """
    with between_forks():
        return subprocess.Popen(argv, **options)


def _start() -> subprocess.Popen[bytes]:
    return _popen(
        [sys.executable, "-I", "-S", os.fspath(REAPER), str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd="/",
        bufsize=0,
        start_new_session=True,
    )


def _end(reaper: subprocess.Popen[bytes]) -> None:
    if reaper.stdin is not None:
        with contextlib.suppress(OSError):
            reaper.stdin.close()
    try:
        reaper.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        reaper.kill()
        reaper.wait()


SUPERVISOR = Supervisor()
after_fork(SUPERVISOR.abandon)


def can_supervise() -> bool:
    """Return whether there is an interpreter for the reaper and a shell for the gate."""
    return is_python(sys.executable) and os.access(SHELL, os.X_OK)


def is_python(program: str | None) -> bool:
    """Return whether `program` is a Python interpreter; `sys.executable` of an embedded Python may be another program.

    >>> is_python("/usr/bin/python3.12"), is_python("g++"), is_python(None)
    (True, False, False)
    """
    return bool(program) and re.search(r"python|pypy", os.path.basename(program or "")) is not None


def start(
    argv: tuple[str, ...], *, cwd: Path | None, env: Mapping[str, str], stdout: int | IO[Any], stderr: int | IO[Any]
) -> subprocess.Popen[bytes]:
    """Start a command in its own process group that ends with this process. Raises `OSError`.

    Wait for it with `Popen` as usual, and call `SUPERVISOR.forget(process.pid)` when it has ended.
    """
    if not can_supervise():
        return _popen(
            argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, start_new_session=True
        )
    _check_program(argv[0], cwd, env)
    inner, outer = os.pipe()
    try:
        process = _popen(
            [SHELL, "-c", GATE, "sh", *argv],
            cwd=cwd, env=env, stdin=inner, stdout=stdout, stderr=stderr, start_new_session=True,
        )  # fmt: skip
        try:
            SUPERVISOR.watch(process.pid)
            os.write(outer, b"go\n")
        except BaseException:
            process.kill()
            process.wait()
            SUPERVISOR.forget(process.pid)
            raise
        return process
    finally:
        os.close(inner)
        os.close(outer)


def _check_program(name: str, cwd: Path | None, env: Mapping[str, str]) -> None:
    """Raise the `OSError` of starting `name`: behind the gate it would be only a line of the shell."""
    if os.sep in name:
        places = [os.path.join(cwd or "", name)]
    else:
        places = [os.path.join(folder, name) for folder in os.get_exec_path(dict(env))]
    for place in places:
        if os.access(place, os.X_OK) and not os.path.isdir(place):
            return
    there = [place for place in places if os.path.exists(place)]
    if there:
        raise PermissionError(13, os.strerror(13), there[0])
    raise FileNotFoundError(2, os.strerror(2), name)
