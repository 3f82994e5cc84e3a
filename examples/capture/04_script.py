"""Capture a script that knows nothing of tilewright; it runs as it is, with its arguments and exit status.

The command is `tilewright capture --out found.jsonl -- python script.py --steps 2`.

Needs: torch

Prints:
    the script ran 2 steps
    exit status 0
    gemm 4x8x16 fp32_rcr..., 2 times
"""

import json
import shlex
from pathlib import Path

import tilewright as tw
from tilewright.cli.app import run

Path("script.py").write_text("""
import sys, torch
layer = torch.nn.Linear(16, 8)
for _ in range(int(sys.argv[2])):
    layer(torch.ones(4, 16))
print("the script ran", sys.argv[2], "steps")
""")
status = run(shlex.split("capture --out found.jsonl -- python script.py --steps 2"))
print("exit status", status)
for line in Path("found.jsonl").read_text().splitlines():
    print(f"{tw.problem_from_dict(json.loads(line)).label()}, {json.loads(line)['count']} times")
