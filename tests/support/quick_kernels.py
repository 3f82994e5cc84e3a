"""CPU kernels that are only asked for their answer: compiled without optimisation, in a third of the time or less.

What a test of speed, of the cache or of a selected kernel builds is compiled as it ships; so is everything under
`make test-all`, which empties TILEWRIGHT_TEST_CXX_FLAGS.
"""

from __future__ import annotations

import os
from typing import Any

from tilewright.settings import Settings

FLAGS = os.environ.get("TILEWRIGHT_TEST_CXX_FLAGS", "-O0")


def quick_settings(**changes: Any) -> Settings:
    """The settings of the environment with the flags of quick kernels."""
    given = Settings.from_env(**changes)
    return Settings.from_env(**{"cxx_flags": f"{given.cxx_flags} {FLAGS}".strip(), **changes})
