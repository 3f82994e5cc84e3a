"""Variants of CK Tile GEMM: standard, with pre-shuffled weights, and with D operands and activations fused.

Prints:
    preshuffle: ... kernels, the first reads fp16_rcr_preshuffled
    multi_d: ... kernels, the first computes fp16_rcr_add-d1
"""

from tilewright.codegen import CodegenRunner

runner = CodegenRunner("kernels", datatype="fp16", layout="rcr", gpu_target="gfx942")
for variant, verb in (("preshuffle", "reads"), ("multi_d", "computes")):
    made = runner.generate(variant)
    signature = made.files[0].removeprefix("gemm_ck_tile_gfx942_").split("_128x128")[0]
    print(f"{variant}: {len(made.files)} kernels, the first {verb} {signature}")
