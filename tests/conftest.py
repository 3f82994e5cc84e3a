"""Shared fixtures. Kernels go into a content-addressed cache that survives between runs: a second run is quick."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

CACHE = Path(__file__).parent.parent / "build" / "test-cache"
QUICK_BUILD = "-O0 -Dalways_inline=__unused__"
os.environ.setdefault("TILEWRIGHT_CACHE_DIR", str(CACHE))
# Without optimisation a kernel compiles in a third of the time or less, and most tests ask for its answer only. What
# the headers force into its callers is then most of the work, so they force nothing: a third of the time again.
# Tests of kernels as they ship use `shipped_settings`; `make test-all` empties the flags for all.
os.environ.setdefault("TILEWRIGHT_CXX_FLAGS", os.environ.get("TILEWRIGHT_TEST_CXX_FLAGS", QUICK_BUILD))
# Tests say which of our own kernels is chosen. Those of vendor kernels (tests/backends/vendor) name them.
os.environ.setdefault("TILEWRIGHT_VENDOR", "0")
os.environ.setdefault("TILEWRIGHT_BUILD", "wait")  # what is chosen runs; tests of other policies set theirs
os.environ.setdefault("TILEWRIGHT_QUIET", "1")  # tests that read stderr must not see how busy the machine is
if "PYTEST_XDIST_WORKER" in os.environ:  # there is one worker per core: threads of torch and LightGBM would only wait
    os.environ.setdefault("OMP_NUM_THREADS", "1")
# Folders of tests are on sys.path: without the package, `import torch` would find the folder of its tests.
for package in ("torch", "triton"):
    if getattr(find_spec(package), "origin", None) is None:
        sys.modules[package] = None  # type: ignore[assignment]
# Measurements and models of the user must not decide what tests select.
os.environ["TILEWRIGHT_DATA_DIR"] = str(CACHE.parent / "test-data")


if find_spec("hypothesis") is not None:
    from hypothesis import HealthCheck, settings

    # A property may take longer on a busy machine: that is no failure of it.
    settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("patient")


@pytest.fixture(autouse=True)
def onednn_stays_on() -> Iterator[None]:
    """Turn oneDNN on again after each test.

    On CPUs without 16-bit instructions torch turns it off for the whole process after the first product of bf16 that
    fails there. What torch computes afterwards has other strides, and other operators compute it.
    """
    yield
    if (mkldnn := sys.modules.get("torch.backends.mkldnn")) is not None and mkldnn.is_available():
        mkldnn.set_flags(_enabled=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--exhaustive", action="store_true", help="also run the tests that are marked exhaustive")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run files, and the tests in each, in random order")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip, with a visible reason, GPU tests if there is no CUDA GPU, and emulated CPUs unless they are asked for."""
    if config.option.shuffle is not None:
        shuffle(items, config.option.shuffle)
    if any("gpu" in item.keywords for item in items):
        skip_marked(items, "gpu", gpu_missing())
    timed = "timing" in config.option.markexpr
    skip_marked(items, "timing", None if timed else "a busy machine may fail it: `make unit ARGS='-m timing'` runs it")
    every = config.option.exhaustive or "exhaustive" in config.option.markexpr
    skip_marked(items, "exhaustive", None if every else "like others that ran: `make test-all` runs it")
    asked = "foreign" in config.option.markexpr
    skip_marked(items, "foreign", None if asked else "emulated CPUs take minutes: `make test-foreign` runs them")


def shuffle(items: list[pytest.Item], seed: int) -> None:
    """Put files, and the tests of each file, into an order that the seed decides: tests of a file share fixtures."""
    rng = random.Random(seed)
    files = {item.path: rng.random() for item in items}
    items.sort(key=lambda item: (files[item.path], rng.random()))


def skip_marked(items: list[pytest.Item], marker: str, reason: str | None) -> None:
    """Skip the tests with this marker if there is a reason to."""
    for item in items:
        if reason and item.get_closest_marker(marker):
            item.add_marker(pytest.mark.skip(reason=reason))


def gpu_missing() -> str | None:
    """Why GPU tests cannot run here; None where they can."""
    if not any(Path("/dev").glob("nvidia[0-9]*")):
        return "no NVIDIA GPU on this machine (no /dev/nvidia*)"
    return None
