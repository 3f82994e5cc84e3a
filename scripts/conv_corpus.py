"""Writes the convolution problems of real networks, and the lists that the convolution benchmarks run.

    python scripts/conv_corpus.py            writes benchmarks/problems/conv_*.jsonl
    python scripts/conv_corpus.py --check    exits 1 where a file differs from what would be written

The networks are walkers in `scripts/networks`: they follow the shape of the activations through a published
architecture.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from networks import NETWORKS, Conv

FOLDER = Path(__file__).parent.parent / "benchmarks" / "problems"
DIRECTIONS = ("forward", "backward_data", "backward_weight")
BATCHES = {1: (1, 16), 2: (1, 32), 3: (1, 4)}  # by spatial dimensions
MORE_BATCHES = {"resnet50": (8, 128), "resnext50_32x4d": (8, 128), "mobilenet_v2_1.0": (8, 128), "unet3d": (2,)}
MAX_ELEMENTS = 2**31  # one tensor
PER_BUCKET = 22
BUCKETS = ("few_channels", "depthwise", "wide_groups", "dense")


def problem(conv: Conv, batch: int, direction: str, dtype: str) -> dict[str, Any]:
    """The problem of one layer, fields at their default left out."""
    data: dict[str, Any] = {"op": "grouped_conv", "direction": direction, "n": batch, "g": conv.g, "c": conv.c}
    data |= {"k": conv.k, "input": list(conv.input), "filter": list(conv.filter)}
    for name, values, usual in (("stride", conv.stride, 1), ("dilation", conv.dilation, 1), ("pad", conv.pad, 0)):
        if any(v != usual for v in values):
            data[name] = list(values)
    return {**data, "dtype": dtype}


def corpus() -> Iterator[dict[str, Any]]:
    """Every layer of every network, in several batch sizes and all directions; each once."""
    seen: set[str] = set()
    for name, walker in NETWORKS.items():
        for conv in walker():
            for batch in (*BATCHES[len(conv.input)], *MORE_BATCHES.get(name, ())):
                if batch * max(conv.c, conv.k) * prod(conv.input) >= MAX_ELEMENTS:
                    continue
                for direction in DIRECTIONS:
                    if conv.first and direction == "backward_data":
                        continue
                    data = problem(conv, batch, direction, "fp16")
                    key = json.dumps(data)
                    if key not in seen:
                        seen.add(key)
                        yield data


def bucket(data: dict[str, Any]) -> str:
    """Which part of the performance table a problem belongs to."""
    per_group = data["c"] // data["g"]
    if data["g"] == 1:
        return "dense"
    if per_group == 1:
        return "depthwise"
    return "few_channels" if per_group <= 16 else "wide_groups" if per_group >= 32 else "other_groups"


def bench_list(batches: dict[int, int], dtype: str, limit: float, least: float) -> list[dict[str, Any]]:
    """PER_BUCKET problems of each bucket and direction, spread evenly over the corpus by work."""
    found = []
    for direction in DIRECTIONS:
        for name in BUCKETS:
            pool = sorted(_pool(name, direction, batches, dtype, limit, least), key=lambda d: (_work(d), json.dumps(d)))
            count = min(PER_BUCKET, len(pool))
            found += [pool[i * (len(pool) - 1) // max(1, count - 1)] for i in range(count)]
    return found


def _pool(
    name: str, direction: str, batches: dict[int, int], dtype: str, limit: float, least: float
) -> list[dict[str, Any]]:
    seen: dict[str, dict[str, Any]] = {}
    for walker in NETWORKS.values():
        for conv in walker():
            if conv.first and direction == "backward_data":
                continue
            data = problem(conv, batches[len(conv.input)], direction, dtype)
            if bucket(data) == name and least <= _work(data) <= limit:
                seen[json.dumps(data)] = data
    return list(seen.values())


def _work(data: dict[str, Any]) -> float:
    """Multiplications and additions, about."""
    strides = prod(data.get("stride", (1,)))
    return 2.0 * data["n"] * data["k"] * data["c"] // data["g"] * prod(data["input"]) * prod(data["filter"]) / strides


def files() -> dict[str, Iterable[dict[str, Any]]]:
    """What each file holds."""
    return {
        "conv_corpus.jsonl": corpus(),
        "conv_cpu.jsonl": bench_list({1: 4, 2: 4, 3: 1}, "fp32", 4e9, 4e6),
        "conv_gpu.jsonl": bench_list({1: 32, 2: 64, 3: 8}, "fp16", 4e12, 1e8),
    }


def write_or_check(about: str | None, files: Mapping[str, Iterable[dict[str, Any]]]) -> int:
    """Write the problems of each file; with `--check` only compare them, and return 1 if a file differs."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    check = parser.parse_args().check
    differing = []
    for name, problems in files.items():
        lines = [json.dumps(p, separators=(",", ":")) for p in problems]
        text = "\n".join(lines) + "\n"
        path = FOLDER / name
        if not check:
            path.write_text(text)
            print(f"{path.name}: {len(lines)} problems")
        elif not path.exists() or path.read_text() != text:
            differing.append(name)
    if differing:
        print(f"differs from what the script writes: {', '.join(differing)}", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(write_or_check(__doc__, files()))
