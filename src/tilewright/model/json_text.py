"""The only place that turns JSON text into data, and the text that every reader accepts.

Text from a file, a pipe or another process is not trusted. Size, depth and digits are bounded; duplicate keys, NaN and
infinity are refused; and every mistake is an error of tilewright, never of the parser.
"""

from __future__ import annotations

import codecs
import errno
import json
import math
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from ..errors import SchemaError, TilewrightError

Json = dict[str, Any]  # an object of JSON data

MAX_BYTES = 64 << 20  # of one JSON text; a registry of 20,000 kernels needs a quarter of it
MAX_LINE_BYTES = 4 << 20  # of one line of JSON lines
MAX_DEPTH = 32  # nested lists and objects; our own formats need 8
MAX_DIGITS = 20  # of a whole number: 2**64 has 20
MAX_NUMBER = 64  # characters of a number with a fraction or an exponent

# Text without such a number skips the slower decoder. Digits inside strings only cost time.
_ODD_NUMBER = re.compile(rf"\d{{{MAX_DIGITS + 1}}}|\d[eE]\+?\d{{3}}")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(
    text: str | bytes | bytearray,
    what: str,
    *,
    most_bytes: int = MAX_BYTES,
    error: type[TilewrightError] = SchemaError,
    allow_nan: bool = False,
) -> Any:
    """Return the data of a JSON text; raise `error` if it is malformed or exceeds a limit. `what` names its origin.

    `allow_nan` accepts NaN and infinity, which our own processes send to each other.

    >>> parse_json('{"m": 64}', "problems.jsonl, line 1")
    {'m': 64}
    >>> try:
    ...     parse_json('{"m": 64, "m": 65}', "problems.jsonl, line 1")
    ... except SchemaError as error:
    ...     print(error.message)
    problems.jsonl, line 1: the key 'm' occurs twice
    """
    try:
        return _parsed(text, most_bytes, allow_nan)
    except _JsonMistakeError as mistake:
        raise error(f"{what}: {mistake.message}", remedy=mistake.remedy) from None


def read_json(
    path: str | Path, *, most_bytes: int = MAX_BYTES, error: type[TilewrightError] = SchemaError, what: str = ""
) -> Any:
    """Return the data of a JSON file; raise `error` if it cannot be read, is malformed or exceeds a limit.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w+") as file:
    ...     _ = file.write("[1, 2]"), file.flush()
    ...     read_json(file.name)
    [1, 2]
    """
    what = what or str(path)
    return parse_json(read_bytes(path, most_bytes, error, what), what, most_bytes=most_bytes, error=error)


def json_text(data: Any, **options: Any) -> str:
    """Return `data` as JSON that every reader accepts: NaN and infinity become null.

    >>> json_text({"clock": float("nan"), "load": [0.5]}, separators=(",", ":"))
    '{"clock":null,"load":[0.5]}'
    """
    try:
        return json.dumps(data, allow_nan=False, **options)
    except ValueError:
        return json.dumps(_without_nan(data), allow_nan=False, **options)


def _without_nan(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _without_nan(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def read_bytes(
    path: str | Path, most_bytes: int = MAX_BYTES, error: type[TilewrightError] = SchemaError, what: str = ""
) -> bytes:
    """Return the bytes of a file of at most `most_bytes`; raise `error` if it is larger or cannot be read.

    >>> len(read_bytes(__file__)) > 100
    True
    """
    try:
        refuse_pipe(path)
        with open(path, "rb") as file:
            data = file.read(most_bytes + 1)
    except (OSError, ValueError) as reason:  # ValueError: a path with a NUL in it
        said = reason.strerror if isinstance(reason, OSError) and reason.strerror else str(reason)
        raise error(f"{what or path} cannot be read: {said}", remedy="give an existing, readable file") from None
    if len(data) > most_bytes:
        raise error(f"{what or path} is larger than the limit of {most_bytes:,} bytes", remedy="split it")
    return data


def refuse_pipe(path: str | Path) -> None:
    """Raise `OSError` for a named pipe, which would be waited for until somebody writes to it.

    Pipes that a shell opened for this process (`/dev/stdin`, `/dev/fd/63`) are fine: their writer is there.
    """
    if stat.S_ISFIFO(os.stat(path).st_mode) and not str(path).startswith(("/dev/", "/proc/")):
        raise OSError(errno.EINVAL, "it is a named pipe", str(path))


def decode_text(data: bytes, what: str, error: type[TilewrightError] = SchemaError) -> str:
    """Return `data` as text, without a byte order mark; raise `error` if it is not UTF-8.

    >>> decode_text(b"caf\\xc3\\xa9", "the file")
    'café'
    """
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as reason:
        raise error(f"{what} is not UTF-8: byte {reason.start} is 0x{data[reason.start]:02x}") from None


class _JsonMistakeError(Exception):
    """What is wrong with a text; `parse_json` adds where it came from."""

    def __init__(self, message: str, remedy: str | None = None) -> None:
        self.message, self.remedy = message, remedy
        super().__init__(message)


def _parsed(text: str | bytes | bytearray, most_bytes: int, allow_nan: bool) -> Any:
    if len(text) > most_bytes:
        raise _JsonMistakeError(f"{len(text):,} bytes of JSON; the limit is {most_bytes:,}", "split it")
    if not isinstance(text, str):
        try:
            text = text.removeprefix(codecs.BOM_UTF8).decode("utf-8")
        except UnicodeDecodeError as reason:
            raise _JsonMistakeError(f"not UTF-8: byte {reason.start} is 0x{text[reason.start]:02x}") from None
    decoder = _WITH_NAN if allow_nan else _CAREFUL if _ODD_NUMBER.search(text) else _DECODER
    try:
        value = decoder.decode(text)
    except RecursionError:
        raise _too_deep() from None
    except json.JSONDecodeError as reason:
        raise _JsonMistakeError(f"not valid JSON: {reason}") from None
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(value)
    if _SURROGATE.search(text):
        _check_surrogates(value)
    return value


def _too_deep() -> _JsonMistakeError:
    return _JsonMistakeError(f"lists or objects are nested more than {MAX_DEPTH} deep")


def _check_depth(value: Any) -> None:
    """Raise if `value` is nested too deeply; walks level by level, so no depth can exhaust the stack."""
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        held = [item for item in level if isinstance(item, (dict, list))]
        level = [inner for item in held for inner in (item.values() if isinstance(item, dict) else item)]
        if not held:
            return
    raise _too_deep()


def _check_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise _JsonMistakeError("a \\u escape that is half of a surrogate pair, which is not a character") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1) if len(keys) < 1000 else next(iter(found))
        raise _JsonMistakeError(f"the key {twice!r} occurs twice", "keep one of them")
    return found


def _constant(name: str) -> NoReturn:
    raise _JsonMistakeError(f"{name} is not a number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _JsonMistakeError(f"a whole number of {len(digits):,} digits; the limit is {MAX_DIGITS}")
    return int(digits)


def _real(digits: str) -> float:
    if len(digits) > MAX_NUMBER:
        raise _JsonMistakeError(f"a number of {len(digits):,} characters; the limit is {MAX_NUMBER}")
    found = float(digits)
    if not math.isfinite(found):
        raise _JsonMistakeError(f"the number {digits} is outside of the range of float64")
    return found


_WITH_NAN = json.JSONDecoder(object_pairs_hook=_object, parse_int=_whole)
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)
_CAREFUL = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_int=_whole, parse_float=_real)
