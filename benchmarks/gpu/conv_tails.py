"""Convolutions outside of the common layers against cuDNN: ratios per class, of the chosen and of the best kernel.

    python benchmarks/gpu/conv_tails.py plan build measure table --part tune --out out/conv_tails.jsonl
    python benchmarks/gpu/conv_tails.py plan build measure table --part held --selected --out out/held.jsonl
    python benchmarks/gpu/conv_tails.py plan build measure table --selected --seed 1 --out out/others.jsonl

Each class draws 12 problems from its own seed: `tune` are the first six, `held` the others, at which nobody looks while
kernels and costs change; `--seed` draws new ones. How they are timed and verified is in `conv_gpu`; the kernels are our
own alone.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path
from statistics import geometric_mean

from conv_gpu import best_of, chosen_of, make_plan, measure_all
from gpu_space import build

from tilewright.backends.plain import spec_from_dict
from tilewright.ops import problem_from_dict
from tilewright.tune.bench.own import own_kernels_only

EACH = 12
MOST_BYTES = 1.2e9  # of a problem's tensors


def _layer(direction, images, c, k, size, filters, stride=1, dilation=1, g=1, pad=None):
    """A problem as plain data; padding keeps the size at a stride of 1 unless it is given."""
    dims = len(size)
    stride, dilation = ([x] * dims if isinstance(x, int) else list(x) for x in (stride, dilation))
    pad = [(f - 1) * d // 2 for f, d in zip(filters, dilation, strict=True)] if pad is None else [pad] * dims
    return {"op": "grouped_conv", "direction": direction, "n": images, "g": g, "c": c, "k": k, "input": list(size),
            "filter": list(filters), "stride": stride, "dilation": dilation, "pad": pad, "dtype": "fp16"}  # fmt: skip


def stem_data(r):
    size, edge = r.choice(((7, 3), (7, 3), (7, 3), (3, 1), (5, 2))), r.choice((224, 224, 256, 299, 320, 512))
    return _layer("backward_data", r.choice((8, 16, 32, 64)), 3, r.choice((16, 24, 32, 64, 64, 96)), (edge, edge),
                  (size[0],) * 2, 2, pad=size[1])  # fmt: skip


def volume_stride(r):
    c = r.choice((1, 3, 16, 32, 64, 64, 128, 256))
    depth, edge = r.choice(((16, 112), (32, 64), (16, 56), (64, 64), (8, 28), (20, 40), (12, 48)))
    filters = r.choice(((3, 3, 3), (3, 3, 3), (3, 3, 3), (1, 1, 1), (2, 2, 2), (3, 7, 7)))
    stride = r.choice(((2, 2, 2), (2, 2, 2), (1, 2, 2)))
    pad = [(f - 1) // 2 for f in filters]
    return {**_layer("forward", r.choice((2, 4, 8)), c, max(32, 2 * c if c > 8 else 64), (depth, edge, edge), filters,
                     stride), "pad": pad}  # fmt: skip


def group_weight(r):
    groups, each, edge = r.choice((16, 32, 32, 64)), r.choice((4, 8, 8, 16, 16, 32)), r.choice((7, 7, 8, 10, 14, 14))
    c = groups * each
    return _layer("backward_weight", r.choice((16, 32, 64, 128)), c, c, (edge, edge), (3, 3), r.choice((1, 1, 1, 2)),
                  g=groups, pad=1)  # fmt: skip


def _line(direction, r):
    length = r.choice((3, 3, 5, 7, 7))
    filters = r.choice(((1, length), (length, 1)))
    edge = r.choice((8, 12, 17, 17, 28, 35))
    c, k = r.choice((64, 96, 128, 160, 192, 256, 384)), r.choice((64, 96, 128, 160, 192, 256, 384))
    return _layer(direction, r.choice((16, 32, 64)), c, k, (edge, edge), filters)


def line_data(r):
    return _line("backward_data", r)


def line_weight(r):
    return _line("backward_weight", r)


def dilated(r):
    c = r.choice((64, 128, 256, 512, 1024))
    k = r.choice((c, c, 256))
    edge = r.choice((28, 33, 33, 40, 60, 65))
    return _layer(r.choice(("forward", "backward_data", "backward_weight")), r.choice((4, 8, 16)), c, k, (edge, edge),
                  (3, 3), dilation=r.choice((2, 2, 4, 6, 12)))  # fmt: skip


def few_out_data(r):
    k = r.choice((1, 2, 3, 3, 4, 8, 12, 19, 21, 36))
    c, edge = r.choice((32, 64, 64, 128, 256, 512)), r.choice((28, 40, 64, 80, 128, 224))
    f = r.choice((1, 3, 3, 3, 7))
    return _layer("backward_data", r.choice((4, 8, 16, 32)), c, k, (edge, edge), (f, f))


CLASSES = {"stem_data": stem_data, "volume_stride": volume_stride, "group_weight": group_weight,
           "line_data": line_data, "line_weight": line_weight, "dilated": dilated,
           "few_out_data": few_out_data}  # fmt: skip


def problems_of(name, seed=0):
    """The problems of a class, all different; another `seed` draws others."""
    r, found = random.Random(f"conv tails {name}{f' {seed}' if seed else ''}"), {}
    while len(found) < EACH:
        line = CLASSES[name](r)
        if problem_from_dict(line).bytes <= MOST_BYTES:
            found[json.dumps(line)] = line
    return list(found.values())


def taken(classes, part, seed=0):
    """(class, problem) of the asked part: the classes in turn, so that all are met if time runs out."""
    lists = {name: problems_of(name, seed) for name in classes}
    cut = {"tune": slice(0, EACH // 2), "held": slice(EACH // 2, EACH), "all": slice(0, EACH)}[part]
    columns = [[(name, line) for line in lists[name][cut]] for name in classes]
    return [pair for turn in zip(*columns, strict=True) for pair in turn]


def table(pairs, rows):
    """One line per class: geometric mean and least of the chosen, the mean of the best that was measured."""
    by_problem = {json.dumps(_key(row["problem"])): row for row in rows}
    print("| class | problems | chosen / cuDNN | least | under 0.85 | best / cuDNN |\n|---|---|---|---|---|---|")
    for name in dict.fromkeys(name for name, _ in pairs):
        mine = [by_problem.get(json.dumps(_key(on_gpu(line).to_dict()))) for n, line in pairs if n == name]
        mine = [row for row in mine if row and row.get("torch_us") and chosen_of(row)]
        if mine:
            chosen = [row["torch_us"] / chosen_of(row)["us"] for row in mine]
            best = [row["torch_us"] / best_of(row)["us"] for row in mine]
            print(f"| {name} | {len(mine)} | {geometric_mean(chosen):.2f} | {min(chosen):.2f} | "
                  f"{sum(x < 0.85 for x in chosen)} | {geometric_mean(best):.2f} |")  # fmt: skip


def _key(problem):
    return {n: problem[n] for n in ("direction", "n", "g", "c", "k", "input", "filter", "stride", "dilation", "pad")
            if n in problem}  # fmt: skip


def on_gpu(line):
    return problem_from_dict({**line, "device": "cuda:0"})


def main():
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=("list", "plan", "build", "measure", "table"))
    parser.add_argument("--classes", nargs="*", default=list(CLASSES), choices=list(CLASSES))
    parser.add_argument("--part", default="all", choices=("tune", "held", "all"))
    parser.add_argument("--seed", type=int, default=0, help="draw other problems")
    parser.add_argument("--kernels", type=Path, default=Path("out/conv_tails_kernels"))
    parser.add_argument("--plan", type=Path, default=Path("out/conv_tails_plan.json"))
    parser.add_argument("--out", type=Path, default=Path("out/conv_tails.jsonl"))
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--selected", action="store_true", help="only the kernels that are selected")
    parser.add_argument("--selector", default="chain")
    parser.add_argument("--most", type=int, default=4, help="candidates per pipeline and problem")
    parser.add_argument("--seconds", type=float, default=240.0, help="time limit of measuring")
    parser.add_argument("--build-seconds", type=float, default=120.0, help="time limit of building")
    args = parser.parse_args()
    pairs = taken(args.classes, args.part, args.seed)
    problems, plan = [on_gpu(line) for _, line in pairs], []
    if "list" in args.what:
        for name, line in pairs:
            print(name, on_gpu(line).label())
    if "plan" in args.what:
        plan = make_plan(problems, args.plan, args.selector, 0 if args.selected else args.most)
    elif {"build", "measure"} & set(args.what):
        plan = json.loads(args.plan.read_text())
    if "build" in args.what:
        entries = sorted((e for entries in plan for e in entries), key=lambda e: e["place"])
        build([spec_from_dict(e["spec"]) for e in entries], args.kernels, args.workers, args.build_seconds)
    if "measure" in args.what:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        measure_all(args.kernels, plan, problems, args.out, args.seconds)
    if "table" in args.what:
        table(pairs, [json.loads(line) for line in args.out.read_text().splitlines()])


if __name__ == "__main__":
    main()
