"""A CK Tile GEMM kernel for an MI300X as a C++ header. Needs no compiler, no ROCm and no GPU.

Prints:
    gemm_ck_tile_gfx942_fp16_rcr_256x256x64_..._compv3_....hpp
    using Shape = ck_tile::TileGemmShape<ck_tile::sequence<256, 256, 64>, ...>;
    written again: 0
"""

from tilewright.codegen import CodegenRunner, KernelConfig

runner = CodegenRunner("kernels", gpu_target="gfx942")
config = KernelConfig(tile_m=256, tile_n=256, tile_k=64, pipeline="compv3")
made = runner.generate_from_config(config)  # an illegal config is an error that lists every broken rule
[header] = made.paths
print(header.name)
print(next(line for line in header.read_text().splitlines() if line.startswith("using Shape")))
print(f"written again: {len(runner.generate_from_config(config).written)}")
