"""Attention of tilewright and of torch (scaled_dot_product_attention) beside the float64 reference.

python benchmarks/attention_parity.py            # a Markdown table: largest errors of both, and what is allowed

Every line of problems/attention_parity.jsonl in fp32 and in bf16, then one configuration of 65,536 outputs in fp16,
whose largest error must be 1e-4 at most.
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
HALF_ERROR = 1e-4
OP = get_op("fmha")


def of_torch(p: Any, tensors: dict[str, Any]) -> Any:
    """torch's answer in the problem's dtype, as float32 [batch, seqlen, heads, hdim]."""
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[p.dtype]
    q, k, v = (torch.from_numpy(tensors[r].astype(np.float32)).to(dtype).transpose(1, 2) for r in "qkv")
    k, v = (x.repeat_interleave(p.heads_q // p.heads_kv, dim=1) for x in (k, v))
    mask = None
    if p.mask != "none":
        mask = torch.from_numpy(visible(p, p.seqlen_q, p.seqlen_k))
    if p.bias != "none":
        mask = torch.from_numpy(tensors["bias"].astype(np.float32)).to(dtype)
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=p.softmax_scale)
    return out.transpose(1, 2).float().numpy()


def errors(data: dict[str, Any]) -> tuple[Any, float, float, Any]:
    """The problem, the largest error of tilewright and of torch, and the verdict."""
    p = tw.problem_from_dict(data)
    tensors = OP.random_tensors(p, seed=0)
    out = tw.default_dispatcher().run(p, **tensors)
    truth = expected(p, tensors).value
    ours, theirs = (float(np.abs(np.asarray(x, np.float64) - truth).max()) for x in (out, of_torch(p, tensors)))
    return p, ours, theirs, OP.verify(p, tensors, out)


def label(p: Any) -> str:
    """What the problem is, with what its own label leaves out."""
    further = [f"scale {p.scale}"] if p.scale is not None else []
    further += ["heads before rows"] if p.layout == "bhsd" else []
    text = p.label().removeprefix("fmha ").replace(f"fwd_{p.dtype}_", "")
    return ", ".join([text, *further])


def row(data: dict[str, Any]) -> str:
    """One line of the table: both dtypes of one configuration."""
    cells, right = [], True
    for dtype in ("fp32", "bf16"):
        p, ours, theirs, verdict = errors({**data, "dtype": dtype})
        cells += [f"{ours:.1e}", f"{theirs:.1e}", f"{verdict.ratio:.2f}"]
        right = right and verdict.ok
    return f"| {label(p)} | {' | '.join(cells)} | {'yes' if right else 'NO'} |"


def main() -> None:
    """Print the table."""
    print("| problem | fp32 error | torch's | of the tolerance | bf16 error | torch's | of the tolerance | right |")
    print("|---|---|---|---|---|---|---|---|")
    for line in PROBLEMS.read_text().splitlines():
        print(row(json.loads(line)))
    p, ours, theirs, verdict = errors(HALF)
    print(f"\n{label(p)} in fp16, {np.prod(p.shape('out')):,} outputs: largest error {ours:.2e}, torch's {theirs:.2e}")
    if not verdict.ok or ours > HALF_ERROR:
        raise SystemExit(f"the largest error must be at most {HALF_ERROR:.0e}")


if __name__ == "__main__":
    main()
