"""Products with a few hundred rows against cuBLAS: the kernel that is chosen, and that without some of them.

    python benchmarks/gpu/few_rows.py --models gemma-2-9b llama-2-13b --out rows.jsonl

bf16, weights [n, k] as in torch.nn.Linear, of the models of `invariant.py`. `after` is the chain's choice among all
kernels, `before` its choice among those without the set `--without`; both are verified and timed in turn
with torch over rotating buffers. `--top N` times the first N candidates of chain and cost model as well (`best`).
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import geometric_mean

from contest import contest
from gemm_gpu import policy
from gpu_space import ARCH, build, dispatcher_of, ranked
from invariant import MODELS, ROWS

from tilewright.arch import get_arch
from tilewright.backends.triton.gemm import OP
from tilewright.model.kernel_set import expand
from tilewright.ops import problem_from_dict
from tilewright.tune.bench.own import own_kernels_only
from tilewright.tune.bench.peers import get_peer

SET = "triton_hopper_loose"


def kernels_of(name, signature):
    """The digests of the kernels of a set."""
    found = [s for s in OP.default_sets() if s.name == name]
    return {x.digest for s in found
            for x in expand(s, get_arch(ARCH), signature, OP.algorithm, OP.tunables(), OP.rules).specs}  # fmt: skip


def chosen(problem, top, without):
    """(after, before, candidates to time)."""
    new, order = kernels_of(without, problem.signature), ranked(problem, "chain")
    after, before = order[0], next(c for c in order if c.spec.digest not in new)
    more = [*order[:top], *ranked(problem, "analytical")[:top]] if top else []
    return after, before, list({c.key: c for c in (after, before, *more)}.values())


def measure(dispatcher, problem, choice):
    after, before, candidates = choice
    found = contest(dispatcher, problem, candidates, [get_peer("torch")], policy(7, 2.0, 4.0), len(candidates))
    times = {e.candidate.key: e.seconds for e in found.entrants if e.right and e.seconds}
    torch = found.peers["torch"]
    best = min((e for e in found.entrants if e.candidate.key in times), key=lambda e: times[e.candidate.key])
    row = {"m": problem.m, "n": problem.n, "k": problem.k, "torch": torch,
           "after": times.get(after.key), "before": times.get(before.key), "best": best.seconds,
           "wrong": [e.candidate.spec.name for e in found.entrants if not e.right],
           "kernels": [f"{c.spec.algorithm.label()} {c.launch.label()}" for c in (after, before, best.candidate)],
           "all": {f"{e.candidate.spec.algorithm.label()} {e.candidate.launch.label()}": e.seconds
                   for e in found.entrants if e.candidate.key in times}}  # fmt: skip
    return row


def main():
    print(own_kernels_only())
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--models", nargs="*", default=[], choices=list(MODELS))
    parser.add_argument("--sizes", nargs="*", default=[], help="further n,k")
    parser.add_argument("--rows", nargs="*", type=int, default=ROWS)
    parser.add_argument("--top", type=int, default=0)
    parser.add_argument("--without", default=SET, help="the set that `before` does without")
    parser.add_argument("--cache", type=Path, default=Path("out/few_rows"))
    parser.add_argument("--seconds", type=float, default=300.0)
    args = parser.parse_args()
    sizes = [size for model in args.models for size in MODELS[model]]
    sizes += [tuple(map(int, size.split(","))) for size in args.sizes]
    problems = [problem_from_dict({"op": "gemm", "m": m, "n": n, "k": k, "dtype": "bf16", "device": "cuda:0"})
                for n, k in sizes for m in args.rows]  # fmt: skip
    end = time.time() + args.seconds
    choices = [chosen(p, args.top, args.without) for p in problems]
    build([c.spec for choice in choices for c in choice[2]], args.cache, 16, args.seconds / 2)
    dispatcher, rows = dispatcher_of(args.cache), []
    with args.out.open("w") as file:
        for problem, choice in zip(problems, choices, strict=True):
            if time.time() > end:
                break
            row = measure(dispatcher, problem, choice)
            rows.append(row)
            file.write(json.dumps(row) + "\n")
            file.flush()
            shares = {n: f"{row['torch'] / row[n]:.2f}" for n in ("after", "before", "best") if row[n]}
            print(problem.label(), f"torch {row['torch'] * 1e6:.1f} us", shares, row["kernels"], row["wrong"] or "",
                  flush=True)  # fmt: skip
    for name in ("after", "before", "best"):
        ratios = [r["torch"] / r[name] for r in rows if r[name]]
        print(f"{name}: {len(ratios)} products, {geometric_mean(ratios):.3f} of cuBLAS, the least {min(ratios):.2f}, "
              f"{sum(x < 0.9 for x in ratios)} under 0.9")  # fmt: skip


if __name__ == "__main__":
    main()
