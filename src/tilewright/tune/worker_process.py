"""A process of its own that answers in JSON lines: a crash or a hang ends only this process."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from typing import Any

from ..errors import SchemaError
from ..model.fields import shown
from ..model.json_text import parse_json

END_SECONDS = 10.0  # for the end of a process that closed its output
MAX_SAID = 4096  # bytes of its stderr that a message is taken from


class WorkerFault(Exception):  # noqa: N818 - that of a kernel, not an error of the program
    """The process died or hangs: `status` is crash or hang."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(message)
        self.status = status


class WorkerProcess:
    """A process that runs a module, is started again after it ended, and is killed if it does not answer in time."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._said: Any = None

    @property
    def pid(self) -> int | None:
        """The process id, if there is a process."""
        return self._process.pid if self._process is not None else None

    def _command(self) -> list[str]:
        return [sys.executable, "-m", self._module]

    def launch(self, env: Mapping[str, str]) -> bool:
        """Start the process unless it runs; return whether it is new."""
        if self._process is not None and self._process.poll() is None:
            return False
        self.close()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._lines = queue.Queue()
        self._process = subprocess.Popen(
            self._command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, text=True,
            encoding="utf-8", errors="replace", env=env,
        )  # fmt: skip
        reader = threading.Thread(target=_read, args=(self._process, self._lines), daemon=True, name="tilewright-tune")
        reader.start()
        return True

    def send(self, message: Mapping[str, Any]) -> None:
        """Write one line to the process."""
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message) + "\n")
            self._process.stdin.flush()
        except OSError:
            raise self._fault() from None

    def receive(self, patience: float | None = None) -> dict[str, Any]:
        """Return the next object that the process writes; wait for `patience` seconds, or as long as it lives."""
        try:
            line = self._lines.get(timeout=patience)
        except queue.Empty:
            self.close()
            raise WorkerFault("hang", f"no response within {patience:g} s; its process was stopped") from None
        if line is None:
            raise self._fault()
        try:
            found = parse_json(line, "its process", allow_nan=True)
            if isinstance(found, dict):
                return found
            said = shown(found)
        except SchemaError as error:
            said = error.message
        self.close()  # what it says next would be taken for the answer to the next message
        raise WorkerFault("crash", f"its response cannot be read: {said}")

    def _fault(self) -> WorkerFault:
        assert self._process is not None
        try:
            status = self._process.wait(END_SECONDS)
            how = (
                f"ended with signal {-status} ({_signal_name(-status)})"
                if status < 0
                else f"ended with status {status}"
            )
        except subprocess.TimeoutExpired:
            how = "closed its output and was stopped"
        self._said.seek(max(0, self._said.seek(0, os.SEEK_END) - MAX_SAID))
        tail = " ".join(self._said.read().decode(errors="replace").strip().splitlines()[-3:])[-400:]
        self.close()
        return WorkerFault("crash", f"its process {how}{': ' + tail if tail else ''}")

    def close(self) -> None:
        """Stop the process."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, self._said):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue  # a pipe whose reader died; there is nothing to flush to


def _read(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
    assert process.stdout is not None
    try:
        for line in process.stdout:
            lines.put(line)
    except ValueError:  # the owner closed the pipe
        pass
    lines.put(None)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
