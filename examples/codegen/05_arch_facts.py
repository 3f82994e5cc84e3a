"""What tilewright knows of a GPU, and a copy of it for programs without tilewright.

Prints:
    gfx942: cdna3, wave size 64, LDS 65536 B, 32768 B with compv4
    fp16 warp tiles: ..., (32, 32, 8) is one: True
    arch_specs.hpp names gfx942: True
"""

from tilewright.arch import get_arch, get_lds_limit, get_warp_tile_combos
from tilewright.arch.export import export

arch = get_arch("gfx942")
limit = get_lds_limit("compv4", "gfx942")
print(f"gfx942: {arch.family}, wave size {arch.wave_size}, LDS {arch.lds_bytes} B, {limit} B with compv4")
tiles = get_warp_tile_combos("gfx942", "fp16_fp16_fp32")
print(f"fp16 warp tiles: {len(tiles)}, (32, 32, 8) is one: {(32, 32, 8) in tiles}")
print("arch_specs.hpp names gfx942:", "gfx942" in export("cpp"))  # `tilewright arch export --format cpp`
