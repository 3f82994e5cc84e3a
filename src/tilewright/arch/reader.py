"""Read plain JSON data into frozen dataclasses by their annotations; report every mistake with its place.

The dataclasses of `model/arch.py` are the only list of fields: a field added there is read, checked and exported.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin

from ..errors import nearest
from ..model.arch import Table

MAX_NUMBER = 1 << 60
"""Of any fact: more than a fact can be, and sums and products of a few are still finite."""

Read = Callable[[Any, str, list[str]], Any]

WRONG: Any = object()
"""What a reader returns for a value that it has reported as wrong."""


def read_record(cls: Any, data: Any, where: str, mistakes: list[str], extra: Mapping[str, Any] | None = None) -> Any:
    """Return an instance of dataclass `cls` from `data` and the ready values `extra`, or WRONG and extend `mistakes`.

    >>> from tilewright.model.arch import Tma
    >>> found: list[str] = []
    >>> read_record(Tma, {"alignment_bytes": 16, "box_limit": 256, "max_rank": 5}, "tma", found), found
    (Tma(alignment_bytes=16, box_limit=256, max_rank=5), [])
    """
    if not isinstance(data, Mapping):
        return _wrong(mistakes, where, "an object", data)
    before = len(mistakes)
    ready = dict(extra or {})
    values = dict(ready)
    readers, required = _readers(cls)
    for name, value in data.items():
        read = readers.get(name)
        if read is None or name in ready:
            near = nearest(name, readers.keys() - ready.keys())
            mistakes.append(f"{where}: unknown field {name!r}" + (f"; did you mean {near!r}?" if near else ""))
        else:
            values[name] = read(value, f"{where}.{name}", mistakes)
    mistakes += [f"{where}: field {name!r} is missing" for name in sorted(required - values.keys())]
    return cls(**values) if len(mistakes) == before else WRONG


@cache
def _readers(cls: Any) -> tuple[dict[str, Read], frozenset[str]]:
    """Return the reader of each field, and the fields without a default."""
    readers = {f.name: _annotated(cls.__module__, str(f.type)) for f in fields(cls)}
    return readers, frozenset(f.name for f in fields(cls) if f.default is MISSING and f.default_factory is MISSING)


@cache
def _annotated(module: str, annotation: str) -> Read:
    """Return the reader of an annotation as written in `module`; each text is resolved once, not once per field."""
    return reader_for(eval(annotation, vars(sys.modules[module])))


def reader_for(hint: Any) -> Read:
    """Return the reader of an annotated type: int, float, str, bool, X | None, tuple, Table or a dataclass."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in _SCALARS:
        return _SCALARS[hint]
    if origin in (Union, types.UnionType):
        (inner,) = [a for a in args if a is not type(None)]
        return reader_for(inner)
    if origin is tuple and len(args) == 2 and args[1] is Ellipsis:
        return _list_of(reader_for(args[0]))
    if origin is tuple:
        return _fixed([reader_for(a) for a in args])
    if origin is Table:
        return _table_of(reader_for(args[0]))
    if is_dataclass(hint):
        return lambda value, where, mistakes: read_record(hint, value, where, mistakes)
    raise TypeError(f"no reader for {hint!r}")


def _wrong(mistakes: list[str], where: str, wanted: str, got: Any) -> Any:
    mistakes.append(f"{where}: need {wanted}, got {got!r}")
    return WRONG


def _integer(value: Any, where: str, mistakes: list[str]) -> Any:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER:
        return value
    return _wrong(mistakes, where, _range("a whole number", value), value)


def _number(value: Any, where: str, mistakes: list[str]) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MAX_NUMBER:
        return value
    return _wrong(mistakes, where, _range("a number", value), value)


def _range(kind: str, value: Any) -> str:
    too_large = isinstance(value, (int, float)) and value > MAX_NUMBER
    return f"{kind} <= {MAX_NUMBER:,}" if too_large else f"{kind} >= 0"


def _text(value: Any, where: str, mistakes: list[str]) -> Any:
    return value if isinstance(value, str) and value else _wrong(mistakes, where, "a text", value)


def _flag(value: Any, where: str, mistakes: list[str]) -> Any:
    return value if isinstance(value, bool) else _wrong(mistakes, where, "true or false", value)


_SCALARS: dict[Any, Read] = {int: _integer, float: _number, str: _text, bool: _flag}


def _list_of(read: Read) -> Read:
    def read_list(value: Any, where: str, mistakes: list[str]) -> Any:
        if not isinstance(value, list):
            return _wrong(mistakes, where, "a list", value)
        if (read is _text and _all_are(str, value)) or (read is _integer and _all_are(int, value)):
            return tuple(value)  # fast path: most of the file is lists of plain values
        return tuple([read(item, f"{where}[{i}]", mistakes) for i, item in enumerate(value)])

    return read_list


def _fixed(reads: list[Read]) -> Read:
    whole = all(read is _integer for read in reads)

    def read_fixed(value: Any, where: str, mistakes: list[str]) -> Any:
        if not isinstance(value, list) or len(value) != len(reads):
            return _wrong(mistakes, where, f"a list of {len(reads)}", value)
        if whole and _all_are(int, value):
            return tuple(value)
        return tuple([reads[i](item, f"{where}[{i}]", mistakes) for i, item in enumerate(value)])

    return read_fixed


def _all_are(kind: type, value: list[Any]) -> bool:
    """Return whether all items are non-empty texts, or all are whole numbers >= 0 (a bool is not a number here)."""
    if {*map(type, value)} != {kind}:
        return False
    return all(value) if kind is str else 0 <= min(value) <= max(value) <= MAX_NUMBER


def _table_of(read: Read) -> Read:
    def read_table(value: Any, where: str, mistakes: list[str]) -> Any:
        if not isinstance(value, Mapping):
            return _wrong(mistakes, where, "an object", value)
        return Table({name: read(item, f"{where}.{name}", mistakes) for name, item in value.items()})

    return read_table
