"""Running the commands of one build request in its work folder: own process group, time limit, cancellation, log."""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import re
import select
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .artifact import LOG_NAME, BuildRequest, canonical_json

TICK = 0.05  # seconds between looks at the cancel flag while a command runs

# Variables that change what a compiler reads or writes but are not in any build key.
HIDDEN_INPUTS = frozenset(
    {
        *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "LD_RUN_PATH", "LDEMULATION"),
        *("COMPILER_PATH", "GCC_EXEC_PREFIX", "GCC_COMPARE_DEBUG", "CCC_OVERRIDE_OPTIONS", "SOURCE_DATE_EPOCH"),
        *("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "HIPCC_COMPILE_FLAGS_APPEND", "HIPCC_LINK_FLAGS_APPEND"),
    }
)

_OUTSIDE_SIGNALS = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU}
# A compiler driver reports the death of its helper in words and exits with 1.
_KILLED_TEXT = re.compile(
    r"Killed signal terminated program|Terminated signal terminated program|virtual memory exhausted|out of memory|"
    r"[Cc]annot allocate memory|unable to execute command: Killed"
)
_FULL_TEXT = re.compile(r"No space left on device|Disk quota exceeded")
_ERROR_LINE = re.compile(r"^.*\b(?:error|undefined reference)\b.*$", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """How a build ended: `kind` is "ok" or one of `FAILURE_KINDS`."""

    kind: str
    reason: str = ""
    command: str = ""
    seconds: float = 0.0
    log: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


class _StopError(Exception):
    """Ends a build with a failure kind and a reason."""

    def __init__(self, kind: str, reason: str, command: str = "") -> None:
        super().__init__(reason)
        self.kind, self.reason, self.command = kind, reason, command


def execute(request: BuildRequest, folder: Path, stopping: Callable[[], bool] = lambda: False) -> Outcome:
    """Runs `request` in the empty `folder` and says how it ended; the log is `build.log` there.

    `stopping` is asked about twenty times a second; True kills the process group. A full disk raises `OSError`.
    """
    started = time.monotonic()
    for name, text in request.inputs.items():
        (folder / name).write_text(text, encoding="utf-8")
    metadata: Mapping[str, Any] = {}
    try:
        with open(folder / LOG_NAME, "ab", buffering=0) as log:
            for argv in request.commands:
                remaining = request.timeout - (time.monotonic() - started) if request.timeout > 0 else None
                _run(argv, folder, log, remaining, request.timeout, stopping)
        _check_outputs(request, folder)
        if request.inspect is not None:
            metadata = _inspect(request.inspect, folder)
    except _StopError as stop:
        return Outcome(stop.kind, stop.reason, stop.command, time.monotonic() - started, read_log(folder))
    return Outcome("ok", seconds=time.monotonic() - started, metadata=metadata)


def read_log(folder: Path, begin: int = 0) -> str:
    """The log written so far, from byte `begin` on."""
    return (folder / LOG_NAME).read_bytes()[begin:].decode("utf-8", errors="replace")


def tool_environment(folder: Path) -> dict[str, str]:
    """Environment of every command: no hidden inputs, plain messages, scratch files inside the work folder.

    Scratch files inside the work folder vanish with it, also when the compiler was killed.
    """
    kept = {name: value for name, value in os.environ.items() if name not in HIDDEN_INPUTS}
    return {**kept, "LC_ALL": "C", "TMPDIR": str(folder)}


def _run(
    argv: tuple[str, ...], folder: Path, log: Any, remaining: float | None, limit: float, stopping: Callable[[], bool]
) -> None:
    command = shlex.join(argv)
    log.write(f"$ {command}\n".encode())
    begin = log.tell()
    try:
        process = subprocess.Popen(
            argv,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=tool_environment(folder),
            start_new_session=True,
        )
    except OSError as problem:
        if problem.errno == errno.ENOSPC:
            raise
        raise _StopError("toolchain", f"{argv[0]} cannot be started: {problem.strerror}", command) from None
    ended = _wait(process, remaining, stopping)
    if ended == "timeout":
        log.write(f"\n[stopped after the time limit of {limit:g} s]\n".encode())
        raise _StopError("timeout", f"stopped after the time limit of {limit:g} s", command)
    if ended == "cancelled":
        raise _StopError("cancelled", "the build was cancelled", command)
    if process.returncode != 0:
        raise _judge(argv[0], process.returncode, read_log(folder, begin), command)


def _wait(process: subprocess.Popen[bytes], remaining: float | None, stopping: Callable[[], bool]) -> str:
    """Waits for the end, the time limit or a cancel; in the last two the whole process group is killed first."""
    deadline = time.monotonic() + remaining if remaining is not None else float("inf")
    try:
        with _end_of(process) as ended_within:
            while True:
                if ended_within(min(TICK, max(0.0, deadline - time.monotonic()))):
                    process.wait()
                    return "exited"
                if stopping():
                    return "cancelled"
                if time.monotonic() >= deadline:
                    return "timeout"
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def _end_of(process: subprocess.Popen[bytes]) -> Any:
    """A function that answers whether the process ended within some seconds, without polling where the OS can tell."""
    try:
        descriptor = os.pidfd_open(process.pid)  # type: ignore[attr-defined,unused-ignore]
    except (AttributeError, OSError):

        def polled(seconds: float) -> bool:
            try:
                process.wait(min(seconds, 0.01))
            except subprocess.TimeoutExpired:
                return False
            return True

        yield polled
        return
    watcher = select.poll()
    watcher.register(descriptor, select.POLLIN)
    try:
        yield lambda seconds: bool(watcher.poll(seconds * 1000))
    finally:
        os.close(descriptor)


def _judge(tool: str, status: int, log: str, command: str) -> _StopError:
    """The failure that an exit status and its log mean."""
    name = os.path.basename(tool)
    if _FULL_TEXT.search(log):
        raise OSError(errno.ENOSPC, "No space left on device")
    if status < 0:
        number = signal.Signals(-status) if -status in {*signal.Signals} else -status
        text = getattr(number, "name", str(number))
        return _StopError("killed" if number in _OUTSIDE_SIGNALS else "crash", f"{name} was ended by {text}", command)
    if _KILLED_TEXT.search(log):
        return _StopError("killed", f"{name} was stopped from outside or ran out of memory", command)
    first = _ERROR_LINE.search(log)
    detail = f": {first[0].strip()[:300]}" if first else ""
    return _StopError("error", f"{name} exited with status {status}{detail}", command)


def _check_outputs(request: BuildRequest, folder: Path) -> None:
    missing = [name for name in request.outputs if not (folder / name).is_file()]
    if missing:
        raise _StopError("error", f"the commands succeeded but did not write {', '.join(missing)}")


def _inspect(reference: str, folder: Path) -> Mapping[str, Any]:
    """Metadata that the named function finds in a finished build; whatever it raises fails the build."""
    module, _, function = reference.partition(":")
    try:
        found = getattr(importlib.import_module(module), function)(folder)
        canonical_json(found)
        return dict(found or {})
    except Exception as problem:
        with open(folder / LOG_NAME, "ab") as log:
            log.write(f"[{reference}] {type(problem).__name__}: {problem}\n".encode())
        raise _StopError("inspect", f"{reference} refused the result: {problem}") from problem
