"""Attention of tilewright and of torch (scaled_dot_product_attention) beside the float64 reference.

python benchmarks/attention_parity.py            # a Markdown table: largest errors of both, and what is allowed

Every line of problems/attention_parity.jsonl in fp32, then one configuration of 65,536 outputs in fp16.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

import tilewright as tw
from tilewright.ops import get_op
from tilewright.ops.fmha.mask import visible
from tilewright.ops.fmha.reference import expected

PROBLEMS = Path(__file__).parent / "problems" / "attention_parity.jsonl"
HALF = {"op": "fmha", "batch": 1, "heads_q": 1, "seqlen_q": 1024, "hdim_q": 64, "dtype": "fp16"}
OP = get_op("fmha")


def of_torch(p: Any, tensors: dict[str, Any]) -> Any:
    """torch's answer in the problem's dtype, [batch, seqlen, heads, hdim]."""
    q, k, v = (torch.from_numpy(np.ascontiguousarray(tensors[r])).transpose(1, 2) for r in "qkv")
    k, v = (x.repeat_interleave(p.heads_q // p.heads_kv, dim=1) for x in (k, v))
    mask = None
    if p.mask != "none":
        mask = torch.from_numpy(visible(p, p.seqlen_q, p.seqlen_k))
    if p.bias != "none":
        mask = torch.from_numpy(np.ascontiguousarray(tensors["bias"]))
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=p.softmax_scale)
    return out.transpose(1, 2).numpy()


def row(data: dict[str, Any]) -> str:
    """One line of the table."""
    p = tw.problem_from_dict(data)
    tensors = OP.random_tensors(p, seed=0)
    out = tw.default_dispatcher().run(p, **tensors)
    verdict = OP.verify(p, tensors, out)
    truth = expected(p, tensors).value
    ours, theirs = (float(np.abs(np.asarray(x, np.float64) - truth).max()) for x in (out, of_torch(p, tensors)))
    ok = "yes" if verdict.ok else "NO"
    return (
        f"| {p.label().removeprefix('fmha ')} | {out.size:,} | {ours:.1e} | {theirs:.1e} | {verdict.ratio:.3f} | {ok} |"
    )


def main() -> None:
    """Print the table."""
    print("| problem | outputs | largest error | torch's | share of the tolerance | right |")
    print("|---|---|---|---|---|---|")
    for line in (*PROBLEMS.read_text().splitlines(), json.dumps(HALF)):
        print(row(json.loads(line)))


if __name__ == "__main__":
    main()
