"""Patch a model: its layers run on tilewright's kernels inside of the block, and the report says which.

Needs: torch

Prints:
    0  Conv2d   taken
    2  Conv2d   taken
    4  Linear   taken
    ...
    the same result: True, class afterwards: Conv2d
"""

import torch
from torch import nn

import tilewright.torch as tt

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 8, 1), nn.Flatten(), nn.Linear(512, 10))
images = torch.randn(2, 3, 8, 8)
expected = model(images)

with tt.patch(model) as patched:
    same = torch.allclose(model(images), expected, atol=1e-4)
    print(patched.report)
print(f"the same result: {same}, class afterwards: {type(model[0]).__name__}")
