"""CPU kernels compiled as a user gets them. All others of the tests are compiled without optimisation (conftest.py)."""

from __future__ import annotations

from typing import Any

from tilewright.settings import Settings


def shipped_settings(**changes: Any) -> Settings:
    """The settings of the environment without the compiler flags of the tests."""
    return Settings.from_env(cxx_flags="", **changes)
