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
    for role, value in case.get("filled", {}).items():
        arrays[role][...] = value
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


def sinks(case):
    """The largest error of what rows that see keys only as sink tokens begin dQ with, and dK and dV, in dq's scale."""
    p = problem_from_dict(case["sinks"])
    spec = KernelSpec("fmha", "triton", "sm_90", p.signature, TritonFmha(64, 128, 8, 2, pipeline="hopper"))
    tensors = {r: as_torch(x, p.dtype_of(r)) for r, x in OP.random_tensors(p, seed=3).items()}
    space = torch.full((workspace(p, spec.algorithm, Launch()).bytes // 4,), -1, dtype=torch.int32)
    pointers = {t.data_ptr(): t for t in tensors.values()}
    addresses = {r: t.data_ptr() for r, t in tensors.items()}
    for kind, grid, args in steps(spec, p, Launch(), addresses, space.data_ptr())[:2]:
        assert kind in ("prepare", "sinks")
        for name in ("stats", "dq_sum", "key_sums", "sink_sums"):
            if name in args:
                pointers[args[name]] = space[(args[name] - space.data_ptr()) // 4 :].view(torch.float32)
        source = job_source({"kind": kind}, spec)
        source.function[grid](*(argument(n, t, args, pointers, space, source) for n, t in source.signature.items()))
    q, k, v, dout, out, lse = (tensors[r].double().numpy() for r in ("q", "k", "v", "dout", "out", "lse"))
    group, blocks, padded = p.heads_q // p.heads_kv, args["blocks"], -(-p.sink_tokens // 16) * 16
    sums = pointers[args["dq_sum"]][: p.batch * p.heads_q * blocks * 64 * p.hdim_q].numpy()
    # (block, 16 rows, 8 columns, row of 8, pair of columns, half of the 16 rows, column of the pair)
    sums = sums.reshape(p.batch, p.heads_q, blocks, 4, p.hdim_q // 8, 8, 4, 2, 2).transpose(0, 1, 2, 3, 7, 5, 4, 6, 8)
    sums = sums.reshape(p.batch, p.heads_q, blocks * 64, p.hdim_q)[:, :, : p.seqlen_q]
    given = pointers[args["sink_sums"]][: 2 * p.batch * p.heads_kv * padded * p.hdim_q].numpy()
    given = given.reshape(p.batch, p.heads_kv, 2, padded, p.hdim_q)
    row, key = np.arange(p.seqlen_q)[:, None], np.arange(p.seqlen_k)[None, :]
    only = (key < p.sink_tokens) & (key < row + p.seqlen_k - p.seqlen_q - p.window_left)
    want, off = np.zeros_like(given, dtype=np.float64), 0.0
    for b in range(p.batch):
        for h in range(p.heads_q):
            x = p.soft_cap * np.tanh(q[b, :, h] @ k[b, :, h // group].T * p.softmax_scale / p.soft_cap)
            w = np.where(only, np.exp(x - lse[b, h][:, None]), 0.0)
            dots = (dout[b, :, h] * out[b, :, h]).sum(-1, keepdims=True)
            ds = w * (dout[b, :, h] @ v[b, :, h // group].T - dots) * (1.0 - (x / p.soft_cap) ** 2)
            want[b, h // group, 0, : p.sink_tokens] += (ds.T @ q[b, :, h])[: p.sink_tokens]
            want[b, h // group, 1, : p.sink_tokens] += (w.T @ dout[b, :, h])[: p.sink_tokens]
            expected = ds @ k[b, :, h // group]
            off = max(off, np.abs(sums[b, h] - expected).max() / np.abs(expected).max())
    return max(off, *(np.abs(given[:, :, i] - want[:, :, i]).max() / np.abs(want[:, :, i]).max() for i in range(2)))


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
    runs = {"lists": lists, "sinks": sinks}
    print(json.dumps([next((runs[n] for n in runs if n in c), fmha)(c) for c in json.load(sys.stdin)]))
