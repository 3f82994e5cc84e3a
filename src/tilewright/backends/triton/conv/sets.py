"""The convolution kernels that the triton backend offers, as kernel sets."""

from __future__ import annotations

from typing import Any

from ....model.kernel_set import KernelSet
from ..gemm.sets import AMD, HOPPER, NVIDIA, SIXTEEN_BIT
from ..gemm.sets import DEFAULT_SETS as GEMM_SETS

DATA = ["forward", "backward_data"]
WEIGHT = "backward_weight"
Maps = tuple[dict[str, Any], ...]


def _tiles(pipeline: str, tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """(tile_m, tile_n, tile_k, warps, stages) each."""
    names = ("tile_m", "tile_n", "tile_k", "warps", "stages")
    return tuple({"pipeline": pipeline, **dict(zip(names, t, strict=True)), **fields} for t in tiles)


def _windows(tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """(lines, channels, warps, span) each."""
    return tuple({"tile_m": m, "tile_n": c, "tile_k": c, "warps": w, "span": s, "stages": 1, **fields}
                 for m, c, w, s in tiles)  # fmt: skip


def _strips(tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """(lines, channels, warps, span, turns ahead) each."""
    names = ("tile_m", "tile_n", "warps", "span", "stages")
    return tuple({"pipeline": "strip", **dict(zip(names, t, strict=True)), "tile_k": t[1], **fields} for t in tiles)


# Large tiles for many channels, narrow ones for few.
IMPLICIT = ((128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 64, 64, 4, 4),
            (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (128, 64, 32, 4, 4), (128, 32, 32, 4, 4),
            (128, 16, 16, 4, 4))  # fmt: skip
MERGED = ((128, 64, 64, 4, 3), (128, 32, 32, 4, 3))
MERGED_THIN = ((128, 128, 32, 8, 3), (128, 32, 128, 8, 3))  # groups that widen, and their gradients
WIDE = ((128, 128, 64, 8, 3), (64, 64, 32, 4, 3))
# Rows and columns are channels here, the depth is pixels.
IMPLICIT_WEIGHT = ((128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 256, 64, 8, 3), (64, 128, 64, 4, 3),
                   (128, 64, 64, 4, 3), (64, 64, 64, 4, 4), (64, 32, 64, 4, 4), (32, 64, 64, 4, 4),
                   (32, 32, 64, 2, 4), (64, 16, 64, 4, 4), (16, 64, 64, 4, 4))  # fmt: skip
MERGED_WEIGHT = ((64, 64, 64, 4, 3), (32, 32, 128, 2, 3))
FOLDED = ((128, 64, 32, 4, 3), (128, 64, 32, 8, 3), (128, 128, 32, 8, 3), (64, 64, 32, 4, 4))
FOLDED_WEIGHT = ((64, 32, 64, 4, 3), (128, 32, 64, 4, 3), (64, 16, 64, 4, 3))
EXACT = ((64, 64, 32, 4, 3), (128, 64, 16, 8, 3), (32, 32, 32, 4, 3))
AMD_TILES = ((128, 128, 32, 4, 2), (64, 64, 32, 4, 2), (64, 32, 32, 4, 2))

WINDOW = (
    (64, 16, 2, 4),
    (64, 16, 4, 4),
    (32, 16, 1, 4),
    (64, 16, 4, 2),
    (64, 32, 4, 4),
    (32, 32, 2, 4),
    (64, 32, 4, 2),
)
WINDOW_WIDE = ((64, 64, 4, 2), (64, 64, 8, 2), (64, 64, 4, 1))
WINDOW_WEIGHT = ((64, 16, 1, 2), (32, 16, 1, 4), (64, 16, 2, 4), (64, 32, 4, 2), (32, 32, 2, 2), (32, 32, 4, 4))
DEPTHWISE = ((8, 64, 2, 4), (4, 64, 1, 4), (16, 64, 4, 4), (8, 64, 4, 4), (8, 64, 2, 8), (4, 64, 2, 8), (16, 32, 2, 4),
             (32, 16, 2, 4), (64, 8, 2, 4), (8, 64, 2, 2))  # fmt: skip
DEPTHWISE_WEIGHT = ((8, 64, 4, 4), (4, 64, 4, 4), (4, 64, 2, 4), (8, 32, 4, 4), (4, 32, 2, 8), (8, 64, 8, 8),
                    (16, 16, 4, 4),                    (4, 64, 4, 2), (2, 64, 4, 2))  # fmt: skip


def _boxes(tiles: tuple[tuple[int, ...], ...], **fields: Any) -> Maps:
    """(tile_m, tile_n, tile_k, warps, consumers, blocks per multiprocessor) each, of the hopper pipeline."""
    names = ("tile_m", "tile_n", "tile_k", "warps", "consumers", "blocks_per_unit")
    found = []
    for t in tiles:
        m, n, _, _, consumers, _ = t
        buffers = 1 if (m * n >= 256 * 128 and m > n) or (consumers == 2 and m * n > 8192) else 2
        found.append({"pipeline": "hopper", "stages": 0, **dict(zip(names, t, strict=True)), "out_buffers": buffers,
                      **fields})  # fmt: skip
    return tuple(found)


def _thin() -> Maps:
    """Tiles for 1x1 layers of few channels, of which several programs fit a multiprocessor."""
    found: list[dict[str, Any]] = []
    for n in (16, 32, 64, 128, 256):
        for k in (16, 32, 64, 128, 256):
            for m, warps, stages in ((64, 4, 3), (128, 4, 3), (128, 8, 3), (64, 4, 4), (64, 4, 2)):
                resident = min(4, (216 << 10) // (m * k * 2 * stages + k * n * 2), 16 // warps)
                if resident > 1 and m * n <= 128 * 128 and (stages > 2 or k == 256):
                    found += _tiles("thin", ((m, n, k, warps, stages),), blocks_per_unit=resident)
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


def _set(name: str, text: str, archs: tuple[str, ...], maps: Maps, **signature: Any) -> KernelSet:
    return KernelSet(f"triton_conv_{name}", "conv", "triton", maps, signature, archs, 0, text)


def _gemm_maps(kernel_set: KernelSet) -> Maps:
    return tuple({**m, "pipeline": "gemm", "inner": m["pipeline"]} for m in kernel_set.algorithms)


def _gemm_sets() -> tuple[KernelSet, ...]:
    """1x1 convolutions through every gemm set of these dtypes."""
    found = []
    for s in GEMM_SETS:
        dtype = s.signature.get("dtype_a")
        if s.signature.keys() == {"dtype_a"} and (dtype == SIXTEEN_BIT or dtype == "fp32"):
            name = s.name.removeprefix("triton_")
            found.append(_set(f"gemm_{name}", f"1x1: {s.description}", s.archs, _gemm_maps(s), dtype_input=dtype))
    return tuple(found)


SPECIAL = {"filter_w": [1, 3], "stride_w": [1, 2], "phase": [0, 1]}
FILTERS = {"filter_w": [1, 3, 5, 7], "stride_w": [1, 2], "phase": [0, 1]}
VECTORS = [2, 4, 8, 16]
SIXTEEN = {"dtype_input": SIXTEEN_BIT}
ANY = _tiles("implicit", ((64, 64, 32, 4, 3), (64, 16, 16, 4, 3)), unit=False, wide=True, vector_bytes=1)
ALL = (*NVIDIA, *AMD)

WINDOW_MAPS = (
    *_windows(WINDOW, pipeline="window", channels=[0, 4, 8, 16], **SPECIAL),
    *_windows(((64, 16, 4, 2), (64, 32, 4, 2)), pipeline="window", vector_bytes=[2, 8], **SPECIAL),
    *_windows(WINDOW_WIDE, pipeline="window", vector_bytes=[8, 16], channels=[0, 8, 16], **SPECIAL),
    *_windows(((64, 16, 4, 2), (64, 32, 4, 2)), pipeline="window", vector_bytes=[2, 16], wide=True, **SPECIAL),
)
WINDOW_WEIGHT_MAPS = (
    *_windows(WINDOW_WEIGHT, pipeline="window", channels=[0, 4, 8, 16], filter_w=3, filter_h=3, stride_w=[1, 2],
              sum=["workspace", "atomic"]),
    *_windows(((64, 16, 1, 2), (64, 32, 4, 2)), pipeline="window", vector_bytes=2, filter_w=[1, 3],
              filter_h=[1, 3], stride_w=[1, 2], wide=[False, True]),
    *_windows(((64, 16, 1, 4), (64, 32, 2, 2), (64, 64, 4, 2)), pipeline="window", vector_bytes=[8, 16], filter_w=1,
              filter_h=1, stride_w=[1, 2]),
)  # fmt: skip
SQUARE = tuple({"filter_h": n, "filter_w": n, "stride_w": [1, 2]} for n in (1, 3, 5, 7))
DEPTHWISE_WEIGHT_MAPS = tuple(
    m
    for f in SQUARE
    for m in (
        *_windows(DEPTHWISE_WEIGHT, pipeline="depthwise", vector_bytes=[2, 8, 16], **f),
        *_windows(DEPTHWISE_WEIGHT[:1], pipeline="depthwise", vector_bytes=16, sum="atomic", **f),
        *_windows(DEPTHWISE_WEIGHT[3:4], pipeline="depthwise", vector_bytes=2, wide=True, **f),
    )
)
DEPTHWISE_MAPS = (
    *_windows(DEPTHWISE, pipeline="depthwise", vector_bytes=[2, 8, 16], **FILTERS),
    *_windows(DEPTHWISE[:1], pipeline="depthwise", vector_bytes=[2, 16], wide=True, **FILTERS),
)

# Lines times channels: 16 x 16 per warp (16 x 8 where products take several columns), or some channels per thread of
# the vector units.
STRIP = ((16, 64, 4, 2, 2), (16, 64, 4, 4, 2))
STRIP_ROWS = ((16, 64, 4, 4, 2), (32, 32, 4, 4, 1))
STRIP_STRIDED = ((32, 64, 8, 2, 1), (16, 64, 4, 4, 2), (16, 64, 4, 4, 1), (16, 64, 4, 2, 1), (16, 32, 2, 4, 1))
STRIP_PHASE = ((16, 64, 4, 8, 1), (16, 128, 8, 4, 1), (16, 64, 4, 4, 1))
STRIP_WEIGHT = ((16, 64, 4, 4, 2), (16, 64, 4, 8, 2), (16, 32, 2, 4, 2))
STRIP_WEIGHT_STRIDED = ((16, 64, 4, 2, 4), (16, 64, 4, 2, 3), (16, 64, 4, 4, 2), (16, 32, 2, 4, 2))
STRIP_PAIRS = ((16, 64, 8, 4, 2), (16, 32, 4, 8, 1))
# Of the gradients of depthwise weights, by the filter's size; then those of 5x5 filters that move by 2.
STRIP_PLANES = {3: ((16, 64, 8, 4, 2), (16, 32, 4, 8, 2), (16, 16, 4, 8, 3), (16, 8, 2, 8, 3)),
                5: ((16, 64, 8, 4, 2), (16, 32, 4, 4, 2), (16, 16, 2, 4, 2)),
                7: ((16, 32, 4, 8, 1), (16, 32, 4, 4, 1), (16, 16, 2, 8, 1))}  # fmt: skip
STRIP_PLANES_STRIDED = ((16, 32, 4, 2, 4), (16, 32, 4, 2, 2), (16, 16, 4, 4, 2), (16, 8, 2, 4, 2))
# Of depthwise layers themselves and of their inputs' gradients, where they move by 1.
STRIP_CHANNELS = {3: ((4, 8, 1, 16, 1), (4, 16, 2, 16, 2)),
                  5: ((4, 32, 4, 16, 3), (16, 32, 4, 4, 3), (8, 32, 4, 8, 3)),
                  7: ((16, 16, 4, 8, 3), (8, 16, 4, 16, 3), (4, 16, 4, 32, 4))}  # fmt: skip
THREE = {"filter_h": 3, "filter_w": 3, "stride_w": [1, 2], "phase": [0, 1]}
FIVE, SEVEN = ({**THREE, "filter_h": n, "filter_w": n} for n in (5, 7))
ONE = {"channels": 1, "vector_bytes": [8, 16]}
FEW = {"channels": [2, 4, 8, 16], "filter_h": 3, "filter_w": 3}
COLUMNS = {"channels": 1, "pair": 8}
STRIP_MAPS = (
    *_strips(STRIP, **FEW),
    *_strips(STRIP_ROWS, rows=2, **FEW),
    *_strips(STRIP_STRIDED, stride_w=2, **FEW),
    *_strips(STRIP_PHASE, stride_w=2, phase=1, **FEW),
    *_strips(((16, 64, 4, 2, 2),), rows=2, stride_w=2, phase=1, **FEW),
)
STRIP_WEIGHT_MAPS = (
    *_strips(STRIP_WEIGHT, **FEW),
    *_strips(STRIP_WEIGHT_STRIDED, stride_w=2, **FEW),
)
STRIP_ONE_MAPS = (
    *(m for n, t in STRIP_CHANNELS.items() for m in _strips(t, channels=1, pair=16, filter_h=n, filter_w=n)),
    *_strips(((16, 16, 2, 8, 1), (32, 8, 2, 4, 1)), **COLUMNS, **{**THREE, "stride_w": 2}),
    *_strips(((4, 64, 2, 2, 3), (4, 64, 2, 4, 2), (8, 32, 2, 4, 2)), **ONE, **THREE),
    *_strips(((16, 32, 4, 4, 1), (16, 64, 8, 4, 2)), **COLUMNS, **{**FIVE, "stride_w": 2}),
    *_strips(((16, 32, 4, 4, 1), (16, 32, 4, 4, 2)), rows=2, **COLUMNS, **{**FIVE, "stride_w": 2}),
    *_strips(((4, 64, 4, 4, 2), (8, 32, 4, 4, 2), (8, 16, 2, 4, 1)), **ONE, **FIVE),
    *_strips(((4, 32, 2, 4, 1), (4, 32, 2, 7, 1)), channels=1, filter_h=5, filter_w=5, stride_w=2),
    *_strips(((16, 32, 4, 8, 1),), **COLUMNS, **{**SEVEN, "stride_w": 2}),
    *_strips(((8, 32, 4, 8, 1),), **ONE, **SEVEN),
)
STRIP_ONE_WEIGHT_MAPS = (
    *(m for n, t in STRIP_PLANES.items() for m in _strips(t, channels=1, pair=16, filter_h=n, filter_w=n)),
    *_strips(STRIP_PLANES_STRIDED, channels=1, pair=16, filter_h=5, filter_w=5, stride_w=2),
    *_strips(STRIP_PAIRS, channels=1, pair=2, **THREE),
    *_strips(((8, 32, 2, 4, 1), (4, 64, 2, 4, 1), (16, 64, 4, 4, 1)), **ONE, **THREE),
    *_strips(((16, 32, 4, 4, 1), (8, 32, 2, 4, 1), (8, 16, 2, 4, 1)), **ONE, **FIVE),
    *_strips(((8, 32, 4, 4, 1), (4, 32, 2, 4, 1)), **ONE, **SEVEN),
)

DEFAULT_SETS: tuple[KernelSet, ...] = (
    _set("implicit", "pixels gathered as a matrix", NVIDIA, (
        *_tiles("implicit", IMPLICIT, vector_bytes=VECTORS, even_k=[False, True]),
        *_tiles("implicit", MERGED, vector_bytes=[8, 16], merge=True),
        *_tiles("implicit", FOLDED, vector_bytes=2, fold=True, wide=[False, True]),
        *_tiles("implicit", WIDE, vector_bytes=[2, 16], wide=True)), direction=DATA, **SIXTEEN),
    _set("implicit_weight", "gradient of the weights, gathered pixels as depth", NVIDIA, (
        *_tiles("implicit", IMPLICIT_WEIGHT, vector_bytes=VECTORS, sum=["workspace", "atomic"]),
        *_tiles("implicit", MERGED_WEIGHT, vector_bytes=[8, 16], merge=True),
        *_tiles("implicit", FOLDED_WEIGHT, vector_bytes=2, fold=True, wide=[False, True]),
        *_tiles("implicit", WIDE, vector_bytes=[2, 16], wide=True)), direction=WEIGHT, **SIXTEEN),
    _set("hopper", "boxes of pixels by TMA, wgmma", (HOPPER,), (
        *_boxes(BOXES, store=["tma", "pointer"]), *_boxes(FOLDED_BOXES, fold=True)), direction=DATA, **SIXTEEN),
    _set("hopper_weight", "gradient of the weights over boxes of pixels", (HOPPER,), (
        *_boxes(BOXES_WEIGHT), *_boxes(BOXES_WEIGHT, split=True, order="tiles"),
        *_boxes(MERGED_BOXES, split=True, order="tiles", merge=True),
        *_boxes(FOLDED_BOXES_WEIGHT, split=True, order="tiles", fold=True),
        *_boxes(FOLDED_ROWS, split=True, order="tiles", fold=True, filter_h=[2, 3, 4, 5, 7])), direction=WEIGHT,
        **SIXTEEN),
    _set("thin", "1x1 of few channels, pixels streamed past the weights", NVIDIA, (
        *({**m, "vector_bytes": [2, 8, 16]} for m in _thin()),
        *_tiles("thin", MERGED_THIN, vector_bytes=[8, 16], blocks_per_unit=2, merge=True)), direction=DATA, **SIXTEEN),
    _set("window", "few channels per group on the matrix units", NVIDIA, WINDOW_MAPS, direction=DATA, **SIXTEEN),
    _set("window_weight", "gradient of the weights, few channels per group", NVIDIA, WINDOW_WEIGHT_MAPS,
         direction=WEIGHT, **SIXTEEN),
    _set("strip", "few channels per group, each pixel read once", NVIDIA, STRIP_MAPS, direction=DATA, **SIXTEEN),
    _set("strip_weight", "gradient of the weights, few channels per group, each pixel read once", NVIDIA,
         STRIP_WEIGHT_MAPS, direction=WEIGHT, **SIXTEEN),
    _set("strip_one", "one channel per group, each pixel read once", NVIDIA, STRIP_ONE_MAPS, direction=DATA, **SIXTEEN),
    _set("strip_one_weight", "gradient of the weights, one channel per group, each pixel read once", NVIDIA,
         STRIP_ONE_WEIGHT_MAPS, direction=WEIGHT, **SIXTEEN),
    _set("depthwise", "one channel per group on the vector units", ALL, DEPTHWISE_MAPS, direction=DATA),
    _set("depthwise_weight", "gradient of the weights, one channel per group", ALL, DEPTHWISE_WEIGHT_MAPS,
         direction=WEIGHT),
    _set("fp32", "exact fp32 products", ALL, _tiles("implicit", EXACT, vector_bytes=[4, 16], precision="ieee"),
         dtype_input="fp32"),
    _set("amd", "pointer kernels", AMD, (
        *_tiles("implicit", AMD_TILES, vector_bytes=[2, 8, 16]),
        *_tiles("implicit", ((64, 32, 32, 4, 2),), vector_bytes=[8, 16], merge=True)), **SIXTEEN),
    _set("any_strides", "any strides, channels-first too", ALL, ANY, **SIXTEEN),
    _set("any_strides_fp32", "any strides, channels-first too", ALL, tuple({**m, "precision": "ieee"} for m in ANY),
         dtype_input="fp32"),
    *_gemm_sets(),
)  # fmt: skip

NAMED_SETS = (
    *DEFAULT_SETS,
    _set("tf32", "fp32 operands rounded to tf32", (HOPPER,),
         _tiles("implicit", ((128, 128, 32, 8, 3), (64, 64, 32, 4, 4)), vector_bytes=[4, 16]), dtype_input="fp32"),
)  # fmt: skip
