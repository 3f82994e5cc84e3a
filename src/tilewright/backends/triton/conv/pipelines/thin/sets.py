"""thin: the kernels that are offered."""

from __future__ import annotations

from typing import Any

from ....gemm.set_parts import NVIDIA
from ...set_parts import DATA, SIXTEEN, Maps, conv_set, tiles_of

MERGED_THIN = ((128, 128, 32, 8, 3), (128, 32, 128, 8, 3))  # groups that widen, and their gradients


def _thin() -> Maps:
    """Tiles for 1x1 layers of few channels, of which several programs fit a multiprocessor."""
    found: list[dict[str, Any]] = []
    for n in (16, 32, 64, 128, 256):
        for k in (16, 32, 64, 128, 256):
            for m, warps, stages in ((64, 4, 3), (128, 4, 3), (128, 8, 3), (64, 4, 4), (64, 4, 2)):
                resident = min(4, (216 << 10) // (m * k * 2 * stages + k * n * 2), 16 // warps)
                if resident > 1 and m * n <= 128 * 128 and (stages > 2 or k == 256):
                    found += tiles_of("thin", ((m, n, k, warps, stages),), blocks_per_unit=resident)
    return tuple(found)


# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    2: (
    conv_set("thin", "1x1 of few channels, pixels streamed past the weights", NVIDIA, (
        *({**m, "vector_bytes": [2, 8, 16]} for m in _thin()),
        *tiles_of("thin", MERGED_THIN, vector_bytes=[8, 16], blocks_per_unit=2, merge=True)), direction=DATA,
        **SIXTEEN),
    ),
}  # fmt: skip
