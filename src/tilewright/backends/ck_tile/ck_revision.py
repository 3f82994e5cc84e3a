"""The installed CK Tile headers, identified by the parameter lists of their templates.

CK changes the parameters of its templates between releases, and a list of the wrong length can bind silently to the
wrong parameters. So the lists are read from the headers themselves and arguments are passed by name: `instantiate`
puts them in the order of these headers. Headers that lack a template, or that have an unknown parameter, are an error
that names the supported revisions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...errors import SpecError, ToolchainError
from ...model.canonical import digest
from ...model.locks import cached_property
from ..cpp_text import CppText, cpp, cpp_join, cpp_name
from .ck_templates import KNOWN_PARAMETERS, OPTIONAL, REVISIONS, TEMPLATES


@dataclass(frozen=True)
class Parameter:
    """One template parameter: its name in the headers, and whether it is optional."""

    name: str
    optional: bool

    @cached_property
    def key(self) -> str:
        """The name without prefixes and suffixes that differ between releases: `AsDataType_` and `ADataType` are one.

        >>> Parameter("kPadM_", False).key, Parameter("HasHotLoop_", True).key
        ('PadM', 'HasHotLoop')
        """
        bare = self.name.rstrip("_")
        if len(bare) > 1 and bare[0] == "k" and bare[1].isupper():
            bare = bare[1:]
        return ALIASES.get(bare, bare)


# Names that changed from one release to the next, the newer one last.
ALIASES = {"AsDataType": "ADataType", "BsDataType": "BDataType", "AsLayout": "ALayout", "BsLayout": "BLayout"}


@dataclass(frozen=True)
class CkRevision:
    """One set of headers: the parameter list of every template that generated code names.

    >>> REFERENCE.name
    '1.2.0'
    """

    name: str
    templates: Mapping[str, tuple[Parameter, ...]]

    def __hash__(self) -> int:
        return hash((self.name, self.digest))

    @cached_property
    def digest(self) -> str:
        """64 hex digits over all parameter lists; equal digests accept the same generated text."""
        return digest({n: [[p.name, p.optional] for p in ps] for n, ps in sorted(self.templates.items())})

    def has(self, template: str, parameter: str = "") -> bool:
        """Return whether the headers have a template (and a parameter of it).

        >>> REFERENCE.has("UniversalGemmPipelineProblem", "HasHotLoop"), REFERENCE.has("MoeKernel")
        (True, False)
        """
        found = self.templates.get(template)
        return found is not None and (not parameter or any(p.key == parameter for p in found))

    def instantiate(self, template: str, /, **arguments: Any) -> CppText:
        """Return `ck_tile::template<...>` with named arguments in the order of these headers.

        Optional parameters at the end are omitted if no later one is given. A missing one in the middle, or a missing
        required one, is an error.

        >>> REFERENCE.instantiate("TileGemmShape", BlockTile=cpp("T"), BlockWarps=cpp("W"), WarpTile=cpp("w"))
        'ck_tile::TileGemmShape<T, W, w>'
        """
        parameters = self.templates.get(template)
        if parameters is None:
            raise _unsupported(f"CK {self.name} has no template {template}")
        keys = [p.key for p in parameters]
        unknown = [name for name in arguments if name not in keys]
        if unknown:
            raise _unsupported(f"{template} of CK {self.name} has no parameter {unknown[0]}; it has {', '.join(keys)}")
        last = max((i for i, key in enumerate(keys) if key in arguments), default=-1)
        missing = [p.name for i, p in enumerate(parameters) if p.key not in arguments and (i < last or not p.optional)]
        if missing:
            raise SpecError(f"{template} of CK {self.name} needs a value for {', '.join(missing)}")
        name = cpp_name(tuple(self.templates), template, "template of CK")
        return cpp("ck_tile::{}<{}>", name, cpp_join(arguments[key] for key in keys[: last + 1]))


def detect(include: Path) -> CkRevision:
    """Return the revision of the headers below `include` (the folder that holds `ck_tile/`).

    Its name is that of a known revision, or "unnamed" if the lists are new but every parameter is known; other headers
    raise `ToolchainError`.
    """
    return _detect(Path(include))


@lru_cache(maxsize=8)
def _detect(include: Path) -> CkRevision:
    if not (include / "ck_tile" / "core.hpp").is_file():
        raise ToolchainError(
            f"{include} holds no CK Tile headers (ck_tile/core.hpp is missing)",
            remedy="point CK_ROOT at a CK checkout, or run `tilewright toolchain install amdgpu`",
        )
    found: dict[str, tuple[Parameter, ...]] = {}
    for template, header in TEMPLATES.items():
        path = include / "ck_tile" / header
        parameters = parse_template(path.read_text(encoding="utf-8"), template) if path.is_file() else None
        if parameters is not None:
            found[template] = parameters
    _check(found, include)
    signature = CkRevision("unnamed", found)
    names = [name for name, lists in REVISIONS.items() if lists == _written(signature)]
    return CkRevision(names[0] if names else "unnamed", found)


def _check(found: Mapping[str, tuple[Parameter, ...]], include: Path) -> None:
    missing = [t for t in KNOWN_PARAMETERS if t not in found and t not in OPTIONAL]
    if missing:
        raise _unsupported(f"the CK Tile headers in {include} lack {', '.join(missing)}")
    for template, parameters in found.items():
        strange = [p.name for p in parameters if not p.optional and p.key not in KNOWN_PARAMETERS[template]]
        if strange:
            raise _unsupported(
                f"{template} of the CK Tile headers in {include} asks for {', '.join(strange)}, which is not known here"
            )


def _unsupported(text: str) -> ToolchainError:
    names = ", ".join(REVISIONS)
    return ToolchainError(
        f"{text}; supported revisions of CK: {names}",
        remedy="install supported headers with `tilewright toolchain install amdgpu`, or set CK_ROOT to a checkout of "
        "one of them",
    )


def parse_template(text: str, name: str) -> tuple[Parameter, ...] | None:
    """Return the parameters of `template <...> struct name` (or `using name =`) in C++ text; None if not found.

    >>> [p.key for p in parse_template("template <typename A_, int kN_ = 2> struct S {};", "S")]
    ['A', 'N']
    """
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
    for match in re.finditer(rf"(?:struct|class|using)\s+{name}\b(?!\s*<|\s*;)", text):
        start = _opening(text, match.start())
        if start is not None:
            inner = text[start + 1 : text.rindex(">", 0, match.start())]
            return tuple(_parameter(part) for part in _split(inner))
    return None


def _opening(text: str, end: int) -> int | None:
    """Return the place of the `<` of the `template <...>` that ends right before `end`."""
    before = text[:end].rstrip()
    if not before.endswith(">"):
        return None
    depth = 0
    for i in range(len(before) - 1, -1, -1):
        depth += {">": 1, "<": -1}.get(before[i], 0)
        if depth == 0:
            return i if before[:i].rstrip().endswith("template") else None
    return None


def _split(text: str) -> list[str]:
    """Split `text` at its outermost commas."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += {"<": 1, "(": 1, "{": 1, ">": -1, ")": -1, "}": -1}.get(c, 0)
        if c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in (*parts, text[start:]) if p.strip()]


def _parameter(text: str) -> Parameter:
    declared, default, _ = text.partition("=")
    return Parameter(declared.split()[-1].replace("...", ""), bool(default) or "..." in declared)


def _written(revision: CkRevision) -> dict[str, str]:
    """Return the parameter lists in the form of the table: names, optional ones with a question mark."""
    return {t: " ".join(p.name + "?" * p.optional for p in ps) for t, ps in revision.templates.items()}


def _read(name: str) -> CkRevision:
    lists = REVISIONS[name]
    return CkRevision(
        name, {t: tuple(Parameter(w.rstrip("?"), w.endswith("?")) for w in text.split()) for t, text in lists.items()}
    )


def known_revision(name: str) -> CkRevision:
    """Return a revision from the table of supported ones, to generate without its headers.

    >>> known_revision("1.2.0").has("CShuffleEpilogueProblem", "MemoryOperation")
    True
    """
    if name not in REVISIONS:
        raise _unsupported(f"there is no CK revision {name!r}")
    return _read(name)


REFERENCE = known_revision(next(iter(REVISIONS)))
