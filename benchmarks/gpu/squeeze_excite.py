"""Squeeze-and-excite before a 1x1 convolution on a GPU: scale the image, or the weight of each image.

Both ways compute conv1x1(x * factor) + bias for the blocks of efficientnet_b0, with factors per image and channel. One
multiplies the image first, which reads and writes it once more. The other multiplies the weight and computes a batched
product, which reads another weight for each image. Times are of CUDA graphs. With `--net` both ways run inside of the
whole net with fusion, eagerly and as a CUDA graph.

    python benchmarks/gpu/squeeze_excite.py --out rows.jsonl
    python benchmarks/gpu/squeeze_excite.py --net --out rows.jsonl
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

FOLDER = Path(__file__).parents[1]
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "src")]

import torch  # noqa: E402
from json_rows import show_row  # noqa: E402
from nets import NETS  # noqa: E402
from turns import in_turn  # noqa: E402

import tilewright as tw  # noqa: E402
import tilewright.torch  # noqa: E402
from tilewright.backends.gpu.timing import CapturedCalls  # noqa: E402
from tilewright.torch import fused  # noqa: E402
from tilewright.torch.fused import conv_epilogue  # noqa: E402
from tilewright.tune.bench.own import own_kernels_only  # noqa: E402

# channels in, pixels of a side, channels out, and how many such blocks efficientnet_b0 has
BLOCKS = (
    (32, 112, 16, 1), (96, 56, 24, 1), (144, 56, 24, 1), (144, 28, 40, 1), (240, 28, 40, 1), (240, 14, 80, 1),
    (480, 14, 80, 2), (480, 14, 112, 1), (672, 14, 112, 2), (672, 7, 192, 1), (1152, 7, 192, 3), (1152, 7, 320, 1),
)  # fmt: skip
REPEATS, ROUNDS = 20, 7
NET = "efficientnet_b0"


def ways(batch: int, c: int, side: int, k: int, device: str, dtype: Any) -> dict[str, Callable[[], Any]]:
    """Return both ways to compute one block."""
    x = torch.randn(batch, c, side, side, device=device, dtype=dtype).contiguous(memory_format=torch.channels_last)
    weight, bias = torch.randn(k, c, device=device, dtype=dtype) / c**0.5, torch.randn(k, device=device, dtype=dtype)
    factor = torch.rand(batch, c, 1, 1, device=device, dtype=dtype)
    filters = weight[:, :, None, None].contiguous(memory_format=torch.channels_last)
    rows = x.permute(0, 2, 3, 1).reshape(batch, side * side, c)

    def image() -> Any:
        return conv_epilogue(x * factor, filters, bias, None, 1, 0, 1, 1, "none")

    def each_weight() -> Any:
        scaled = weight * factor.view(batch, 1, c)
        found = tw.gemm(rows, scaled.mT, d=bias)
        return found.view(batch, side, side, k).permute(0, 3, 1, 2)

    return {"image": image, "weight": each_weight}


def row_of(batch: int, block: tuple[int, int, int, int]) -> dict[str, Any]:
    """Return the times of both ways for one block, interleaved, and how far their results differ."""
    c, side, k, count = block
    calls = ways(batch, c, side, k, "cuda", torch.float16)
    results = [call().float() for call in calls.values()]
    difference = float((results[0] - results[1]).abs().max() / results[0].abs().max())
    samples = in_turn({name: CapturedCalls([call], REPEATS).sample for name, call in calls.items()}, ROUNDS)
    times = {f"{name}_us": round(median(values) * 1e6, 2) for name, values in samples.items()}
    return {"batch": batch, "c": c, "side": side, "k": k, "count": count, **times, "difference": round(difference, 5)}


def net_row(size: str, device: str) -> dict[str, Any]:
    """Return the milliseconds of the fused net with each way, interleaved: eager, and on a GPU as a graph too."""
    with ExitStack() as after:
        after.callback(setattr, fused, "EACH", fused.EACH)
        return _net_row(size, device, after)


def _net_row(size: str, device: str, after: ExitStack) -> dict[str, Any]:
    """Return the row; `after` takes the patches back."""
    dtype = torch.float16 if device == "cuda" else torch.float32
    base, example = NETS[NET].model(size, device, dtype), NETS[NET].example(size, device, dtype)
    samplers: dict[str, Callable[[], float]] = {}  # seconds of one call
    results = []
    for name, places in (("image", frozenset()), ("weight", frozenset({device}))):
        eager = _net_call(copy.deepcopy(base), example, places, after)
        results.append(eager().float())
        samplers[f"{name}_eager"] = partial(_seconds, eager, device)
        if device == "cuda":
            samplers[f"{name}_graph"] = CapturedCalls([eager], REPEATS).sample
    samples = in_turn(samplers, ROUNDS)
    times_ms = {f"{name}_ms": round(median(values) * 1e3, 4) for name, values in samples.items()}
    difference = float((results[0] - results[1]).abs().max() / results[0].abs().max())
    return {"net": NET, "batch": example.shape[0], **times_ms, "difference": round(difference, 5)}


def _net_call(model: Any, example: Any, places: frozenset[str], after: ExitStack) -> Callable[[], Any]:
    """Return a call of the fused net that scales the weight of each image in these places."""
    fused.EACH = places
    after.callback(tilewright.torch.patch(model, fuse=True).undo)
    tilewright.torch.warm_up(model, example)

    def call() -> Any:
        fused.EACH = places
        return model(example)

    return call


def _seconds(call: Callable[[], Any], device: str) -> float:
    """Return the seconds of one of REPEATS calls, host and device together."""
    wait = torch.cuda.synchronize if device == "cuda" else (lambda: None)
    wait()
    begin = time.perf_counter()
    for _ in range(REPEATS):
        call()
    wait()
    return (time.perf_counter() - begin) / REPEATS


def rows(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Return the row of the net, or one for each of its blocks."""
    with torch.no_grad():
        if args.net:
            yield net_row("gpu", "cuda")
        else:
            yield from (row_of(args.batch, block) for block in BLOCKS)


def main() -> None:
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--net", action="store_true", help=f"both ways inside of {NET}")
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    for row in rows(args):
        show_row(row, args.out)


if __name__ == "__main__":
    main()
