"""Run the commands of one build request in its work folder: own process group, time limit, cancellation, log."""

from __future__ import annotations

import errno
import importlib
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import BuildError
from .artifact import LOG_NAME, BuildRequest, canonical_json
from .binary import BadLibraryError
from .load_check import check_libraries
from .process import wait_for_end
from .supervisor import SUPERVISOR, is_python, start

CHECK_LOG = "load-check.log"  # temporary: it is not kept

# Variables that change what a compiler reads or writes but are not in any build key.
HIDDEN_INPUTS = frozenset(
    {
        *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "LD_RUN_PATH", "LDEMULATION"),
        *("COMPILER_PATH", "GCC_EXEC_PREFIX", "GCC_COMPARE_DEBUG", "CCC_OVERRIDE_OPTIONS", "SOURCE_DATE_EPOCH"),
        *("DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "HIPCC_COMPILE_FLAGS_APPEND", "HIPCC_LINK_FLAGS_APPEND"),
    }
)

# Signals that a tool causes itself; every other one comes from outside: a user, the kernel, a limit, a full disk.
_OWN_SIGNALS = {signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGTRAP, signal.SIGSYS}
_OWN_WORDS = "Segmentation fault|Aborted|Illegal instruction|Floating point exception|Trace/breakpoint trap"
# A compiler driver reports the death of its helper, or a failing system call, as text and exits with 1. These patterns
# separate temporary failures from failures of the source.
_MOMENT_TEXT = re.compile(
    rf"(?<!\w)(?!(?:{_OWN_WORDS}) signal)[A-Z][\w /()]* signal terminated program|"
    rf"unable to execute command: (?!{_OWN_WORDS})|"
    r"virtual memory exhausted|out of memory|[Cc]annot allocate memory|File size limit exceeded|File too large|"
    r"Too many open files|Input/output error|Resource temporarily unavailable|Stale file handle|Text file busy|"
    r"Read-only file system|Bus error|Connection timed out|Interrupted system call"
)
_FULL_TEXT = re.compile(r"No space left on device|Disk quota exceeded")
# A builder that is a Python program and cannot import its modules: PYTHONPATH or the installation is wrong.
_NO_IMPORT = re.compile(
    r"^(?:ModuleNotFoundError: |ImportError: |.*: Error while finding module specification).*$", re.MULTILINE
)
_NO_MEMORY = re.compile(r"^MemoryError\b", re.MULTILINE)
_NOT_STARTED = (126, 127)  # exit status of a shell for a program that it cannot start
# The only proof that the source is at fault: an error at a place in it. A fatal error is none, since it is about files.
_DIAGNOSTIC = re.compile(r"^([^\s:][^:\n]*):\d+(?::\d+)?: error: ", re.MULTILINE)
_PYTHON_DIAGNOSTIC = re.compile(
    r"^triton\.compiler\.errors\.\w+: at \d+:\d+|^[^\s:][^:\n]*\.py:\d+:\d+: error: |^ptxas error\s*: Entry function",
    re.MULTILINE,
)
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
    """Run `request` in the empty `folder` and return the outcome; the log is `build.log` there.

    `stopping` is called about twenty times a second; True kills the process group. A full disk raises `OSError`.
    """
    started = time.monotonic()
    for name, text in request.inputs.items():
        (folder / name).write_text(text, encoding="utf-8")
    metadata: Mapping[str, Any] = {}
    job = _Job(folder, started, request.timeout, stopping, request)
    try:
        with SUPERVISOR.session():
            with open(folder / LOG_NAME, "ab", buffering=0) as log:
                for argv in request.commands:
                    _run(argv, job, log)
            _check_outputs(request, job)
        if request.inspect is not None:
            metadata = _inspect(request.inspect, folder)
    except _StopError as stop:
        return Outcome(stop.kind, stop.reason, stop.command, time.monotonic() - started, read_log(folder))
    return Outcome("ok", seconds=time.monotonic() - started, metadata=metadata)


def read_log(folder: Path, begin: int = 0, name: str = LOG_NAME) -> str:
    """Return the log written so far, from byte `begin` on."""
    return (folder / name).read_bytes()[begin:].decode("utf-8", errors="replace")


def tool_environment(folder: Path) -> dict[str, str]:
    """Return the environment of every command: no hidden inputs, plain messages, scratch files in the work folder.

    Scratch files in the work folder are removed with it, even if the compiler was killed. Commands start in that
    folder, so relative parts of PYTHONPATH are made absolute.
    """
    kept = {name: value for name, value in os.environ.items() if name not in HIDDEN_INPUTS}
    if "PYTHONPATH" in kept:
        parts = filter(None, kept["PYTHONPATH"].split(os.pathsep))
        kept["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, parts))
    return {**kept, "LC_ALL": "C", "TMPDIR": str(folder)}


@dataclass(frozen=True)
class _Job:
    """The state that all commands of one build share."""

    folder: Path
    started: float
    limit: float  # seconds for the whole build; 0: none
    stopping: Callable[[], bool]
    request: BuildRequest

    def remaining(self) -> float | None:
        return self.limit - (time.monotonic() - self.started) if self.limit > 0 else None


def _run(argv: tuple[str, ...], job: _Job, log: Any) -> None:
    command = shlex.join(argv)
    log.write(f"$ {command}\n".encode())
    begin = log.tell()
    try:
        process = start(argv, cwd=job.folder, env=tool_environment(job.folder), stdout=log, stderr=subprocess.STDOUT)
    except OSError as problem:
        if problem.errno == errno.ENOSPC or not job.folder.is_dir():
            raise
        raise _StopError("toolchain", f"{argv[0]} cannot be started: {problem.strerror}", command) from None
    ended = wait_for_end(process, job.remaining(), job.stopping)
    if ended == "timeout":
        log.write(f"\n[stopped after the time limit of {job.limit:g} s]\n".encode())
        raise _StopError("timeout", f"stopped after the time limit of {job.limit:g} s", command)
    if ended == "cancelled":
        raise _StopError("cancelled", "the build was cancelled", command)
    if process.returncode != 0:
        said = read_log(job.folder, begin, os.path.basename(log.name))
        raise _judge(argv, process.returncode, said, job)


def _judge(argv: tuple[str, ...], status: int, log: str, job: _Job) -> _StopError:
    """Return the failure for an exit status and its log."""
    tool, command = argv[0], shlex.join(argv)
    name = os.path.basename(tool)
    if _FULL_TEXT.search(log):
        raise OSError(errno.ENOSPC, "No space left on device")
    number = _signal_of(status)
    if number is not None and (status < 0 or number not in _OWN_SIGNALS):
        text = getattr(number, "name", f"signal {number}")
        return _StopError("crash" if number in _OWN_SIGNALS else "killed", f"{name} was ended by {text}", command)
    if status in _NOT_STARTED:
        said = log.strip().splitlines()
        return _StopError("toolchain", f"{name} cannot be started: {said[-1][:300] if said else status}", command)
    without = _NO_IMPORT.search(log) if is_python(tool) else None
    if without is not None:
        reason = f"{name} cannot import what the build needs (check PYTHONPATH): {without[0].strip()[:300]}"
        return _StopError("toolchain", reason, command)
    if _MOMENT_TEXT.search(log) or (is_python(tool) and _NO_MEMORY.search(log)):
        return _StopError("killed", f"{name} was stopped from outside or ran out of a resource", command)
    first = _ERROR_LINE.search(log)
    detail = f": {first[0].strip()[:300]}" if first else ""
    kind = "error" if _names_the_source(argv, log, job) else "tool"
    return _StopError(kind, f"{name} exited with status {status}{detail}", command)


def _names_the_source(argv: tuple[str, ...], log: str, job: _Job) -> bool:
    """Return whether the log has an error at a place in the inputs, or in a header whose content is in the build key.

    Those are in folders that are given by -I; folders of the system are given by -isystem, or not at all.
    """
    if is_python(argv[0]):
        return _PYTHON_DIAGNOSTIC.search(log) is not None
    folders = [os.path.join(os.path.abspath(word[2:]), "") for word in argv if word.startswith("-I")]
    for found in _DIAGNOSTIC.finditer(log):
        if os.path.relpath(os.path.join(job.folder, found[1]), job.folder) in job.request.inputs:
            return True
        if os.path.abspath(os.path.join(job.folder, found[1])).startswith(tuple(folders)):
            return True
    return False


def _signal_of(status: int) -> int | None:
    """Return the signal behind an exit status, also as a shell passes it on (128 + signal); None if there is none."""
    number = -status if status < 0 else status - 128
    if number in {*signal.Signals}:
        return signal.Signals(number)
    return number if status < 0 else None


def _check_outputs(request: BuildRequest, job: _Job) -> None:
    missing = [name for name in request.outputs if not (job.folder / name).is_file()]
    if missing:
        raise _StopError("tool", f"the commands succeeded but did not write {', '.join(missing)}")

    def run(argv: tuple[str, ...]) -> str:
        with open(job.folder / CHECK_LOG, "wb", buffering=0) as log:
            _run(argv, job, log)
        return read_log(job.folder, len(f"$ {shlex.join(argv)}\n".encode()), CHECK_LOG)

    try:
        check_libraries(request, job.folder, run)
    except BadLibraryError as problem:
        raise _refused(job.folder, str(problem)) from None
    except _StopError as stop:
        if stop.kind not in ("error", "tool", "crash"):
            raise  # the time limit, a cancel, a temporary failure
        raise _refused(job.folder, f"a library was written, but loading it failed: {stop.reason}") from None


def _refused(folder: Path, reason: str) -> _StopError:
    said = read_log(folder, name=CHECK_LOG) if (folder / CHECK_LOG).is_file() else ""
    with open(folder / LOG_NAME, "ab") as log:
        log.write(f"[load check] {reason}\n{said}".encode())
    lines = said.strip().splitlines()[1:]
    return _StopError("load", f"{reason}{': ' + lines[-1][:300] if lines else ''}")


def _inspect(reference: str, folder: Path) -> Mapping[str, Any]:
    """Return the metadata that the named function finds in a finished build; an exception fails the build."""
    module, _, function = reference.partition(":")
    try:
        found = getattr(importlib.import_module(module), function)(folder)
        canonical_json(found)
        return dict(found or {})
    except ImportError as problem:
        raise _StopError("toolchain", f"{reference} cannot be imported: {problem}") from problem
    except (OSError, MemoryError) as problem:  # temporary: says nothing about the kernel
        raise _StopError("killed", f"{reference} ran out of a resource: {problem}") from problem
    except Exception as problem:  # of any kind: the function reads what a compiler wrote
        with open(folder / LOG_NAME, "ab") as log:
            log.write(f"[{reference}] {type(problem).__name__}: {problem}\n".encode())
        kind = "inspect" if isinstance(problem, BuildError) else "tool"  # any other cannot read it, for its damage
        raise _StopError(kind, f"{reference} refused the result: {problem}") from problem
