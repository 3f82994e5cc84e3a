"""torch.compile over a patched model: one graph with tilewright's operators, for all batch sizes.

Needs: torch

Prints:
    batches of 2, 3 and 4: as without the compiler: True
    operators in the exported graph: conv, linear
"""

import torch
from torch import nn

import tilewright.torch as tt

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 10)).eval()
batches = [torch.randn(n, 3, 8, 8) for n in (2, 3, 4)]
with torch.no_grad():
    expected = [model(x) for x in batches]
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True, dynamic=True)
    with tt.patch(model):
        same = all(torch.allclose(compiled(x), e, atol=1e-4) for x, e in zip(batches, expected, strict=True))
        graph = str(torch.export.export(model, (batches[0],)).graph)
print("batches of 2, 3 and 4: as without the compiler:", same)
print("operators in the exported graph:", ", ".join(n for n in ("conv", "linear") if f"tilewright.{n}" in graph))
