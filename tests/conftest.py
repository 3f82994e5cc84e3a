"""Shared fixtures. Kernels go into a content-addressed cache that survives between runs: a second run is quick."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

CACHE = Path(__file__).parent.parent / "build" / "test-cache"
os.environ.setdefault("TILEWRIGHT_CACHE_DIR", str(CACHE))
# Measurements and models of the user must not decide what tests select.
os.environ["TILEWRIGHT_DATA_DIR"] = str(CACHE.parent / "test-data")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip GPU tests with a visible reason where there is no CUDA GPU."""
    if not any("gpu" in item.keywords for item in items):
        return
    reason = gpu_missing()
    if reason:
        for item in items:
            if "gpu" in item.keywords:
                item.add_marker(pytest.mark.skip(reason=reason))


def gpu_missing() -> str | None:
    """Why GPU tests cannot run here; None where they can."""
    if not any(Path("/dev").glob("nvidia[0-9]*")):
        return "no NVIDIA GPU on this machine (no /dev/nvidia*)"
    return None
