"""Convolution on a GPU against cuDNN: build a short list of kernels per problem, verify and time it, show the ratios.

    python benchmarks/gpu/conv_gpu.py plan                                               # needs no GPU, nor does build
    python benchmarks/gpu/conv_gpu.py build measure --out benchmarks/results/conv_gpu_sweep.jsonl
    python benchmarks/gpu/conv_gpu.py plan build measure --selected --out benchmarks/results/conv_gpu.jsonl
    python benchmarks/gpu/conv_gpu.py table --out benchmarks/results/conv_gpu.jsonl     # needs no GPU

`--selected` measures only the kernel that `--selector` takes, by default the cost model (`chain`: as a program without
measurements of its own would select). The peer is torch with channels-last tensors and cuDNN's benchmark mode; times
are graph replays over rotating buffers, in turn. Each candidate is verified first.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import geometric_mean

from contest import contest
from gpu_space import build, dispatcher_of, in_workers, is_built, load_problems, nominal_h200, ranked

from tilewright.backends.plain import spec_from_dict
from tilewright.backends.triton.conv import OP
from tilewright.model.canonical import canonical
from tilewright.model.kernel import Candidate
from tilewright.ops import problem_from_dict
from tilewright.store import launch_from_dict
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.bench.peers import get_peer
from tilewright.tune.measure.timer import Policy

MEMORY_TBPS, FP16_TFLOPS, FP32_TFLOPS = 4.3, 790.0, 67.0
PER_PIPELINE = {"gemm": 4, "hopper": 5, "thin": 4, "implicit": 5, "window": 6, "depthwise": 6, "strip": 6}
BESIDE_WINDOWS = 2  # implicit kernels that are tried where windows serve
POLICY = Policy(mode="graph", cache="rotate", rounds=7, min_sample_ms=1.5, warmup_ms=1.5, settle_ms=0.0, rewarm_ms=0.0)


def short_list(candidates, most):
    """(place in the ranking, candidate) of the first and of the best ones of each pipeline that differ in more than
    alignment."""
    seen, counts, chosen = set(), Counter(), []
    windows = any(c.spec.algorithm.pipeline in ("window", "depthwise", "strip") for c in candidates)
    for place, c in enumerate(candidates):
        a = c.spec.algorithm
        splits = sum(1 for key in seen if key[1] == _shape(a))
        key = (c.launch, _shape(a))
        limit = min(PER_PIPELINE[a.pipeline], most)
        if windows and a.pipeline == "implicit":
            limit = min(limit, BESIDE_WINDOWS)
        if place and (key in seen or splits >= 2 or counts[a.pipeline] >= limit):
            continue
        seen.add(key)
        counts[a.pipeline] += 1
        chosen.append((place, c))
    return chosen


def _shape(a):
    """What tells kernels apart beside what they promise about alignment and channels."""
    return (a.pipeline, a.inner, a.tile_m, a.tile_n, a.tile_k, a.warps, a.span, a.sum, a.merge, a.split, a.consumers,
            a.store if a.pipeline == "hopper" else "", a.stages if a.pipeline == "thin" else 0)  # fmt: skip


def make_plan(problems, path, selector, most):
    """Write the short list of every problem as plain data, and return it."""
    device, plan = nominal_h200(), []
    for p in problems:
        found = short_list(ranked(p, selector), most)
        plan.append([{"place": place, "spec": c.spec.to_dict(), "launch": canonical(c.launch),
                      "predicted_us": round(OP.predict(c, p, device) * 1e6, 3)} for place, c in found])  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(plan))
    return plan


def measure(at, folder, problem, entries):
    """The row of one problem: torch and every built candidate of its short list."""
    import torch

    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False
    begin, dispatcher = time.time(), dispatcher_of(folder)
    pairs = [(e, Candidate(spec_from_dict(e["spec"]), launch_from_dict(e["launch"]))) for e in entries]
    pairs = [(e, c) for e, c in pairs if is_built(dispatcher, c.spec)]
    found = contest(dispatcher, problem_from_dict(problem), [c for _, c in pairs], [get_peer("torch")], POLICY, 2)
    row = found.to_dict()
    for candidate, (entry, _) in zip(row["candidates"], pairs, strict=True):
        candidate |= {name: entry[name] for name in ("place", "predicted_us")}
    return {"at": at, **row, "seconds": round(time.time() - begin, 2)}


def measured(item, folder):
    return measure(item[0], folder, *item[1:])


def chosen_of(row):
    """The candidate that was selected, if it was measured and right."""
    return next((c for c in row["candidates"] if c["place"] == 0 and c.get("us")), None)


def best_of(row):
    return min((c for c in row["candidates"] if c.get("us")), key=lambda c: c["us"], default=None)


def show(problem, row):
    chosen, best = chosen_of(row), best_of(row)
    text = " ".join(f"{n} {c['us']:.1f} us {row['torch_us'] / c['us']:.2f}x {c['algorithm']} {c['launch']['split_k']}"
                    for n, c in (("chosen", chosen), ("best", best)) if c)  # fmt: skip
    bad = [c for c in row["candidates"] if c["error"] is None or c["error"] > 1]
    wrong = [f"{c['algorithm']} {c.get('failed', c['error'])}" for c in bad]
    print(f"{problem.label():60s} torch {row['torch_us']:.1f} {text} {row['seconds']} s {wrong[:2]}", flush=True)


def measure_all(folder, plan, problems, out, seconds):
    """All problems, in an order in which every bucket is met when time runs out."""
    order = sorted(range(len(plan)), key=lambda i: (i * 7) % 22)
    items = [(i, problems[i].to_dict(), plan[i]) for i in order]
    with out.open("w") as file:
        for item, row in in_workers(measured, items, (str(folder),), time.time() + seconds):
            file.write(json.dumps(row) + "\n")
            file.flush()
            show(problems[item[0]], row)


def bucket_of(p):
    if p.g == 1:
        return "dense"
    if p.c_group == 1:
        return "depthwise"
    return "<=16" if p.c_group <= 16 else ">=32"


def limit_us(p):
    """The time that bytes or operations need at the measured ceilings, whichever is longer."""
    rate = FP32_TFLOPS if bucket_of(p) == "depthwise" else FP16_TFLOPS
    return max(p.bytes / MEMORY_TBPS * 1e-6, p.flops / rate * 1e-6)


def mean(values):
    """The geometric mean; not a number if there is nothing."""
    return geometric_mean(values) if values else float("nan")


def table(rows):
    """Geometric means per bucket and direction."""
    groups = {}
    for row in rows:
        p = problem_from_dict(row["problem"])
        chosen, best = chosen_of(row), best_of(row)
        groups.setdefault((bucket_of(p), p.direction), []).append((p, row["torch_us"], chosen, best))
    titles = (
        "channels per group",
        "direction",
        "shapes",
        "selected / cuDNN",
        "under 0.7x",
        "best / cuDNN",
        "of the limit",
    )
    print("|", " | ".join(titles), "|")
    print("|---|---|---|---|---|---|---|")
    for (bucket, direction), items in sorted(groups.items()):
        ratios = [t / c["us"] for _, t, c, _ in items if c]
        tops = [t / b["us"] for _, t, _, b in items if b]
        share = [limit_us(p) / c["us"] for p, _, c, _ in items if c]
        low = sum(r < 0.7 for r in ratios) + sum(c is None for _, _, c, _ in items)
        means = (f"{mean(ratios):.2f}", low, f"{mean(tops):.2f}", f"{mean(share):.2f}")
        print("|", " | ".join(map(str, (bucket, direction, len(items), *means))), "|")


def main():
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=("plan", "build", "measure", "table"))
    parser.add_argument("--kernels", type=Path, default=Path("out/conv_kernels"))
    parser.add_argument("--plan", type=Path, default=Path("out/conv_plan.json"))
    parser.add_argument("--out", type=Path, default=Path("out/conv_gpu.jsonl"))
    parser.add_argument("--every", type=int, default=1, help="take every n-th problem")
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--selected", action="store_true", help="only the kernels that are selected")
    parser.add_argument("--selector", default="analytical", help="by whose choice and order `plan` goes")
    parser.add_argument("--most", type=int, default=9, help="candidates per pipeline and problem")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit of measuring")
    parser.add_argument("--build-seconds", type=float, default=600.0, help="time limit of building")
    args = parser.parse_args()
    problems, plan = load_problems("conv_gpu")[:: args.every], []
    if "plan" in args.what:
        plan = make_plan(problems, args.plan, args.selector, 0 if args.selected else args.most)
    elif {"build", "measure"} & set(args.what):
        plan = json.loads(args.plan.read_text())
    if "plan" in args.what or "build" in args.what:
        wanted = {}
        for entry in (e for entries in plan for e in entries):
            spec = spec_from_dict(entry["spec"])
            wanted.setdefault(spec.digest, [spec, 0])[1] += 1 + 100 * (entry["place"] == 0)
        order = [spec for spec, _ in sorted(wanted.values(), key=lambda w: -w[1])]
        print(len(order), "kernels", flush=True)
        if "build" in args.what:
            build(order, args.kernels, args.workers, args.build_seconds)
    if "measure" in args.what:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        measure_all(args.kernels, plan, problems, args.out, args.seconds)
    if "table" in args.what:
        table([json.loads(line) for line in args.out.read_text().splitlines()])


if __name__ == "__main__":
    main()
