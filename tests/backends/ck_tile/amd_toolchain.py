"""The real AMD toolchain in tests: the one of the user's cache, or of this checkout's test cache.

`make test AMD=1` installs it into the test cache: it is 340 MB.
"""

from __future__ import annotations

import pytest

from tilewright.backends.ck_tile.toolchain import find_toolchain
from tilewright.errors import ToolchainError
from tilewright.settings import Settings


def _settings() -> Settings | None:
    for settings in (Settings.from_env(), Settings(cache_dir="")):
        try:
            find_toolchain(settings)
        except ToolchainError:
            continue
        return settings
    return None


REAL = _settings()
needs_toolchain = pytest.mark.skipif(
    REAL is None,
    reason="no AMD toolchain: `make test AMD=1` or `tilewright toolchain install amdgpu` installs it (340 MB)",
)
