"""Check calls of new sizes on a GPU against torch: products, patched layers, convolutions, attention with heads first.

    PYTHONPATH=src python3 benchmarks/gpu/new_sizes_right.py --out new_sizes.json

Each case runs many sizes in a random order, so that later ones come from templates of earlier ones. Prints the largest
difference, relative to the largest value, and the median host time of a new size in microseconds.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch.nn import functional

import tilewright as tw
from tilewright.torch import patch

LIMIT = 2e-2  # of fp16 sums in another order


def cases() -> dict[str, Any]:
    """Return (ours, torch's) by name, as functions of a size."""
    made = {"device": "cuda", "dtype": torch.float16}
    weight, linear = torch.randn(512, 512, **made), torch.nn.Linear(512, 512).to(**made).requires_grad_(False)
    own = torch.nn.Linear(512, 512).to(**made).requires_grad_(False)
    own.load_state_dict(linear.state_dict())
    patch(own)
    filters = torch.randn(64, 64, 3, 3, **made)

    def heads_first(size: int) -> tuple[Any, ...]:
        return tuple(torch.randn(2, 8, size, 64, **made) for _ in range(3))

    def attend(size: int) -> tuple[Any, Any]:
        q, k, v = heads_first(size)
        ours = tw.attention(q, k, v, causal=True, layout="bhsd")
        return ours, functional.scaled_dot_product_attention(q, k, v, is_causal=True)

    def product(size: int) -> tuple[Any, Any]:
        a = torch.randn(size, 512, **made)
        return tw.gemm(a, weight), a @ weight

    def layer(size: int) -> tuple[Any, Any]:
        x = torch.randn(3, size, 512, **made)
        return own(x), linear(x)

    def conv(size: int) -> tuple[Any, Any]:
        x = torch.randn(1 + size % 40, 64, 14, 14, **made)
        return tw.conv(x, filters, padding=1), functional.conv2d(x, filters, padding=1)

    return {"gemm": product, "linear": layer, "conv": conv, "attention": attend}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    sizes, found = random.Random(0).sample(range(2, 700), 40), {}
    with torch.no_grad():
        for name, both in cases().items():
            worst, times = 0.0, list[float]()
            for size in sizes:
                begin = time.perf_counter()
                ours, theirs = both(size)
                times.append(1e6 * (time.perf_counter() - begin))
                off = (ours.float() - theirs.float()).abs().max() / theirs.float().abs().max()
                worst = max(worst, off.item())
            found[name] = {"off": worst, "us": median(times[len(times) // 2 :])}
            print(name, found[name], "WRONG" if worst > LIMIT else "")
    if args.out:
        args.out.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
