"""tma_persistent: the kernels on offer, by name only: a yardstick."""

from __future__ import annotations

from ...set_parts import HOPPER, SIXTEEN_BIT, gemm_set

MAP = {"pipeline": "tma_persistent", "tile_m": 128, "tile_n": [128, 256], "tile_k": 64, "warps": 8, "stages": 3}
NAMED = {
    3: (gemm_set("triton_tma_persistent", "the compiler-pipelined yardstick", (HOPPER,), (MAP,), dtype_a=SIXTEEN_BIT),)
}
