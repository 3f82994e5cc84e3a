"""Read the fields of a dataclass from plain data: known names, exact types, values within bounds.

Types come from the annotations. Names and bounds come from the tunables, and from `ALLOWED` of the class for other
fields. `True` is not a whole number and `1` is not a boolean.
"""

from __future__ import annotations

import math
import re
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from numbers import Real
from typing import Any

from ..errors import SchemaError, UnknownNameError
from .tunable import tunables_of

INT64_MAX = (1 << 63) - 1
MAX_SHOWN = 80  # characters of a bad value in a message
FLOAT32_TINY = 2.0**-126  # the smallest number with all its digits
FLOAT32_END = 2.0**128 - 2.0**103  # numbers from here on are rounded to infinity
FACTOR = "it must be a finite number that float32 holds"


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest number of a field.

    >>> Bounds(0, 8).mistake(9)
    'it must be between 0 and 8'
    """

    least: int
    most: int

    def mistake(self, value: Any) -> str | None:
        """Return what is wrong with a number, or None."""
        return None if self.least <= value <= self.most else f"it must be between {self.least:,} and {self.most:,}"


Limit = tuple[str, ...] | Bounds | re.Pattern[str]
Fields = dict[str, Any]  # values of fields, by name


def fields_from(cls: type, data: Any, what: str) -> dict[str, Any]:
    """Return `data` checked against the fields of dataclass `cls`; lists become tuples, objects become dataclasses.

    Unknown fields name the nearest known one; wrong types and values raise `SchemaError`.

    >>> @dataclass(frozen=True)
    ... class Tile:
    ...     ALLOWED = {"kind": ("plain", "wide")}
    ...     m: int
    ...     kind: str = "plain"
    >>> fields_from(Tile, {"m": 64}, "tile")
    {'m': 64}
    """
    check_object(data, what, {f.name: f.default is f.default_factory is MISSING for f in fields(cls)})
    return {name: field_value(cls, name, value, what) for name, value in data.items()}


def check_object(data: Any, what: str, needed: Mapping[str, bool]) -> None:
    """Raise an error unless `data` is an object with these fields, some of which are needed."""
    if not isinstance(data, Mapping):
        raise SchemaError(f"{what} is {shown(data)}; it must be an object")
    for name in data:
        if name not in needed:
            raise UnknownNameError(f"{what} field", shortened(str(name)), needed)
    missing = [name for name, is_needed in needed.items() if is_needed and name not in data]
    if missing:
        raise SchemaError(f"{what} has no {', '.join(missing)}")


def field_value(cls: type, name: str, value: Any, what: str) -> Any:
    """Return one field of dataclass `cls` from plain data; raise if its type is wrong or its value is not allowed.

    >>> from tilewright.model.kernel import Launch
    >>> field_value(Launch, "grid", [8, 1], "launch")
    (8, 1)
    """
    kinds = _kinds(cls)
    if name not in kinds:
        raise UnknownNameError(f"{what} field", shortened(str(name)), kinds)
    found = _converted(value, kinds[name], f"{what} {name}")
    if found is _WRONG:
        raise SchemaError(f"{what}: {name} is {shown(value)}; it must be {_words(kinds[name])}")
    _check_limit(found, limits_of(cls).get(name), name, what)
    return found


def check_fields(value: Any, what: str) -> None:
    """Raise if a field of a dataclass instance is not of its type, or has a value that is not allowed.

    >>> from tilewright.model.kernel import Launch
    >>> check_fields(Launch(split_k=2), "launch")
    """
    for f in fields(value):
        field_value(type(value), f.name, getattr(value, f.name), what)


@cache
def limits_of(cls: Any) -> Mapping[str, Limit]:
    """Return the allowed names, bounds and patterns of the fields of a dataclass.

    >>> from tilewright.model.tunable import tunable
    >>> @dataclass(frozen=True)
    ... class Algorithm:
    ...     kc: int = tunable(512, (256, 512), "k block")
    >>> limits_of(Algorithm)
    {'kc': Bounds(least=1, most=8192)}
    """
    found: dict[str, Limit] = dict(getattr(cls, "ALLOWED", {}))
    for t in tunables_of(cls):
        if isinstance(t.default, str):
            found[t.name] = t.choices
        elif type(t.default) is int:
            found[t.name] = Bounds(*t.bounds)
    return found


def real_number(value: Any) -> float | None:
    """Return a finite number, also a NumPy one, as a float; None for anything else. A boolean is not a number.

    >>> real_number(2), real_number(True), real_number("2"), real_number(float("nan"))
    (2.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def factor_of(value: Any) -> float | None:
    """Return a number that kernels are handed as a float: float32 must hold it. None for anything else (`FACTOR`).

    A larger one would be infinite in a kernel, and infinity times a zero is no number.

    >>> factor_of(0.5), factor_of(3e38), factor_of(1e39), factor_of("2")
    (0.5, 3e+38, None, None)
    """
    found = real_number(value)
    return found if found is not None and abs(found) < FLOAT32_END else None


def shown(value: Any) -> str:
    """Return a value for a message, shortened if it is large.

    >>> shown("x" * 200)[-6:]
    'xxx...'
    """
    if type(value) is int and value.bit_length() > 128:
        return f"a whole number of {value.bit_length():,} bits"
    if isinstance(value, (dict, list, tuple, set)) and len(value) > 16:
        return f"{type(value).__name__} of {len(value):,} members"
    return shortened(repr(value))


def shortened(text: str) -> str:
    """Return text of at most `MAX_SHOWN` characters.

    >>> shortened("fp16")
    'fp16'
    """
    return text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "..."


_WRONG = object()


@cache
def _kinds(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls)
    return {f.name: hints[f.name] for f in fields(cls)}


def _converted(value: Any, kind: Any, what: str) -> Any:
    """Return `value` if it has exactly this type; lists become tuples, objects dataclasses, ints floats if needed."""
    if kind is Any:
        return _plain(value)
    if kind is type(None):
        return None if value is None else _WRONG
    if kind is float:
        number = real_number(value)
        return _WRONG if number is None else number
    if kind in (int, bool, str):
        fits = type(value) is kind and (kind is not int or -INT64_MAX <= value <= INT64_MAX)
        return value if fits else _WRONG
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return next((v for v in (_converted(value, k, what) for k in arguments) if v is not _WRONG), _WRONG)
    if origin is tuple:
        return _tuple(value, arguments, what)
    if is_dataclass(kind) and isinstance(kind, type) and isinstance(value, Mapping):
        return kind(**fields_from(kind, value, what))
    return value if isinstance(value, origin or kind) else _WRONG


def _tuple(value: Any, arguments: tuple[Any, ...], what: str) -> Any:
    if not isinstance(value, (list, tuple)):
        return _WRONG
    kinds = arguments[:1] * len(value) if arguments[1:] == (...,) else arguments
    if len(kinds) != len(value):
        return _WRONG
    found = tuple(_converted(v, k, what) for v, k in zip(value, kinds, strict=True))
    return _WRONG if any(v is _WRONG for v in found) else found


def _check_limit(found: Any, limit: Limit | None, name: str, what: str) -> None:
    for one in found if isinstance(found, tuple) else (found,):
        if isinstance(limit, Bounds):
            mistake = limit.mistake(one) if type(one) in (int, float) else None
            if mistake:
                raise SchemaError(f"{what}: {name} is {one}; {mistake}")
        elif isinstance(limit, re.Pattern):
            if isinstance(one, str) and not limit.fullmatch(one):
                raise SchemaError(f"{what}: {name} is {shown(one)}; it must match {limit.pattern}")
        elif limit is not None and isinstance(one, str) and one not in limit:
            raise UnknownNameError(f"{what} {name}", shortened(one), limit)


def _plain(value: Any) -> Any:
    return tuple(_plain(v) for v in value) if isinstance(value, list) else value


_WORDS = {int: "a whole number of 64 bits", bool: "true or false", str: "text", float: "a finite number"}


def _words(kind: Any) -> str:
    if kind in _WORDS:
        return _WORDS[kind]
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        return " or ".join("null" if k is type(None) else _words(k) for k in typing.get_args(kind))
    if typing.get_origin(kind) is tuple:
        return f"a list, each member {_words(typing.get_args(kind)[0])}"
    return f"of type {getattr(kind, '__name__', kind)}"
