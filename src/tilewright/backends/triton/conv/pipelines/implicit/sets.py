"""implicit: the kernels that are offered."""

from __future__ import annotations

from ....gemm.set_parts import AMD, HOPPER, NVIDIA
from ...set_parts import ALL, DATA, SIXTEEN, WEIGHT, conv_set, tiles_of

# Large tiles for many channels, narrow ones for few.
IMPLICIT = ((128, 256, 64, 8, 3), (256, 128, 64, 8, 3), (128, 128, 64, 8, 3), (128, 128, 64, 4, 3), (128, 64, 64, 4, 4),
            (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (128, 64, 32, 4, 4), (128, 32, 32, 4, 4),
            (128, 16, 16, 4, 4))  # fmt: skip
MERGED = ((128, 64, 64, 4, 3), (128, 32, 32, 4, 3))
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
VECTORS = [2, 4, 8, 16]
ANY = tiles_of("implicit", ((64, 64, 32, 4, 3), (64, 16, 16, 4, 3)), unit=False, wide=True, vector_bytes=1)

# By their place among all sets, in which the selector `first_fit` takes the first that fits.
SETS = {
    0: (
    conv_set("implicit", "pixels gathered as a matrix", NVIDIA, (
        *tiles_of("implicit", IMPLICIT, vector_bytes=VECTORS, even_k=[False, True]),
        *tiles_of("implicit", MERGED, vector_bytes=[8, 16], merge=True),
        *tiles_of("implicit", FOLDED, vector_bytes=2, fold=True, wide=[False, True]),
        *tiles_of("implicit", WIDE, vector_bytes=[2, 16], wide=True)), direction=DATA, **SIXTEEN),
    conv_set("implicit_weight", "gradient of the weights, gathered pixels as depth", NVIDIA, (
        *tiles_of("implicit", IMPLICIT_WEIGHT, vector_bytes=VECTORS, sum=["workspace", "atomic"]),
        *tiles_of("implicit", MERGED_WEIGHT, vector_bytes=[8, 16], merge=True),
        *tiles_of("implicit", FOLDED_WEIGHT, vector_bytes=2, fold=True, wide=[False, True]),
        *tiles_of("implicit", WIDE, vector_bytes=[2, 16], wide=True)), direction=WEIGHT, **SIXTEEN),
    ),
    6: (
    conv_set("fp32", "exact fp32 products", ALL, tiles_of("implicit", EXACT, vector_bytes=[4, 16], precision="ieee"),
         dtype_input="fp32"),
    conv_set("amd", "pointer kernels", AMD, (
        *tiles_of("implicit", AMD_TILES, vector_bytes=[2, 8, 16]),
        *tiles_of("implicit", ((64, 32, 32, 4, 2),), vector_bytes=[8, 16], merge=True)), **SIXTEEN),
    conv_set("any_strides", "any strides, channels-first too", ALL, ANY, **SIXTEEN),
    conv_set("any_strides_fp32", "any strides, channels-first too", ALL, tuple({**m, "precision": "ieee"} for m in ANY),
         dtype_input="fp32"),
    ),
}  # fmt: skip
# Offered by name only.
NAMED = {
    0: (
    conv_set("tf32", "fp32 operands rounded to tf32", (HOPPER,),
         tiles_of("implicit", ((128, 128, 32, 8, 3), (64, 64, 32, 4, 4)), vector_bytes=[4, 16]), dtype_input="fp32"),
    ),
}  # fmt: skip
