"""Attention kernels of CK Tile: a receipt chooses those that a project builds. A backward pass is three kernels.

Prints:
    ... kernels in kernels: ... written, 0 unchanged
    ...
    dot-do-o: ... headers
    dq-dk-dv: ... headers
    convert-dq: ... headers
"""

import shlex
from pathlib import Path

from tilewright.cli.app import run

words = "codegen fmha --family bwd --receipt pytorch --datatype bf16 --hdim 64 --gpu-target gfx942 --output-dir kernels"
assert run(shlex.split(words)) == 0
for part in ("dot-do-o", "dq-dk-dv", "convert-dq"):
    print(f"{part}: {len(list(Path('kernels').glob(f'*_{part}_*.hpp')))} headers")
