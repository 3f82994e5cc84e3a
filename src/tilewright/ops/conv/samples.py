"""Default problems for tuning: a sample of the layers of common networks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from .problem import ConvProblem
from .signature import DIRECTIONS

CHANNELS = (3, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 240, 256, 320, 384, 512, 640, 768, 1024, 1280, 2048)
PIXELS = (4, 7, 8, 10, 14, 16, 20, 28, 32, 40, 56, 64, 80, 112, 128, 160, 224)
IMAGES = (1, 1, 2, 4, 8, 16, 32)
FILTERS = ((3, 5), (1, 3), (5, 1), (7, 1))  # (size, weight)
WIDTHS = (4, 8, 16, 32, 64)  # channels per group of a grouped layer
LAYOUTS = (("nhwgc", 9), ("ndhwgc", 1), ("nwgc", 1))
MAX_FLOPS = {"cpu": 4e8, "cuda": 2e11}
LEAST_FLOPS = {"cpu": 4e5, "cuda": 1e6}
# For short budgets: problems that few kernels serve.
SHORT: dict[str, Any] = {"layouts": ("nhwgc",), "directions": ("forward",), "most_bytes": 8e6}


def sample_problems(
    count: int, seed: int = 0, dtypes: Sequence[str] = ("fp32",), device: str = "cpu", most_flops: float | None = None,
    layouts: Sequence[str] = (), directions: Sequence[str] = DIRECTIONS, most_bytes: float = 1e9,
) -> list[ConvProblem]:  # fmt: skip
    """Return `count` distinct problems: half dense layers, a sixth each pointwise, depthwise and grouped.

    >>> found = sample_problems(30, seed=1, directions=("forward",))
    >>> len(set(p.tuning_key for p in found)), {p.direction for p in found}
    (30, {'forward'})
    """
    rng = random.Random(f"conv {seed}")
    kind = "cpu" if device == "cpu" else "cuda"
    most = most_flops or MAX_FLOPS[kind]
    letters = [(x, 1) for x in layouts] or LAYOUTS
    found: dict[str, ConvProblem] = {}
    while len(found) < count:
        layout = rng.choices([x for x, _ in letters], [w for _, w in letters])[0]
        fields = _layer(rng, len(found) % 6, len(layout) - 3)
        fields |= {"direction": rng.choice(list(directions)), "dtype": rng.choice(list(dtypes)), "layout": layout}
        problem = ConvProblem.from_dict({**fields, "device": device})
        if LEAST_FLOPS[kind] <= problem.flops <= most and problem.bytes <= most_bytes:
            found.setdefault(problem.tuning_key, problem)
    return list(found.values())


def _layer(rng: random.Random, kind: int, dims: int) -> dict[str, Any]:
    """Return sizes of one layer: dense (0 to 2), pointwise (3), depthwise (4), grouped (5)."""
    filter_ = 1 if kind == 3 else rng.choices([f for f, _ in FILTERS], [w for _, w in FILTERS])[0]
    stride = rng.choices((1, 2), (4, 1))[0]
    size = rng.choice([x for x in PIXELS if x >= filter_])
    c, k, g = rng.choice(CHANNELS), rng.choice(CHANNELS[1:]), 1
    if kind == 4:
        c = k = g = rng.choice(CHANNELS[1:])
        filter_ = rng.choice((3, 3, 5))
        size = max(size, filter_)
    elif kind == 5:
        width, g = rng.choice(WIDTHS), rng.choice((2, 4, 8, 16, 32))
        c = k = width * g
    return {"n": rng.choice(IMAGES), "g": g, "c": c, "k": k, "input": [size] * dims, "filter": [filter_] * dims,
            "stride": [stride] * dims, "pad": [filter_ // 2] * dims}  # fmt: skip
