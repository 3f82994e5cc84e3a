"""Processes of benchmarks that prepare side by side, and are timed one after the other."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Worker:
    """The process of one part. It prints a line of JSON when it is prepared, waits for `go`, and prints what it timed.

    What it writes to stderr goes to the file `log`.
    """

    def __init__(self, part: dict[str, Any], command: Sequence[str], log: Path, environment: dict[str, str]) -> None:
        self.part, self._log = part, log
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as file:
            pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": file, "text": True}
            self._process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)

    def answer(self, seconds: float) -> dict[str, Any]:
        """Return the next line of the process; a failure is an answer too, and ends it."""
        ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, seconds))
        line = self._process.stdout.readline() if ready else ""  # type: ignore[union-attr]
        if line.startswith("{"):
            found: dict[str, Any] = json.loads(line)
            return found
        self.end()
        if not ready:
            return {"failure": "took too long"}
        said = self._log.read_text().strip().splitlines() or [f"status {self._process.returncode}"]
        errors = [line for line in said if "Error" in line.split(":")[0] or "Failed" in line.split(":")[0]]
        return {"failure": (errors or said)[-1].strip()[:500]}  # torch ends its errors with advice

    def go(self) -> None:
        """Let the process continue, if it has not ended."""
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._process.stdin.write("go\n")  # type: ignore[union-attr]
            self._process.stdin.flush()  # type: ignore[union-attr]

    def end(self) -> None:
        """End the process and its compilers, which would disturb what is timed next."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            pipe.close()  # type: ignore[union-attr]
