"""Attention on a GPU with a mask that comes as a tensor, and with wide heads, beside torch's SDPA.

    python benchmarks/gpu/mask_tensors.py --out masks.jsonl
    python benchmarks/gpu/mask_tensors.py --out masks.jsonl --only "bias;none" --cache kernels   # some of them

With `--prepare` the kernels are only compiled into the folder `--cache`, with all cores; this needs no GPU.

Masks as transformers makes them: causal, a sliding window, left padding, and a bias that changes every logit. Each is
checked against torch in float32, then ours (as `tilewright.torch.sdpa` is called: the conversion of a boolean mask is
part of it) and each backend of torch that takes it are timed in turn, by graph replays. Then heads of other widths than
64 and 128, without such a mask.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics

import torch
from gpu_space import build, ranked
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as torchs

import tilewright.torch as tt
from tilewright.backends.gpu.timing import CapturedCalls
from tilewright.ops import problem_from_dict

CAUSAL = "causal, no tensor"
PEERS = {
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "efficient": SDPBackend.EFFICIENT_ATTENTION,
}
SIZES = [(1, 32, 8, 4096, 128), (2, 32, 32, 2048, 128), (8, 16, 16, 1024, 64), (1, 16, 16, 8192, 64),
         (4, 32, 8, 1037, 128), (2, 16, 16, 2048, 256)]  # fmt: skip
WIDE = [
    (2, 16, 16, 4096, 256),
    (8, 16, 16, 1024, 256),
    (16, 8, 2, 640, 256),
    (4, 16, 4, 2048, 192),
    (2, 16, 16, 4096, 96),
]


MASKS = ("causal", "window", "left padding", "bias")


def mask_of(name, b, h, s):
    """A mask by name: boolean, or numbers that are added."""
    if name == "bias":
        return torch.randn(1, h, s, s, device="cuda", dtype=torch.bfloat16)
    at = torch.arange(s, device="cuda")
    causal = (at[:, None] >= at[None, :])[None, None]
    start = (torch.arange(b, device="cuda") * s // (2 * b) + s // 8)[:, None, None, None]
    if name == "window":
        return causal & (at[:, None] - at[None, :] < 512)[None, None]
    return causal if name == "causal" else causal & (at[None, None, None, :] >= start)


def measure(size, name, mask, causal=False):
    b, h, kv, s, d = size
    q, k, v = (torch.randn(b, n, s, d, device="cuda", dtype=torch.bfloat16) for n in (h, kv, kv))
    grouped = {"enable_gqa": True} if h != kv else {}
    options = {"attn_mask": mask, "is_causal": causal}
    row = {"size": size, "mask": name}
    wide = [x[:1].float() for x in (q, k, v)]
    part = mask if mask is None else mask[:1] if mask.dtype is torch.bool else mask[:1].float()
    want = torchs(*wide, attn_mask=part, is_causal=causal, **grouped).nan_to_num()
    got = tt.sdpa(q, k, v, **options, **grouped)[:1].float()
    row["error"] = float((got - want).norm() / want.norm())
    graphs = {"ours": CapturedCalls([lambda: tt.sdpa(q, k, v, **options, **grouped)], 4)}
    for peer, backend in PEERS.items():
        ks, vs = (x.repeat_interleave(h // kv, 1) for x in (k, v)) if peer == "efficient" and h != kv else (k, v)
        given = grouped if ks is k else {}
        try:
            with sdpa_kernel(backend):
                graphs[peer] = CapturedCalls(
                    [lambda ks=ks, vs=vs, given=given: torchs(q, ks, vs, **options, **given)], 4
                )
        except RuntimeError as e:
            row[f"{peer}_refused"] = str(e)[:80]
    times = {n: [] for n in graphs}
    for _ in range(9):
        for n, g in graphs.items():
            times[n].append(g.sample())
    row |= {n: statistics.median(t) for n, t in times.items()}
    best = min((row[n] for n in graphs if n != "ours"), default=None)
    row["ratio"] = best / row["ours"] if best else None
    return row


def todo(only):
    for size in SIZES:
        for name in MASKS:
            if not only or name in only:
                yield size, name
    for size in WIDE:
        for name in ("none", CAUSAL):
            if not only or name in only:
                yield size, name


def prepare(only, folder):
    """Compile what `tilewright.torch.sdpa` will choose."""
    specs = []
    for (b, h, kv, s, d), name in todo(only):
        fields = {"op": "fmha", "batch": b, "heads_q": h, "heads_kv": kv, "seqlen_q": s, "seqlen_k": s, "hdim_q": d,
                  "dtype": "bf16", "device": "cuda:0"}  # fmt: skip
        if name in MASKS:
            shared = {"bias_batch": b if "padding" in name else 1, "bias_heads": h if name == "bias" else 1}
            padded = -(-s // 8) * 8
            strides = [shared["bias_heads"] * s * padded, s * padded, padded, 1]
            fields |= {"bias": "elementwise", **shared, "strides": {"bias": strides}}
        if name == CAUSAL:
            fields["mask"] = "causal_top_left"
        specs.append(ranked(problem_from_dict(fields), "chain")[0].spec)
    build(specs, folder, os.cpu_count())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("--only", default="", help="masks, separated by semicolons")
    parser.add_argument("--cache", default="", help="folder of kernels")
    parser.add_argument("--prepare", action="store_true")
    args = parser.parse_args()
    only = [name for name in args.only.split(";") if name]
    if args.cache:
        os.environ["TILEWRIGHT_CACHE_DIR"] = args.cache
    if args.prepare:
        prepare(only, args.cache)
        return
    torch.manual_seed(0)
    with open(args.out, "a") as file:
        for size, name in todo(only):
            mask = mask_of(name, size[0], size[1], size[3]) if name in MASKS else None
            row = measure(size, name, mask, name == CAUSAL)
            file.write(json.dumps(row) + "\n")
            file.flush()
            shown = {n: f"{1e6 * row[n]:.0f}" for n in ("ours", *PEERS) if n in row}
            print(size, name, f"error {row['error']:.1e}", shown, f"ratio {row['ratio'] or 0:.2f}", flush=True)


if __name__ == "__main__":
    main()
