"""Problems to measure on, as JSON lines: drawn by a seed, of bounded size, one file per run of a collection.

python benchmarks/cpu/draw_problems.py --op conv --dtype fp32 --count 300 --most-flops 6e7 > out/conv.jsonl
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from importlib import import_module

from tilewright.model.problem import Problem

LAYOUTS = {"conv": ("nhwgc",), "gemm": ("rcr",)}  # each layout has kernels of its own


def draw(
    op: str, dtypes: Sequence[str], count: int, seed: int, most_flops: float, most_bytes: float = 8e6,
    layouts: Sequence[str] = (), directions: Sequence[str] = (),
) -> list[Problem]:  # fmt: skip
    """Return problems of an op for this CPU; bytes and directions are those of convolutions."""
    more = {"most_bytes": most_bytes, **({"directions": directions} if directions else {})} if op == "conv" else {}
    samples = import_module(f"tilewright.ops.{op}.samples")
    found: list[Problem] = samples.sample_problems(
        count, seed, dtypes, "cpu", most_flops, layouts=tuple(layouts) or LAYOUTS[op], **more
    )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--op", default="conv")
    parser.add_argument("--dtype", default="fp32", help="separated by commas")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--most-flops", type=float, default=6e7)
    parser.add_argument("--most-bytes", type=float, default=8e6, help="of a convolution's tensors")
    parser.add_argument("--layouts", default="", help="separated by commas; each has kernels of its own")
    args = parser.parse_args()
    layouts = args.layouts.split(",") if args.layouts else ()
    dtypes = args.dtype.split(",")
    for problem in draw(args.op, dtypes, args.count, args.seed, args.most_flops, args.most_bytes, layouts):
        print(json.dumps(problem.to_dict()))


if __name__ == "__main__":
    main()
