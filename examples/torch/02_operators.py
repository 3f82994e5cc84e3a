"""Operators with gradients: linear, conv and attention of `tilewright.torch`, as in torch.nn.functional.

Needs: torch

Prints:
    linear: result and gradients as torch's: True
    conv: result and gradients as torch's: True
    attention: result and gradients as torch's: True
"""

import torch
from torch.nn import functional

import tilewright.torch as tt


def alike(ours, theirs, *tensors: torch.Tensor) -> bool:
    """Return whether both functions give one result and one gradient for each tensor."""
    found = []
    for function in (ours, theirs):
        inputs = [t.clone().requires_grad_() for t in tensors]
        out = function(*inputs)
        found.append([out, *torch.autograd.grad(out.square().sum(), inputs)])
    return all(torch.allclose(a, b, rtol=1e-3, atol=1e-3) for a, b in zip(*found, strict=True))


torch.manual_seed(0)
same = alike(tt.linear, functional.linear, torch.randn(4, 32), torch.randn(16, 32), torch.randn(16))
print("linear: result and gradients as torch's:", same)
same = alike(tt.conv, functional.conv2d, torch.randn(1, 8, 6, 6), torch.randn(8, 8, 3, 3))
print("conv: result and gradients as torch's:", same)
q, k, v = (torch.randn(1, 4, 10, 32) for _ in range(3))  # batch, heads, rows, hdim: torch's order
same = alike(tt.sdpa, functional.scaled_dot_product_attention, q, k, v)
print("attention: result and gradients as torch's:", same)
