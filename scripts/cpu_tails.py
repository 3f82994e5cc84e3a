"""Writes the problems of the CPU benchmarks outside of the layers of common networks, and names their classes.

python scripts/cpu_tails.py            writes benchmarks/problems/{conv,gemm}_cpu_tails.jsonl
python scripts/cpu_tails.py --check    exits 1 if a file differs from what would be written
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from conv_corpus import DIRECTIONS, write_or_check

Problem = dict[str, Any]
CONV_CLASSES = ("stem", "dilated", "1xN", "odd_groups", "odd_channels", "3d_strided")
# images, groups, channels, results, input, filter, stride, dilation, pad
CONVOLUTIONS: tuple[tuple[Any, ...], ...] = (
    # first layers: ResNet, SqueezeNet, gray images, AlexNet, video
    (4, 1, 3, 64, (224, 224), (7, 7), (2, 2), (1, 1), (3, 3)),
    (2, 1, 3, 96, (160, 160), (7, 7), (2, 2), (1, 1), (3, 3)),
    (1, 1, 1, 64, (192, 192), (7, 7), (1, 1), (1, 1), (3, 3)),
    (2, 1, 3, 32, (160, 160), (7, 7), (1, 1), (1, 1), (3, 3)),
    (4, 1, 4, 64, (128, 128), (7, 7), (2, 2), (1, 1), (3, 3)),
    (4, 1, 3, 64, (224, 224), (11, 11), (4, 4), (1, 1), (2, 2)),
    (1, 1, 3, 64, (8, 112, 112), (3, 7, 7), (1, 2, 2), (1, 1, 1), (1, 3, 3)),
    # dilated layers of segmentation networks
    (1, 1, 2048, 256, (17, 17), (3, 3), (1, 1), (6, 6), (6, 6)),
    (1, 1, 2048, 256, (17, 17), (3, 3), (1, 1), (12, 12), (12, 12)),
    (1, 1, 1280, 256, (24, 24), (3, 3), (1, 1), (18, 18), (18, 18)),
    (1, 1, 512, 1024, (14, 14), (3, 3), (1, 1), (12, 12), (12, 12)),
    (1, 1, 1024, 1024, (10, 10), (3, 3), (1, 1), (3, 3), (3, 3)),
    (1, 1, 512, 512, (20, 20), (3, 3), (1, 1), (4, 4), (4, 4)),
    # filters of one row or one column
    (4, 1, 128, 128, (17, 17), (1, 7), (1, 1), (1, 1), (0, 3)),
    (4, 1, 128, 192, (17, 17), (7, 1), (1, 1), (1, 1), (3, 0)),
    (4, 1, 192, 192, (17, 17), (1, 7), (1, 1), (1, 1), (0, 3)),
    (4, 1, 160, 160, (17, 17), (7, 1), (1, 1), (1, 1), (3, 0)),
    (4, 1, 384, 384, (8, 8), (1, 3), (1, 1), (1, 1), (0, 1)),
    (4, 1, 384, 384, (8, 8), (3, 1), (1, 1), (1, 1), (1, 0)),
    (1, 1, 64, 64, (64, 128), (3, 1), (1, 1), (1, 1), (1, 0)),
    (1, 1, 21, 21, (56, 56), (1, 15), (1, 1), (1, 1), (0, 7)),
    # groups and channels that are no powers of two
    (4, 3, 51, 51, (28, 28), (3, 3), (1, 1), (1, 1), (1, 1)),
    (4, 5, 75, 75, (28, 28), (3, 3), (1, 1), (1, 1), (1, 1)),
    (4, 7, 168, 168, (28, 28), (3, 3), (1, 1), (1, 1), (1, 1)),
    (4, 11, 99, 99, (28, 28), (3, 3), (1, 1), (1, 1), (1, 1)),
    (4, 13, 260, 260, (14, 14), (3, 3), (1, 1), (1, 1), (1, 1)),
    (2, 9, 297, 297, (14, 14), (3, 3), (2, 2), (1, 1), (1, 1)),
    (4, 1, 37, 53, (28, 28), (3, 3), (1, 1), (1, 1), (1, 1)),
    (4, 1, 127, 129, (14, 14), (3, 3), (1, 1), (1, 1), (1, 1)),
    (4, 1, 65, 33, (28, 28), (3, 3), (1, 1), (1, 1), (1, 1)),
    (2, 1, 19, 97, (56, 56), (3, 3), (2, 2), (1, 1), (1, 1)),
    (4, 1, 255, 255, (14, 14), (1, 1), (1, 1), (1, 1), (0, 0)),
    # volumes that shrink
    (1, 1, 32, 64, (8, 28, 28), (3, 3, 3), (2, 2, 2), (1, 1, 1), (1, 1, 1)),
    (1, 1, 64, 128, (8, 28, 28), (3, 3, 3), (2, 2, 2), (1, 1, 1), (1, 1, 1)),
    (1, 1, 16, 32, (16, 56, 56), (3, 3, 3), (1, 2, 2), (1, 1, 1), (1, 1, 1)),
    (1, 1, 128, 256, (4, 14, 14), (3, 3, 3), (2, 2, 2), (1, 1, 1), (1, 1, 1)),
    (1, 1, 64, 144, (8, 28, 28), (1, 3, 3), (1, 2, 2), (1, 1, 1), (0, 1, 1)),
    (1, 1, 144, 64, (8, 28, 28), (3, 1, 1), (2, 1, 1), (1, 1, 1), (1, 0, 0)),
)
ROWS = (1, 7, 64, 333, 1024)
# N and K of the linear layers of language models.
WEIGHTS = {
    "gpt2": ((2304, 768), (768, 768), (3072, 768), (768, 3072)),
    "qwen2.5-0.5b": ((1152, 896), (896, 896), (9728, 896), (896, 4864)),
    "llama-3.2-1b": ((3072, 2048), (2048, 2048), (8192, 2048), (2048, 8192)),
    "mistral-7b": ((6144, 4096), (4096, 4096), (14336, 4096)),
}
SQUARES = (1024, 1536, 2048, 3072)


def conv_class(data: Problem) -> str:
    """Return the class of a convolution of the list.

    >>> conv_class({"g": 1, "c": 3, "k": 64, "input": [224, 224], "filter": [7, 7], "stride": [2, 2]})
    'stem'
    """
    taps = data["filter"]
    if max(data.get("dilation", [1])) > 1:
        return "dilated"
    if data["c"] <= 4:
        return "stem"
    if len(taps) == 3:
        return "3d_strided"
    if prod(taps) == max(taps) > 1:
        return "1xN"
    return "odd_groups" if data["g"] > 1 else "odd_channels"


def gemm_class(data: Problem) -> str:
    """Return the class of a product of the list: its rows, or that it is a square."""
    return "square" if data["m"] == data["n"] == data["k"] else f"M={data['m']}"


def convolutions() -> Iterator[Problem]:
    """Yield every convolution in every direction, fields at their default left out."""
    for direction in DIRECTIONS:
        for n, g, c, k, size, taps, stride, dilation, pad in CONVOLUTIONS:
            data: Problem = {"op": "grouped_conv", "direction": direction, "n": n, "g": g, "c": c, "k": k}
            data |= {"input": list(size), "filter": list(taps)}
            for name, values, usual in (("stride", stride, 1), ("dilation", dilation, 1), ("pad", pad, 0)):
                if any(v != usual for v in values):
                    data[name] = list(values)
            yield {**data, "dtype": "fp32"}


def products() -> Iterator[Problem]:
    """Yield the products: rows x weights of the models, each once, then squares with both operands row-major."""
    for n, k in dict.fromkeys(pair for pairs in WEIGHTS.values() for pair in pairs):
        for m in ROWS:
            yield {"op": "gemm", "m": m, "n": n, "k": k, "dtype": "fp32", "layout": "rcr"}
    for size in SQUARES:
        yield {"op": "gemm", "m": size, "n": size, "k": size, "dtype": "fp32", "layout": "rrr"}


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, {"conv_cpu_tails.jsonl": convolutions(), "gemm_cpu_tails.jsonl": products()}))
