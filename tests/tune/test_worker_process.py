"""A process that answers in JSON lines: whatever it writes or leaves open, its owner gets a fault in time."""

from __future__ import annotations

import os
import sys
import time

import pytest

from tilewright.tune.worker_process import WorkerFault, WorkerProcess


class Scripted(WorkerProcess):
    """A worker that runs a program text, after it has read one line."""

    def __init__(self, text: str) -> None:
        super().__init__("")
        self._text = f"import os, sys, time; sys.stdin.readline(); {text}"

    def _command(self) -> list[str]:
        return [sys.executable, "-c", self._text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (r"os.write(1, b'\xff\n'); time.sleep(60)", "cannot be read"),
        ("os.close(1); time.sleep(60)", "closed its output"),
        (r"os.write(2, b'\xff is no UTF-8\n'); sys.exit(3)", "status 3: \ufffd is no UTF-8"),
        ("os.write(2, b'x' * 100_000 + b'\\nthe last line\\n'); sys.exit(3)", "the last line"),
    ],
)
def test_a_worker_that_writes_or_closes_anything_is_a_fault_in_time(
    text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilewright.tune.worker_process.END_SECONDS", 0.2)
    worker = Scripted(text)
    worker.launch(os.environ)
    pid, begin = worker.pid, time.monotonic()
    worker.send({})
    with pytest.raises(WorkerFault, match=said) as fault:
        worker.receive(20.0)
    assert fault.value.status == "crash"
    assert time.monotonic() - begin < 20
    assert not os.path.exists(f"/proc/{pid}")
    assert len(str(fault.value)) < 600
