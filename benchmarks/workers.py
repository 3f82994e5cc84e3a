"""Processes of benchmarks that prepare side by side, and are timed one after the other."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Worker:
    """The process of one part. It prints a line of JSON when it is prepared, waits for `go`, and prints what it timed.

    What it writes to stderr goes to the file `log`. Use it in a `with`: it has a session of its own, so that Ctrl-C
    ends only its parent.
    """

    def __init__(self, part: Any, command: Sequence[str], log: Path, environment: dict[str, str]) -> None:
        self.part, self.log, self._rest = part, log, b""
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("w") as file:
            pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": file, "bufsize": 0}
            self._process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: Any) -> None:
        self.end()

    def answer(self, seconds: float) -> dict[str, Any]:
        """Return the next object that the process prints; a failure is an answer too, and ends it."""
        end = time.monotonic() + seconds
        try:
            while True:
                line = self._line(end)
                with contextlib.suppress(ValueError):  # libraries print to stdout as well
                    found = json.loads(line)
                    if isinstance(found, dict):
                        return found
        except TimeoutError:
            self.end()
            return {"failure": "took too long"}
        except EOFError:
            self.end()
        said = self.log.read_text(errors="replace").strip().splitlines() or [f"status {self._process.returncode}"]
        errors = [line for line in said if "Error" in line.split(":")[0] or "Failed" in line.split(":")[0]]
        return {"failure": (errors or said)[-1].strip()[:500]}  # torch ends its errors with advice

    def _line(self, end: float) -> bytes:
        """Return the next line; raise `TimeoutError` if there is none until `end`, `EOFError` if there will be none."""
        output: Any = self._process.stdout
        while b"\n" not in self._rest:
            if output.closed:
                raise EOFError
            ready, _, _ = select.select([output], [], [], max(0.0, end - time.monotonic()))
            if not ready:
                raise TimeoutError
            more = output.read(1 << 16)  # what is there
            if not more:
                raise EOFError
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def go(self) -> None:
        """Let the process continue, if it has not ended."""
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._process.stdin.write(b"go\n")  # type: ignore[union-attr]

    def end(self) -> None:
        """End the process and its compilers, which would disturb what is timed next."""
        if self._process.stdin.closed:  # type: ignore[union-attr]
            return  # it has ended before; its number may be that of another process by now
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            pipe.close()  # type: ignore[union-attr]
