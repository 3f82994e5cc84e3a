"""The request and the results of a build: `BuildRequest`, `Artifact`, `BuildFailure`. Pure values, no I/O.

The build key is the identity of a build: it covers everything that can change the resulting bytes, and nothing else.
Folders enter by content (the caller puts digests into `key`), never by path, so one cache serves many checkouts.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import BuildCancelledError, BuildError
from ..model.locks import cached_property

KEY_SCHEMA = 1
META_NAME = "meta.json"
LOG_NAME = "build.log"
FILE_NAME = r"[A-Za-z0-9_+][A-Za-z0-9_+.\-]*"  # plain: no folder, not hidden, never an option
RESERVED_NAMES = frozenset({META_NAME, LOG_NAME})

# Options whose value is a folder: only its content matters, and that enters through `BuildRequest.key`.
FOLDER_OPTIONS = (
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "--sysroot",
    "-L",
    "-B",
    "-resource-dir",
    "--gcc-toolchain",
    "--rocm-path",
    "--hip-path",
    "--rocm-device-lib-path",
    "--cuda-path",
)

RETRY_NOTE = "cached failure; retry with --retry-failed / retry_failed=True"

# Why a build failed -> whether the same key would fail again. Only what proves that the inputs are at fault is returned
# from the cache; everything else is recorded and tried again.
FAILURE_KINDS: Mapping[str, bool] = {
    "error": True,  # the tool names an error at a place in the source
    "inspect": True,  # compiled, but not to the kernel that was asked for
    "tool": False,  # the tool failed or wrote nothing, and names no place in the source
    "crash": False,  # the tool crashed (SIGSEGV, SIGABRT, ...)
    "load": False,  # the tool succeeded, but its output is not a loadable library: the tool is at fault
    "timeout": False,
    "killed": False,  # stopped from outside: SIGKILL, SIGTERM, out of memory
    "toolchain": False,  # the tool could not be started at all
    "cancelled": False,
}


def canonical_json(value: Any) -> str:
    """Return one text per value: sorted keys, no spaces, only plain JSON types.

    >>> canonical_json({"b": 1, "a": (1, 2)})
    '{"a":[1,2],"b":1}'
    """
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def sha256_text(text: str) -> str:
    """Return the hex SHA-256 of `text` in UTF-8.

    >>> sha256_text("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Return `value` with mappings as dicts and sequences as lists, so that equal values give equal text."""
    if isinstance(value, Mapping):
        wrong = [k for k in value if not isinstance(k, str)]
        if wrong:
            raise BuildError(f"build key holds the mapping key {wrong[0]!r}; only strings are allowed")
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted(_plain(v) for v in value)
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    raise BuildError(
        f"build key holds {value!r} of type {type(value).__name__}; only JSON values are allowed",
        remedy="turn it into a string or a mapping of plain values first",
    )


def neutral_command(argv: Sequence[str]) -> list[str]:
    """Return `argv` as it enters the build key: folders by role, other absolute paths by their last part.

    >>> neutral_command(["/usr/bin/g++", "-O2", "-I/home/me/include", "-DROOT=/opt", "-o", "kernel.so"])
    ['<path>/g++', '-O2', '-I<folder>', '-DROOT=/opt', '-o', 'kernel.so']
    """
    neutral: list[str] = []
    after_option = False
    for argument in argv:
        neutral.append("<folder>" if after_option and argument.startswith("/") else _neutral_argument(argument))
        after_option = argument in FOLDER_OPTIONS
    return neutral


def _neutral_argument(argument: str) -> str:
    if argument == sys.executable:
        return "<python>"  # what it runs names its own version; the name of the interpreter says nothing
    if "/" not in argument:
        return argument
    if argument.startswith("/"):
        return "<path>/" + argument.rsplit("/", 1)[-1]
    for option in FOLDER_OPTIONS:
        rest = argument[len(option) :]
        if argument.startswith(option) and rest.startswith(("/", "=/")):
            return option + ("=" if rest[0] == "=" else "") + "<folder>"
    return argument


@dataclass(frozen=True)
class BuildRequest:
    """Everything one build needs, as a value: picklable, comparable, hashable by its build key.

    `inputs` are written into an empty work folder, `commands` run there in order, `outputs` must exist afterwards and
    are kept. `key` has what the inputs do not show: compiler identity, digest of the included headers, ISA. The whole
    build has `timeout` seconds; 0 means no limit. `spec` is the kernel in its canonical form, for display.
    `earlier` are changes of `material` under which earlier versions built the same bytes.

    >>> r = BuildRequest("", "hello", {"a.txt": "hi"}, (("cp", "a.txt", "b.txt"),), ("b.txt",), {})
    >>> len(r.build_key)
    64
    """

    spec_digest: str
    name: str
    inputs: Mapping[str, str]
    commands: tuple[tuple[str, ...], ...]
    outputs: tuple[str, ...]
    key: Mapping[str, Any] = field(default_factory=dict)
    inspect: str | None = None
    timeout: float = 300.0
    spec: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    earlier: tuple[Mapping[str, Any], ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        mistakes = [
            f"file name {n!r} is not plain or is reserved" for n in [*self.inputs, *self.outputs] if not _plain_name(n)
        ]
        if not self.outputs:
            mistakes.append("no outputs are named; a build must leave at least one file")
        if not self.commands or not all(self.commands):
            mistakes.append("a command is empty; each must be a list of at least one argument")
        if self.inspect is not None and self.inspect.count(":") != 1:
            mistakes.append(f"inspect is {self.inspect!r}; it must read 'package.module:function'")
        if mistakes:
            raise BuildError(f"build request {self.name!r}: " + "; ".join(mistakes))

    def __hash__(self) -> int:
        return hash(self.build_key)

    @cached_property
    def material(self) -> dict[str, Any]:
        """The content of the build key; recorded with the artifact."""
        parts: dict[str, Any] = {
            "schema": KEY_SCHEMA,
            "spec_digest": self.spec_digest,
            "inputs": {name: sha256_text(text) for name, text in self.inputs.items()},
            "commands": [neutral_command(argv) for argv in self.commands],
            "outputs": sorted(self.outputs),
            "key": _plain(self.key),
        }
        if self.inspect is not None:
            parts["inspect"] = self.inspect
        return parts

    @cached_property
    def build_key(self) -> str:
        """Identity of the build: sha256 over the canonical JSON of `material`."""
        return sha256_text(canonical_json(self.material))

    @cached_property
    def same_keys(self) -> tuple[str, ...]:
        """The build key, then the keys of earlier builds of the same bytes: measurements of those hold for this one."""
        return (self.build_key, *(sha256_text(canonical_json({**self.material, **e})) for e in self.earlier))


def _plain_name(name: str) -> bool:
    return re.fullmatch(FILE_NAME, name) is not None and name not in RESERVED_NAMES


@dataclass(frozen=True)
class Artifact:
    """A finished build: a folder that never changes, its files with their digests, and metadata.

    `content_sha256` covers the files and the metadata and is for integrity; `build_key` is the identity.
    """

    build_key: str
    spec_digest: str
    name: str
    path: Path
    files: Mapping[str, str]
    metadata: Mapping[str, Any]
    seconds: float
    created: float
    content_sha256: str

    def file(self, name: str | None = None) -> Path:
        """Return the path of the output `name`, or of the only output."""
        if name is None and len(self.files) == 1:
            name = next(iter(self.files))
        if name is None or name not in self.files:
            raise BuildError(f"artifact {self.name!r} has no file {name!r}; it has {', '.join(sorted(self.files))}")
        return self.path / name

    def log(self) -> str:
        """Return the whole output of its commands."""
        return (self.path / LOG_NAME).read_text(encoding="utf-8", errors="replace")


def content_digest(files: Mapping[str, str], metadata: Mapping[str, Any]) -> str:
    """Return the integrity digest of an artifact: the digest of each file, and the metadata.

    >>> content_digest({}, {}) == content_digest({}, {})
    True
    """
    return sha256_text(canonical_json({"files": files, "metadata": metadata}))


@dataclass(frozen=True)
class BuildFailure:
    """A build that did not succeed, with the command that failed and the whole log.

    `kind` says why (see `FAILURE_KINDS`); `permanent` whether the same key is expected to fail again.
    """

    build_key: str
    spec_digest: str
    name: str
    reason: str
    command: str
    log: str
    seconds: float
    kind: str = "error"
    cached: bool = False
    spec: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def permanent(self) -> bool:
        """Whether the next build of the same key returns this failure instead of trying again."""
        return FAILURE_KINDS[self.kind]

    def error(self) -> BuildError:
        """Return the exception for it: `BuildError`, or `BuildCancelledError`."""
        if self.kind == "cancelled":
            return BuildCancelledError(f"{self.name}: {self.reason}", command=self.command, log=self.log)
        note = f" ({RETRY_NOTE})" if self.cached else ""
        return BuildError(
            f"{self.name} was not built: {self.reason}{note}",
            command=self.command,
            log=self.log,
            remedy="read the whole compiler log in the error's `log`, or run the command by hand",
            permanent=self.permanent,
        )
