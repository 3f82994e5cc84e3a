"""Candidates x problems: quick samples of all, then the best in turn with torch."""

from __future__ import annotations

import json
import multiprocessing
import time
from dataclasses import asdict
from pathlib import Path

from gpu_peers import L2_BYTES, peer_call
from gpu_space import GemmProblem, legal, nominal_h200, read_spec
from gpu_tensors import Pool, Runner, tensors_for, torch_dtype

from tilewright.model.kernel import Launch


def sweep_problem(runner, problem, specs, pool, budget_s, tell, rounds=5):
    """Every candidate of one problem: quick samples first, then the best again in turn with torch."""
    import torch

    from tilewright.backends.gpu.timing import CapturedCalls, sets_to_rotate, time_in_turn
    from tilewright.backends.triton.gemm import OP

    begin = time.time()
    count = sets_to_rotate(problem.bytes, L2_BYTES)
    sets = [tensors_for(problem, pool) for _ in range(count)]
    peer = CapturedCalls([peer_call(problem, t) for t in sets])
    base = time_in_turn({"torch": peer}, rounds=3, sample_ms=1.5, warmup_ms=3)["torch"].seconds
    quick, errors = [], []
    specs = [s for s in specs if legal(s, problem)]
    specs.sort(key=lambda s: s.algorithm.swap_ab != (problem.m <= 64))  # the likely ones first: time may run out
    candidates = [(s, launch) for s in specs for launch in OP.launches(s, problem, nominal_h200())]
    for spec, launch in candidates:
        if time.time() - begin > budget_s:
            errors.append("out of time")
            break
        tell(spec.digest[:16])
        try:
            few = [runner.call(spec, problem, launch, t) for t in sets[: max(1, min(count, 8))]]
            graph = CapturedCalls(few)
            graph.sample()
            first = graph.sample()
            if first < 1.6 * base:
                first = min(first, graph.sample(2), graph.sample(2))
            quick.append((first, spec, launch))
        except Exception as error:
            errors.append(f"{spec.algorithm.label()} {launch.label()}: {type(error).__name__} {str(error)[-200:]}")
            if "CUDA" in str(error):
                raise
    quick.sort(key=lambda x: x[0])
    tell(quick[0][1].digest[:16] if quick else "peer")
    graphs = {"torch": peer}
    for i, (_, spec, launch) in enumerate(quick[:6]):
        graphs[str(i)] = CapturedCalls([runner.call(spec, problem, launch, t) for t in sets])
        if i < 3:
            graphs[f"{i} late"] = CapturedCalls([runner.call(spec, problem, launch, t, False) for t in sets])
    final = time_in_turn(graphs, rounds=rounds, sample_ms=2.0, warmup_ms=2.0)
    torch.cuda.synchronize()
    rows = []
    for i, (first, spec, launch) in enumerate(quick):
        timed = final.get(str(i))
        rows.append({"digest": spec.digest[:16], "algorithm": spec.algorithm.label(), "launch": asdict(launch),
                     "quick_us": round(first * 1e6, 3),
                     "us": round(timed.seconds * 1e6, 3) if timed else None,
                     "late_us": round(final[f"{i} late"].seconds * 1e6, 3) if f"{i} late" in final
                     else None})  # fmt: skip
    best = min((r for r in rows if r["us"]), key=lambda r: r["us"]) if any(r["us"] for r in rows) else None
    peer_us = round(final["torch"].seconds * 1e6, 3)
    return {"problem": problem.to_dict(), "sets": count, "torch_us": peer_us, "best": best,
            "ratio": round(peer_us / best["us"], 4) if best else None, "candidates": rows, "errors": errors[:5],
            "tried": len(quick), "seconds": round(time.time() - begin, 2)}  # fmt: skip


def sweep_worker(folder, rows, out, per_problem, until, queue):
    """Measures problems one by one into `out`; tells what it is about to run, so that a hang can be pinned down."""
    import torch

    runner, pools = Runner(Path(folder)), {}
    specs = [read_spec(Path(folder) / name) for name in rows["kernels"]]
    with Path(out).open("a") as file:
        for at, data in rows["problems"]:
            if time.time() > until:
                break
            problem = GemmProblem.from_dict(data)
            dtype = torch_dtype(problem.dtype_a)
            if dtype not in pools:
                pools[dtype] = Pool(dtype, 4 << 30)
            mine = [s for s in specs if s.signature == problem.signature]
            tell = lambda digest, at=at: queue.put((at, digest))  # noqa: E731
            row = sweep_problem(runner, problem, mine, pools[dtype], per_problem, tell)
            file.write(json.dumps(row) + "\n")
            file.flush()
            queue.put((at, "done"))
            show(problem, row)
            torch.cuda.empty_cache()


def show(problem, row):
    b = row["best"]
    rate = problem.flops / row["torch_us"] * 1e-6
    what = f"{b['algorithm']} {Launch(**b['launch']).label()}" if b else "-"
    ratio = row["ratio"] if b else 0
    print(f"{problem.label():40s} torch {row['torch_us']:9.2f} us {rate:5.0f} TF ratio {ratio:6.3f} {what} "
          f"({row['tried']}) {row['errors'][:1]}", flush=True)  # fmt: skip


def sweep(folder, problems, specs, out, per_problem_s, total_s, patience=12.0):
    """All problems in a worker process; where it hangs or dies, that kernel is dropped and a new worker goes on."""
    from tilewright.backends.gpu.timing import clocks

    context = multiprocessing.get_context("spawn")
    until, names = time.time() + total_s, [s.digest[:16] for s in specs]
    left, dropped = list(enumerate(p.to_dict() for p in problems)), []
    out.write_text("")
    print("clocks", clocks())
    while left and time.time() < until:
        queue = context.Queue()
        rows = {"kernels": names, "problems": left}
        process = context.Process(target=sweep_worker, args=(str(folder), rows, str(out), per_problem_s, until, queue))
        process.start()
        seen, at, digest = time.time() + 25, left[0][0], None
        while process.is_alive() and time.time() - seen < patience:
            while not queue.empty():
                at, digest = queue.get()
                seen = time.time()
                if digest == "done":
                    left = [x for x in left if x[0] != at]
            time.sleep(0.02)
        if not process.is_alive() and process.exitcode == 0:
            break
        process.kill()
        process.join()
        dropped.append((at, digest, "hang" if process.exitcode == -9 else f"exit {process.exitcode}"))
        print("dropped", dropped[-1], next((s.name for s in specs if s.digest[:16] == digest), ""), flush=True)
        if digest in names:
            names.remove(digest)
        else:
            left = left[1:]
    print("clocks", clocks(), "dropped", dropped)
