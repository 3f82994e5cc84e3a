"""The real AMD toolchain in tests: the one of the user's cache, or of this checkout's test cache.

Nothing is downloaded unless TILEWRIGHT_TEST_TOOLCHAIN=1 asks for it: it is 340 MB.
"""

from __future__ import annotations

import os

import pytest

from tilewright.backends.ck_tile.toolchain import find_toolchain
from tilewright.backends.ck_tile.toolchain_install import install
from tilewright.errors import ToolchainError
from tilewright.settings import Settings


def _settings() -> Settings | None:
    for settings in (Settings.from_env(), Settings(cache_dir="")):
        try:
            find_toolchain(settings)
        except ToolchainError:
            continue
        return settings
    if os.environ.get("TILEWRIGHT_TEST_TOOLCHAIN") == "1":
        install(Settings.from_env())
        return Settings.from_env()
    return None


REAL = _settings()
needs_toolchain = pytest.mark.skipif(
    REAL is None,
    reason="no AMD toolchain: `tilewright toolchain install amdgpu`, or TILEWRIGHT_TEST_TOOLCHAIN=1 (340 MB)",
)
