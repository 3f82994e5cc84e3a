"""A pytest plugin: a test marked `@pytest.mark.amd("gfx942", "gfx1100")` runs once for each of these archs.

Triton kernels that the test launches are compiled for that arch and executed by the emulator, on NumPy arrays and CPU
tensors. The sanitizer watches; `sanitize=False` turns it off. The fixture `amd_gpu` holds the arch, reports and counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

MARKER = 'amd(*archs, sanitize=True): run Triton kernels of the test on emulated AMD GPUs, such as "gfx942"'


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", MARKER)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a marked test once for each arch."""
    marker = metafunc.definition.get_closest_marker("amd")
    if marker is not None:
        _check(marker)
        metafunc.parametrize("amd_gpu", marker.args, indirect=True)


@pytest.fixture(autouse=True)
def amd_gpu(request: pytest.FixtureRequest) -> Iterator[Any]:
    """The emulated GPU of a marked test (`arch`, `reports`, `counts()`); None for other tests."""
    marker = request.node.get_closest_marker("amd")
    if marker is None:
        yield None
        return
    _check(marker)
    if not hasattr(request, "param") and len(marker.args) > 1:  # a mark of one set of parameters cannot add others
        raise pytest.UsageError("pytest.mark.amd in pytest.param takes one arch")
    if find_spec("triton") is None:
        pytest.skip("triton is not installed: pip install 'tilewright[triton]'")
    from ..backends.triton.emulated import emulated_triton

    with emulated_triton(getattr(request, "param", marker.args[0]), **marker.kwargs) as gpu:
        yield gpu


def _check(marker: pytest.Mark) -> None:
    from ..emulator import ISAS

    unknown = [a for a in marker.args if a not in ISAS]
    if unknown or not marker.args or set(marker.kwargs) - {"sanitize"}:
        raise pytest.UsageError(
            f"pytest.mark.amd takes archs of {', '.join(ISAS)} and sanitize=; it has {marker.args} {marker.kwargs}"
        )
