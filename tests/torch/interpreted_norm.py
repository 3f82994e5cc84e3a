"""Runs the kernel of `layer_norm` in Triton's interpreter; started by the tests as a process of its own."""

from __future__ import annotations

import sys

import torch
from torch.nn import functional

from tilewright.torch import layer_norm as norms

norms.PLACES = frozenset({"cpu"})  # type: ignore[misc]


def main() -> None:
    for shape, dtype in (((3, 5, 96), torch.float32), ((70, 8), torch.float16), ((1, 512), torch.bfloat16)):
        columns = shape[-1]
        x, weight, bias = (torch.randn(s, dtype=dtype) for s in (shape, (columns,), (columns,)))
        x += 4.0  # a mean that is not small
        with torch.no_grad():
            assert norms._fits(x, (columns,), weight, bias)
            found = norms.layer_norm(x, (columns,), weight, bias, 1e-6)
        wanted = functional.layer_norm(x.double(), (columns,), weight.double(), bias.double(), 1e-6)
        limit = 32 * torch.finfo(dtype).eps * (1.0 + wanted.abs())
        assert bool(((found.double() - wanted).abs() <= limit).all()), (shape, dtype)
        assert found.stride() == x.stride()
    sys.stdout.write("ok")


main()
