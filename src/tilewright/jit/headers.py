"""The headers that a source text includes, as one digest: changing a header rebuilds only what includes it.

Every `#include` that resolves inside the given folders is followed, also those inside an `#if`: too many headers cost
an unnecessary rebuild, too few a wrong kernel. Other headers belong to the compiler and its fingerprint.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import ToolchainError
from .artifact import canonical_json, sha256_text

_INCLUDE = re.compile(
    rb"""^[ \t]*\#[ \t]*(?P<word>include_next|include|import)\b[ \t]*
         (?:"(?P<quoted>[^"\n]+)"|<(?P<angled>[^>\n]+)>|(?P<computed>[A-Za-z_]\w*))
       |__has_include(?:_next)?[ \t]*\([ \t]*["<](?P<asked>[^">\n]+)[">]""",
    re.MULTILINE | re.VERBOSE,
)
RACY = 0.05  # seconds: a younger file may change again without a new time stamp, so it is not cached


@dataclass(frozen=True)
class Include:
    """One include directive: `kind` is quoted, angled or computed (named by a macro)."""

    name: str
    kind: str


@dataclass(frozen=True)
class Header:
    """One header file: its content digest and its includes."""

    sha256: str
    includes: tuple[Include, ...]


@dataclass(frozen=True)
class Closure:
    """Every header that a source includes, by its name in the include folder, and the digest over all."""

    files: Mapping[str, str]

    @property
    def digest(self) -> str:
        """One digest of names and contents, independent of the location of the folders."""
        return sha256_text(canonical_json(self.files))


def parse_includes(text: bytes) -> tuple[Include, ...]:
    """Return the include directives of a text, in order.

    >>> parse_includes(b'#include "a.h"')
    (Include(name='a.h', kind='quoted'),)
    """
    found = []
    for match in _INCLUDE.finditer(text):
        next_one = match["word"] == b"include_next"  # never the file next to the includer
        quoted = match["asked"] or (None if next_one else match["quoted"])
        angled = match["angled"] or (match["quoted"] if next_one else None)
        name = match["computed"] or quoted or angled or b""
        kind = "computed" if match["computed"] else "quoted" if quoted else "angled"
        found.append(Include(name.decode(errors="surrogateescape"), kind))
    return tuple(found)


_headers: dict[str, tuple[tuple[int, int, int, int], Header]] = {}


def read_header(path: str) -> Header:
    """Return digest and includes of the file at `path`; read again only after it changed."""
    fact = os.stat(path)
    signature = (fact.st_mtime_ns, fact.st_ctime_ns, fact.st_size, fact.st_ino)
    known = _headers.get(path)
    if known is not None and known[0] == signature:
        return known[1]
    with open(path, "rb") as stream:
        text = stream.read()
    header = Header(hashlib.sha256(text).hexdigest(), parse_includes(text))
    if time.time() - fact.st_mtime > RACY:
        _headers[path] = (signature, header)
    return header


class HeaderScan:
    """A snapshot of include folders; use one scan for many sources that are built together.

    Within a scan each name is resolved once and each file read once, so a second source costs microseconds.
    """

    def __init__(self, folders: Sequence[str | os.PathLike[str]]) -> None:
        self.folders = [os.path.abspath(folder) for folder in folders]
        absent = [folder for folder in self.folders if not os.path.isdir(folder)]
        if absent:
            raise ToolchainError(f"include folder {absent[0]} does not exist", remedy="check the path, or reinstall")
        self._found: dict[tuple[str, str], str | None] = {}
        self._read: dict[str, Header] = {}

    def closure(self, text: str) -> Closure:
        """Return every header that `text` includes through the folders of this scan."""
        pending = [path for include in parse_includes(text.encode()) for path in self._resolve(include, None)]
        reached: dict[str, str] = {}
        seen: set[str] = set()
        while pending:
            path = pending.pop()
            if path in seen:
                continue
            seen.add(path)
            header = self._header(path)
            reached[self._name(path)] = header.sha256
            for include in header.includes:
                pending.extend(self._resolve(include, os.path.dirname(path)))
        return Closure(reached)

    def _header(self, path: str) -> Header:
        header = self._read.get(path)
        if header is None:
            header = self._read[path] = read_header(path)
        return header

    def _resolve(self, include: Include, beside: str | None) -> Iterator[str]:
        """Yield the files that an include may mean: usually one or none."""
        if include.kind == "computed":  # the name is a macro: it may be any header
            yield from self._all_files()
        elif include.kind == "quoted" and beside is not None and (path := self._in(beside, include.name)):
            yield path
        else:  # every folder that has it: -isystem and #include_next make "the first" hard to know
            yield from (path for folder in self.folders if (path := self._in(folder, include.name)))

    def _in(self, folder: str, name: str) -> str | None:
        key = (folder, name)
        if key not in self._found:
            path = os.path.normpath(os.path.join(folder, name))
            self._found[key] = path if os.path.isfile(path) else None
        return self._found[key]

    def _all_files(self) -> Iterator[str]:
        for folder in self.folders:
            for base, _, names in os.walk(folder):
                yield from (os.path.join(base, name) for name in sorted(names))

    def _name(self, path: str) -> str:
        """Return `path` relative to its include folder, with the folder's position: digests have no absolute path."""
        for position, folder in enumerate(self.folders):
            if path.startswith(folder + os.sep):
                return f"{position}:{path[len(folder) + 1 :]}"
        return "0:" + os.path.relpath(path, self.folders[0])


def include_closure(text: str, folders: Sequence[str | os.PathLike[str]]) -> Closure:
    """Return the headers that `text` includes from `folders`, directly or through others.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.h").write_text('#include "b.h"'), (folder / "b.h").write_text("")
    >>> sorted(include_closure('#include <a.h>', [folder]).files)
    ['0:a.h', '0:b.h']
    """
    return HeaderScan(folders).closure(text)
