"""Convolution kernels of CK Tile, with the command that you would type in a shell.

Prints:
    ... kernels in kernels: ... written, 0 unchanged
    ... combinations were removed by rules:
    ...
    the manifest names each of ... headers: True
"""

import json
import shlex
from pathlib import Path

from tilewright.cli.app import run

words = "codegen conv --variant backward_weight --ndim-spatial 3 --gpu-target gfx950 --output-dir kernels"
assert run(shlex.split(words)) == 0
manifest = json.loads(Path("kernels/tilewright_manifest.json").read_text())
names = sorted(path.name for path in Path("kernels").glob("*.hpp"))
print(f"the manifest names each of {len(names)} headers: {all(name in str(manifest) for name in names)}")
