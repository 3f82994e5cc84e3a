"""A library is loaded from a private copy of the bytes that were checked.

A file that is mapped into a process can still be changed: if it is truncated, access to its pages ends the process with
SIGBUS. So the bytes are read once, checked, copied into memory that no other process can name (`memfd_create`, sealed),
and loaded from there. The checked bytes are what runs, even if the cache changes afterwards.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
from collections.abc import Iterator

_SEALS = ("F_SEAL_SEAL", "F_SEAL_SHRINK", "F_SEAL_GROW", "F_SEAL_WRITE")
_numbers = itertools.count()


@contextlib.contextmanager
def private_copy(data: bytes, name: str) -> Iterator[str | None]:
    """Yield a path from which `data` can be loaded while the block runs; None if this system has no such memory.

    >>> from pathlib import Path
    >>> with private_copy(b"hello", "demo") as path:
    ...     path is None or Path(path).read_bytes() == b"hello"
    True
    """
    try:
        descriptor = os.memfd_create(f"tilewright-{name}"[:200], os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield _filled(descriptor, data)
    finally:
        os.close(descriptor)


def _filled(descriptor: int, data: bytes) -> str | None:
    try:
        with open(descriptor, "wb", closefd=False) as stream:
            stream.write(data)
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, sum(getattr(fcntl, seal) for seal in _SEALS))
    except (AttributeError, OSError):
        return None
    path = f"/proc/self/fd/{_unique(next(_numbers))}{descriptor}"
    return path if os.path.exists(path) else None


def _unique(number: int) -> str:
    """Return a path prefix without effect that is different for each number.

    The loader treats two libraries with the same path as one, and descriptors are reused.

    >>> _unique(5) != _unique(6), os.path.normpath(_unique(5))
    (True, '.')
    """
    return "".join(".//" if bit == "1" else "./" for bit in f"{number:b}")
