"""The sources of one kernel: every definition that its code is made from, found without running anything.

A build key holds their digest, so a change of one kernel leaves the keys of all others alone. Docstrings, lines of
comment and the places of definitions say nothing about the code and do not count.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent
NOT_CODE = ("annotation", "returns", "ctx", "type_comment", "kind")
INNER_IMPORT = re.compile(r"^(\s+from \.)\.+(?=[a-z])")  # how far up an import inside a function goes says a place
Entry = tuple[str, str]  # (file below this folder, name of a definition)


@cache
def closure_digest(entries: tuple[Entry, ...]) -> str:
    """Return the digest of all definitions that `entries` reach.

    >>> closure_digest((("ring.py", "begin"),)) == closure_digest((("ring.py", "begin"), ("ring.py", "wait_empty")))
    True
    """
    texts = sorted(f"{name}\0{_module(file).text(name)}" for file, name in closure(entries))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


@cache
def closure(entries: tuple[Entry, ...]) -> frozenset[Entry]:
    """Return (file, name) of every definition that `entries` reach, those themselves included.

    Names are followed through the file and its imports of this package. An import inside a function is not followed:
    what only some kernels use is an entry point of those.
    """
    found: set[Entry] = set()
    waiting = list(entries)
    while waiting:
        entry = waiting.pop()
        if entry not in found:
            found.add(entry)
            waiting += _module(entry[0]).uses(entry[1])
    return frozenset(found)


class _Module:
    """One parsed file: its definitions by name, and where its imported names come from."""

    def __init__(self, file: str) -> None:
        self.file, source = file, (ROOT / file).read_text()
        self.lines = source.splitlines()
        self.definitions: dict[str, list[ast.stmt]] = {}
        self.imported: dict[str, Entry] = {}
        self._read: dict[int, tuple[set[str], set[int]]] = {}
        for statement in ast.parse(source).body:
            if isinstance(statement, ast.ImportFrom):
                self._imports(statement)
            for name in _defined(statement):
                self.definitions.setdefault(name, []).append(statement)

    def _imports(self, statement: ast.ImportFrom) -> None:
        if statement.level == 0:
            return
        folder = Path(self.file)
        for _ in range(statement.level):
            folder = folder.parent
        if statement.level > len(Path(self.file).parents):  # another package of the project
            return
        module = folder.joinpath(*(statement.module or "").split("."))
        for name in statement.names:
            file = next((f for f in (module.with_suffix(".py"), module / "__init__.py") if (ROOT / f).is_file()), None)
            if file is not None:
                self.imported[name.asname or name.name] = (str(file), name.name)

    def uses(self, name: str) -> list[Entry]:
        """Return the definitions that one of this file names."""
        if name not in self.definitions:
            if name in self.imported:
                return [self.imported[name]]
            raise KeyError(f"{self.file} does not define {name!r}")
        names = {n for statement in self.definitions[name] for n in self._parts(statement)[0]}
        own = [(self.file, n) for n in names if n in self.definitions and n != name]
        return [*own, *(self.imported[n] for n in names if n in self.imported and n not in self.definitions)]

    def text(self, name: str) -> str:
        """Return a definition without docstrings, lines of comment and empty lines."""
        lines = (INNER_IMPORT.sub(r"\1", line) for s in self.definitions.get(name, ()) for line in self._code(s))
        return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))

    def _code(self, statement: ast.stmt) -> Iterator[str]:
        """Yield the lines of a statement, decorators included, docstrings left out."""
        begin = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
        prose = self._parts(statement)[1]
        yield from (
            self.lines[row - 1] for row in range(begin, (statement.end_lineno or begin) + 1) if row not in prose
        )

    def _parts(self, statement: ast.stmt) -> tuple[set[str], set[int]]:
        found = self._read.get(statement.lineno)
        if found is None:
            found = self._read[statement.lineno] = _read(statement)
        return found


@cache
def _module(file: str) -> _Module:
    return _Module(file)


def _defined(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement of a module binds."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for node in (n for target in targets for n in ast.walk(target)):
            if isinstance(node, ast.Name):
                yield node.id


def _read(statement: ast.stmt) -> tuple[set[str], set[int]]:
    """Return (names that a definition reads, rows of its docstrings); names of annotations are not code."""
    names: set[str] = set()
    prose: set[int] = set()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            names.add(node.id)
            continue
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node, clean=False) is not None:
            prose.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
        for field in node._fields:
            value = getattr(node, field, None)
            if field not in NOT_CODE and isinstance(value, (ast.AST, list)):
                waiting += [v for v in value if isinstance(v, ast.AST)] if isinstance(value, list) else [value]
    return names, prose
