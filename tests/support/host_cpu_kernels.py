"""Legal kernels of the CPU that runs the tests, for tests that need some kernel and not a particular one."""

from __future__ import annotations

from typing import Any

import pytest

from tilewright.backends.cpu.detect import host_arch, host_archs
from tilewright.backends.cpu.gemm.algorithm import CpuGemm
from tilewright.settings import Settings

HOST = host_arch(Settings.from_env())
ARCH = HOST.name
# The least level of this CPU with vector FMA, for which no selection model ships; the plain one if there is none.
BASE_ARCH = next((a.name for a in reversed(host_archs()) if "fma" in a.inners), ARCH)
VECTOR_INNER = "fma" if "fma" in HOST.inners else "portable"


def needs_inner(inner: str) -> None:
    """Skip a test, with a visible reason, if this CPU lacks the instructions; what it has must run."""
    if inner not in HOST.inners:
        pytest.skip(f"this CPU ({ARCH}) has no {inner}")


def gemm_tile(**fields: Any) -> CpuGemm:
    """A register tile of four rows and two vectors: it fits the registers of every CPU."""
    return CpuGemm(**{"inner": VECTOR_INNER, "mr": 4, "nr": 2 * HOST.lanes, **fields})
