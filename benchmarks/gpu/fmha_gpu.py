"""Attention on a GPU compared with torch SDPA (flash and cuDNN): verify kernels, time candidates, print what was best.

    python benchmarks/gpu/fmha_gpu.py --out out                      # on a machine with an NVIDIA GPU
    python benchmarks/gpu/fmha_gpu.py --out out --only bwd --all     # one family; all candidates, not the first few

Needs numpy, torch and triton only. Times are graph replays over rotating buffer sets (see `timing.py`), peers in turn.
Each line of the results carries the problem, every candidate with its seconds, and the peers' seconds in the same run.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import lru_cache
from pathlib import Path

from gpu_space import ARCH, HERE, build, dispatcher_of, is_built, ranked

from tilewright.arch import get_arch
from tilewright.backends.gpu.timing import CapturedCalls, sets_to_rotate, time_in_turn
from tilewright.backends.triton.fmha import OP
from tilewright.backends.triton.fmha.algorithm import TritonFmha
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict
from tilewright.tune.bench.own import own_kernels_only

FMHA = get_op("fmha")
MOST = 4  # candidates of one problem that are timed


def row(b, hq, hkv, sq, sk, d, mask="none", **further):
    return {"op": "fmha", "batch": b, "heads_q": hq, "heads_kv": hkv, "seqlen_q": sq, "seqlen_k": sk, "hdim_q": d,
            "dtype": "fp16", "mask": mask, **further}  # fmt: skip


CAUSAL = "causal_top_left"
MASKS = ("none", CAUSAL)
# About 16 thousand rows of 16 heads each, half as many with 32 heads that share 8.
FORWARD = [
    row(16384 // n, 16, 16, n, n, d, mask) for n in (512, 2048, 8192, 16384) for d in (64, 128) for mask in MASKS
] + [
    row(8, 32, 8, 1024, 1024, 64, CAUSAL), row(8, 32, 8, 1024, 1024, 128), row(4, 32, 8, 2048, 2048, 64),
    row(4, 32, 8, 2048, 2048, 128, CAUSAL), row(2, 32, 8, 4096, 4096, 64, CAUSAL), row(2, 32, 8, 4096, 4096, 128),
    row(1, 32, 8, 8192, 8192, 128, CAUSAL),
    *(row(16384 // n, 16, 16, n, n, d, mask, dtype="bf16")
      for n, d, mask in ((1024, 64, "none"), (1024, 128, CAUSAL), (4096, 64, CAUSAL), (4096, 128, "none"))),
]  # fmt: skip
SPLIT = {"family": "fwd_splitkv"}
DECODE = [
    row(1, 32, 8, 1, 8192, 128, **SPLIT), row(4, 32, 8, 1, 8192, 128, **SPLIT), row(16, 32, 8, 1, 8192, 128, **SPLIT),
    row(1, 32, 8, 1, 32768, 128, **SPLIT), row(8, 32, 8, 1, 32768, 128, **SPLIT),
    row(1, 32, 8, 1, 131072, 128, **SPLIT), row(8, 32, 32, 1, 8192, 128, **SPLIT),
    row(1, 32, 8, 1, 32768, 128, **SPLIT, page_size=16), row(1, 32, 8, 1, 131072, 128, **SPLIT, page_size=64),
    row(16, 32, 8, 1, 8192, 128, **SPLIT, page_size=16),
    row(64, 32, 8, 1, 8192, 128, **SPLIT, page_size=64), row(4, 32, 8, 1, 32768, 128, **SPLIT, page_size=128),
    row(128, 32, 8, 1, 2048, 128, **SPLIT),
]  # fmt: skip
BWD, BF16 = {"family": "bwd"}, {"family": "bwd", "dtype": "bf16"}
BACKWARD = [
    row(32, 16, 16, 512, 512, 64, **BWD), row(32, 16, 16, 512, 512, 128, CAUSAL, **BWD),
    row(32, 32, 8, 512, 512, 128, **BF16), row(8, 16, 16, 2048, 2048, 64, **BWD),
    row(8, 16, 16, 2048, 2048, 64, CAUSAL, **BF16), row(8, 16, 16, 2048, 2048, 128, **BWD),
    row(8, 16, 16, 2048, 2048, 128, CAUSAL, **BWD), row(8, 32, 8, 2048, 2048, 128, CAUSAL, **BF16),
    row(2, 32, 8, 8192, 8192, 64, **BWD), row(2, 16, 16, 8192, 8192, 64, CAUSAL, **BWD),
    row(2, 32, 8, 8192, 8192, 128, CAUSAL, **BWD), row(2, 16, 16, 8192, 8192, 128, **BF16),
    row(1, 16, 16, 16384, 16384, 64, CAUSAL, **BF16), row(1, 16, 16, 16384, 16384, 128, **BWD),
    row(1, 16, 16, 16384, 16384, 128, CAUSAL, **BF16), row(1, 32, 8, 2048, 2048, 128, CAUSAL, **BWD),
    row(8, 16, 16, 2048, 2048, 128, CAUSAL, **BWD, deterministic=True),
]  # fmt: skip
PROBLEMS = {"fwd": FORWARD, "decode": DECODE, "bwd": BACKWARD}


def offered(p, most):
    """The candidates of the default sets, best prediction first."""
    best = ranked(p)
    if p.family == "fwd_splitkv" and most < len(best):  # few specs, many splits
        few = [c for c in best if c.spec.algorithm.pack and c.spec.algorithm.tile_n >= 64]
        whole = [c for c in best if c.launch.num_splits == 1]  # what splitting is compared with
        best = [*best[:1], *whole[:3], *(c for c in few if c.spec.algorithm.aligned)]
        best = list({c.key: c for c in best}.values())
        most = 3 * most
    return best[:most]


def verify(folder, workers, dtypes):
    """Every case of family x feature against the float64 reference."""
    sys.path.insert(0, str(HERE.parent / "tests" / "support"))
    from fmha_cases import cases

    todo = []
    for name, fields in cases(dtypes).items():
        p = problem_from_dict({**fields, "device": "cuda:0"})
        specs = [KernelSpec("fmha", "triton", ARCH, p.signature, a) for a in variants(p) if p.dtype in dtypes]
        todo += [(name, p, spec) for spec in specs if not OP.check(spec, get_arch(ARCH), p)]
    built, bad = {s.digest for s in build([s for _, _, s in todo], folder, workers)}, []
    dispatcher = dispatcher_of(folder)
    for name, p, spec in todo:
        if spec.digest not in built:
            bad.append((name, spec.algorithm.label(), "not built"))
            continue
        launch = Launch(num_splits=p.num_splits or (2 if p.family == "fwd_splitkv" else 1))
        tensors = FMHA.random_tensors(p, 5)
        run = dispatcher.bind_to(Candidate(spec, launch), p, **tensors)
        run()
        done = FMHA.verify(p, tensors, run(), tier="float64", product_error=OP.product_error(spec))
        if not done.ok:
            bad.append((name, spec.algorithm.label(), done.ratio))
    print(f"verified {len(todo) - len(bad)} of {len(todo)} launches", flush=True)
    for line in bad[:30]:
        print("  bad", *line)


def variants(p):
    base = {"tile_m": 16, "tile_n": 32, "stages": 2, "aligned": False}
    hopper = {"tile_m": 128, "tile_n": 128, "warps": 8, "pipeline": "hopper"}
    found = [TritonFmha(**base)]
    if p.family == "bwd":
        return [*found, *(TritonFmha(m, 128, 8, 2, pipeline="hopper") for m in (64, 128))]
    if p.family == "fwd_appendkv":
        return found
    return [*found, TritonFmha(**base, pack=True), TritonFmha(**hopper), TritonFmha(**hopper, turns=True)]


def tensors_for(p):
    """Random tensors made on the GPU: those of the op are made on the host, which takes long at these sizes."""
    import torch

    dtypes = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "int32": torch.int32}
    made = {}
    for role in p.roles:
        shape, dtype = p.shape(role), dtypes[p.dtype_of(role)]
        made[role] = torch.randn(shape, device="cuda").to(dtype) if dtype != torch.int32 else None
    if "seqlens_k" in made:
        made["seqlens_k"] = torch.full((p.batch,), p.seqlen_k, dtype=torch.int32, device="cuda")
    if "page_table" in made:
        pages = torch.randperm(p.num_pages, device="cuda").to(torch.int32)
        made["page_table"] = pages.view(p.shape("page_table")).contiguous()
    return made


def peers(p, t):
    """Return calls of torch SDPA on the same data, by backend."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention as sdpa

    q = t["q"].transpose(1, 2)
    k, v = (keys_of(p, t, r).transpose(1, 2) for r in ("k", "v"))
    gqa, causal = p.heads_q != p.heads_kv, p.mask != "none"
    found = {}
    for name, backend in (("flash", SDPBackend.FLASH_ATTENTION), ("cudnn", SDPBackend.CUDNN_ATTENTION)):

        def call(backend=backend):
            with sdpa_kernel(backend):
                return sdpa(q, k, v, is_causal=causal, enable_gqa=gqa)

        if p.family == "bwd":
            call = backward_peer(p, name, (q, k, v), t["dout"].transpose(1, 2))
        try:
            call()
            found[name] = call
        except RuntimeError as error:
            print("no", name, str(error).splitlines()[0][:120])
    return found


def backward_peer(p, name, x, dout):
    """The backward pass of torch's kernels without autograd, which would choose its own stream."""
    import torch

    aten, causal = torch.ops.aten, p.mask != "none"
    if name == "flash":
        out, lse, cq, ck, mq, mk, seed, offset = aten._scaled_dot_product_flash_attention(*x, 0.0, causal, False)[:8]
        rest = (cq, ck, mq, mk, 0.0, causal, seed, offset)
        return lambda: aten._scaled_dot_product_flash_attention_backward(dout, *x, out, lse, *rest)
    made = aten._scaled_dot_product_cudnn_attention(*x, None, True, 0.0, causal, False)
    out, lse, cq, ck, mq, mk, seed, offset = made[:8]
    rest = (seed, offset, None, cq, ck, mq, mk, 0.0, causal)
    return lambda: aten._scaled_dot_product_cudnn_attention_backward(dout, *x, out, lse, *rest)


def keys_of(p, t, role):
    """Keys or values as [batch, seqlen, heads, hdim]; pages in their order."""
    if not p.page_size:
        return t[role]
    return t[role][t["page_table"].long()].flatten(1, 2)[:, : p.seqlen_k]


def agrees(p, t, found):
    """The largest difference from torch's own result, as a share of the largest value."""
    import torch

    best = found.get("cudnn") or found["flash"]
    want = best()
    pairs = [("out", want)] if p.family != "bwd" else list(zip(("dq", "dk", "dv"), want, strict=True))
    worst = 0.0
    for role, x in pairs:
        x = x.transpose(1, 2).float()
        worst = max(worst, float((t[role].float() - x).abs().max() / x.abs().max()))
    return worst if torch.isfinite(torch.tensor(worst)) else float("inf")


def fill_forward(p, t):
    """out and lse of the forward pass, which a backward pass reads."""
    import torch

    q, k, v = (t[r].transpose(1, 2) for r in "qkv")
    group = p.heads_q // p.heads_kv
    out, lse = torch.ops.aten._scaled_dot_product_flash_attention(
        q, k.repeat_interleave(group, 1), v.repeat_interleave(group, 1), 0.0, p.mask != "none", False
    )[:2]
    t["out"].copy_(out.transpose(1, 2))
    t["lse"].copy_(lse)


def measure(p, dispatcher, candidates, out):
    import torch

    sets = [tensors_for(p) for _ in range(sets_to_rotate(p.bytes, 60 << 20, most=8))]
    for t in sets if p.family == "bwd" else ():
        fill_forward(p, t)
    graphs, errors = {}, {}
    others = [peers(p, t) for t in sets]
    for c in candidates:
        if not is_built(dispatcher, c.spec):
            continue
        name = f"{c.spec.algorithm.label()} n{c.launch.num_splits}"
        calls = [dispatcher.bind_to(c, p, **t) for t in sets]
        calls[0]()
        torch.cuda.synchronize()
        errors[name] = agrees(p, sets[0], others[0])
        graphs[name] = CapturedCalls(calls)
    for name in others[0]:
        try:
            graphs[name] = CapturedCalls([o[name] for o in others])
        except RuntimeError as error:
            print("no graph of", name, str(error).splitlines()[0][:120])
    times = {n: x.seconds for n, x in time_in_turn(graphs, rounds=5, sample_ms=2.0, warmup_ms=2.0).items()}
    mine = {n: s for n, s in times.items() if n in errors}
    best, peer = min(mine, key=mine.get), min((s for n, s in times.items() if n not in errors), default=float("nan"))
    picked = next(iter(mine))
    line = {"problem": p.to_dict(), "seconds": times, "errors": errors, "picked": picked, "best": best,
            "flops": p.flops, "bytes": p.bytes}  # fmt: skip
    if p.family == "fwd_splitkv":
        line["copy_gbps"] = copy_bandwidth(p.bytes)
    out.write(json.dumps(line) + "\n")
    out.flush()
    rates = f"{p.flops / mine[best] / 1e12:6.1f} TF {p.bytes / mine[best] / 1e9:6.0f} GB/s"
    copied = f" copy {line['copy_gbps']:.0f} GB/s" if "copy_gbps" in line else ""
    shares = f"x{peer / mine[best]:.2f} picked x{peer / mine[picked]:.2f} err {max(errors.values()):.1e}{copied}"
    print(f"{p.label():58s} {rates} {shares}", flush=True)
    for n, s in sorted(times.items(), key=lambda x: x[1]):
        print(f"      {n:24s} {s * 1e6:9.1f} us", flush=True)


@lru_cache
def copy_bandwidth(size):
    """GB/s of torch's copy that reads and writes `size` bytes in all, timed like the kernels."""
    import torch

    size = size // 4096 * 4096  # both halves aligned
    sets = [torch.randn(2, size // 8, device="cuda") for _ in range(sets_to_rotate(size, 60 << 20, most=8))]
    graph = CapturedCalls([lambda x=x: x[1].copy_(x[0]) for x in sets])
    return size / time_in_turn({"copy": graph}, rounds=5, sample_ms=2.0)["copy"].seconds / 1e9


def main():
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("out"))
    parser.add_argument("--only", default="fwd,decode,bwd", help="families, separated by commas")
    parser.add_argument("--all", action="store_true", help="time every candidate of the default sets")
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--verify", default="fp16,fp32", help="dtypes whose cases are verified; empty: none")
    parser.add_argument("--prepare", action="store_true", help="only compile, which needs no GPU")
    parser.add_argument("--seconds", type=float, default=100.0, help="no problem is begun after this time")
    args = parser.parse_args()
    begin, kernels = time.time(), args.out / "cache"
    args.out.mkdir(parents=True, exist_ok=True)
    problems = [problem_from_dict({**f, "device": "cuda:0"}) for n in args.only.split(",") for f in PROBLEMS[n]]
    chosen = {p.exact_key: offered(p, 1000 if args.all else MOST) for p in problems}
    build([c.spec for cs in chosen.values() for c in cs], kernels, args.workers)
    if args.prepare:
        return
    if args.verify:
        verify(kernels, args.workers, tuple(args.verify.split(",")))
    dispatcher = dispatcher_of(kernels)
    with (args.out / "fmha_gpu.jsonl").open("w") as out:
        for p in problems:
            if time.time() - begin > args.seconds:
                print("out of time before", p.label())
                break
            try:
                measure(p, dispatcher, chosen[p.exact_key], out)
            except Exception as error:  # one problem must not end the list
                print("failed", p.label(), type(error).__name__, str(error)[:300], flush=True)


if __name__ == "__main__":
    main()
