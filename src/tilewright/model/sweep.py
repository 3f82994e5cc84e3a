"""Sweep files: kernel sets declared in JSON or TOML, with lists, ranges and wildcards.

A file holds one set, or several under "sets". Its field names belong to a backend and op and are passed in as `Words`.
Every mistake names the file, the field and the nearest known name.

    {"name": "tall", "archs": ["gfx942"],
     "signature": {"layout": "rcr"},
     "algorithm": {"tile_m": [128, 256], "tile_k": {"min": 32, "max": 64, "step": 32}, "scheduler": "*"}}
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import SchemaError, nearest
from .fields import Bounds, Fields, shortened, shown
from .json_text import decode_text, read_bytes, read_json
from .kernel_set import MAX_MEMBERS, WILDCARD, KernelSet, Range
from .tunable import Tunable

MAX_SWEEP_BYTES = 4 << 20
MAX_TABLES = 4096  # sets of one file
MAX_UNIONS = 4096  # algorithm maps of one set
HEADER = ("name", "op", "backend", "archs", "priority", "description", "signature")
FORMS = 'a value, a list, {"values": [...]}, {"min": .., "max": .., "step": ..} or "*"'


@dataclass(frozen=True)
class Words:
    """The field names of sweep files of one backend and op.

    `sections` are the tables that hold algorithm fields (their fields are merged); `aliases` are other names of
    algorithm fields; `extra` are further tables and the fields that each may have.
    """

    op: str
    backend: str
    tunables: tuple[Tunable, ...]
    signature_fields: tuple[str, ...]
    sections: tuple[str, ...] = ("algorithm",)
    aliases: Mapping[str, str] = field(default_factory=dict)
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Sweep:
    """One declared set as read: patterns per field, not yet a `KernelSet`. `where` names the file in errors."""

    where: str
    name: str
    signature: Mapping[str, Any]
    algorithms: tuple[Mapping[str, Any], ...]
    extra: Mapping[str, Mapping[str, Any]]
    archs: tuple[str, ...]
    priority: int
    description: str


def read_sweep(path: str | Path, words: Words) -> tuple[KernelSet, ...]:
    """Return the kernel sets of a sweep file, for backends whose files need no names beyond the fields themselves.

    for kernel_set in read_sweep("tall.toml", words):
        registry.declare(kernel_set)
    """
    return tuple(kernel_set(s, words, s.signature, s.algorithms) for s in read_sweeps(path, words))


def kernel_set(
    sweep: Sweep, words: Words, signature: Mapping[str, Any], algorithms: Iterable[Mapping[str, Any]], part: str = ""
) -> KernelSet:
    """Return the `KernelSet` of a sweep, with its own name or that of a part of it."""
    name = f"{sweep.name}.{part}" if part else sweep.name
    return KernelSet(
        name, words.op, words.backend, tuple(algorithms), signature, sweep.archs, sweep.priority, sweep.description
    )


def read_sweeps(path: str | Path, words: Words) -> tuple[Sweep, ...]:
    """Return the sets of a file, checked field by field; raise `SchemaError` for the first mistake."""
    path = Path(path)
    data = _load(path)
    tables = data.get("sets", [data])
    if not isinstance(tables, list) or not tables or not all(isinstance(t, Mapping) for t in tables):
        raise SchemaError(f'{path}: "sets" must be a list of tables, at least one')
    if len(tables) > MAX_TABLES:
        raise SchemaError(f"{path}: {len(tables):,} sets; the limit is {MAX_TABLES:,}", remedy="split the file")
    if "sets" in data:
        _known(data, ("sets",), str(path), "field")
    if not all(tables):
        raise SchemaError(f"{path}: an empty set", remedy="give it at least a signature or an algorithm")
    many = len(tables) > 1
    return tuple(
        _sweep(t, words, f"{path}, set {i}" if many else str(path), f"{path.stem}_{i}" if many else path.stem)
        for i, t in enumerate(tables, 1)
    )


def _load(path: Path) -> Fields:
    if path.suffix not in (".json", ".toml"):
        raise SchemaError(f"{path}: a sweep file ends in .json or .toml", remedy="rename it to match its format")
    data = read_json(path, most_bytes=MAX_SWEEP_BYTES) if path.suffix == ".json" else _read_toml(path)
    if not isinstance(data, dict):
        raise SchemaError(f"{path}: a sweep file holds a table, not {type(data).__name__}")
    return data


def _read_toml(path: Path) -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    text = decode_text(read_bytes(path, MAX_SWEEP_BYTES), str(path))
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{path}: not valid TOML: {shortened(str(error))}", remedy="correct the file") from None


def _sweep(table: Mapping[str, Any], words: Words, where: str, name: str) -> Sweep:
    _known(table, (*HEADER, *words.sections, *words.extra, *_fields(words)), where, "field")
    for key, expected in (("op", words.op), ("backend", words.backend)):
        if table.get(key, expected) != expected:
            raise SchemaError(f"{where}: {key} is {table[key]!r}; this file is read for {expected!r}")
    signature = {
        f: pattern(v, f"{where}: signature.{f}")
        for f, v in _table(table, "signature", words.signature_fields, where).items()
    }
    extra = {
        section: {f: pattern(v, f"{where}: {section}.{f}") for f, v in _table(table, section, known, where).items()}
        for section, known in words.extra.items()
        if section in table
    }
    archs = table.get("archs", WILDCARD)
    return Sweep(
        where,
        _typed(table.get("name", name), str, f"{where}: name"),
        signature,
        tuple(_algorithms(table, words, where)),
        extra,
        tuple(_typed(a, str, f"{where}: archs") for a in (archs if isinstance(archs, list) else [archs])),
        _typed(table.get("priority", 0), int, f"{where}: priority"),
        _typed(table.get("description", ""), str, f"{where}: description"),
    )


def _fields(words: Words) -> tuple[str, ...]:
    return (*(t.name for t in words.tunables), *words.aliases)


def _algorithms(table: Mapping[str, Any], words: Words, where: str) -> list[Fields]:
    """Return the algorithm maps: the fields of all sections and of the top level; a list of tables is a union."""
    base = {f: v for f, v in table.items() if f in _fields(words)}
    unions: list[Fields] = [_algorithm(base, words, where, "")]
    for section in words.sections:
        if section not in table:
            continue
        members = table[section] if isinstance(table[section], list) else [table[section]]
        read = []
        for i, member in enumerate(members, 1):
            label = section if len(members) == 1 else f"{section}[{i}]"
            if not isinstance(member, Mapping):
                raise SchemaError(f"{where}: {label} must be a table, not {member!r}")
            _known(member, _fields(words), f"{where}: {label}", "algorithm field")
            read.append(_algorithm(member, words, where, f"{label}."))
        if len(unions) * len(read) > MAX_UNIONS:
            raise SchemaError(f"{where}: more than {MAX_UNIONS:,} tables of algorithms", remedy="split the set")
        unions = [_merged(u, r, where) for u in unions for r in read]
    return unions


def _merged(one: Fields, other: Fields, where: str) -> Fields:
    twice = sorted(one.keys() & other.keys())
    if twice:
        raise SchemaError(f"{where}: {twice[0]} is given twice", remedy="keep one of them")
    return {**one, **other}


def _algorithm(table: Mapping[str, Any], words: Words, where: str, prefix: str) -> Fields:
    tunables = {t.name: t for t in words.tunables}
    found: Fields = {}
    for given, value in table.items():
        tunable = tunables[words.aliases.get(given, given)]
        label = f"{where}: {prefix}{given}"
        if tunable.name in found:
            raise SchemaError(f"{label} and {tunable.name} are the same field", remedy="keep one of them")
        found[tunable.name] = checked(pattern(value, label), tunable, label)
    return found


def pattern(value: Any, label: str) -> Any:
    """Return the pattern of a value in a file: a value, a list, a `Range`, or "*".

    >>> pattern({"values": [1, 2]}, "f"), pattern({"min": 32, "max": 64, "step": 32}, "f")
    ([1, 2], Range(min=32, max=64, step=32))
    """
    if isinstance(value, Mapping):
        if set(value) == {"values"}:
            return pattern(value["values"], label)
        if set(value) == {"min", "max", "step"}:
            limits = [_typed(value[k], int, f"{label}.{k}") for k in ("min", "max", "step")]
            found = Range(*limits)
            if found.step <= 0 or found.max < found.min:
                raise SchemaError(f"{label}: {dict(value)} has no members", remedy="need step > 0 and max >= min")
            if found.max - found.min >= found.step * MAX_MEMBERS:
                raise SchemaError(f"{label}: {dict(value)} has more than {MAX_MEMBERS:,} members")
            return found
        wrong = sorted(set(value) ^ {"min", "max", "step"})
        raise SchemaError(f"{label}: {dict(value)} is not a pattern ({', '.join(wrong)})", remedy=f"write {FORMS}")
    if isinstance(value, list):
        if not value or any(isinstance(v, (list, Mapping)) for v in value):
            raise SchemaError(
                f"{label}: {value!r} must be a list of plain values, at least one", remedy=f"write {FORMS}"
            )
        return value
    if value is None:
        raise SchemaError(f"{label} is null", remedy=f"write {FORMS}")
    return value


def checked(found: Any, tunable: Tunable, label: str) -> Any:
    """Return `found` if its values have the tunable's type, and are known if the tunable is a name."""
    if isinstance(found, str) and found == WILDCARD:
        return found
    kind = type(tunable.default)
    if isinstance(found, Range) and kind is not int:
        raise SchemaError(f"{label}: a range is not possible for {kind.__name__}", remedy="write a list")
    for value in found if isinstance(found, list) else () if isinstance(found, Range) else (found,):
        if type(value) is not kind:
            raise SchemaError(f"{label}: {value!r} must be of type {kind.__name__}", remedy=f"write {FORMS}")
        if kind is str and value not in tunable.choices:
            raise SchemaError(f"{label}: {_unknown('value', value, tunable.choices)}")
    for value in _extremes(found) if kind is int else ():
        mistake = Bounds(*tunable.bounds).mistake(value)
        if mistake:
            raise SchemaError(f"{label}: {shown(value)}; {mistake}")
    return found


def _extremes(found: Any) -> Sequence[int]:
    """Return the extreme values of a pattern, which are enough to check bounds."""
    if isinstance(found, Range):
        return (found.min, found.max)
    return (min(found), max(found)) if isinstance(found, list) else (found,)


def _table(table: Mapping[str, Any], section: str, known: Sequence[str], where: str) -> Mapping[str, Any]:
    found = table.get(section, {})
    if not isinstance(found, Mapping):
        raise SchemaError(f"{where}: {section} must be a table, not {found!r}")
    _known(found, known, f"{where}: {section}", f"{section} field")
    return found


def _known(table: Mapping[str, Any], known: Sequence[str], where: str, kind: str) -> None:
    for name in table:
        if name not in known:
            raise SchemaError(f"{where}: {_unknown(kind, name, known)}")


def _unknown(kind: str, name: Any, known: Sequence[Any]) -> str:
    near = nearest(str(name), map(str, known))
    hint = f"; did you mean {near!r}?" if near else "."
    return f"unknown {kind} {name!r}{hint} Known: {', '.join(map(str, known))}"


def _typed(value: Any, kind: type, label: str) -> Any:
    if type(value) is not kind:
        raise SchemaError(f"{label} is {value!r}; it must be of type {kind.__name__}")
    return value
