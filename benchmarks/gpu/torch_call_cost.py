"""Host time of calls on tiny tensors, in turn with torch's own: functions, operators, patched layers, backward passes.

python benchmarks/gpu/torch_call_cost.py                  # on the GPU: time of the host until the launch has returned
TILEWRIGHT_THREADS=1 python benchmarks/gpu/torch_call_cost.py --device cpu     # CPU time, the kernel's own included
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional

import tilewright
import tilewright.torch as tt
from tilewright.tune.bench.own import own_kernels_only

OPS = torch.ops.tilewright


class Tiny:
    """Tensors and layers of one device: on a GPU products of 64x64, images of 2x32x8x8, two heads of 64 rows."""

    def __init__(self, device: str) -> None:
        torch.manual_seed(0)
        self.dtype = torch.half if device == "cuda" else torch.float32
        self.device = device
        n, c, side = (64, 32, 8) if device == "cuda" else (16, 8, 4)  # on a CPU the kernel's time counts too
        self.n, self.c = n, c
        self.a, self.b, self.out, self.bias = (self.tensor(*s) for s in ((n, n), (n, n), (n, n), (n,)))
        self.x, self.w3, self.w1 = (self.tensor(*s) for s in ((2, c, side, side), (c, c, 3, 3), (c, c, 1, 1)))
        self.q = self.tensor(1, n, 2, n, last=False)
        self.heads = self.q.transpose(1, 2)

    def tensor(self, *shape: int, last: bool = True) -> torch.Tensor:
        made = torch.randn(*shape, device=self.device, dtype=self.dtype)
        return made.to(memory_format=torch.channels_last) if last and len(shape) == 4 else made

    def layer(self, layer: nn.Module) -> tuple[nn.Module, nn.Module]:
        """Return the layer twice: patched, and as it is."""
        layer = layer.to(self.device, self.dtype).to(memory_format=torch.channels_last)
        patched = copy.deepcopy(layer)
        tt.patch(patched, only=["linear", "conv"])
        return patched, layer


def forward_pairs(t: Tiny):
    """(name, our call, torch's) without gradients."""
    mm, linear = lambda: torch.mm(t.a, t.b), lambda: functional.linear(t.a, t.b, t.bias)
    conv3, conv1 = lambda: functional.conv2d(t.x, t.w3, padding=1), lambda: functional.conv2d(t.x, t.w1)
    attend = lambda: functional.scaled_dot_product_attention(t.heads, t.heads, t.heads)  # noqa: E731
    ours, theirs = t.layer(nn.Linear(t.n, t.n))
    ours3, theirs3 = t.layer(nn.Conv2d(t.c, t.c, 3, padding=1, groups=2))
    ours1, theirs1 = t.layer(nn.Conv2d(t.c, t.c, 1, bias=False))
    one = [1, 1]
    options = (False, False, [-1, -1], "top_left", 0, None, 0.0, 0.0, "bhsd", None, None, False)
    return [
        ("gemm", lambda: tilewright.gemm(t.a, t.b), mm),
        ("gemm(out=)", lambda: tilewright.gemm(t.a, t.b, out=t.out), lambda: torch.mm(t.a, t.b, out=t.out)),
        ("conv 3x3", lambda: tilewright.conv(t.x, t.w3, padding=1), conv3),
        ("conv 1x1", lambda: tilewright.conv(t.x, t.w1), conv1),
        ("attention", lambda: tilewright.attention(t.q, t.q, t.q), attend),
        ("torch.matmul", lambda: tt.matmul(t.a, t.b), mm),
        ("torch.linear", lambda: tt.linear(t.a, t.b, t.bias), linear),
        ("torch.conv 3x3", lambda: tt.conv(t.x, t.w3, None, 1, 1), conv3),
        ("torch.conv 1x1", lambda: tt.conv(t.x, t.w1), conv1),
        ("torch.sdpa", lambda: tt.sdpa(t.heads, t.heads, t.heads), attend),
        ("patched Linear", lambda: ours(t.a), lambda: theirs(t.a)),
        ("patched Conv2d 3x3", lambda: ours3(t.x), lambda: theirs3(t.x)),
        ("patched Conv2d 1x1", lambda: ours1(t.x), lambda: theirs1(t.x)),
        ("ops.matmul", lambda: OPS.matmul(t.a, t.b), mm),
        ("ops.linear", lambda: OPS.linear(t.a, t.b, t.bias), linear),
        ("ops.conv 3x3", lambda: OPS.conv(t.x, t.w3, None, one, one, one, 1), conv3),
        ("ops.attention", lambda: OPS.attention(t.heads, t.heads, t.heads, None, None, None, None, *options), attend),
    ]  # fmt: skip


def backward_pairs(t: Tiny):
    """(name, our call, torch's): a forward and a backward pass each."""

    def step(call, *given):
        leaves = [g.detach().clone().requires_grad_() for g in given]
        grad = torch.ones_like(call(*leaves))
        return lambda: torch.autograd.grad(call(*leaves), leaves, grad)

    def both(name, ours, theirs, *given):
        return name, step(ours, *given), step(theirs, *given)

    return [
        both("linear, both passes", tt.linear, functional.linear, t.a, t.b, t.bias),
        both("conv 3x3, both passes", lambda x, w: tt.conv(x, w, None, 1, 1),
             lambda x, w: functional.conv2d(x, w, None, 1, 1), t.x, t.w3),
        both("conv 1x1, both passes", tt.conv, functional.conv2d, t.x, t.w1),
        both("attention, both passes", tt.sdpa, functional.scaled_dot_product_attention, t.heads, t.heads, t.heads),
    ]  # fmt: skip


def call_ratios(device: str = "cuda", rounds: int = 7, calls: int = 200) -> dict[str, dict[str, float]]:
    """Host microseconds of our call and of torch's, the least of some rounds in turn, and their ratio."""
    clock = time.perf_counter if device == "cuda" else time.process_time
    torch.backends.cudnn.benchmark = True
    if device == "cpu":
        torch.set_num_threads(1)

    def seconds(call):
        begin = clock()
        for _ in range(calls):
            call()
        spent = clock() - begin
        if device == "cuda":
            torch.cuda.synchronize()
        return spent / calls

    def compared(found):
        for name, ours, torchs in found:
            for call in (ours, torchs):
                seconds(call)
            times = [(seconds(ours), seconds(torchs)) for _ in range(rounds)]
            us = [1e6 * min(column) for column in zip(*times, strict=True)]
            yield (
                name,
                {"tilewright us": round(us[0], 1), "torch us": round(us[1], 1), "ratio": round(us[0] / us[1], 2)},
            )

    tiny = Tiny(device)
    with torch.no_grad():
        rows = dict(compared(forward_pairs(tiny)))
    return rows | dict(compared(backward_pairs(tiny)))


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    args = parser.parse_args()
    rows = call_ratios(args.device)
    for name, row in rows.items():
        print(f"{name:26} {row['tilewright us']:8.1f} us  torch {row['torch us']:8.1f} us  {row['ratio']:.2f}")
    print(json.dumps(rows))


if __name__ == "__main__":
    main()
