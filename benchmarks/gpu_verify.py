"""Verification of kernels on the GPU, in worker processes that may crash or hang without harm."""

from __future__ import annotations

import math
import multiprocessing
import time
from pathlib import Path

from gpu_space import GemmProblem, legal, read_spec
from gpu_tensors import Runner, tensors_for

from tilewright.backends.triton.gemm.bind import geometry
from tilewright.model.kernel import Launch
from tilewright.ops.gemm.on_device import expected_rows, scaled_b

UNIT = {"fp16": 2.0**-11, "bf16": 2.0**-8, "fp32": 2.0**-24, "int32": 0.0}


def reference(problem, t):
    """(float64 result, the same on absolute values) on the GPU."""
    return expected_rows(problem, t, scaled_b(problem, t), slice(0, problem.m))


def check(problem, algorithm, t):
    """Largest error as a share of the tolerance; must be at most 1."""
    import torch

    want, size = reference(problem, t)
    got = t["out"].double()
    if not torch.isfinite(got).all():
        return float("inf")
    acc = 2.0**-24 * 2 * math.sqrt(max(problem.k, 1))
    if problem.dtype_a == "fp32" and algorithm.precision == "tf32":
        acc = 2.0**-9
    if problem.dtype_a in ("fp8", "bf8"):
        acc = 2.0**-13
    if problem.dtype_a in ("fp8", "bf8") and algorithm.accumulate == "fast":
        acc = 2.0**-11
    bound = UNIT[problem.dtype_out] * want.abs() * 1.01 + acc * size + 1e-7
    return float(((got - want).abs() / bound).max())


def poison(out):
    import torch

    if out.dtype in (torch.int32, torch.int8):
        out.fill_(-77777777 if out.dtype == torch.int32 else -128)
    else:
        out.fill_(float("nan"))


def verify_cases(spec):
    """Small problems that reach every edge: ragged sizes, several batches, short and long K, each kind of split."""
    s = spec.signature
    step = spec.algorithm.tile_k
    size = {"fp16": 2, "bf16": 2, "fp8": 1, "bf8": 1, "int8": 1, "fp32": 4}[s.dtype_a]
    g = 16 // size
    base = {"dtype_a": s.dtype_a, "dtype_b": s.dtype_b, "dtype_out": s.dtype_out, "dtype_acc": s.dtype_acc,
            "layout": s.layout, "scale_a": s.scale_a, "scale_b": s.scale_b, "d": s.d, "b_format": s.b_format,
            "epilogue": {"combine": s.combine, "activation": s.activation,
                         "alpha": 1.0 if s.dtype_out == "int32" else 0.75,
                         "beta": 1.0 if not s.d else -1.5}}  # fmt: skip
    sizes = [(g * 25, g * 41, g * 25 + step * 3, 1), (256, 512, step * 9, 1), (g * 9, g * 3, g, 3),
             (1536, 1024, step * 5, 1), (4104, 2048, step * 3, 1), (333, 517, step * 2 + 7, 2),
             (5, 1024, step * 6, 1), (8, 40, step * 12, 2), (g * 3, 776, step * 4, 1)]  # fmt: skip
    for m, n, k, batch in sizes:
        p = GemmProblem.from_dict({"m": m, "n": n, "k": k, "batch": batch, **base})
        if not legal(spec, p):
            continue
        after = spec.algorithm.reduce == "after"
        if not after:
            yield p, Launch()
        if spec.algorithm.split:
            for splits in (2, 3):
                if -(-k // step) >= splits:
                    yield p, Launch(split_k=splits)
            if spec.algorithm.pipeline == "hopper" and not after:
                yield p, Launch(grid=(7,))
                yield p, Launch(grid=(40,))


def verify_one(runner, spec):
    """The worst error over all cases, and whether two runs agree bit by bit."""
    import torch

    worst, same = 0.0, True
    for problem, launch in verify_cases(spec):
        if spec.algorithm.split and geometry(problem, spec.algorithm, launch, runner.units).programs < 1:
            continue
        t = tensors_for(problem)
        poison(t["out"])
        call = runner.call(spec, problem, launch, t)
        call()
        torch.cuda.synchronize()
        worst = max(worst, check(problem, spec.algorithm, t))
        first = t["out"].clone()
        poison(t["out"])
        call()
        call()
        torch.cuda.synchronize()
        same = same and torch.equal(first, t["out"])
        if worst > 1 or not same:
            return {"worst": worst, "same": same, "problem": problem.label(), "launch": launch.label()}
    return {"worst": worst, "same": same}


def verify_worker(folder, names, queue):
    """Verifies kernels one by one; tells each result, so that a crash costs only the kernel in hand."""
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    runner = Runner(Path(folder))
    for name in names:
        queue.put((name, "begin"))
        try:
            queue.put((name, verify_one(runner, read_spec(Path(folder) / name))))
        except Exception as error:
            queue.put((name, {"error": f"{type(error).__name__}: {str(error)[-300:]}"}))
            if "CUDA" in str(error) or "accelerator" in type(error).__name__.lower():
                return


def verify(folder, names, processes=6, patience=40.0):
    """{name: result}; a worker that hangs or dies is replaced, its kernel recorded."""
    context = multiprocessing.get_context("spawn")
    results, left = {}, [names[i::processes] for i in range(processes)]
    lanes = []
    for part in left:
        if part:
            lanes.append(_lane(context, folder, list(part)))
    while lanes:
        for lane in list(lanes):
            _drain(lane, results)
            done = not lane["todo"]
            stuck = time.time() - lane["seen"] > patience
            dead = not lane["process"].is_alive()
            if done:
                lane["process"].join(5)
            elif stuck or dead:
                _drain(lane, results)
                if not lane["todo"]:
                    lanes.remove(lane)
                    continue
                name = lane["current"] or lane["todo"][0]
                if name not in results:
                    results[name] = {"error": "hangs" if stuck else "the worker died"}
                lane["process"].kill()
                rest = [n for n in lane["todo"] if n != name]
                lanes.remove(lane)
                if rest:
                    lanes.append(_lane(context, folder, rest))
                continue
            if done:
                lanes.remove(lane)
        time.sleep(0.05)
    return results


def _lane(context, folder, todo):
    queue = context.Queue()
    process = context.Process(target=verify_worker, args=(str(folder), todo, queue), daemon=True)
    process.start()
    return {"process": process, "queue": queue, "todo": todo, "seen": time.time() + 30, "current": None}


def _drain(lane, results):
    while not lane["queue"].empty():
        name, said = lane["queue"].get()
        lane["seen"] = time.time()
        if said == "begin":
            lane["current"] = name
        else:
            results[name] = said
            lane["todo"] = [n for n in lane["todo"] if n != name]
