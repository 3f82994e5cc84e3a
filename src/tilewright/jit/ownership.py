"""Who can write to folders that code is loaded from. Cache folders are created for their owner only and checked.

Trusted owners are the user, root, the user behind `sudo`, and those in the setting `cache_owners`. Root does not load
what an ordinary user can change. What others can have written is foreign: no mode is changed to make it loadable.
"""

from __future__ import annotations

import contextlib
import os
import stat
from itertools import chain
from pathlib import Path

from ..errors import CacheError
from ..settings import Settings

PRIVATE = 0o700
OTHERS_WRITE = 0o022
EVERYBODY = "*"
LAYOUT = "v1"
NAMES = (LAYOUT, "toolchains")  # what a cache folder holds
FOLDERS = ("entries", "failures", "verdicts", "tmp", "locks", "quarantine", "probes")  # of a version
FOREIGN = "foreign-"  # what others could write is renamed to this and never read
_CREATE_ATTEMPTS = 16  # another process may remove a parent at the same moment, but not forever


def make_folder(folder: Path) -> None:
    """Create a cache folder and its missing parents, each for its owner only. Raises `OSError`.

    >>> import tempfile
    >>> inner = Path(tempfile.mkdtemp()) / "cache" / "v1"
    >>> make_folder(inner)
    >>> oct(inner.stat().st_mode & 0o777), oct(inner.parent.stat().st_mode & 0o777)
    ('0o700', '0o700')
    """
    for attempt in range(_CREATE_ATTEMPTS):
        try:
            os.mkdir(folder, PRIVATE)
            return
        except FileExistsError:
            if folder.is_dir():
                return
            raise
        except FileNotFoundError:
            if folder.parent == folder or attempt == _CREATE_ATTEMPTS - 1:
                raise
            make_folder(folder.parent)


def trusted_owners(settings: Settings) -> frozenset[int] | None:
    """Return the user ids whose files may be loaded; None if the settings trust everybody.

    >>> trusted_owners(Settings(cache_owners="1234")) >= {0, 1234, os.geteuid()}
    True
    >>> trusted_owners(Settings(cache_owners="*")) is None
    True
    """
    named = [word.strip() for word in settings.cache_owners.split(",") if word.strip()]
    if EVERYBODY in named:
        return None
    owners = {0, os.geteuid(), *map(_user_id, named)}
    behind = os.environ.get("SUDO_UID", "")
    if os.geteuid() == 0 and behind.isascii() and behind.isdigit():  # a user who may call sudo is already root
        owners.add(int(behind))
    return frozenset(owners)


def _user_id(name: str) -> int:
    if name.isascii() and name.isdigit():
        return int(name)
    import pwd

    try:
        return pwd.getpwnam(name).pw_uid
    except (KeyError, ValueError):
        raise CacheError(
            f"TILEWRIGHT_CACHE_OWNERS names the user {name!r}, who does not exist here",
            remedy="name users or user ids, separated by ','",
        ) from None


def exposure(path: Path, owners: frozenset[int] | None) -> str | None:
    """Return why others can have written `path`; None if they cannot, or if it is missing. Raises `OSError`.

    An access control list that lets others write shows in the mode as well.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> exposure(folder, frozenset({os.geteuid()})) is None
    True
    >>> os.chmod(folder, 0o770)
    >>> exposure(folder, frozenset({os.geteuid()}))
    'can be written by others (mode 0770)'
    """
    if owners is None:
        return None
    try:
        fact = os.lstat(path)
        fact = os.stat(path) if stat.S_ISLNK(fact.st_mode) and fact.st_uid in owners else fact
    except (FileNotFoundError, NotADirectoryError):
        return None
    if fact.st_uid not in owners:
        return f"belongs to {_user_name(fact.st_uid)}, and this process runs as {_user_name()}"
    if fact.st_mode & OTHERS_WRITE and not stat.S_ISLNK(fact.st_mode):
        return f"can be written by others (mode {stat.S_IMODE(fact.st_mode):04o})"
    return None


def layer_exposure(layer: Path, owners: frozenset[int] | None) -> tuple[Path, str] | None:
    """Return the first folder of a cache `layer` that others can have written, and why; None if there is none.

    These are the layer itself and what it consists of (entries, locks, work folders). Entries are checked one by one
    (`entry_exposure`).
    """
    if owners is None:
        return None
    inner = layer / LAYOUT
    for path in (layer, inner, *map(inner.joinpath, FOLDERS)):
        why = _checked(path, owners)
        if why is not None:
            return path, why
    return None


def _checked(path: Path, owners: frozenset[int]) -> str | None:
    try:
        return exposure(path, owners)
    except OSError as problem:
        raise CacheError(f"the cache folder {path} cannot be checked: {problem.strerror}") from None


def entry_exposure(folder: Path, owners: frozenset[int] | None) -> str | None:
    """Return why the entry in `folder` is not trusted; None if it is. Raises `OSError`."""
    if owners is not None:
        for path in (folder.parent, folder, *folder.iterdir()):
            why = exposure(path, owners)
            if why is not None:
                return f"{path.name} {why}"
    return None


def refuse_exposed(layer: Path, settings: Settings) -> None:
    """Raise `CacheError` if others can have written the cache folder `layer` or a folder in it."""
    found = layer_exposure(layer, trusted_owners(settings))
    if found is not None:
        raise refusal(*found)


def refuse_exposed_tree(folder: Path, settings: Settings) -> None:
    """Raise `CacheError` if others can have written `folder`, the one that it is in, or anything below it."""
    owners = trusted_owners(settings)
    if owners is None:
        return
    below = (Path(base, name) for base, folders, files in os.walk(folder) for name in (*folders, *files))
    for path in chain((folder.parent, folder), below):
        why = _checked(path, owners)
        if why is not None:
            raise refusal(path, why)


def close_tree(folder: Path) -> None:
    """Take write permission from group and others, which a umask such as 0002 leaves them, in a tree made here."""
    for base, folders, files in os.walk(folder):
        for path in (Path(base), *(Path(base, name) for name in (*folders, *files))):
            close_to_others(path)


def close_to_others(path: Path) -> None:
    """Take write permission on `path`, made by this process, from group and others."""
    mode = os.lstat(path).st_mode
    if mode & OTHERS_WRITE and not stat.S_ISLNK(mode):
        os.chmod(path, stat.S_IMODE(mode) & ~OTHERS_WRITE)


def start_anew(root: Path) -> list[Path] | None:
    """Move everything that lies in the user's cache at `root` aside and make `root` private; return where it went.

    Nothing inside is changed: what others could write stays marked by its owner and mode, so a process that dies here
    leaves nothing that looks trusted. None if this cannot be done: `root` belongs to somebody else, or has other things
    in it, such as the files of a temporary or home folder.
    """
    try:
        fact = os.stat(root)
        names = set(os.listdir(root))
        other = [name for name in names if name not in NAMES and not name.startswith(FOREIGN)]
        if fact.st_uid != os.geteuid() or fact.st_mode & stat.S_ISVTX or other:
            return None
        os.chmod(root, stat.S_IMODE(fact.st_mode) & ~OTHERS_WRITE)
        if os.stat(root).st_mode & OTHERS_WRITE:
            return None
        moved = []
        for name in sorted(names.intersection(NAMES)):
            with contextlib.suppress(FileNotFoundError):  # another process moved it
                os.rename(root / name, target := root / f"{FOREIGN}{name}-{os.urandom(6).hex()}")
                moved.append(target)
        return moved
    except OSError:
        return None  # a read-only or foreign file system: the caller refuses the folder


def _user_name(uid: int | None = None) -> str:
    uid = os.geteuid() if uid is None else uid
    import pwd

    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def refusal(folder: Path, why: str) -> CacheError:
    """Return the error for a cache folder that others can have written."""
    return CacheError(
        f"the cache folder {folder} {why}; nothing is loaded from it, because kernels are native code",
        remedy="remove it (a change of its mode does not undo what others wrote), or set TILEWRIGHT_CACHE_DIR to a "
        "folder of your own; if you trust everybody who can write there, name them in TILEWRIGHT_CACHE_OWNERS",
    )
