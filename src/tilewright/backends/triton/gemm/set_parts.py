"""What the kernel sets of the pipelines are written with: archs, dtypes, the form of a set."""

from __future__ import annotations

from typing import Any

from ....model.kernel_set import KernelSet

HOPPER = "sm_90"
NVIDIA = ("sm_80", "sm_90")
AMD = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200", "gfx1201")
SIXTEEN_BIT = ["fp16", "bf16"]
EIGHT_BIT_FLOATS = ["fp8", "bf8"]


def gemm_set(
    name: str, text: str, archs: tuple[str, ...], maps: tuple[dict[str, Any], ...], **signature: Any
) -> KernelSet:
    """Return the kernel set of `maps` for products of this signature."""
    return KernelSet(name, "gemm", "triton", maps, signature, archs, 0, text)
