"""Processes of benchmarks: whatever one prints or leaves, the benchmark goes on and nothing is left running."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
from workers import Worker


def _worker(text: str, folder: Path) -> Worker:
    command = [sys.executable, "-u", "-c", f"import os, subprocess, sys, time\n{text}"]
    return Worker({"net": "n"}, command, folder / "logs" / "n.txt", dict(os.environ))


def _is_gone(pid: int) -> bool:
    path = Path(f"/proc/{pid}/stat")
    return not path.exists() or path.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("print('downloading ...'); print(3); print('{no JSON}'); print('{\"ms\": 1}'); time.sleep(60)", {"ms": 1}),
        ("os.write(1, b'{\"ms\": '); time.sleep(60)", {"failure": "took too long"}),
        ("time.sleep(60)", {"failure": "took too long"}),
        ("os.write(2, b'\\xff\\nOSError: no memory\\n\\nadvice\\n'); sys.exit(1)", {"failure": "OSError: no memory"}),
        ("sys.exit(7)", {"failure": "status 7"}),
    ],
)  # fmt: skip
def test_the_next_object_counts_and_a_failure_is_an_answer(text: str, found: dict[str, object], tmp_path: Path) -> None:
    with _worker(text, tmp_path) as worker:
        begin = time.monotonic()
        assert worker.answer(1.0 if "long" in str(found) else 30.0) == found
        assert time.monotonic() - begin < 20


def test_two_answers_that_come_at_once_are_two(tmp_path: Path) -> None:
    with _worker('os.write(1, b\'{"a": 1}\\n{"b": 2}\\n\'); time.sleep(60)', tmp_path) as worker:
        assert [worker.answer(30.0), worker.answer(5.0)] == [{"a": 1}, {"b": 2}]


def test_a_process_that_ended_after_its_answer_ends_nothing_else(tmp_path: Path) -> None:
    with _worker("print('{}')", tmp_path) as worker:
        assert worker.answer(30.0) == {}
        worker._process.wait()
        worker.go()
        assert worker.answer(30.0) == {"failure": "status 0"}
        assert worker.answer(30.0) == {"failure": "status 0"}
        worker.go()


def test_compilers_end_with_their_process(tmp_path: Path) -> None:
    text = "child = subprocess.Popen(['sleep', '60']); print('{\"child\": %d}' % child.pid); time.sleep(60)"
    with _worker(text, tmp_path) as worker:
        child = worker.answer(30.0)["child"]
        assert not _is_gone(child)
    end = time.monotonic() + 20
    while not _is_gone(child):
        assert time.monotonic() < end
        time.sleep(0.01)
