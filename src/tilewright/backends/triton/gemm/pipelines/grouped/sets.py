"""grouped: the kernels on offer."""

from __future__ import annotations

from typing import Any

from ...set_parts import AMD, NVIDIA, SIXTEEN_BIT, gemm_set


def _maps(step: int, stages: int, **further: Any) -> tuple[dict[str, Any], ...]:
    base = {"pipeline": "grouped", "tile_k": step, "stages": stages, **further}
    return (
        {**base, "tile_m": 128, "tile_n": 128, "warps": 8, "blocks_per_unit": 1},
        {**base, "tile_m": 64, "tile_n": 128, "warps": 4, "blocks_per_unit": 2},
        {**base, "tile_m": 16, "tile_n": 64, "warps": 4, "blocks_per_unit": 4},
    )


EVEN = {"even_k": [False, True]}
PLAIN = {"d": (), "b_format": "plain", "scale_a": "none", "scale_b": "none"}
SETS = {
    4: (
    gemm_set("triton_grouped_nvidia", "rows in groups", NVIDIA, _maps(64, 3, **EVEN), dtype_a=SIXTEEN_BIT, **PLAIN),
    gemm_set("triton_grouped_amd", "rows in groups", AMD, _maps(64, 2, **EVEN), dtype_a=SIXTEEN_BIT, **PLAIN),
    gemm_set("triton_grouped_any_strides", "rows in groups, any strides", (*NVIDIA, *AMD),
         _maps(32, 2, vector_bytes=1, unit=False, wide=True), dtype_a=SIXTEEN_BIT, **PLAIN),
    gemm_set("triton_grouped_fp32", "rows in groups, exact fp32 products", (*NVIDIA, *AMD),
         _maps(32, 2, vector_bytes=4, precision="ieee"), dtype_a="fp32", **PLAIN),
    ),
}  # fmt: skip
