"""Who can write to folders that code is loaded from. Cache folders are created for their owner only and checked.

Trusted owners are the user, root, the user behind `sudo`, and those in the setting `cache_owners`. Root does not load
what an ordinary user can change.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..errors import CacheError
from ..settings import Settings

PRIVATE = 0o700
OTHERS_WRITE = 0o022
OTHERS_ENTER = 0o011
EVERYBODY = "*"
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


def secure(folder: Path, settings: Settings) -> str | None:
    """Check that only trusted users can write the cache folder `folder`; raise `CacheError` if others can.

    If others can write the user's own folder, their permission is removed and a message is returned, else None. A
    missing folder is fine.
    """
    owners = trusted_owners(settings)
    try:
        fact = os.stat(folder)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as problem:
        raise CacheError(f"the cache folder {folder} cannot be checked: {problem.strerror}") from None
    if owners is None:
        return None
    if fact.st_uid not in owners:
        raise _refusal(folder, f"belongs to {_user_name(fact.st_uid)}, and this process runs as {_user_name()}")
    if not fact.st_mode & OTHERS_WRITE:
        return None
    if not tighten(folder, fact):
        raise _refusal(folder, f"can be written by others (mode {stat.S_IMODE(fact.st_mode):04o})")
    return (
        f"the cache folder {folder} could be written by others (mode {stat.S_IMODE(fact.st_mode):04o}); "
        f"it is now {stat.S_IMODE(os.stat(folder).st_mode):04o}"
    )


def tighten(path: Path, fact: os.stat_result) -> bool:
    """Remove write permission from group and others; return whether nobody else can write `path` now."""
    if fact.st_uid == os.geteuid():
        try:
            os.chmod(path, stat.S_IMODE(fact.st_mode) & ~OTHERS_WRITE)
            return not os.stat(path).st_mode & OTHERS_WRITE
        except OSError:
            return False  # a read-only or foreign file system; the caller refuses the folder
    return False


def is_closed(folder: Path) -> bool:
    """Return whether only the owner can enter `folder`, so that modes below it do not matter."""
    return not os.stat(folder).st_mode & OTHERS_ENTER


def exposed(path: Path, fact: os.stat_result, owners: frozenset[int]) -> str | None:
    """Return why `path`, which others can reach, is not trusted; None if it is. Own files lose write permission."""
    if fact.st_uid not in owners:
        return f"{path.name} belongs to {_user_name(fact.st_uid)}"
    if fact.st_mode & OTHERS_WRITE and not tighten(path, fact):
        return f"{path.name} can be written by others (mode {stat.S_IMODE(fact.st_mode):04o})"
    return None


def _user_name(uid: int | None = None) -> str:
    uid = os.geteuid() if uid is None else uid
    import pwd

    try:
        return f"{pwd.getpwuid(uid).pw_name} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def _refusal(folder: Path, why: str) -> CacheError:
    return CacheError(
        f"the cache folder {folder} {why}; nothing is loaded from it, because kernels are native code",
        remedy="set TILEWRIGHT_CACHE_DIR to a folder of your own, or, if you trust everybody who can write there, name "
        "them in TILEWRIGHT_CACHE_OWNERS",
    )


def entry_exposed(folder: Path, layer: Path, owners: frozenset[int] | None) -> str | None:
    """Return why the entry `folder` of a cache `layer` is not trusted; None if it is. Raises `OSError`."""
    if owners is None or is_closed(layer):
        return None
    inside = folder.relative_to(layer).parts
    folders = [layer.joinpath(*inside[: depth + 1]) for depth in range(len(inside))]
    for path in [*folders, *folder.iterdir()]:
        why = exposed(path, os.lstat(path), owners)
        if why is not None:
            return why
    return None
