"""Host cost on a GPU: repeated calls compared with torch and Triton's launcher, loading kernels, a cold build.

python benchmarks/gpu/gpu_call_cost.py --out out/host.json
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from gpu_space import load_problems
from torch_call_cost import call_ratios

from tilewright.backends import get_backend_op
from tilewright.dispatcher import Dispatcher
from tilewright.jit import Cache, build_many
from tilewright.jit.launcher import launcher_status
from tilewright.ops import get_op, problem_from_dict
from tilewright.settings import Settings
from tilewright.tune.bench.own import own_kernels_only

SMALL = {"op": "gemm", "m": 256, "n": 256, "k": 256, "dtype": "fp16", "device": "cuda"}


def chosen_specs(dispatcher, count):
    """The kernels that are chosen for the first problems of the file, `count` different ones."""
    found = {}
    for problem in load_problems("gemm_gpu"):
        if len(found) < count:
            spec = dispatcher.explain(problem).chosen.candidate.spec
            found[spec.digest] = spec
    return list(found.values())


def cold_build(specs, workers, folder):
    """Seconds to compile `specs` into an empty cache."""
    settings = Settings(cache_dir=folder)
    cache = Cache.from_settings(settings)
    op = get_backend_op("triton", "gemm")
    requests = [op.request(s, settings) for s in specs]
    os.environ["TRITON_CACHE_DIR"] = str(Path(folder) / "triton")  # the compiler keeps results of its own
    begin = time.perf_counter()
    results = build_many(requests, cache, max_workers=workers)
    seconds = time.perf_counter() - begin
    del os.environ["TRITON_CACHE_DIR"]
    assert all(hasattr(r, "path") for r in results), results
    return seconds, results


def load_times(specs, artifacts):
    """Milliseconds from a built artifact to a kernel on the GPU, each."""
    from tilewright.backends.gpu.stage import driver_for

    op, found = get_backend_op("triton", "gemm"), []
    for spec, artifact in zip(specs, artifacts, strict=True):
        begin = time.perf_counter()
        kernel = op.load(spec, artifact)
        kernel.load(driver_for(kernel, "cuda:0"))
        found.append((time.perf_counter() - begin) * 1e3)
    return found


def host_seconds(call, calls=200, rounds=5):
    """Median seconds of host time per call; the GPU is waited for only between rounds."""
    import torch

    samples = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        samples.append((time.perf_counter() - begin) / calls)
    torch.cuda.synchronize()
    return median(samples)


def call_costs():
    """Host microseconds of one repeated call."""
    import torch
    from trivial_kernel import add_one

    problem = problem_from_dict(SMALL)
    t = get_op("gemm").random_tensors(problem, 0)
    bound = Dispatcher().bind(problem, **t)
    x = t["out"]
    calls = {
        "plan call": bound,
        "tilewright.gemm(out=)": lambda: __import__("tilewright").gemm(t["a"], t["b"], out=x),
        "torch.mm(out=)": lambda: torch.mm(t["a"], t["b"], out=x),
        "torch.mm": lambda: torch.mm(t["a"], t["b"]),
        "triton launcher": lambda: add_one[(4,)](x, x.numel(), 1024),
    }
    for call in calls.values():
        host_seconds(call, 50, 2)
    return {name: round(host_seconds(call) * 1e6, 2) for name, call in calls.items()}


def main():
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--kernels", type=int, default=12)
    parser.add_argument("--workers", type=int, default=8)
    args = parser.parse_args()
    import torch

    from tilewright.backends.gpu.cuda_driver import cuda_driver

    torch.ones(1, device="cuda")
    cuda_driver()  # the context is there: what is timed is a kernel's own loading
    specs = chosen_specs(Dispatcher(), args.kernels)
    with tempfile.TemporaryDirectory() as folder:
        seconds, artifacts = cold_build(specs, args.workers, folder)
        loads = load_times(specs, artifacts)
    report = {
        "device": torch.cuda.get_device_name(),
        "cold build": {"kernels": len(specs), "workers": args.workers, "seconds": round(seconds, 2)},
        "load ms": {"median": round(sorted(loads)[len(loads) // 2], 2), "largest": round(max(loads), 2)},
        "call us": call_costs(),
        "tiny tensors": call_ratios(),
        "launches through": launcher_status(),
    }
    print(json.dumps(report, indent=1))
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
