"""Writing results to stdout and notes to stderr."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import TilewrightError
from ..model.json_text import json_text
from ..report.tables import printable


def print_json(value: Any) -> None:
    """Print `value` as indented JSON on stdout."""
    print(json_text(value, indent=2))


def say(text: str) -> None:
    """Print one paragraph on stderr, fitted to the terminal; words, options and names stay whole."""
    text = printable(text)
    width = os.get_terminal_size(2).columns if sys.stderr.isatty() else 0
    if width > 20:
        text = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
    print(text, file=sys.stderr)


def note(text: str) -> None:
    """Print a remark on stderr, separate from the result."""
    say(f"note: {text}")


def note_events(messages: Sequence[str]) -> None:
    """Print what a dispatcher could not do as planned: the first event in full, the others as a count."""
    if messages:
        more = f" ({len(messages) - 1} more like it; TILEWRIGHT_VERBOSE=1 lists them)" if len(messages) > 1 else ""
        note(f"not used: {messages[0]}{more}")


def write_text(path: str, text: str) -> None:
    """Write a file, or stdout if the path is "-", as UTF-8; raise a readable error if that fails."""
    data = text.encode(errors="surrogateescape")  # an argument that is no text of the locale stays what it was
    if path == "-":
        sys.stdout.flush()
        buffer: Any = getattr(sys.stdout, "buffer", None)  # a program that runs commands may collect text
        sys.stdout.write(text) if buffer is None else buffer.write(data)
        return
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise TilewrightError(
            f"cannot write {path}: {error.strerror}", remedy="choose a file in a folder that exists and is writable"
        ) from None


def make_folder(folder: Path) -> None:
    """Make a folder and its parents; raise a readable error if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TilewrightError(
            f"cannot make the folder {folder}: {error.strerror}", remedy="choose a writable place"
        ) from None
