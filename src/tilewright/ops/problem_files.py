"""Problem files: one problem per line, as JSON."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any

from ..errors import ProblemError, TilewrightError
from ..model.json_text import MAX_LINE_BYTES, decode_text, parse_json, read_bytes
from ..model.problem import Problem
from . import problem_from_dict


def read_problem_file(path: str | os.PathLike[str]) -> list[Problem]:
    """Return the problems of a file of JSON lines; an error names the file and the line of a mistake.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
    ...     _ = file.write('{"op":"gemm","m":4,"n":2,"k":2,"dtype":"fp32"}\\n')
    ...     file.flush()
    ...     [p.label() for p in read_problem_file(file.name)]
    ['gemm 4x2x2 fp32_rcr']
    """
    name = os.fspath(path)
    text = decode_text(read_bytes(name, error=ProblemError), f"problem file {name!r}", ProblemError)
    return [parse_problem(line, where) for where, line in problem_lines(name, text)]


def problem_lines(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield (origin, JSON text) of each problem of a file's text; only CR and LF end a line, as JSON says.

    >>> [where for where, _ in problem_lines("p.jsonl", '{"note": "one\\u2028line"}\\r\\n\\n{}')]
    ['p.jsonl, line 1', 'p.jsonl, line 3']
    """
    for number, line in enumerate(io.StringIO(text, newline=None), 1):
        if line.strip():
            yield f"{name}, line {number}", line


def parse_problem(text: str, where: str) -> Any:
    """Return the problem of one JSON text; an error begins with `where`."""
    try:
        data = parse_json(text, where, most_bytes=MAX_LINE_BYTES, error=ProblemError)
    except ProblemError as error:
        raise ProblemError(
            error.message, remedy=error.remedy or "write each problem as one JSON object on one line"
        ) from None
    try:
        return problem_from_dict(data)
    except TilewrightError as error:
        raise ProblemError(f"{where}: {error.message}", remedy=error.remedy) from None
