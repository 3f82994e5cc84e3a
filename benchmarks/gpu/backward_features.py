"""The Hopper backward pass of attention with masks as tensors, soft cap, sink tokens, dropout and windows.

    python benchmarks/gpu/backward_features.py --out rows.jsonl --cache folder

First every feature on small problems against the float64 reference (ragged sizes, hidden rows, groups of heads). Then
larger ones: checked against torch in fp32, and timed in turn with the general kernels, the same problem without the
feature, and each backend of torch that takes it.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
from functools import partial

import torch
from gpu_space import HERE, build, dispatcher_of
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

from tilewright.arch import get_arch
from tilewright.backends.triton.fmha import OP
from tilewright.backends.triton.fmha.algorithm import TritonFmha
from tilewright.model.kernel import Candidate, KernelSpec, Launch
from tilewright.ops import get_op, problem_from_dict

sys.path.insert(0, str(HERE.parent / "tests" / "support"))
from fmha_backward import CASES, fields_of, tensors_of

FMHA, ARCH = get_op("fmha"), "sm_90"
DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "int32": torch.int32}
PEERS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION,
         "efficient": SDPBackend.EFFICIENT_ATTENTION}  # fmt: skip
SIZES = [(4, 16, 16, 2048, 128), (2, 32, 8, 4096, 128), (4, 16, 16, 2048, 64), (8, 16, 4, 1000, 128),
         (1, 32, 8, 2048, 128), (1, 16, 2, 4096, 64), (2, 16, 16, 4096, 256), (4, 16, 4, 2048, 192),
         (1, 8, 8, 8192, 256), (8, 16, 16, 2048, 32)]  # fmt: skip
CAUSAL, WINDOW = {"mask": "causal_top_left"}, {"mask": "window", "window_left": 512, "window_right": 0}
BIAS = {"bias": "elementwise"}
FEATURES = {
    "none": {}, "causal": CAUSAL, "window": WINDOW, "window, sinks": {**WINDOW, "sink_tokens": 4},
    "soft cap": {"soft_cap": 30.0}, "causal, soft cap": {**CAUSAL, "soft_cap": 30.0},
    "dropout": {"dropout": 0.1}, "causal, dropout": {**CAUSAL, "dropout": 0.1},
    "deterministic": {"deterministic": True}, "causal, deterministic": {**CAUSAL, "deterministic": True},
    "window, deterministic": {**WINDOW, "deterministic": True},
    "causal tensor": BIAS, "window tensor": BIAS, "left padding tensor": BIAS, "bias": BIAS,
}  # fmt: skip
PLAIN = {"window, sinks": "window", "causal, deterministic": "causal", "window, deterministic": "window",
         "causal, soft cap": "causal", "causal, dropout": "causal",
         "causal tensor": "causal", "window tensor": "window"}  # fmt: skip


def hopper(p, rows=0, share=False, stages=2):
    fields = fields_of(p, int(share), stages)
    return KernelSpec("fmha", "triton", ARCH, p.signature, TritonFmha(**fields | ({"tile_m": rows} if rows else {})))


def offered(p):
    """Candidates of the Hopper backward pass by name; the first is what others are compared with."""
    if p.hdim_q > 128:
        specs = {f"ours, {n} stages": hopper(p, stages=n) for n in (1, 2)}
        return {n: Candidate(s, Launch()) for n, s in specs.items() if not OP.check(s, get_arch(ARCH), p)}
    found = {"ours": Candidate(hopper(p), Launch())}
    if p.hdim_q <= 64:
        found["ours, 64 rows"] = Candidate(hopper(p, 64), Launch())
    items = p.batch * p.heads_kv * -(-p.seqlen_k // 128)
    if p.bias == "none" and not p.deterministic and items < 300:
        found |= {f"ours, {n} parts": Candidate(hopper(p, 0, True), Launch(num_splits=n)) for n in (2, 3, 4)}
    return found


def general(p):
    return [KernelSpec("fmha", "triton", ARCH, p.signature, TritonFmha(*block)) for block in
            ((32, 128, 8, 2), (64, 64, 4, 2), (32, 64, 4, 2))]  # fmt: skip


def problem(fields):
    return problem_from_dict({"op": "fmha", "family": "bwd", "dtype": "bf16", **fields, "device": "cuda:0"})


def check(dispatcher, cases):
    """Small problems, each in both dtypes."""
    wrong = 0
    for name, case in cases.items():
        for dtype in ("fp16", "bf16"):
            fields = {"op": "fmha", "family": "bwd", **case["problem"], "dtype": dtype}
            p = problem(fields)
            arrays = tensors_of(problem_from_dict(fields), case)
            t = {r: torch.from_numpy(x.astype("int64" if x.dtype.kind in "iu" else "float32"))
                 .to("cuda", DTYPES[p.dtype_of(r)]) for r, x in arrays.items()}  # fmt: skip
            for role in p.outputs:
                t[role].fill_(float("nan"))
            parts = case["parts"]
            spec = hopper(p, 0, parts > 0, case["stages"])
            run = dispatcher.bind_to(Candidate(spec, Launch(num_splits=max(parts, 1))), p, **t)
            run()
            before = t["dq"].clone()
            run()
            torch.cuda.synchronize()
            same = not p.deterministic or torch.equal(before, t["dq"])
            found = FMHA.verify(p, t, t[p.outputs[0]], tier="float64")
            ok = found.ok and same
            wrong += not ok
            said = "right" if ok else f"WRONG {'' if same else 'not the same twice'} {found.spot}"
            print(f"{name} {dtype} {found.ratio:.3f} {said}", flush=True)
    print(f"{wrong} of {2 * len(cases)} wrong", flush=True)


def bias_of(name, b, h, s):
    at = torch.arange(s, device="cuda")
    causal = at[:, None] >= at[None, :]
    if name == "bias":
        return torch.randn(1, h, s, s, device="cuda", dtype=torch.bfloat16)
    seen = causal[None, None].expand(1, 1, s, s)
    if name == "window tensor":
        seen = seen & (at[:, None] - at[None, :] <= 512)
    if name == "left padding tensor":
        start = (torch.arange(b, device="cuda") * s // (2 * b) + s // 8)[:, None, None, None]
        seen = seen & (at[None, None, None, :] >= start)
    return torch.zeros(seen.shape, device="cuda", dtype=torch.bfloat16).masked_fill(~seen, float("-inf"))


def reference(p, t):
    """(out, lse, dq, dk, dv) by torch in fp32; without dropout."""
    group, s = p.heads_q // p.heads_kv, p.seqlen_q
    at = torch.arange(s, device="cuda")
    seen = torch.ones(s, s, device="cuda", dtype=torch.bool)
    if p.mask != "none":
        seen &= at[:, None] >= at[None, :]
    if "window" in p.mask:
        seen &= (at[:, None] - at[None, :] <= p.window_left) | (at[None, :] < p.sink_tokens)
    made = []
    for b in range(p.batch):
        q, k, v = (t[r][b].transpose(0, 1).float().requires_grad_() for r in ("q", "k", "v"))
        x = q @ k.repeat_interleave(group, 0).mT * p.softmax_scale
        if p.soft_cap:
            x = p.soft_cap * torch.tanh(x / p.soft_cap)
        if p.bias != "none":
            x = x + t["bias"][b % t["bias"].shape[0]].float()
        x = x.masked_fill(~seen, float("-inf"))
        nothing = (x.detach().amax(-1) == float("-inf"))[..., None]
        lse = x.detach().logsumexp(-1)
        w = x.masked_fill(nothing, 0.0).softmax(-1).masked_fill(nothing, 0.0)
        out = w @ v.repeat_interleave(group, 0)
        slopes = torch.autograd.grad(out, (q, k, v), t["dout"][b].transpose(0, 1).float())
        made.append([out.detach(), lse.detach(), *slopes])
        del x, w
    out, lse, *slopes = (torch.stack(x) for x in zip(*made, strict=True))
    return (out.transpose(1, 2), lse, *(x.transpose(1, 2) for x in slopes))


def peers(p, t, name):
    """Calls of torch's backward passes, by backend."""
    if p.soft_cap or p.sink_tokens:
        return {}
    q, k, v = (t[r].transpose(1, 2).detach().requires_grad_() for r in ("q", "k", "v"))
    mask = t["bias"] if p.bias != "none" else bias_of("window tensor", 1, 1, p.seqlen_q) if "window" in p.mask else None
    found, dout = {}, t["dout"].transpose(1, 2)
    for peer, backend in PEERS.items():
        ks, vs = k, v
        if peer == "efficient":
            ks, vs = (x.detach().repeat_interleave(p.heads_q // p.heads_kv, 1).requires_grad_() for x in (k, v))
        try:
            with sdpa_kernel(backend):
                out = sdpa(q, ks, vs, attn_mask=mask, dropout_p=p.dropout, is_causal=p.mask.startswith("causal"),
                           enable_gqa=ks.shape[1] != p.heads_q)  # fmt: skip
                found[peer] = partial(torch.autograd.grad, out, (q, ks, vs), dout, retain_graph=True)
                found[peer]()
        except RuntimeError:
            found.pop(peer, None)
    return found


def seconds(calls, rounds=7, repeat=4):
    times = {n: [] for n in calls}
    for call in calls.values():
        call()
    for _ in range(rounds):
        for n, call in calls.items():
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            for _ in range(repeat):
                call()
            end.record()
            torch.cuda.synchronize()
            times[n].append(begin.elapsed_time(end) / repeat * 1e-3)
    return {n: statistics.median(x) for n, x in times.items()}


def measure(dispatcher, p, size, name, built):
    t = {r: None if DTYPES[p.dtype_of(r)] is torch.int32 else
         torch.randn(p.shape(r), device="cuda").to(DTYPES[p.dtype_of(r)]) for r in p.roles}  # fmt: skip
    if p.bias != "none":
        t["bias"] = bias_of(name, p.batch, p.heads_q, p.seqlen_q)
    if "rng" in t:
        t["rng"] = torch.tensor([1, 2, 3], device="cuda", dtype=torch.int32)
    out, lse, *slopes = reference(p, t)
    t["out"].copy_(out)
    t["lse"].copy_(lse)
    row = {"size": size, "feature": name}
    calls = {name: dispatcher.bind_to(candidate, p, **t) for name, candidate in offered(p).items()}
    row["errors"] = []
    for call in () if p.dropout else calls.values():
        for role in p.outputs:
            t[role].fill_(float("nan"))
        call()
        before = t["dq"].clone()
        call()
        row["same"] = torch.equal(before, t["dq"])
        row["errors"] += [float((t[r].float() - x).norm() / x.norm()) for r, x in zip(p.outputs, slopes, strict=True)]
    for spec in general(p):
        if spec.digest in built:
            calls[f"general {spec.algorithm.label()}"] = dispatcher.bind_to(Candidate(spec, Launch()), p, **t)
    row |= seconds({**calls, **peers(p, t, name)})
    return row


def problems():
    for b, h, kv, s, d in SIZES:
        for name, further in FEATURES.items():
            fields = {"batch": b, "heads_q": h, "heads_kv": kv, "seqlen_q": s, "seqlen_k": s, "hdim_q": d, **further}
            if further.get("bias"):
                fields |= {"bias_batch": b if "padding" in name else 1, "bias_heads": h if name == "bias" else 1}
            yield (b, h, kv, s, d), name, problem(fields)


def best_of(row):
    """Seconds of the best of the Hopper kernels."""
    return min((row[n] for n in row if n.startswith("ours")), default=0.0)


def shown(row, plain):
    general = min((row[n] for n in row if n.startswith("general")), default=0.0)
    best = min((row[n] for n in PEERS if n in row), default=None)
    ours = {n: row[n] for n in row if n.startswith("ours")}
    mine = min(ours.values())
    text = f"{row['size']} {row['feature']}: " + ", ".join(f"{n} {1e6 * t:.0f} us" for n, t in ours.items())
    text += f", general {general / mine:.2f}x, {best_of(plain) / mine:.2f} of {plain.get('feature')}"
    text += f", {best / mine:.2f} of the best peer" if best else ""
    text += ", the same bits" if row.get("same") else ""
    return text + f", errors {' '.join(f'{e:.1e}' for e in row.get('errors', ()))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--cache", required=True)
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--cases", default="", help="pattern of the names of small problems")
    parser.add_argument("--sizes", default="0123456789", help="which of the sizes")
    parser.add_argument("--only", default="", help="features, separated by semicolons")
    parser.add_argument("--fast", action="store_true", help="without the general kernels")
    parser.add_argument("--prepare", action="store_true", help="only compile, which needs no GPU")
    args = parser.parse_args()
    torch.manual_seed(0)
    only = [name for name in args.only.split(";") if name]
    sizes = [SIZES[int(i)] for i in args.sizes]
    todo = [x for x in problems() if x[0] in sizes and (not only or x[1] in only)]
    cases = {n: c for n, c in CASES.items() if re.match(args.cases, n)}
    small = [(c, problem({**c["problem"], "dtype": d})) for c in cases.values() for d in ("fp16", "bf16")]
    specs = [hopper(p, 0, c["parts"] > 0, c["stages"]) for c, p in small]
    specs += [c.spec for _, _, p in todo for c in offered(p).values()]
    specs += [s for _, _, p in todo for s in general(p) if not args.fast and not OP.check(s, get_arch(ARCH), p)]
    built = {s.digest for s in build(specs, args.cache, args.workers)}
    if args.prepare:
        return
    dispatcher, plain = dispatcher_of(args.cache), {}
    check(dispatcher, cases)
    with open(args.out, "a") as file:
        for size, name, p in todo:
            row = plain[size, name] = measure(dispatcher, p, size, name, built)
            file.write(json.dumps(row) + "\n")
            file.flush()
            print(shown(row, plain.get((size, PLAIN.get(name, "none")), {})), flush=True)


if __name__ == "__main__":
    main()
