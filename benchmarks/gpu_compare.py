"""The selected kernels beside torch, special dtypes and epilogues, and the host cost of a call."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, replace

from gpu_peers import L2_BYTES, compiled_call, peer_call, peers_of, separate_call
from gpu_space import SPECIAL, GemmProblem, legal, nominal_h200, ranked
from gpu_tensors import tensors_for
from gpu_verify import check, poison

from tilewright.model.kernel import Launch


def sampled_error(problem, algorithm, t, rows=48):
    """Largest error of some rows as a share of the tolerance."""
    import torch

    if problem.m > rows:
        pick = torch.randperm(problem.m, device="cuda")[:rows]
        part = replace(problem, m=rows, strides={})
        t = {k: v[pick] if k in ("a", "out", "scale_a") and v.shape[0] == problem.m else v for k, v in t.items()}
        return check(part, algorithm, t)
    return check(problem, algorithm, t)


def compare(runner, problems, out, rounds=15, selector="analytical"):
    """The selected kernel of each problem: verified, then timed in turn with torch."""
    import torch

    from tilewright.backends.gpu.timing import CapturedCalls, clocks, sets_to_rotate, time_in_turn

    device, name = nominal_h200(), torch.cuda.get_device_name()
    before, results = clocks(), []
    with out.open("w") as file:
        for problem in problems:
            best = ranked(problem, device, selector)[0]
            sets = [tensors_for(problem) for _ in range(sets_to_rotate(problem.bytes, L2_BYTES))]
            calls = [runner.call(best.spec, problem, best.launch, t) for t in sets]
            poison(sets[0]["out"])
            calls[0]()
            torch.cuda.synchronize()
            error = sampled_error(problem, best.spec.algorithm, sets[0])
            peers = {name: CapturedCalls([make(problem, t) for t in sets]) for name, make in peers_of(problem).items()}
            graphs = {**peers, "ours": CapturedCalls(calls)}
            times = time_in_turn(graphs, rounds=rounds, sample_ms=6.0, warmup_ms=30.0)
            pairs = zip(times["torch"].samples, times["ours"].samples, strict=True)
            ratio = sorted(a / b for a, b in pairs)[rounds // 2]
            ours, theirs = times["ours"].seconds, times["torch"].seconds
            row = {"problem": problem.to_dict(), "kernel": best.spec.name, "digest": best.spec.digest,
                   "launch": asdict(best.launch), "backend": "triton", "arch": "sm_90", "device": name,
                   "time_ms": ours * 1e3, "tflops": problem.flops / ours * 1e-12, "gbps": problem.bytes / ours * 1e-9,
                   "error": error, "tolerance": 1.0, "tier": "float64 rows on the GPU", "ok": error <= 1.0,
                   "selector": selector, "ratio": round(ratio, 4), "spread": round(times["ours"].spread, 4),
                   "peers": {n: {"time_ms": times[n].seconds * 1e3, "tflops": problem.flops / times[n].seconds * 1e-12}
                             for n in peers},
                   "policy": f"graph replay, {len(sets)} rotating sets, {rounds} rounds in turn"}  # fmt: skip
            file.write(json.dumps(row) + "\n")
            results.append(row)
            print(f"{problem.label():44s} {ours * 1e6:9.2f} us  torch {theirs * 1e6:9.2f} us  {ratio:6.3f}x  "
                  f"{'ok' if row['ok'] else 'WRONG'} {best.spec.algorithm.label()} {best.launch.label()} "
                  + " ".join(f"{n} {times[n].seconds / ours:.3f}x" for n in peers if n != "torch"),
                  flush=True)  # fmt: skip
            del sets, calls, graphs
    ratios = sorted(r["ratio"] for r in results)
    mean = math.exp(sum(math.log(r) for r in ratios) / len(ratios))
    print(f"{len(ratios)} problems, geometric mean {mean:.4f}, lowest {ratios[:8]}, all ok: "
          f"{all(r['ok'] for r in results)}, clocks {before} {clocks()}")  # fmt: skip


def special(runner, specs, out):
    """8-bit operands and fused epilogues beside torch, one line per kernel."""
    from tilewright.backends.gpu.timing import CapturedCalls, sets_to_rotate, time_in_turn

    with out.open("w") as file:
        for m, n, k in ((8192, 8192, 8192), (4096, 16384, 4096), (2048, 8192, 2048), (8192, 4096, 1024)):
            for fields in SPECIAL:
                problem = GemmProblem.from_dict({"m": m, "n": n, "k": k, **fields})
                if not problem.d and n != 8192:
                    continue
                sets = [tensors_for(problem) for _ in range(sets_to_rotate(problem.bytes, L2_BYTES, 4))]
                graphs = {"torch": CapturedCalls([peer_call(problem, t) for t in sets])}
                if problem.dtype_a == "fp8":
                    try:
                        graphs["torch_precise"] = CapturedCalls([peer_call(problem, t, False) for t in sets])
                    except Exception as error:
                        print("torch precise:", str(error)[:100])
                if problem.d:
                    graphs["torch_mm_add_gelu"] = CapturedCalls([separate_call(problem, t) for t in sets])
                    graphs["torch_compile"] = CapturedCalls([compiled_call(problem, t) for t in sets])
                for s in specs:
                    if s.signature == problem.signature and legal(s, problem):
                        calls = [runner.call(s, problem, Launch(), t) for t in sets]
                        graphs[s.algorithm.label()] = CapturedCalls(calls)
                times = {k: round(v.seconds * 1e6, 2) for k, v in time_in_turn(graphs, rounds=5).items()}
                rates = {k: round(problem.flops / v * 1e-6) for k, v in times.items()}
                print(problem.label(), "TFLOP/s", rates, flush=True)
                file.write(json.dumps({"problem": problem.to_dict(), "us": times}) + "\n")


def host_cost(runner, specs):
    """Host microseconds of a repeated call: ours, torch.mm, and Triton's own launcher on a trivial kernel."""
    import torch

    from tilewright.backends.gpu.timing import time_eager

    problem = GemmProblem.from_dict({"m": 256, "n": 256, "k": 256, "dtype": "fp16"})
    t = tensors_for(problem)
    mine = [s for s in specs if s.signature == problem.signature and legal(s, problem) and not s.algorithm.split]
    picks = {"ours": next(s for s in mine if s.algorithm.pipeline == "hopper" and s.algorithm.pdl),
             "ours_no_pdl": next(s for s in mine if s.algorithm.pipeline == "hopper" and not s.algorithm.pdl),
             "ours_pointer": next(s for s in mine if s.algorithm.pipeline == "pointer")}  # fmt: skip
    calls = {n: runner.call(s, problem, Launch(), t) for n, s in picks.items()}
    calls["ours_ctypes"] = calls["ours"]
    if hasattr(calls["ours"], "__self__") or type(calls["ours"]).__name__ == "Launch":
        calls["ours_ctypes"] = ctypes_call(runner, picks["ours"], problem, t)
    raw = torch._C._cuda_getCurrentRawStream
    calls["stream_lookup_only"] = lambda: raw(0)
    calls["torch_mm_out"] = peer_call(problem, t)
    calls["torch_mm"] = lambda: torch.mm(t["a"], t["b"])
    calls["triton_launcher"] = trivial_triton_call(t["out"])
    for call in calls.values():
        time_eager(call, 50, 2)
    return {name: round(time_eager(call).seconds * 1e6, 2) for name, call in calls.items()}


def ctypes_call(runner, spec, problem, t):
    from tilewright.backends.triton.gemm.launch import prepare

    addresses = {r: x.data_ptr() for r, x in t.items()}
    (call,) = prepare(runner.kernel(spec), runner.driver, problem, Launch(), runner.units, addresses, 0)
    return call


def trivial_triton_call(x):
    from trivial_kernel import add_one

    return lambda: add_one[(4,)](x, x.numel(), 1024)
