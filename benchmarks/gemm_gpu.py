"""GEMM on a GPU beside cuBLAS: compile candidates, verify them, measure candidates x problems, compare the selection.

    python benchmarks/gemm_gpu.py build  --kernels out/gpu_kernels            # needs no GPU
    python benchmarks/gemm_gpu.py verify --kernels out/gpu_kernels --out out  # on the GPU, in worker processes
    python benchmarks/gemm_gpu.py sweep  --kernels out/gpu_kernels --out out
    python benchmarks/gemm_gpu.py host   --kernels out/gpu_kernels --out out

Needs numpy, torch and triton only. Times are graph replays over rotating buffer sets (see `timing.py`); each line of
the results carries the problem, the candidate, seconds per launch and the same of torch in the same run.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import multiprocessing
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from tilewright.backends.triton.gemm.algorithm import TritonGemm
from tilewright.backends.triton.gemm.bind import geometry, tile_count, workspace_bytes
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops.gemm.epilogue import DTensor
from tilewright.ops.gemm.problem import GemmProblem
from tilewright.ops.gemm.signature import GemmSignature

HERE = Path(__file__).resolve().parent
L2_BYTES = 60 << 20


# ---- candidates ----------------------------------------------------------------------------------------------------


def offered(signature, arch="sm_90", named=False):
    """Every kernel that the backend's sets offer for a signature."""
    from tilewright.arch import get_arch
    from tilewright.backends.triton.gemm import OP
    from tilewright.model.kernel_set import expand

    sets = OP.kernel_sets() if named else OP.default_sets()
    specs = [
        spec
        for kernel_set in sets
        if kernel_set.takes(signature, arch)
        for spec in expand(kernel_set, get_arch(arch), signature, OP.algorithm, OP.tunables(), OP.rules).specs
    ]
    return list({s.digest: s for s in specs}.values())


def sweep_candidates(signature):
    """The offered kernels, of the pointer pipeline only a few."""
    found = []
    for spec in offered(signature):
        a = spec.algorithm
        few = a.unit and not a.even_k and a.vector_bytes in (2, 8) and signature.layout == "rcr"
        if a.pipeline == "hopper" or few:
            found.append(spec)
    return found


def large_candidates(signature):
    """The kernels for large problems: no split, tiles of at least 128 x 128 or its like."""
    found = [s for s in offered(signature, named=True) if s.algorithm.pipeline == "hopper"]
    return [s for s in found if not s.algorithm.split and s.algorithm.operands == "direct"
            and s.algorithm.store == "tma" and s.algorithm.tile_m * s.algorithm.tile_n >= 128 * 128]  # fmt: skip


def legal(spec, problem):
    from tilewright.arch import get_arch
    from tilewright.backends.triton.gemm.rules import RULES
    from tilewright.model.rule import Subject, judge

    return not judge(RULES, Subject(spec, get_arch(spec.arch), problem))


def signatures():
    """What the problem file asks for, bf16 as fp16: the same kernel at the same speed."""
    seen = {}
    for problem in map(as_fp16, load_problems()):
        seen[problem.signature.label()] = problem.signature
    return list(seen.values())


def as_fp16(problem):
    swap = {"bf16": "fp16"}
    names = ("dtype_a", "dtype_b", "dtype_out")
    return replace(problem, **{n: swap.get(getattr(problem, n), getattr(problem, n)) for n in names})


def load_problems(path=None):
    path = Path(path) if path else HERE / "problems" / "gemm_gpu.jsonl"
    return [GemmProblem.from_dict(json.loads(line)) for line in path.read_text().splitlines() if line.strip()]


def spec_of(signature, algorithm, arch="sm_90"):
    return KernelSpec("gemm", "triton", arch, signature, algorithm)


# ---- build ---------------------------------------------------------------------------------------------------------


def build(specs, folder, workers):
    """Compile what is not there yet; answers {digest: error} of what failed."""
    folder.mkdir(parents=True, exist_ok=True)
    todo = [s for s in specs if not (folder / s.digest[:16] / "kernel.json").exists()]
    failed, begin = {}, time.time()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        futures = [(s, pool.submit(build_one, s.to_dict(), str(folder / s.digest[:16]))) for s in todo]
        for spec, future in futures:
            try:
                future.result(timeout=180)
            except Exception as error:
                failed[spec.digest[:16]] = f"{spec.name}: {type(error).__name__} {str(error)[-300:]}"
                print("not built:", failed[spec.digest[:16]], flush=True)
    print(f"built {len(todo) - len(failed)} of {len(todo)} in {time.time() - begin:.1f} s, {workers} workers")
    return failed


def build_one(spec, folder):
    from tilewright.backends.triton.compile_job import run
    from tilewright.backends.triton.gemm.lower import jobs_of

    path = Path(folder)
    path.mkdir(exist_ok=True)
    run({"arch": spec["arch"], "jobs": jobs_of(spec_from(spec))}, path)
    for assembly in path.glob("*.ptx"):
        assembly.unlink()
    (path / "spec.json").write_text(json.dumps(spec))


# ---- tensors and calls ---------------------------------------------------------------------------------------------


def torch_dtype(name):
    import torch

    return {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp8": torch.float8_e4m3fn,
            "bf8": torch.float8_e5m2, "int8": torch.int8, "int32": torch.int32}[name]  # fmt: skip


def random_matrix(rows, cols, letter, dtype, batch=1, pool=None):
    """A random [batch,] rows x cols matrix of a layout letter; `pool` lends memory of random numbers."""
    import torch

    shape = (batch, rows, cols) if letter == "r" else (batch, cols, rows)
    if pool is not None:
        x = pool.take(shape, torch_dtype(dtype))
    elif dtype == "int8":
        x = torch.randint(-127, 128, shape, dtype=torch.int8, device="cuda")
    elif dtype == "int32":
        x = torch.randint(-1000, 1000, shape, dtype=torch.int32, device="cuda")
    else:
        x = torch.randn(shape, device="cuda").to(torch_dtype(dtype))
    x = x if letter == "r" else x.transpose(1, 2)
    return x if batch > 1 else x[0]


class Pool:
    """One block of random numbers, from which tensors are cut in turn: filling takes longer than measuring."""

    def __init__(self, dtype, size):
        import torch

        self.dtype, self.at = dtype, 0
        count = size // torch.empty((), dtype=dtype).element_size()
        if dtype == torch.int8:
            self.data = torch.randint(-127, 128, (count,), dtype=dtype, device="cuda")
        else:
            self.data = torch.empty(count, dtype=dtype, device="cuda")
            for part in self.data.split(1 << 26):
                part.copy_(torch.randn(part.numel(), device="cuda"))

    def take(self, shape, dtype):
        count = math.prod(shape)
        if self.at + count > self.data.numel():
            self.at = 0
        x = self.data[self.at : self.at + count].view(shape)
        self.at += -(-count // 128) * 128
        return x


def tensors_for(problem, pool=None):
    """Random operands and an output of the problem."""
    import torch

    p, sizes = problem, {}
    for role in ("a", "b", "out"):
        letter = p.layout[{"a": 0, "b": 1, "out": 2}[role]]
        rows, cols = p.shape(role)
        lend = pool if role != "out" else None
        if role == "out":
            base = torch.empty((p.batch, rows, cols) if letter == "r" else (p.batch, cols, rows),
                               dtype=torch_dtype(p.dtype_out), device="cuda")  # fmt: skip
            base = base if letter == "r" else base.transpose(1, 2)
            sizes[role] = base if p.batch > 1 else base[0]
        else:
            sizes[role] = random_matrix(rows, cols, letter, p.dtype(role), p.batch, lend)
    for role in p.roles[3:]:
        if role.startswith("scale"):
            sizes[role] = torch.rand(p.shape(role), device="cuda") + 0.5
        else:
            rows, cols = p.shape(role)
            sizes[role] = random_matrix(rows, cols, "r", p.dtype(role), p.batch)
    return sizes


class Runner:
    """Loaded kernels and prepared launches."""

    def __init__(self, folder):
        from tilewright.backends.triton import cuda_driver as driver_module
        from tilewright.backends.triton.cuda_driver import cuda_driver

        if "BENCH_L2_PROMOTION" in os.environ:  # to measure what the driver's setting is worth
            driver_module.L2_PROMOTION = int(os.environ["BENCH_L2_PROMOTION"])
        self.folder, self.driver, self.kernels = folder, cuda_driver(), {}
        self.units = self.driver.attribute("units")
        self.workspaces = {}

    def kernel(self, spec):
        from tilewright.backends.triton.gemm.launch import GemmKernel

        key = spec.digest[:16]
        if key not in self.kernels:
            self.kernels[key] = GemmKernel(spec, self.folder / key)
        return self.kernels[key]

    def workspace(self, size):
        import torch

        if size not in self.workspaces:
            self.workspaces[size] = torch.zeros(size, dtype=torch.uint8, device="cuda")
        return self.workspaces[size].data_ptr()

    def call(self, spec, problem, launch, tensors, early=True):
        """A function without arguments that launches on torch's current stream."""
        import torch

        from tilewright.backends.triton.gemm.launch import prepare

        size = workspace_bytes(problem, spec.algorithm, launch, self.units)
        workspace = self.workspace(size) if size else 0
        addresses = {r: t.data_ptr() for r, t in tensors.items()}
        calls = prepare(self.kernel(spec), self.driver, problem, launch, self.units, addresses, workspace, early)
        fast = [call.fast(torch._C._cuda_getCurrentRawStream, 0) for call in calls]
        return fast[0] if len(fast) == 1 else lambda: [call() for call in fast]


def launches_for(spec, problem, units):
    """Launches worth trying: the plain one, splits that fill the GPU once or twice, and stream-K."""
    a = spec.algorithm
    if not a.split:
        return [Launch()]
    after = a.reduce == "after"
    tiles = tile_count(problem, a)
    steps = -(-problem.k // a.tile_k)
    room = units * a.blocks_per_unit
    counts = [s for s in (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128) if steps // s >= 2]
    fill = [s for s in counts if 0.45 * room <= tiles * s <= 2.1 * room]
    found = [] if after else [Launch()]
    if tiles <= room:
        found += [Launch(split_k=s) for s in fill]
    stream = a.pipeline == "hopper" and not after
    if stream and tiles % room and tiles * steps >= 4 * room and tiles < 12 * room:
        found.append(Launch(grid=(room,)))
    return found


# ---- verification --------------------------------------------------------------------------------------------------


def reference(problem, t):
    """(float64 result, the same on absolute values) on the GPU."""
    import torch

    p, e = problem, problem.epilogue
    a, b = t["a"].double(), t["b"].double()
    scale = torch.tensor(e.alpha, device="cuda", dtype=torch.float64)
    if p.scale_a != "none":
        scale = scale * t["scale_a"].double()[:, None]
    if p.scale_b != "none":
        scale = scale * t["scale_b"].double()[None, :]
    x, size = scale * (a @ b), scale.abs() * (a.abs() @ b.abs())
    for i in range(len(p.d)):
        d = t[f"d{i}"].double() * (e.beta if i == 0 else 1.0)
        x, size = (x + d, size + d.abs()) if e.combine == "add" else (x * d, size * d.abs())
    f = torch.nn.functional
    x = {"none": lambda y: y, "relu": f.relu, "gelu_erf": f.gelu, "gelu_tanh": lambda y: f.gelu(y, approximate="tanh"),
         "sigmoid": torch.sigmoid, "tanh": torch.tanh, "silu": f.silu}[e.activation](x)  # fmt: skip
    return x, size


UNIT = {"fp16": 2.0**-11, "bf16": 2.0**-8, "fp32": 2.0**-24, "int32": 0.0}


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


def read_spec(folder):
    return spec_from(json.loads((folder / "spec.json").read_text()))


def spec_from(data):
    s = dict(data["signature"])
    s["d"] = tuple(DTensor(**d) for d in s.get("d", ()))
    return KernelSpec(data["op"], data["backend"], data["arch"], GemmSignature(**s), TritonGemm(**data["algorithm"]))


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


# ---- measurement ---------------------------------------------------------------------------------------------------


def peer_call(problem, t, fast=True):
    """torch's own product on the same tensors."""
    import torch

    a, b, out = t["a"], t["b"], t["out"]
    if problem.dtype_a == "int8":
        return lambda: torch._int_mm(a, b, out=out)
    if problem.dtype_a == "fp8":
        sa, sb = (t[r].reshape((-1, 1) if r == "scale_a" else (1, -1)) for r in ("scale_a", "scale_b"))
        if problem.scale_a == "tensor":
            sa, sb = t["scale_a"].reshape(()), t["scale_b"].reshape(())
        return lambda: torch._scaled_mm(a, b, sa, sb, out_dtype=out.dtype, use_fast_accum=fast, out=out)
    if problem.epilogue.activation.startswith("gelu") and len(problem.d) == 1:
        bias, how = t["d0"][0], problem.epilogue.activation[5:].replace("erf", "none")
        return lambda: torch.nn.functional.gelu(torch.addmm(bias, a, b), approximate=how)
    if problem.batch > 1:
        return lambda: torch.bmm(a, b, out=out)
    return lambda: torch.mm(a, b, out=out)


def separate_call(problem, t):
    """Product, bias and activation as three torch operations."""
    import torch

    how = problem.epilogue.activation[5:].replace("erf", "none")
    return lambda: torch.nn.functional.gelu(torch.mm(t["a"], t["b"]) + t["d0"], approximate=how)


@functools.cache
def compiled_gelu(how):
    import torch

    return torch.compile(lambda a, b, d: torch.nn.functional.gelu(torch.mm(a, b) + d, approximate=how))


def compiled_call(problem, t):
    """The same through torch.compile."""
    compiled = compiled_gelu(problem.epilogue.activation[5:].replace("erf", "none"))
    compiled(t["a"], t["b"], t["d0"])
    return lambda: compiled(t["a"], t["b"], t["d0"])


def peers_of(problem):
    """What a problem is compared with, by name."""
    found = {"torch": peer_call}
    if problem.dtype_a == "fp8":
        found["torch_precise"] = lambda p, t: peer_call(p, t, fast=False)
    if problem.d:
        found.update(torch_mm_add_gelu=separate_call, torch_compile=compiled_call)
    return found


def sweep_problem(runner, problem, specs, pool, budget_s, tell, rounds=5):
    """Every candidate of one problem: quick samples first, then the best again in turn with torch."""
    import torch

    from tilewright.backends.triton.timing import CapturedCalls, sets_to_rotate, time_in_turn

    begin = time.time()
    count = sets_to_rotate(problem.bytes, L2_BYTES)
    sets = [tensors_for(problem, pool) for _ in range(count)]
    peer = CapturedCalls([peer_call(problem, t) for t in sets])
    base = time_in_turn({"torch": peer}, rounds=3, sample_ms=1.5, warmup_ms=3)["torch"].seconds
    quick, errors = [], []
    specs = [s for s in specs if legal(s, problem)]
    specs.sort(key=lambda s: s.algorithm.swap_ab != (problem.m <= 64))  # the likely ones first: time may run out
    candidates = [(s, launch) for s in specs for launch in launches_for(s, problem, runner.units)]
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
    from tilewright.backends.triton.timing import clocks

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


SPECIAL = (
    {"dtype_a": "fp8", "dtype_b": "fp8", "dtype_out": "bf16", "scale_a": "tensor", "scale_b": "tensor"},
    {"dtype_a": "fp8", "dtype_b": "fp8", "dtype_out": "bf16", "scale_a": "row", "scale_b": "row"},
    {"dtype": "int8"},
    {"dtype": "bf16", "d": [{"dtype": "bf16", "broadcast": "row"}], "epilogue": {"activation": "gelu_tanh"}},
    {"dtype": "bf16", "d": [{"dtype": "bf16", "broadcast": "row"}], "epilogue": {"activation": "gelu_erf"}},
)


def special(runner, specs, out):
    """8-bit operands and fused epilogues beside torch, one line per kernel."""
    from tilewright.backends.triton.timing import CapturedCalls, sets_to_rotate, time_in_turn

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

    from tilewright.backends.triton.timing import time_eager

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


# ---- the selected kernels beside torch -------------------------------------------------------------------------------


def nominal_h200():
    from tilewright.arch import get_nominal_devices

    return next(d for d in get_nominal_devices("sm_90") if d.name.startswith("H200"))


def ranked(problem, device):
    """Candidates of a problem by the backend's cost model, best first."""
    from tilewright.backends.triton.gemm import OP
    from tilewright.model.kernel import Candidate

    found = [
        Candidate(spec, launch)
        for spec in offered(problem.signature)
        if legal(spec, problem)
        for launch in OP.launches(spec, problem, device)
    ]
    return sorted(found, key=lambda c: (OP.predict(c, problem, device), c.key))


def sampled_error(problem, algorithm, t, rows=48):
    """Largest error of some rows as a share of the tolerance."""
    import torch

    if problem.m > rows:
        pick = torch.randperm(problem.m, device="cuda")[:rows]
        part = replace(problem, m=rows, strides={})
        t = {k: v[pick] if k in ("a", "out", "scale_a") and v.shape[0] == problem.m else v for k, v in t.items()}
        return check(part, algorithm, t)
    return check(problem, algorithm, t)


def compare(runner, problems, out, rounds=15):
    """The selected kernel of each problem: verified, then timed in turn with torch."""
    import torch

    from tilewright.backends.triton.timing import CapturedCalls, clocks, sets_to_rotate, time_in_turn

    device, name = nominal_h200(), torch.cuda.get_device_name()
    before, results = clocks(), []
    with out.open("w") as file:
        for problem in problems:
            best = ranked(problem, device)[0]
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
                   "selector": "analytical", "ratio": round(ratio, 4), "spread": round(times["ours"].spread, 4),
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


# ---- command line --------------------------------------------------------------------------------------------------


def sample_variants():
    """Further signatures and traits for verification: dtypes, layouts, epilogues."""
    s, d = GemmSignature, DTensor
    plain = TritonGemm(pipeline="hopper", tile_m=128, tile_n=128, tile_k=64, warps=8, stages=4)
    found = []
    for layout in ("rrr", "crr", "ccr", "rcc", "rrc", "ccc", "crc"):
        found.append((s("fp16", "fp16", "fp32", "fp16", layout), plain))
    bias = s("bf16", "bf16", "fp32", "bf16", "rcr", d=(d("bf16", "row"),), activation="gelu_tanh")
    found.append((bias, plain))
    found.append((s("bf16", "bf16", "fp32", "bf16", "rcr", d=(d("bf16", "row"),), activation="gelu_erf"),
                  TritonGemm(pipeline="hopper", tile_m=128, tile_n=256, tile_k=64, warps=8, stages=4)))  # fmt: skip
    many = s("fp16", "fp16", "fp32", "fp32", "rcr", combine="multiply", activation="silu",
             d=(d("fp16", "none"), d("fp32", "col"), d("bf16", "row")))  # fmt: skip
    found.append(
        (many, TritonGemm(pipeline="hopper", tile_m=128, tile_n=128, tile_k=64, warps=8, stages=3, split=True))
    )
    found.append((many, TritonGemm(pipeline="hopper", tile_m=128, tile_n=32, tile_k=64, warps=4, stages=4, split=True,
                                   swap_ab=True)))  # fmt: skip
    for act in ("relu", "sigmoid", "tanh"):
        found.append((s("fp16", "fp16", "fp32", "fp16", "rcr", activation=act), plain))
    fp8 = s("fp8", "fp8", "fp32", "bf16", "rcr", scale_a="row", scale_b="row")
    fp8t = s("fp8", "fp8", "fp32", "bf16", "rcr", scale_a="tensor", scale_b="tensor")
    k128 = {"pipeline": "hopper", "tile_k": 128, "warps": 8}
    for sig in (fp8, fp8t):
        found.append((sig, TritonGemm(tile_m=128, tile_n=256, stages=4, **k128)))
        found.append((sig, TritonGemm(tile_m=128, tile_n=128, stages=6, accumulate="promoted", **k128)))
        found.append((sig, TritonGemm(tile_m=128, tile_n=128, stages=5, consumers=2, **k128)))
        found.append((sig, TritonGemm(tile_m=256, tile_n=128, stages=4, out_buffers=1, **k128)))
    found.append((s("fp8", "bf8", "fp32", "fp16", "rcr"), TritonGemm(tile_m=128, tile_n=128, stages=4, **k128)))
    i8 = s("int8", "int8", "int32", "int32", "rcr")
    found.append((i8, TritonGemm(tile_m=128, tile_n=256, stages=4, **k128)))
    found.append((i8, TritonGemm(tile_m=128, tile_n=128, stages=5, consumers=2, out_buffers=1, **k128)))
    found.append((i8, TritonGemm(tile_m=256, tile_n=128, stages=4, out_buffers=1, **k128)))
    found.append((s("int8", "int8", "int32", "bf16", "rcr", scale_a="row", scale_b="row"),
                  TritonGemm(tile_m=128, tile_n=256, stages=4, **k128)))  # fmt: skip
    f32 = s("fp32", "fp32", "fp32", "fp32", "rcr")
    found.append((f32, TritonGemm(pipeline="hopper", tile_m=128, tile_n=128, tile_k=32, warps=8, stages=4)))
    found.append((f32, TritonGemm(tile_m=128, tile_n=128, tile_k=32, warps=8, stages=3)))
    found.append((f32, TritonGemm(tile_m=64, tile_n=64, tile_k=16, warps=4, stages=3, precision="ieee")))
    f16 = s("fp16", "fp16", "fp32", "fp16", "rcr")
    found.append((f16, TritonGemm(pipeline="tma_persistent", tile_m=128, tile_n=256, tile_k=64, warps=8, stages=3)))
    found.append((f16, TritonGemm(pipeline="hopper", tile_m=128, tile_n=128, tile_k=64, warps=8, stages=4, pdl=False)))
    found.append((f16, TritonGemm(pipeline="hopper", tile_m=128, tile_n=256, tile_k=64, warps=8, stages=4, pdl=False)))
    found.append((f16, TritonGemm(pipeline="hopper", tile_m=128, tile_n=256, tile_k=64, warps=8, stages=4,
                                  store="pointer")))  # fmt: skip
    for layout in ("rcr", "rrr", "ccc"):
        f = s("fp16", "fp16", "fp32", "fp16", layout)
        found.append((f, TritonGemm(warps=8, stages=3)))
        found.append((f, TritonGemm(warps=8, stages=3, split=True, vector_bytes=2)))
        found.append((f, TritonGemm(tile_m=64, tile_n=64, warps=4, stages=3, unit=False, wide=True, vector_bytes=2)))
    return [spec_of(sig, a) for sig, a in found]


def all_specs():
    specs = [spec for s in signatures() for spec in sweep_candidates(s)]
    for fields in SPECIAL:
        problem = GemmProblem.from_dict({"m": 8, "n": 8, "k": 8, **fields})
        specs += large_candidates(problem.signature)
    return list({s.digest: s for s in [*specs, *sample_variants()]}.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "what", nargs="+", choices=("build", "verify", "sweep", "special", "host", "count", "compare", "select")
    )
    parser.add_argument("--kernels", type=Path, default=Path("out/gpu_kernels"))
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--problems", type=Path)
    parser.add_argument("--workers", type=int, default=8)
    parser.add_argument("--selected", action="store_true", help="only the kernels that the cost model selects")
    parser.add_argument("--only", default="", help="part of a signature's label")
    parser.add_argument("--match", default="", help="problems whose label holds one of these, separated by commas")
    parser.add_argument("--seconds", type=float, default=200.0, help="time limit of a sweep")
    parser.add_argument("--per-problem", type=float, default=6.0)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.selected:
        picked = [ranked(p, nominal_h200())[0].spec for p in load_problems(args.problems)]
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
            best = ranked(p, nominal_h200())[0]
            print(f"{p.label():44s} {best.spec.algorithm.label()} {best.launch.label()}")
    if "compare" in args.what:
        name = args.problems.stem if args.problems else "gemm_gpu"
        compare(Runner(args.kernels), load_problems(args.problems), args.out / f"compare_{name}.jsonl")
    if "special" in args.what:
        special(Runner(args.kernels), specs, args.out / "special.jsonl")
    if "sweep" in args.what:
        problems = list(map(as_fp16, load_problems(args.problems)))
        problems = [p for p in problems if any(m in p.label() for m in args.match.split(","))]
        sweep(args.kernels, problems, specs, args.out / "sweep.jsonl", args.per_problem, args.seconds)


if __name__ == "__main__":
    main()
