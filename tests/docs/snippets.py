"""Fenced blocks of Markdown pages, and what it means to run one."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: (.+?) -->\s*$")
FILE_NAME = re.compile(r"^`([\w./-]+)`:\s*$", re.MULTILINE)
SHELL_TIMEOUT = 590


@dataclass(frozen=True)
class Snippet:
    """One fenced block: where it stands, its language and text, and why it is not run (empty: it is)."""

    page: str
    line: int
    language: str
    text: str
    not_run: str = ""
    file_name: str = ""

    @property
    def where(self) -> str:
        """Page and line, for messages."""
        return f"{self.page}:{self.line}"


def snippets_of(text: str, page: str) -> list[Snippet]:
    """Every fenced block of a page, in order."""
    found = []
    for match in FENCE.finditer(text):
        before = text[: match.start()]
        skipped = NOT_RUN.search(before)
        named = FILE_NAME.search(before.rstrip().rsplit("\n", 1)[-1])
        line = before.count("\n") + 2
        reason, name = skipped[1] if skipped else "", named[1] if named else ""
        found.append(Snippet(page, line, match[1], match[2], reason, name))
    return found


class Runner:
    """Runs the snippets of one page in order, in one folder and one Python namespace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "page"}

    def run(self, snippet: Snippet) -> None:
        """Run one snippet; raises AssertionError with its place where it does not do what it shows."""
        if snippet.not_run:
            return
        if snippet.file_name:
            (self.folder / snippet.file_name).write_text(snippet.text)
        elif snippet.language == "python":
            self._python(snippet)
        elif snippet.language == "console":
            self._console(snippet)
        elif snippet.language in ("sh", "bash"):
            self._shell(f"set -eu\n{snippet.text}", snippet.where)

    def _python(self, snippet: Snippet) -> None:
        code = compile("\n" * (snippet.line - 1) + snippet.text, snippet.page, "exec")
        try:
            exec(code, self.names)
        except Exception as error:
            raise AssertionError(f"{snippet.where}: {type(error).__name__}: {error}") from error

    def _console(self, snippet: Snippet) -> None:
        for command, expected in commands_of(snippet.text):
            got = self._shell(command, f"{snippet.where}: $ {command}")
            if expected and not matches(expected, got):
                raise AssertionError(f"{snippet.where}: $ {command}\nshows\n{expected}\nbut prints\n{got}")

    def _shell(self, script: str, where: str) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            timeout=SHELL_TIMEOUT,
        )
        assert done.returncode == 0, f"{where}: exit status {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout


def commands_of(text: str) -> list[tuple[str, str]]:
    """(command, expected output) pairs of a console block."""
    pairs: list[tuple[str, str]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            pairs.append((line[2:], ""))
        elif pairs:
            command, expected = pairs[-1]
            pairs[-1] = (command, expected + line + "\n")
    return pairs


def matches(expected: str, got: str) -> bool:
    """Whether `got` is what a page shows: `...` stands for anything, and runs of blanks are one."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(expected, got, flags)
