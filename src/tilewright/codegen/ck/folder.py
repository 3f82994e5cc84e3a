"""Output folders: create them, check for foreign files, and write only what changed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection
from pathlib import Path

from ...errors import TilewrightError

SHOWN = 5
OnFile = Callable[[int, int, str, str], None]  # number, total, name, status


def prepare(folder: Path, ours: Collection[str]) -> None:
    """Prepare `folder` for writing: create it if it is missing, refuse it if it holds files that are not `ours`.

    Files listed in a manifest are ours. Anything else may be somebody's work and is never overwritten or mixed in.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        foreign = sorted(entry.name for entry in os.scandir(folder) if entry.name not in ours)
    except (FileExistsError, NotADirectoryError):
        raise TilewrightError(f"{folder} is not a folder", remedy="name a folder for the generated files") from None
    except OSError as error:
        raise _unwritable(folder, error) from None
    if foreign:
        more = f" and {len(foreign) - SHOWN} more" if len(foreign) > SHOWN else ""
        raise TilewrightError(
            f"{folder} holds files that tilewright did not generate: {', '.join(foreign[:SHOWN])}{more}",
            remedy="name an empty or new folder, or move those files away",
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise _unwritable(folder, PermissionError(13, "permission denied"))


def write_changed(path: Path, text: str) -> bool:
    """Write `text` and return True; if the file already has it, return False and keep its time, so nothing is rebuilt.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.txt"
    >>> write_changed(path, "x"), write_changed(path, "x")
    (True, False)
    """
    data = text.encode()
    try:
        if path.stat().st_size == len(data) and path.read_bytes() == data:
            return False
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _unwritable(path.parent, error) from None
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise _unwritable(path.parent, error) from None
    return True


def remove(folder: Path, names: Collection[str]) -> None:
    """Remove files of ours that are no longer needed."""
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            (folder / name).unlink()


def _unwritable(folder: Path, error: OSError) -> TilewrightError:
    return TilewrightError(f"cannot write to {folder}: {error.strerror or error}", remedy="name a writable folder")
