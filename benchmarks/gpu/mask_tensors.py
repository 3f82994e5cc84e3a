"""Attention on a GPU with a mask that comes as a tensor, and with wide heads, beside torch's SDPA.

    python benchmarks/gpu/mask_tensors.py --out masks.jsonl

Masks as transformers makes them: causal, a sliding window, left padding, and a bias that changes every logit. Each is
checked against torch in float32, then ours (as `tilewright.torch.sdpa` is called: the conversion of a boolean mask is
part of it) and each backend of torch that takes it are timed in turn, by graph replays. Then heads of other widths than
64 and 128, without such a mask.
"""

from __future__ import annotations

import argparse
import json
import statistics

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as torchs

import tilewright.torch as tt
from tilewright.backends.gpu.timing import CapturedCalls

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


def masks(b, h, s):
    """Masks by name: boolean, or numbers that are added."""
    at = torch.arange(s, device="cuda")
    causal = (at[:, None] >= at[None, :])[None, None]
    near = causal & (at[:, None] - at[None, :] < 512)[None, None]
    start = (torch.arange(b, device="cuda") * s // (2 * b) + s // 8)[:, None, None, None]
    padded = causal & (at[None, None, None, :] >= start)
    bias = torch.randn(1, h, s, s, device="cuda", dtype=torch.bfloat16)
    return {"causal": causal, "window": near, "left padding": padded, "bias": bias}


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


def todo():
    for size in SIZES:
        for name, mask in masks(size[0], size[1], size[3]).items():
            yield size, name, mask, False
    for size in WIDE:
        for causal in (False, True):
            yield size, "causal, no tensor" if causal else "none", None, causal


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    torch.manual_seed(0)
    with open(args.out, "a") as file:
        for size, name, mask, causal in todo():
            row = measure(size, name, mask, causal)
            file.write(json.dumps(row) + "\n")
            file.flush()
            shown = {n: f"{1e6 * row[n]:.0f}" for n in ("ours", *PEERS) if n in row}
            print(size, name, f"error {row['error']:.1e}", shown, f"ratio {row['ratio'] or 0:.2f}", flush=True)


if __name__ == "__main__":
    main()
