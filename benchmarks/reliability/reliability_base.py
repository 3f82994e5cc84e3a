"""What every operation of `reliability_ops.py` is, and how one runs in a process of its own."""

from __future__ import annotations

import os
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilewright.errors import TilewrightError

Judge = Callable[[], object]  # raises `AssertionError` if a result is wrong


def fine() -> None:
    """Judge nothing: the result of an operation that `check` judges."""


def must(condition: bool, text: str = "wrong result") -> None:
    """Raise `AssertionError` unless the condition holds."""
    assert condition, text


class Operation(ABC):
    """One thing that is disturbed."""

    name = ""

    @abstractmethod
    def prepare(self, folder: Path) -> None:
        """Make what is there before."""

    @abstractmethod
    def run(self, folder: Path) -> Judge:
        """Do the work and return what judges the result; raise `TilewrightError` if it cannot be done."""

    def again(self, folder: Path) -> None:
        """Do the work undisturbed, and judge it."""
        self.run(folder)()

    @abstractmethod
    def check(self, folder: Path) -> list[str]:
        """Return what is wrong with what was left, and with doing the work again."""


def hidden(folder: Path) -> list[str]:
    """Return the temporary files that a finished export left in `folder`."""
    return [f"left behind: {path.name}" for path in folder.iterdir() if path.name.startswith(".")]


def child_result(work: Any) -> tuple[int, str]:
    """Run `work` in a fork; return 0, 1 for a clean error, 2 for anything else (or minus a signal), and the text."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        status, text = judged(work)
        os.write(writer, text.encode()[:4000])
        os._exit(status)
    os.close(writer)
    with open(reader, "rb") as stream:
        text = stream.read().decode(errors="replace")
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), text


def judged(work: Any) -> tuple[int, str]:
    """Return what became of `work`: see `child_result`."""
    try:
        found = work()
        return 0, "\n".join(found or [])
    except TilewrightError as error:
        return 1, str(error)
    except BaseException:
        return 2, traceback.format_exc()
