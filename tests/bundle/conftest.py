"""One selection library and one bundle for all tests of bundles."""

from __future__ import annotations

from pathlib import Path

import pytest
from bundle_cases import built_library
from quick_kernels import quick_settings


@pytest.fixture(scope="session")
def selection_library() -> Path:
    return built_library(quick_settings())
