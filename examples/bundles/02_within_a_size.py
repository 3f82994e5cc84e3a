"""Which kernels go into a bundle of a given size: those that save most predicted time for their bytes.

A line of the problem file may have a `count`: how often the problem is computed.

Prints:
    all: 2 kernels, ... bytes
    covers 100.0% of the predicted time, 1.000 times the best kernels' time
    small: 1 kernel, ... bytes
    covers 100.0% of the predicted time, 1.000 times the best kernels' time
"""

import json
import shlex
from pathlib import Path

from tilewright.cli.app import run

often = {"op": "gemm", "m": 64, "n": 96, "k": 48, "dtype": "fp32", "layout": "rrr", "count": 1_000_000}
rarely = {"op": "gemm", "m": 48, "n": 64, "k": 32, "dtype": "bf16", "layout": "rrr", "count": 1}
Path("trace.jsonl").write_text("".join(json.dumps(p) + "\n" for p in (often, rarely)))

run(shlex.split("bundle --problems trace.jsonl --top 1 --out all"))
sizes = sorted(path.stat().st_size for path in Path("all/kernels").rglob("*.so"))
run(shlex.split(f"bundle --problems trace.jsonl --top 1 --max-size {sum(sizes) - 1} --out small"))
