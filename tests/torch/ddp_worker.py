"""One of two processes that train a patched model: `ddp_worker.py STORE RANK`."""

from __future__ import annotations

import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import tilewright.torch as tt


def main(store: str, rank: int) -> None:
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
    torch.manual_seed(0)
    model = nn.Linear(32, 4)
    inputs = torch.randn(2, 5, 32)
    mean = torch.stack([torch.autograd.grad(model(x).square().sum(), model.weight)[0] for x in inputs]).mean(0)
    wrapped = DistributedDataParallel(model)
    with tt.patch(wrapped) as patched:
        wrapped(inputs[rank]).square().sum().backward()
        assert next(e.path for e in patched.report.taken) == "module"
    torch.testing.assert_close(model.weight.grad, mean, rtol=1e-4, atol=1e-4)
    print("same gradients")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
