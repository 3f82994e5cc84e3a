"""Problems to measure on, as JSON lines: drawn by a seed, of bounded size, one file per run of a collection.

python benchmarks/cpu/draw_problems.py --op conv --dtype fp32 --count 300 --most-flops 6e7 > out/conv.jsonl
"""

from __future__ import annotations

import argparse
import json
from importlib import import_module


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
    layouts = tuple(args.layouts.split(",")) if args.layouts else ("nhwgc",) if args.op == "conv" else ("rcr",)
    more = {"most_bytes": args.most_bytes} if args.op == "conv" else {}
    samples = import_module(f"tilewright.ops.{args.op}.samples")
    found = samples.sample_problems(
        args.count, args.seed, args.dtype.split(","), "cpu", args.most_flops, layouts=layouts, **more
    )
    for problem in found:
        print(json.dumps(problem.to_dict()))


if __name__ == "__main__":
    main()
