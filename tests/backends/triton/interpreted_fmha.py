"""Runs attention kernels in Triton's interpreter on the CPU; started by the tests as a process of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import torch
from interpreted import argument

sys.path.insert(0, str(Path(__file__).parents[2] / "support"))
from fmha_masks import masked_tensors

from tilewright.backends.triton.fmha.algorithm import TritonFmha
from tilewright.backends.triton.fmha.bind import steps, workspace
from tilewright.backends.triton.fmha.source import job_source
from tilewright.model.kernel import KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict

OP = get_op("fmha")
BITS = {1: np.uint8, 2: np.int16}
TORCH = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp8": torch.float8_e4m3fn, "bf8": torch.float8_e5m2,
         "fp8_fnuz": torch.float8_e4m3fnuz}  # fmt: skip


def as_torch(array, dtype):
    """The same memory as a torch tensor."""
    if array.dtype.itemsize in BITS:
        return torch.from_numpy(array.view(BITS[array.dtype.itemsize])).view(TORCH[dtype])
    return torch.from_numpy(array)


def fmha(case):
    """The largest error of any output as a share of what is permitted."""
    p = problem_from_dict(case["problem"])
    spec = KernelSpec("fmha", "triton", "sm_80", p.signature, TritonFmha(**case["algorithm"]))
    launch = Launch(num_splits=p.num_splits or case.get("splits", 1))
    hidden = case.get("hidden")
    arrays = masked_tensors(p, hidden, seed=3) if hidden else OP.random_tensors(p, seed=3)
    arrays = {r: x.astype(np.int32) if p.dtype_of(r) == "int32" else x for r, x in arrays.items()}
    before = {r: x.copy() for r, x in arrays.items()}
    tensors = {r: as_torch(x, p.dtype_of(r)) for r, x in arrays.items()}
    space = torch.zeros(workspace(p, spec.algorithm, launch).bytes // 4 + 1, dtype=torch.int32)
    addresses = {r: t.data_ptr() for r, t in tensors.items()}
    pointers = {t.data_ptr(): t for t in tensors.values()}
    for kind, grid, args in steps(spec, p, launch, addresses, space.data_ptr()):
        source = job_source({"kind": kind}, spec)
        values = [argument(n, t, args, pointers, space, source) for n, t in source.signature.items()]
        source.function[grid](*values)
    given = {r: arrays[r] if r in p.outputs else x for r, x in before.items()}
    main = p.outputs[0]
    reference = {**given, **({r: before[r] for r in ("k", "v")} if p.family == "fwd_appendkv" else {})}
    if p.family == "fwd_appendkv":
        return appended(p, reference, arrays)
    done = OP.verify(p, given, arrays[main], tier="float64")
    return done.ratio


def lists(case):
    """The lists of blocks of keys that a bias leaves, one for each block of its rows, as the kernels write them; those
    of a backward pass are of blocks of rows."""
    p = problem_from_dict(case["lists"])
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(128, 64, 8, 2, pipeline="hopper"))
    bias = as_torch(masked_tensors(p, case["hidden"], seed=3, only=case["only"])["bias"], p.dtype)
    space = torch.full((workspace(p, spec.algorithm, Launch()).bytes // 4,), -7, dtype=torch.int32)
    given = {**dict.fromkeys(p.roles, 0), "bias": bias.data_ptr()}
    for kind, grid, args in steps(spec, p, Launch(), given, space.data_ptr())[:2]:
        source = job_source({"kind": kind}, spec)
        pointers = {bias.data_ptr(): bias, args["block_list"]: space[(args["block_list"] - space.data_ptr()) // 4 :]}
        values = [argument(n, t, args, pointers, space, source) for n, t in source.signature.items()]
        source.function[grid](*values)
    rows = pointers[args["block_list"]][: grid[0] * args["list_step"]].reshape(grid[0], args["list_step"])
    return [row[1 : 1 + row[0]].tolist() for row in rows]


def appended(p, before, after):
    """The same for a cache: the reference needs the cache as it was, the comparison as it is."""
    from tilewright.ops.fmha.append import append

    worst = 0.0
    for role, e in append(p, before).items():
        turned = p.rope != "none" and role != "v"
        bound = {"fp32": 2.0**-22, "fp16": 2.0**-11, "bf16": 2.0**-8}[p.dtype] * e.magnitude if turned else 0.0
        off = np.abs(after[role].astype(np.float64) - e.value)
        worst = max(worst, float(np.max(off / (bound + 1e-30))) if np.isfinite(off).all() else float("inf"))
    return worst


if __name__ == "__main__":
    print(json.dumps([lists(c) if "lists" in c else fmha(c) for c in json.load(sys.stdin)]))
