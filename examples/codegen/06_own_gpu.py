"""A GPU that tilewright does not know: one JSON entry, and everything reads it. No code is edited.

Prints:
    sound: True
    gfx940 has 228 units and inherits (32, 32, 16) for fp8_fnuz: True
    kernels for a 4096 x 4096 x 4096 product there: ...
"""

import json
import os
from pathlib import Path

import tilewright as tw
from tilewright.arch import check, get_nominal_devices, get_warp_tile_combos

entry = {"parent": "gfx942", "description": "AMD Instinct MI300A, first stepping", "isa_version": 9400}
device = {"arch": "gfx940", "units": 228, "clock_mhz": 2100, "bandwidth_gbps": 5325, "l2_bytes": 25165824,
          "llc_bytes": 268435456, "memory_bytes": 137438953472, "source": "datasheet"}  # fmt: skip
facts = {"schema_version": 1, "archs": {"gfx940": entry}, "devices": {"MI300A": device}}
Path("my_gpus.json").write_text(json.dumps(facts))
os.environ["TILEWRIGHT_ARCH_FILE"] = str(Path("my_gpus.json").resolve())

print("sound:", check("my_gpus.json") == [])
tiles = get_warp_tile_combos("gfx940", "fp8_fnuz_fp8_fnuz_fp32")
units = get_nominal_devices("gfx940")[0].units
print(f"gfx940 has {units} units and inherits (32, 32, 16) for fp8_fnuz: {(32, 32, 16) in tiles}")

problem = tw.problem_from_dict({"op": "gemm", "m": 4096, "n": 4096, "k": 4096, "dtype": "fp16", "layout": "rcr"})
found = tw.Dispatcher().explain(problem, arch="gfx940")
print(f"kernels for a 4096 x 4096 x 4096 product there: {len(found.ranked)}")
