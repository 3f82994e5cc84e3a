"""GEMM on a GPU beside cuBLAS: compile candidates, verify them, measure candidates x problems, compare the selection.

    python benchmarks/gemm_gpu.py build --kernels out/gpu_kernels                    # needs no GPU
    python benchmarks/gemm_gpu.py verify sweep special host --kernels out/gpu_kernels --out out
    python benchmarks/gemm_gpu.py build compare --selected --kernels out/selected --out out
    python benchmarks/gemm_gpu.py build compare --selected --problems benchmarks/problems/gemm_gpu_holdout.jsonl
    python benchmarks/gemm_gpu.py build compare --selected --selector chain --kernels out/chain --out out/chain
    python benchmarks/gemm_gpu.py differ                                             # chain beside analytical, no GPU

`compare` times the kernel that `--selector` takes (by default the cost model) beside torch; `--selected` builds only
those kernels.
Needs numpy, torch and triton only. Times are graph replays over rotating buffer sets (see `timing.py`); each line of
the results carries the problem, the candidate, seconds per launch and the same of torch in the same run.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from gpu_compare import compare, host_cost, special
from gpu_space import all_specs, as_fp16, build, differ, load_problems, nominal_h200, ranked
from gpu_sweep import sweep
from gpu_tensors import Runner
from gpu_verify import verify


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "what",
        nargs="+",
        choices=("build", "verify", "sweep", "special", "host", "count", "compare", "select", "differ"),
    )
    parser.add_argument("--kernels", type=Path, default=Path("out/gpu_kernels"))
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--problems", type=Path)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--selected", action="store_true", help="only the kernels that are selected")
    parser.add_argument("--selector", default="analytical", help="whose choices `compare` times")
    parser.add_argument("--only", default="", help="part of a signature's label")
    parser.add_argument("--match", default="", help="problems whose label holds one of these, separated by commas")
    parser.add_argument("--seconds", type=float, default=200.0, help="time limit of a sweep")
    parser.add_argument("--per-problem", type=float, default=6.0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.selected:
        picked = [ranked(p, nominal_h200(), args.selector)[0].spec for p in load_problems(args.problems)]
        specs = list({s.digest: s for s in picked}.values())
    else:
        specs = [s for s in all_specs() if args.only in s.signature.label()]
    if "count" in args.what:
        print(len(specs), "kernels")
    if "build" in args.what:
        build(specs, args.kernels, args.workers)
    specs = [s for s in specs if (args.kernels / s.digest[:16] / "kernel.json").exists()]
    if "verify" in args.what:
        begin = time.time()
        results = verify(args.kernels, sorted(s.digest[:16] for s in specs))
        names = {s.digest[:16]: s.name for s in specs}
        (args.out / "verify.json").write_text(json.dumps({names[k]: v for k, v in results.items()}, indent=0))
        bad = {k: v for k, v in results.items() if v.get("error") or v["worst"] > 1 or not v["same"]}
        print(f"verified {len(results) - len(bad)} of {len(results)} in {time.time() - begin:.1f} s")
        for k, v in list(bad.items())[:60]:
            print("  bad", names[k], v)
        specs = [s for s in specs if s.digest[:16] not in bad]
    said = args.out / "verify.json"
    if said.exists():
        results = json.loads(said.read_text())
        good = {n for n, v in results.items() if not v.get("error") and v["worst"] <= 1 and v["same"]}
        specs = [s for s in specs if s.name in good]
    if "host" in args.what:
        print("host cost", host_cost(Runner(args.kernels), specs))
    if "select" in args.what:
        for p in load_problems(args.problems):
            best = ranked(p, nominal_h200(), args.selector)[0]
            print(f"{p.label():44s} {best.spec.algorithm.label()} {best.launch.label()}")
    if "differ" in args.what:
        differ(load_problems(args.problems), nominal_h200())
    if "compare" in args.what:
        name = args.problems.stem if args.problems else "gemm_gpu"
        compare(
            Runner(args.kernels),
            load_problems(args.problems),
            args.out / f"compare_{name}.jsonl",
            selector=args.selector,
        )
    if "special" in args.what:
        special(Runner(args.kernels), specs, args.out / "special.jsonl")
    if "sweep" in args.what:
        problems = list(map(as_fp16, load_problems(args.problems)))
        problems = [p for p in problems if any(m in p.label() for m in args.match.split(","))]
        sweep(args.kernels, problems, specs, args.out / "sweep.jsonl", args.per_problem, args.seconds)


if __name__ == "__main__":
    main()
