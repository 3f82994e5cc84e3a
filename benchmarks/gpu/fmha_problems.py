"""Draw attention problems of language and vision models for a sweep; every run draws the same ones.

python benchmarks/gpu/fmha_problems.py decode --count 420 > decode.jsonl     # or fwd, bwd
python benchmarks/gpu/tune_gpu.py plan --op fmha --problems decode.jsonl --out out/decode
"""

from __future__ import annotations

import argparse
import json
import random

HEADS = [(4, 4), (8, 8), (12, 12), (16, 16), (20, 20), (32, 32), (16, 4), (16, 2), (24, 8), (32, 8), (40, 8), (64, 8),
         (28, 4), (16, 1), (8, 1), (32, 4)]  # fmt: skip
ROWS = [128, 196, 197, 256, 384, 512, 577, 768, 1024, 1024, 1500, 2048, 2048, 3072, 4096, 4096, 6144, 8192, 16384]
KEYS = [256, 512, 1024, 2048, 2048, 4096, 4096, 8192, 8192, 16384, 32768, 65536, 131072]  # of decoding
LEAST_BYTES, MAX_BYTES = 1e5, 6e8  # of the keys and values of decoding
LEAST_FLOPS, MAX_FLOPS = 2e8, 4e11


def length(draw):
    base = draw.choice(ROWS)
    return max(17, int(base * draw.choice([1, 1, 1, draw.uniform(0.6, 1.0)])))


def attention(draw, kind):
    """One problem, or None if it is too small or too large."""
    (heads, keys), hdim = draw.choice(HEADS), draw.choice([64, 64, 128, 128, 128])
    p = {"op": "fmha", "batch": draw.choice([1, 1, 2, 3, 4, 8, 16, 32]), "heads_q": heads, "heads_kv": keys,
         "hdim_q": hdim, "dtype": "bf16"}  # fmt: skip
    if kind == "decode":
        n = draw.choice(KEYS)
        n = max(64, int(n * draw.choice([1, 1, draw.uniform(0.5, 1)])))
        p["batch"], page = draw.choice([1, 1, 1, 2, 4, 8, 16, 32, 64, 128]), draw.choice([0, 0, 0, 16, 16, 64])
        p |= {"family": "fwd_splitkv", "seqlen_q": 1, "seqlen_k": n, **({"page_size": page} if page else {})}
        return p if LEAST_BYTES < 4 * p["batch"] * keys * n * hdim < MAX_BYTES else None
    n = length(draw)
    p |= {"seqlen_q": n, "seqlen_k": n, "mask": draw.choice(["none", "causal_bottom_right"])}
    if draw.random() < 0.12:
        p["seqlen_k"] = length(draw)
    if p["mask"] != "none":
        p["seqlen_k"] = max(p["seqlen_q"], p["seqlen_k"])
    if kind == "bwd":
        p |= {"family": "bwd", "lse": True}
    flops = 4.0 * p["batch"] * heads * n * p["seqlen_k"] * hdim * (2.5 if kind == "bwd" else 1.0)
    return p if LEAST_FLOPS < flops * (1.0 if p["mask"] == "none" else 0.5) < MAX_FLOPS else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=("fwd", "decode", "bwd"))
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    draw, found = random.Random(f"{args.kind} {args.seed}"), {}
    while len(found) < args.count:
        problem = attention(draw, args.kind)
        if problem:
            found.setdefault(json.dumps(problem, sort_keys=True), problem)
    for problem in found.values():
        print(json.dumps(problem))


if __name__ == "__main__":
    main()
