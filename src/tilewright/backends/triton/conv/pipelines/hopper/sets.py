"""hopper: the kernels that are offered."""

from __future__ import annotations

from typing import Any

from ....gemm.set_parts import HOPPER
from ...set_parts import DATA, SIXTEEN, WEIGHT, Maps, conv_set


def _boxes(tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """Return (tile_m, tile_n, tile_k, warps, consumers, blocks per multiprocessor) each, of the hopper pipeline."""
    names = ("tile_m", "tile_n", "tile_k", "warps", "consumers", "blocks_per_unit")
    found = []
    for t in tiles:
        m, n, _, _, consumers, _ = t
        buffers = 1 if (m * n >= 256 * 128 and m > n) or (consumers == 2 and m * n > 8192) else 2
        found.append({"pipeline": "hopper", "stages": 0, **dict(zip(names, t, strict=True)), "out_buffers": buffers,
                      **fields})  # fmt: skip
    return tuple(found)


# Boxes of pixels by TMA; depths of 32 for few channels.
BOXES = ((128, 256, 64, 8, 1, 1), (256, 128, 64, 8, 1, 1), (128, 192, 64, 8, 1, 1), (128, 128, 64, 8, 1, 1),
         (128, 192, 64, 8, 2, 1), (128, 128, 64, 8, 2, 1), (128, 64, 64, 8, 2, 1), (64, 256, 64, 8, 2, 1),
         (64, 192, 64, 8, 2, 1), (64, 128, 64, 8, 2, 1), (64, 64, 64, 8, 2, 1), (256, 64, 64, 8, 1, 1),
         (128, 64, 32, 8, 2, 1), (128, 32, 64, 8, 2, 1), (128, 32, 32, 8, 2, 1),
         (256, 32, 32, 8, 1, 1), (128, 64, 64, 4, 1, 2))  # fmt: skip
FOLDED_BOXES = ((128, 64, 32, 8, 2, 1), (256, 64, 32, 8, 1, 1), (128, 64, 32, 4, 1, 3), (128, 128, 32, 8, 2, 1),
                (128, 192, 32, 8, 1, 1), (128, 192, 16, 8, 1, 1), (128, 64, 16, 8, 2, 1), (256, 64, 16, 8, 1, 1),
                (128, 32, 32, 8, 2, 1))  # fmt: skip
MERGED_BOXES = ((64, 64, 128, 4, 1, 1), (64, 64, 64, 4, 1, 2), (128, 128, 64, 8, 1, 1), (64, 128, 64, 4, 1, 1))
FOLDED_ROWS = ((64, 256, 64, 4, 1, 1), (128, 256, 64, 8, 1, 1), (64, 128, 64, 4, 1, 1), (128, 128, 64, 8, 1, 1),
               (64, 64, 128, 4, 1, 1), (128, 64, 128, 8, 1, 1))  # fmt: skip
FOLDED_BOXES_WEIGHT = ((64, 32, 128, 4, 1, 2), (64, 32, 256, 4, 1, 1), (64, 16, 128, 4, 1, 2), (64, 16, 256, 4, 1, 1),
                       (128, 32, 128, 8, 1, 1), (128, 16, 128, 8, 1, 1), (256, 16, 128, 8, 1, 1),
                       (64, 64, 128, 4, 1, 1))  # fmt: skip
BOXES_WEIGHT = ((128, 256, 64, 8, 1, 1), (256, 128, 64, 8, 1, 1), (128, 192, 64, 8, 1, 1), (128, 128, 64, 8, 1, 1),
                (128, 128, 64, 8, 2, 1), (64, 256, 64, 4, 1, 1), (64, 128, 128, 4, 1, 1), (128, 64, 128, 8, 1, 1),
                (64, 64, 128, 4, 1, 1), (64, 32, 128, 4, 1, 2))  # fmt: skip

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    1: (
    conv_set("hopper", "boxes of pixels by TMA, wgmma", (HOPPER,), (
        *_boxes(BOXES, store=["tma", "pointer"]), *_boxes(FOLDED_BOXES, fold=True)), direction=DATA, **SIXTEEN),
    conv_set("hopper_weight", "gradient of the weights over boxes of pixels", (HOPPER,), (
        *_boxes(BOXES_WEIGHT), *_boxes(BOXES_WEIGHT, split=True, order="tiles"),
        *_boxes(MERGED_BOXES, split=True, order="tiles", merge=True),
        *_boxes(FOLDED_BOXES_WEIGHT, split=True, order="tiles", fold=True),
        *_boxes(FOLDED_ROWS, split=True, order="tiles", fold=True, filter_h=[2, 3, 4, 5, 7])), direction=WEIGHT,
        **SIXTEEN),
    ),
}  # fmt: skip
