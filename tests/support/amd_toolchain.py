"""The real AMD toolchain in tests: the one of the user's cache, or of this checkout's test cache.

`make test` installs it into the test cache (340 MB); `make test AMD=0` leaves it out, and what needs it is skipped.
"""

from __future__ import annotations

import os

import pytest

from tilewright.backends.ck_tile.toolchain import find_toolchain
from tilewright.errors import ToolchainError
from tilewright.settings import Settings

LEFT_OUT = os.environ.get("TILEWRIGHT_TEST_AMD") == "0"


def _settings() -> Settings | None:
    for settings in () if LEFT_OUT else (Settings.from_env(), Settings(cache_dir="")):
        try:
            find_toolchain(settings)
        except ToolchainError:
            continue
        return settings
    return None


REAL = _settings()
needs_toolchain = pytest.mark.skipif(
    REAL is None,
    reason="AMD=0 leaves out what compiles for AMD GPUs"
    if LEFT_OUT
    else "no AMD toolchain: `make test` or `tilewright toolchain install amdgpu` installs it (340 MB)",
)
