"""The declared kernels of attention on the CPU."""

from __future__ import annotations

from ....model.kernel_set import KernelSet

DEFAULT_SETS = (
    KernelSet("cpu_fmha", "fmha", "cpu", ({"row_vectors": [4, 2, 1]},), description="attention forward on the CPU"),
)
NAMED_SETS = DEFAULT_SETS
