"""Where the time of a net goes on a GPU: kernels of each side, host time, and the whole as a CUDA graph.

For torch's layers, for patched ones and for fused ones. `wall_ms` is an eager call, `host_ms` the time until the host
has launched all of it, `graph_ms` a replayed graph. Kernels are listed by their time in one eager call.

    python benchmarks/gpu/net_profile.py --nets vit bert --out rows.jsonl
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent), str(Path(__file__).parents[2] / "src")]

import torch  # noqa: E402
from json_rows import append_row  # noqa: E402
from kernel_times import longest_kernels  # noqa: E402
from models_part import SDPA, _graph  # noqa: E402
from nets import NETS  # noqa: E402
from torch.nn import functional  # noqa: E402

import tilewright.torch  # noqa: E402
from tilewright.tune.bench.own import own_kernels_only  # noqa: E402

SIDES = ("torch", "tilewright", "fused")
CALLS, ROUNDS, LISTED = 10, 7, 14


def millis(call: Callable[[], Any], waits: bool) -> float:
    """Return the milliseconds of a call; without waiting those of the host."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(CALLS):
        call()
    if waits:
        torch.cuda.synchronize()
    return (time.perf_counter() - begin) * 1e3 / CALLS


def row_of(name: str, size: str = "gpu") -> dict[str, Any]:
    """Return the times of all sides of a net, in turn."""
    net = NETS[name]
    base, example = net.model(size, "cuda", torch.float16), net.example(size, "cuda", torch.float16)
    calls: dict[str, Callable[[], Any]] = {}
    for side in SIDES:
        model = copy.deepcopy(base)
        if side != "torch":
            tilewright.torch.patch(model, fuse=side == "fused")
            tilewright.torch.warm_up(model, example)
        own = SDPA if side == "torch" else functional.scaled_dot_product_attention

        def call(model: Any = model, own: Any = own) -> list[Any]:
            functional.scaled_dot_product_attention = own
            return [model(example)]

        calls[side] = call
    graphs = {side: _graph(call) for side, call in calls.items()}
    row: dict[str, Any] = {"net": name, "sides": {}}
    samples: dict[str, list[tuple[float, ...]]] = {side: [] for side in SIDES}
    for _ in range(ROUNDS):
        for side, call in calls.items():
            samples[side].append((millis(call, True), millis(call, False), millis(graphs[side], True)))
    for side, call in calls.items():
        wall, host, graph = (round(median(column), 3) for column in zip(*samples[side], strict=True))
        row["sides"][side] = {
            "wall_ms": wall,
            "host_ms": host,
            "graph_ms": graph,
            "kernels": longest_kernels(call, CALLS)[:LISTED],
        }
    return row


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", nargs="+", default=["vit", "bert"], choices=list(NETS), metavar="NET")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    for name in args.nets:
        with torch.no_grad():
            row = row_of(name)
        for side, found in row["sides"].items():
            print(name, side, {key: value for key, value in found.items() if key != "kernels"})
            for kernel in found["kernels"]:
                print("   ", *kernel)
        if args.out:
            append_row(row, args.out)


if __name__ == "__main__":
    main()
