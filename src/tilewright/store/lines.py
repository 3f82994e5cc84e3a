"""Measurements as JSON lines, plain or compressed. The last line is `{"rows": n}`, so that a truncated file is
detected."""

from __future__ import annotations

import gzip
import logging
import lzma
import re
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import SchemaError
from ..model.json_text import MAX_LINE_BYTES, json_text, parse_json, refuse_pipe
from .measurement import Measurement

MAX_BYTES = 8 << 30  # of a whole file, unpacked
END = "rows"
# Versions before the end line wrote the error of a kernel with NaN in this form, which is not JSON.
_NO_NUMBER = re.compile(rb'"error":(?:NaN|-?Infinity)(?=[,}])')
log = logging.getLogger("tilewright")


def write_lines(rows: Iterable[Measurement], path: Path) -> int:
    """Write measurements and the end line; return how many measurements."""
    count = 0
    with _opened(path, "wb") as file:
        for count, row in enumerate(rows, 1):  # noqa: B007 - counts
            file.write(_line(row.to_dict()))
        file.write(_line({END: count}))
    return count


def _line(data: dict[str, Any]) -> bytes:
    return json_text(data, separators=(",", ":")).encode() + b"\n"


def read_lines(path: Path) -> Iterator[Measurement]:
    """Yield the measurements of a file; raise `SchemaError` with the line, and log what is missing at its end.

    Concatenated files are read as one: an end line counts the rows since the previous one.
    """
    number, since, ended = 0, 0, False
    try:
        with _opened(path, "rb") as file:
            for number, line in enumerate(_bounded(file), 1):
                if not line.endswith(b"\n"):  # a process that was killed leaves half a line at the end
                    _warn(f"{path}: line {number} is truncated and is not read")
                    break
                data = parse_json(_NO_NUMBER.sub(b'"error":null', line), "no measurement", most_bytes=MAX_LINE_BYTES)
                ended = isinstance(data, dict) and set(data) == {END}
                if ended:
                    _compare(data[END], since)
                    since = 0
                else:
                    since += 1
                    yield Measurement.from_dict(data)
    except SchemaError as error:
        raise SchemaError(f"{path}, line {max(number, 1)}: {error.message}", remedy=error.remedy) from None
    except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error) as error:
        raise SchemaError(f"{path} cannot be read after line {number}: {error}") from None
    if not ended:
        _warn(f'{path} does not end with {{"rows": n}}: it may be truncated; {since} rows were read')


@lru_cache(maxsize=256)
def _warn(text: str) -> None:
    """Log a warning once: a file that is merged is read twice."""
    log.warning("%s", text)


def _compare(said: Any, read: int) -> None:
    if said != read or isinstance(said, bool):
        raise SchemaError(f"the end line counts {said!r} rows; {read} were read", remedy="get the file again")


def _bounded(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file; refuse what unpacks to more than the limits before it is in memory."""
    total = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        total += len(line)
        if len(line) > MAX_LINE_BYTES or total > MAX_BYTES:
            what, most = ("a line", MAX_LINE_BYTES) if len(line) > MAX_LINE_BYTES else ("the file", MAX_BYTES)
            raise SchemaError(f"{what} is longer than the limit of {most:,} bytes", remedy="split it")
        yield line


def _opened(path: Path, mode: str) -> Any:
    """Open a file by its suffix, which a temporary name has as well."""
    if mode == "rb":
        refuse_pipe(path)
    if path.suffix == ".gz":
        return gzip.open(path, mode)
    if path.suffix == ".xz":  # a GPU waits for the write: three times as fast as the default, and a sixth larger
        return lzma.open(path, mode, preset=3 if mode == "wb" else None)
    return path.open(mode)
