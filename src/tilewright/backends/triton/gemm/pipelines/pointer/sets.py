"""pointer: the kernels on offer."""

from __future__ import annotations

from typing import Any

from ...algorithm import PACKED_FORMAT
from ...set_parts import AMD, EIGHT_BIT_FLOATS, NVIDIA, SIXTEEN_BIT, gemm_set


def _pointer_maps(vectors: tuple[int, ...], step: int, **further: Any) -> tuple[dict[str, Any], ...]:
    base = {"pipeline": "pointer", "tile_k": step, "vector_bytes": list(vectors), "even_k": [False, True], **further}
    return (
        {**base, "tile_m": 128, "tile_n": 128, "warps": 8, "stages": 3},
        {**base, "tile_m": 64, "tile_n": 64, "warps": 4, "stages": 4, "split": [False, True]},
        {**base, "tile_m": 32, "tile_n": 32, "warps": 4, "stages": 4, "split": [False, True]},
        {**base, "tile_m": 128, "tile_n": 16, "warps": 4, "stages": 4, "split": [False, True], "swap_ab": True},
    )


def _amd_maps(step: int, **further: Any) -> tuple[dict[str, Any], ...]:
    base = {"pipeline": "pointer", "tile_k": step, "stages": 2, "even_k": [False, True], **further}
    return (
        {**base, "tile_m": 256, "tile_n": 256, "warps": 8},
        {**base, "tile_m": 128, "tile_n": 128, "warps": 4},
        {**base, "tile_m": 64, "tile_n": 64, "warps": 4, "split": [False, True]},
        {**base, "tile_m": 64, "tile_n": 16, "warps": 4, "split": [False, True], "swap_ab": True},
        {**base, "tile_m": 64, "tile_n": 64, "warps": 4, "vector_bytes": 1},
    )


ANY = _pointer_maps((1,), 32, unit=False, wide=True)
# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    1: (
    gemm_set("triton_nvidia_16bit", "pointer kernels", NVIDIA, _pointer_maps((2, 4, 8, 16), 64), dtype_a=SIXTEEN_BIT),
    gemm_set("triton_nvidia_8bit", "pointer kernels", NVIDIA, _pointer_maps((1, 4, 16), 64),
         dtype_a=[*EIGHT_BIT_FLOATS, "int8"]),
    gemm_set("triton_nvidia_8bit_packed", "pointer kernels for packed weights", NVIDIA, _pointer_maps((1, 4, 16), 128),
         dtype_a=[*EIGHT_BIT_FLOATS, "int8"], b_format=PACKED_FORMAT),
    gemm_set("triton_nvidia_fp32", "pointer kernels with exact fp32 products", NVIDIA,
         _pointer_maps((4, 16), 32, precision="ieee"), dtype_a="fp32"),
    gemm_set("triton_any_strides", "pointer kernels for any strides", (*NVIDIA, *AMD), ANY,
         dtype_a=[*SIXTEEN_BIT, *EIGHT_BIT_FLOATS, "fp8_fnuz", "bf8_fnuz", "int8"]),
    gemm_set("triton_any_strides_fp32", "pointer kernels for any strides", (*NVIDIA, *AMD),
         _pointer_maps((1,), 32, unit=False, wide=True, precision="ieee"), dtype_a="fp32"),
    gemm_set("triton_amd_16bit", "pointer kernels", AMD, _amd_maps(64), dtype_a=SIXTEEN_BIT),
    gemm_set("triton_amd_8bit", "pointer kernels", AMD, _amd_maps(64),
         dtype_a=[*EIGHT_BIT_FLOATS, "fp8_fnuz", "bf8_fnuz", "int8"]),
    gemm_set("triton_amd_fp32", "pointer kernels", AMD, _amd_maps(32, precision="ieee"), dtype_a="fp32"),
    ),
}  # fmt: skip
# Offered by name only: what rounds more than the dtypes say.
NAMED = {
    1: (gemm_set("triton_nvidia_tf32", "fp32 operands rounded to tf32, pointer kernels", NVIDIA,
         _pointer_maps((4, 16), 32), dtype_a="fp32"),),
}  # fmt: skip
