"""Torch tensors go in and come out without a copy.

python examples/torch_linear.py
"""

from __future__ import annotations

import torch

import tilewright as tw


def main() -> None:
    torch.manual_seed(0)
    linear = torch.nn.Linear(256, 128)
    x = torch.randn(32, 256)
    with torch.no_grad():
        expected = torch.nn.functional.gelu(linear(x), approximate="tanh")
        y = tw.gemm(x, linear.weight.t(), d=linear.bias, activation="gelu_tanh")
    torch.testing.assert_close(y, expected, rtol=1e-4, atol=1e-4)
    print(f"torch.nn.Linear and GELU in one kernel: {tuple(y.shape)} {y.dtype}, matches torch")


if __name__ == "__main__":
    main()
