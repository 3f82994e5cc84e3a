"""A cache that holds the launcher and the thread pool: compiling them takes five seconds, for each cache of a test."""

from __future__ import annotations

from pathlib import Path

from tilewright.jit import Cache
from tilewright.jit.native_build import launcher_request, runtime_request
from tilewright.jit.pool import build_one
from tilewright.settings import Settings


def with_helpers(folder: Path) -> Path:
    """Put both into an empty cache, from that of the environment; return the folder."""
    settings = Settings.from_env()
    shared = Cache.from_settings(settings)
    requests = (launcher_request(settings), runtime_request(settings))
    for request in requests:
        build_one(request, shared)
    archive = folder.with_name(f"{folder.name}.tar.gz")
    shared.export(archive, [request.build_key for request in requests])
    assert Cache(folder).import_(archive) == len(requests)
    archive.unlink()
    return folder
