"""Tokens of C++ declarations: names, text, numbers and signs, with their line and column."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...errors import SchemaError

PATTERN = re.compile(
    r"""(?P<blank>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)
    |(?P<text>"(?:\\.|[^"\\\n])*")
    |(?P<number>-?\d+(?:\.\d+)?)
    |(?P<name>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)
    |(?P<char>'(?:\\.|[^'\\\n])*')
    |(?P<sign>[^\s\w])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Token:
    """A token and where it begins."""

    kind: str
    text: str
    path: str
    line: int
    column: int

    def fail(self, what: str, remedy: str | None = None) -> SchemaError:
        """Return an error at this place."""
        return SchemaError(f"{self.path}:{self.line}:{self.column}: {what}", remedy=remedy)


def tokens_of(source: str, path: str) -> list[Token]:
    """Return the tokens of a C++ text without comments and preprocessor lines; the last one is the end.

    >>> [t.text for t in tokens_of('a(1, "b"); // c', "x.cpp")]
    ['a', '(', '1', ',', '"b"', ')', ';', '']
    """
    found, at, line, start = [], 0, 1, 0
    while at < len(source):
        match = PATTERN.match(source, at)
        kind = match.lastgroup if match else None
        if match is None or kind is None:
            raise SchemaError(f"{path}:{line}:{at - start + 1}: {source[at]!r} does not belong here")
        if kind != "blank":
            found.append(Token(kind, match.group(), path, line, at - start + 1))
        text = match.group()
        if "\n" in text:
            line += text.count("\n")
            start = at + text.rindex("\n") + 1
        at = match.end()
    return [*found, Token("end", "", path, line, at - start + 1)]
