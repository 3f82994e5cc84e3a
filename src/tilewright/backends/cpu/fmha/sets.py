"""The declared kernels of attention on the CPU."""

from __future__ import annotations

from ....model.kernel_set import KernelSet

AMX_BLOCKS = ((2, 256), (4, 256), (8, 512))  # registers of rows, keys: few rows, some, many
AMX = tuple({"inner": "amx", "row_vectors": rows, "block_keys": keys} for rows, keys in AMX_BLOCKS)

DEFAULT_SETS = (
    KernelSet("cpu_fmha", "fmha", "cpu", ({"row_vectors": [4, 2, 1]},), description="attention with vector code"),
    KernelSet("cpu_fmha_amx", "fmha", "cpu", AMX, description="attention of bf16 with AMX tiles"),
)
NAMED_SETS = DEFAULT_SETS
