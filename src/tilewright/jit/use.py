"""From a build request to a loaded kernel: what cannot be loaded is quarantined and built again, once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event
from typing import TypeVar

from ..errors import BuildError, BuildForbiddenError, CacheError, LaunchError
from .artifact import Artifact, BuildRequest
from .cache import Cache
from .library import load_from

T = TypeVar("T")
log = logging.getLogger("tilewright")
LOAD_ERRORS = (CacheError, LaunchError, OSError)


def load_built(
    request: BuildRequest,
    cache: Cache,
    load: Callable[[Artifact], T],
    *,
    may_build: bool = True,
    cancel: Event | None = None,
) -> T:
    """Return `load(artifact)` for the build of `request`, built if it is not cached.

    If it cannot be loaded, it is tried once more, because the cause may be temporary (memory, open files, a cache that
    was just cleared). Then the entry is quarantined, reported and built again. Raise `BuildError` if that cannot be
    loaded either, or cannot be built; `BuildForbiddenError` if it may not be built. With `cancel` nobody waits for it:
    the build reports no progress, and stops when the event is set.

    >>> import tempfile
    >>> copy = BuildRequest("", "copy", {"a": "hi"}, (("cp", "a", "b"),), ("b",), {})
    >>> load_built(copy, Cache(tempfile.mkdtemp()), lambda artifact: artifact.file().read_text())
    'hi'
    """
    stored = cache.find(request.build_key) is not None
    artifact = _get(request, cache, may_build, cancel)
    for _ in range(2):
        try:
            return load(artifact)
        except LOAD_ERRORS as problem:
            reason = _text(problem)
        found = cache.find(request.build_key, again=True)
        if found is None:
            break  # damaged or gone meanwhile, and reported by the cache
        artifact = found
    else:
        cache.reject(artifact, reason)
        if not stored:
            raise _unloadable(request, "was built", reason)  # a second build would give the same
    try:
        return load(_get(request, cache, may_build, cancel))
    except LOAD_ERRORS as problem:
        raise _unloadable(request, "was built again", _text(problem)) from problem


def load_library(
    request: BuildRequest,
    cache: Cache,
    load: Callable[[str], T],
    *,
    may_build: bool = True,
    cancel: Event | None = None,
) -> T:
    """Return `load(name)` for the library that `request` builds; `name` holds exactly the bytes that were stored.

    Every library in the cache that is not a kernel is loaded by this function. It raises what `load_built` raises.
    """

    def load_stored(artifact: Artifact) -> T:
        path = artifact.file()
        found: T = load_from(path, load, artifact.files[path.name])
        return found

    return load_built(request, cache, load_stored, may_build=may_build, cancel=cancel)


def _unloadable(request: BuildRequest, how: str, reason: str) -> BuildError:
    return BuildError(
        f"{request.name} {how} and still cannot be loaded: {reason}",
        remedy="check the compiler with `tilewright doctor`; TILEWRIGHT_CXX names another one",
    )


def _get(request: BuildRequest, cache: Cache, may_build: bool, cancel: Event | None) -> Artifact:
    found = cache.find(request.build_key)
    if found is not None:
        return found
    if not may_build:
        raise BuildForbiddenError(f"{request.name} is not built, and building is switched off", remedy="build it first")
    from .pool import build_one
    from .progress import waiting_progress

    log.info("building %s", request.name)
    progress = None if cancel is not None else waiting_progress(cache.settings.quiet)
    return build_one(request, cache, progress=progress, cancel=cancel)


def _text(problem: Exception) -> str:
    return getattr(problem, "message", "") or str(problem)
