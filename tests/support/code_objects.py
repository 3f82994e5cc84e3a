"""A code object for tests whose kernels are executed from the assembly text beside it."""

from __future__ import annotations

from pathlib import Path

ELF = (Path(__file__).parents[1] / "backends" / "gpu" / "data" / "probe_gfx942.co").read_bytes()
