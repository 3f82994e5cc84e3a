"""Torch tensors go in and come out without a copy: a linear layer and its activation in one kernel.

Needs: torch

Prints:
    (32, 128) torch.float32, the same as torch: True
    written into the caller's tensor: True
"""

import torch

import tilewright as tw

torch.manual_seed(0)
linear = torch.nn.Linear(256, 128)
x = torch.randn(32, 256)
with torch.no_grad():
    expected = torch.nn.functional.gelu(linear(x), approximate="tanh")
    y = tw.gemm(x, linear.weight.t(), d=linear.bias, activation="gelu_tanh")
    out = torch.empty(32, 128)
    tw.gemm(x, linear.weight.t(), d=linear.bias, activation="gelu_tanh", out=out)
print(f"{tuple(y.shape)} {y.dtype}, the same as torch: {torch.allclose(y, expected, atol=1e-4)}")
print("written into the caller's tensor:", torch.equal(out, y))
