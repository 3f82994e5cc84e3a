"""What the kernel sets of all pipelines are written with."""

from __future__ import annotations

from typing import Any

from ....model.kernel_set import KernelSet
from ..gemm.set_parts import AMD, NVIDIA, SIXTEEN_BIT

DATA = ["forward", "backward_data"]
WEIGHT = "backward_weight"
SIXTEEN = {"dtype_input": SIXTEEN_BIT}
ALL = (*NVIDIA, *AMD)
Maps = tuple[dict[str, Any], ...]


def tiles_of(pipeline: str, tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """Return (tile_m, tile_n, tile_k, warps, stages) each."""
    names = ("tile_m", "tile_n", "tile_k", "warps", "stages")
    return tuple({"pipeline": pipeline, **dict(zip(names, t, strict=True)), **fields} for t in tiles)


def conv_set(name: str, text: str, archs: tuple[str, ...], maps: Maps, **signature: Any) -> KernelSet:
    """Return a set of convolution kernels."""
    return KernelSet(f"triton_conv_{name}", "conv", "triton", maps, signature, archs, 0, text)
