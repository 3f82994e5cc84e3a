"""Convolution on a GPU beside cuDNN: build a short list of kernels per problem, verify and time it, show the ratios.

    python benchmarks/conv_gpu.py plan                                               # needs no GPU, nor does build
    python benchmarks/conv_gpu.py build measure --out benchmarks/results/conv_gpu_sweep.jsonl
    python benchmarks/conv_gpu.py plan build measure --selected --out benchmarks/results/conv_gpu.jsonl
    python benchmarks/conv_gpu.py table --out benchmarks/results/conv_gpu.jsonl     # needs no GPU

`--selected` measures only the kernel that `--selector` takes, by default the cost model (`chain`: as a program without
measurements of its own would select). The peer is torch with channels-last tensors and cuDNN's benchmark mode; times
are graph replays over rotating buffers, in turn. Each candidate is verified first.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import time
from pathlib import Path

import conv_gpu_space
from conv_gpu_space import build, load_problems, make_plan, spec_from

MEMORY_TBPS, FP16_TFLOPS, FP32_TFLOPS = 4.3, 790.0, 67.0


def worker(folder, plan, items, out, until):
    import torch
    from conv_gpu_measure import Runner, measure
    from gpu_tensors import Pool

    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = False
    runner, pool = Runner(Path(folder)), Pool(torch.float16, 6 << 30)
    problems = load_problems()
    with Path(out).open("a") as file:
        for at in items:
            if time.time() > until:
                return
            print(f"begin {at}", flush=True)
            row = {"at": at, **measure(runner, problems[at], plan[at], pool)}
            file.write(json.dumps(row) + "\n")
            file.flush()
            show(problems[at], row)


def chosen_of(row):
    """The candidate that was selected, where it was measured and right."""
    return next((c for c in row["candidates"] if c["place"] == 0 and c.get("us")), None)


def best_of(row):
    return min((c for c in row["candidates"] if c.get("us")), key=lambda c: c["us"], default=None)


def show(problem, row):
    chosen, best = chosen_of(row), best_of(row)
    text = " ".join(f"{n} {c['us']:.1f} us {row['torch_us'] / c['us']:.2f}x {c['algorithm']} {c['launch']['split_k']}"
                    for n, c in (("chosen", chosen), ("best", best)) if c)  # fmt: skip
    bad = [c for c in row["candidates"] if not c.get("error", 9) <= 1]
    wrong = [f"{c['algorithm']} {c.get('failed', c.get('error'))}" for c in bad]
    print(f"{problem.label():60s} torch {row['torch_us']:.1f} {text} {row['seconds']} s {wrong[:2]}", flush=True)


def measure_all(folder, plan, out, seconds):
    """All problems in a worker process; where it dies, that problem is left out and a new worker goes on."""
    context = multiprocessing.get_context("spawn")
    until = time.time() + seconds
    out.write_text("")
    order = sorted(range(len(plan)), key=lambda i: (i * 7) % 22)  # so that every bucket is met when time runs out
    left = order
    while left and time.time() < until:
        process = context.Process(target=worker, args=(str(folder), plan, left, str(out), until))
        process.start()
        process.join()
        done = [json.loads(line)["at"] for line in out.read_text().splitlines()]
        left = [i for i in left if i not in done]
        if process.exitcode == 0:
            break
        print("worker ended with", process.exitcode, "leaving out", left[:1], flush=True)
        left = left[1:]


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


def mean(values: list[float]) -> float:
    """The geometric mean; not a number where there is nothing."""
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def table(rows):
    """Geometric means per bucket and direction."""
    groups = {}
    for row in rows:
        p = conv_gpu_space.problem_from_dict(row["problem"])
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+", choices=("plan", "build", "measure", "table"))
    parser.add_argument("--kernels", type=Path, default=Path("out/conv_kernels"))
    parser.add_argument("--plan", type=Path, default=Path("out/conv_plan.json"))
    parser.add_argument("--out", type=Path, default=Path("out/conv_gpu.jsonl"))
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--selected", action="store_true", help="only the kernels that are selected")
    parser.add_argument("--selector", default="analytical", help="by whose choice and order `plan` goes")
    parser.add_argument("--most", type=int, default=9, help="candidates per pipeline and problem")
    parser.add_argument("--seconds", type=float, default=600.0, help="time limit of measuring")
    parser.add_argument("--build-seconds", type=float, default=600.0, help="time limit of building")
    args = parser.parse_args()
    problems = load_problems()
    most = 0 if args.selected else args.most
    conv_gpu_space.PER_PIPELINE = {name: min(n, most) for name, n in conv_gpu_space.PER_PIPELINE.items()}
    plan = []
    if {"plan", "build", "measure"} & set(args.what):
        plan = (
            make_plan(problems, args.plan, args.selector) if "plan" in args.what else json.loads(args.plan.read_text())
        )
    if "plan" in args.what or "build" in args.what:
        wanted = {}
        for entry in (e for entries in plan for e in entries):
            spec = spec_from(entry["spec"])
            wanted.setdefault(spec.digest, [spec, 0])[1] += 1 + 100 * (entry["place"] == 0)
        order = [spec for spec, _ in sorted(wanted.values(), key=lambda w: -w[1])]
        print(len(order), "kernels", flush=True)
        if "build" in args.what:
            build(order, args.kernels, args.workers, args.build_seconds)
    if "measure" in args.what:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        measure_all(args.kernels, plan, args.out, args.seconds)
    if "table" in args.what:
        table([json.loads(line) for line in args.out.read_text().splitlines()])


if __name__ == "__main__":
    main()
