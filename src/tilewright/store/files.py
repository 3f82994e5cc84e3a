"""Measurements in files: Parquet for datasets, JSON lines without extra packages, SQLite to hand over a store."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..errors import StoreError
from ..jit.files import replacing
from .claims import Claims
from .lines import read_lines, write_lines
from .measurement import Measurement
from .parquet import read_parquet, write_parquet
from .sqlite import Store

Read = Callable[[Path], Iterator[Measurement]]
Write = Callable[[Iterable[Measurement], Path], int]


def write_rows(rows: Iterable[Measurement], path: str | Path) -> int:
    """Write measurements in the format that the name of the file ends in; return how many.

    The file is never incomplete, not even after a crash. If the file is already a store (.sqlite), the rows are merged
    into it, all or none.

    >>> import tempfile
    >>> write_rows([], tempfile.mkdtemp() + "/rows.jsonl")
    0
    """
    path = Path(path)
    _, write = _format(path)
    if path.name.endswith(".sqlite") and path.exists():
        with Store(path) as store:
            return sum(store.merge(rows, chunk=0))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary:
            return write(rows, temporary)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}", remedy="name another file") from error


def read_rows(path: str | Path) -> Iterator[Measurement]:
    """Yield the measurements of a file, in the format that its name ends in; `SchemaError` if it holds anything else.

    >>> import tempfile
    >>> name = tempfile.mkdtemp() + "/rows.jsonl.gz"
    >>> write_rows([], name), list(read_rows(name))
    (0, [])
    """
    path = Path(path)
    if not path.is_file():
        raise StoreError(f"{path} does not exist", remedy="give a file that `tilewright data export` wrote")
    read, _ = _format(path)
    yield from read(path)


class Merged(NamedTuple):
    """What became of the rows of a file: new, already known, or false. `reasons` are some of those of false rows."""

    new: int
    known: int
    false: int = 0
    reasons: tuple[str, ...] = ()


def merge_file(store: Store, path: str | Path) -> Merged:
    """Merge the measurements of a file into a store.

    The whole file is read and checked before the first row is added. Rows that name a kernel or problem that is not
    theirs are left out.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = write_rows([], folder + "/rows.jsonl")
    >>> merge_file(Store(folder + "/s.sqlite"), folder + "/rows.jsonl")
    Merged(new=0, known=0, false=0, reasons=())
    """
    for _ in read_rows(path):
        pass
    claims = Claims()
    new, known = store.merge(claims.true_rows(read_rows(path)))
    return Merged(new, known, claims.false, tuple(claims.reasons))


def _format(path: Path) -> tuple[Read, Write]:
    for ending, pair in _FORMATS.items():
        if path.name.endswith(ending):
            return pair
    raise StoreError(
        f"{path.name} has no known format of measurements", remedy=f"end the name in one of {', '.join(_FORMATS)}"
    )


def _write_store(rows: Iterable[Measurement], path: Path) -> int:
    with Store(path) as store:
        count = sum(store.merge(rows, chunk=0))
        store.seal()
    return count


def _read_store(path: Path) -> Iterator[Measurement]:
    with Store(path) as store:
        yield from store.checked_rows()


_FORMATS: dict[str, tuple[Read, Write]] = {
    ".parquet": (read_parquet, write_parquet),
    ".jsonl": (read_lines, write_lines),
    ".jsonl.gz": (read_lines, write_lines),
    ".jsonl.xz": (read_lines, write_lines),
    ".sqlite": (_read_store, _write_store),
}
