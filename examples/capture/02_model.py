"""The problems of a torch model, forward and backward, as a problem file that all commands read.

Needs: torch

Prints:
    1 x gemm 4x32x16 fp32_rcr_add-d1
    ...
    model.jsonl: ... lines; the first: {"count": 1, ...}
"""

import json
from pathlib import Path

import torch

import tilewright.torch as tt

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
with tt.capture("model.jsonl") as found:
    model(torch.randn(4, 16)).sum().backward()

for call in found.calls:
    print(f"{call.count} x {call.problem.label()}")
lines = Path("model.jsonl").read_text().splitlines()
first = {k: v for k, v in json.loads(lines[0]).items() if k != "time_ms"}
print(f"model.jsonl: {len(lines)} lines; the first: {json.dumps(first, sort_keys=True)}")
