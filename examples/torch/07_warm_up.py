"""Build everything that a model needs before it serves, from the model and one input.

Needs: torch

Prints:
    gemm 4x128x64 fp32_rcr_add-d1
    gemm 4x10x128 fp32_rcr_add-d1
    the model ran, and nothing was compiled in the call: True
"""

import os

import torch
from torch import nn

import tilewright.torch as tt

os.environ["TILEWRIGHT_BUILD"] = "never"  # a call that would have to compile is an error
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).eval()
images = torch.randn(4, 64)
with torch.no_grad():
    expected = model(images)
    with tt.patch(model) as patched:
        for problem in tt.warm_up(model, images):
            print(problem.label())
        same = torch.allclose(model(images), expected, atol=1e-4)
        print("the model ran, and nothing was compiled in the call:", same and not patched.report.left_calls)
