"""One convolution on the GPU: tensors, torch's answer, candidates verified and timed in turn with torch."""

from __future__ import annotations

import time
from dataclasses import replace

from conv_gpu_space import candidate_of
from gpu_tensors import torch_dtype

from tilewright.backends.gpu.launches import runner
from tilewright.backends.gpu.timing import CapturedCalls, sets_to_rotate, time_in_turn
from tilewright.ops.conv.layout import is_channels_last

L2_BYTES = 60 << 20
MOST_SETS = 16
UNIT = {"fp16": 2.0**-11, "bf16": 2.0**-8, "fp32": 2.0**-24}


class Runner:
    """Loaded kernels and prepared launches."""

    def __init__(self, folder):
        from tilewright.backends.gpu.cuda_driver import cuda_driver

        self.folder, self.driver, self.kernels, self.spaces = folder, cuda_driver(), {}, {}
        self.units = self.driver.attribute("units")

    def built(self, spec):
        return (self.folder / spec.digest[:16] / "kernel.json").exists()

    def call(self, candidate, problem, tensors):
        """A function without arguments that launches on torch's current stream."""
        import torch

        from tilewright.backends.triton.conv.algorithm import gemm_spec
        from tilewright.backends.triton.conv.bind import geometry
        from tilewright.backends.triton.conv.launch import open_kernels, prepare
        from tilewright.backends.triton.gemm.bind import workspace_bytes
        from tilewright.backends.triton.gemm.launch import prepare as prepare_gemm
        from tilewright.ops.conv.product import GEMM_ROLES, as_gemm

        spec, launch = candidate.spec, candidate.launch
        key = spec.digest[:16]
        if key not in self.kernels:
            self.kernels[key] = open_kernels(spec, self.folder / key)
        product = spec.algorithm.pipeline == "gemm"
        if product:
            size = workspace_bytes(as_gemm(problem), gemm_spec(spec).algorithm, launch, self.units)
        else:
            size = geometry(problem, spec.algorithm, launch).workspace
        if size and candidate.key not in self.spaces:
            self.spaces[candidate.key] = torch.zeros(size, dtype=torch.uint8, device="cuda")
        space = self.spaces[candidate.key].data_ptr() if size else 0
        addresses = {r: t.data_ptr() for r, t in tensors.items()}
        kernels = self.kernels[key]
        if product:
            addresses = {g: addresses[c] for g, c in GEMM_ROLES[problem.direction].items()}
            calls = prepare_gemm(kernels, self.driver, as_gemm(problem), launch, self.units, addresses, space)
        else:
            calls = prepare(kernels, self.driver, problem, launch, addresses, space)
        run = runner(self.driver, calls)
        return lambda: run(None)


def tensors_for(problem, pool):
    """Random tensors in torch's shapes and the problem's layout, cut from `pool`."""
    made = {}
    last = is_channels_last(problem.layout)
    for role in problem.roles:
        n, c, *spatial = problem.shape(role)
        dtype = torch_dtype(problem.dtype(role))
        flat = pool.take((n, *spatial, c) if last else (n, c, *spatial), dtype)
        x = flat.movedim(-1, 1) if last else flat
        made[role] = x.clone() if role == problem.result else x
    return made


def torch_call(p, t):
    """torch's convolution on the same tensors."""
    import torch

    pads, zeros = [left for left, _ in p.pad], [0] * p.dims
    x, w, y = t["input"], t["weight"], t["output"]
    if p.direction == "forward":
        return lambda: torch.conv1d(x, w, None, p.stride, pads, p.dilation, p.g) if p.dims == 1 else (
            torch.ops.aten.convolution(x, w, None, p.stride, pads, p.dilation, False, zeros, p.g))  # fmt: skip
    which = 0 if p.direction == "backward_data" else 1
    mask = [which == 0, which == 1, False]
    back = torch.ops.aten.convolution_backward
    return lambda: back(y, x, w, None, p.stride, pads, p.dilation, False, zeros, p.g, mask)[which]


def part_of(p, t, images=2, channels=16):
    """(problem, tensors, how to cut the result) of some images and groups, or some channels of a dense one."""
    cut = dict(t)
    rows = slice(None)
    if p.direction != "backward_weight" and p.n > images:
        pick = [0, p.n - 1]
        p = replace(p, n=2)
        cut |= {r: cut[r][pick] for r in ("input", "output")}
        rows = pick
    if p.g > 2:
        c, k = p.c_group, p.k_group
        # The first and the last group.
        of = {r: [*range(n), *range((p.g - 1) * n, p.g * n)] for r, n in (("input", c), ("output", k))}
        cut["weight"] = cut["weight"][of["output"]]
        cut |= {r: cut[r][:, of[r]] for r in of}
        small = replace(p, g=2, c=2 * c, k=2 * k)
        where = (of["output"],) if p.direction == "backward_weight" else (rows, of[p.result])
        return small, cut, where
    if p.g == 1 and p.direction != "backward_data" and p.k > channels:
        cut["weight"] = cut["weight"][:channels]
        cut["output"] = cut["output"][:, :channels]
        where = (slice(channels),) if p.direction == "backward_weight" else (rows, slice(channels))
        return replace(p, k=channels), cut, where
    return p, cut, (slice(None),) if p.direction == "backward_weight" else (rows,)


class Truth:
    """What a part of the result must be, in float32 by torch, and how large rounding errors may be."""

    def __init__(self, problem, t):
        import torch

        small, cut, self.where = part_of(problem, t)
        self.out = problem.result
        read = {r: cut[r].float().contiguous() for r in ("input", "weight", "output")}
        with torch.backends.cudnn.flags(enabled=True, benchmark=False, allow_tf32=False):
            self.value = torch_call(small, read)()
            size = torch_call(small, {r: v.abs() for r, v in read.items()})()
        # torch's own sums are in float32 too, so the accumulator's share counts twice.
        self.bound = UNIT[problem.dtype(self.out)] * self.value.abs() + 8 * UNIT["fp32"] * (small.gemm.k**0.5) * size
        self.bound += 1e-7

    def error(self, t):
        """The largest error as a share of what is allowed; infinite where an element was not written."""
        got = t[self.out]
        if got.isnan().any():
            return float("inf")
        for axis, pick in enumerate(self.where):
            if pick != slice(None):
                got = got[(slice(None),) * axis + (pick,)]
        return float(((got.float() - self.value).abs() / self.bound).max())


def measure(runner, problem, plan, pool, rounds=7):
    """The row of one problem: torch and every candidate of its short list `plan`."""
    import torch

    begin = time.time()
    count = sets_to_rotate(problem.bytes, L2_BYTES, MOST_SETS)
    sets = [tensors_for(problem, pool) for _ in range(count)]
    truth = Truth(problem, sets[0])
    peer = CapturedCalls([torch_call(problem, t) for t in sets])
    base = min(peer.sample() for _ in range(3))
    rows, good = [], []
    for entry in plan:
        candidate = candidate_of(entry)
        if not runner.built(candidate.spec):
            continue
        row = {
            "digest": candidate.spec.digest,
            "algorithm": candidate.spec.algorithm.label(),
            "fields": entry["spec"]["algorithm"],
            **{k: entry[k] for k in ("launch", "place", "predicted_us")},
        }
        rows.append(row)
        try:
            calls = [runner.call(candidate, problem, t) for t in sets]
            sets[0][problem.result].fill_(float("nan"))
            calls[0]()
            torch.cuda.synchronize()
            row["error"] = round(truth.error(sets[0]), 4)
            graph = CapturedCalls(calls)
            one = graph.sample() * graph.launches
            row["quick_us"] = round(min(graph.sample(max(1, int(1e-3 / one))) for _ in range(3)) * 1e6, 3)
        except Exception as error:
            row["failed"] = f"{type(error).__name__} {str(error)[-200:]}"
            if "CUDA" in str(error):
                raise
            continue
        if row["error"] <= 1:
            good.append((row["quick_us"], len(good), row, graph))
    good.sort(key=lambda g: g[:2])
    keep = [g for i, g in enumerate(good) if i < 2 or g[2]["place"] == 0]
    graphs = {"torch": peer, **{str(g[1]): g[3] for g in keep}}
    times = time_in_turn(graphs, rounds=rounds, sample_ms=1.5, warmup_ms=1.5)
    for _, name, row, _ in keep:
        row["us"] = round(times[str(name)].seconds * 1e6, 3)
    runner.spaces.clear()
    return {"problem": problem.to_dict(), "sets": count, "torch_us": round(times["torch"].seconds * 1e6, 3),
            "torch_quick_us": round(base * 1e6, 3), "candidates": rows,
            "seconds": round(time.time() - begin, 2)}  # fmt: skip
