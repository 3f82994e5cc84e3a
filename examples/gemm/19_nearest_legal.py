"""A kernel that breaks rules is never changed silently: ask for the nearest legal one, and see the difference.

Prints:
    broken: gemm_ck_tile_gfx942_... breaks 1 rules: ck_tile.gemm.lds: LDS 131,072 B > 65,536 B (gfx942, compv3) ...
    nearest legal kernel: tile_k 128 -> 64
"""

import tilewright as tw
from tilewright.codegen import KernelConfig
from tilewright.errors import SpecError

config = KernelConfig(tile_k=128)  # of CK Tile, for gfx942: 256 x 256 x 128 does not fit into the LDS
try:
    config.checked_spec()
except SpecError as error:
    print("broken:", error)
print("nearest legal kernel:", tw.nearest_legal(config.spec()))
