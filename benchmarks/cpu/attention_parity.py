"""Attention of tilewright and of torch (scaled_dot_product_attention) compared with the float64 reference.

python benchmarks/cpu/attention_parity.py            # a Markdown table: largest errors of both, and what is allowed
python benchmarks/cpu/attention_parity.py --device cuda:0 --dtypes fp32            # on an NVIDIA GPU, torch as well
python benchmarks/cpu/attention_parity.py --device cuda:0 --dtypes fp32 --prepare  # only compile what that will run

Every line of problems/attention_parity.jsonl in fp32 and in bf16, then one configuration of 65,536 outputs in fp16,
whose largest error must be 1e-4 at most.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch

import tilewright as tw
from tilewright.ops import get_op
from tilewright.ops.fmha.mask import visible
from tilewright.ops.fmha.reference import expected
from tilewright.tune.bench.own import own_kernels_only

PROBLEMS = Path(__file__).parents[1] / "problems" / "attention_parity.jsonl"
HALF = {"op": "fmha", "batch": 1, "heads_q": 1, "seqlen_q": 1024, "hdim_q": 64, "dtype": "fp16"}
HALF_ERROR = 1e-4
OP = get_op("fmha")


TORCH = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def moved(array: Any, device: str) -> Any:
    """Return a torch tensor on the device, with the array's dtype and strides."""
    bits = torch.from_numpy(array.view(np.int16) if array.dtype.itemsize == 2 else array)
    order = sorted(range(bits.dim()), key=lambda i: -bits.stride(i))
    bits = bits.permute(order).contiguous().to(device).permute(sorted(range(bits.dim()), key=lambda i: order[i]))
    if bits.dtype != torch.int16:
        return bits
    return bits.view(torch.float16 if array.dtype == np.float16 else torch.bfloat16)


def of_torch(p: Any, tensors: dict[str, Any]) -> Any:
    """torch's result in the problem's dtype, as float32 [batch, seqlen, heads, hdim]."""
    dtype, device = TORCH[p.dtype], p.device
    q, k, v = (torch.from_numpy(tensors[r].astype(np.float32)).to(device, dtype).transpose(1, 2) for r in "qkv")
    k, v = (x.repeat_interleave(p.heads_q // p.heads_kv, dim=1) for x in (k, v))
    mask = None
    if p.mask != "none":
        mask = torch.from_numpy(visible(p, p.seqlen_q, p.seqlen_k)).to(device)
    if p.bias != "none":
        mask = torch.from_numpy(tensors["bias"].astype(np.float32)).to(device, dtype)
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=p.softmax_scale)
    return out.transpose(1, 2).float().cpu().numpy()


def of_tilewright(p: Any, tensors: dict[str, Any]) -> Any:
    """Return the result of the kernel that the default dispatcher chooses, in the dtype of the tensors."""
    if p.device == "cpu":
        return tw.default_dispatcher().run(p, **tensors)
    there = {r: moved(x, p.device) for r, x in tensors.items()}
    out = tw.default_dispatcher().run(p, **there)
    back = out.view(torch.int16) if out.element_size() == 2 else out
    return back.cpu().numpy().view(tensors["out"].dtype)


def errors(p: Any) -> tuple[float, float, Any]:
    """Return the largest error of tilewright and of torch, and the verdict."""
    tensors = OP.random_tensors(p, seed=0)
    out = of_tilewright(p, tensors)
    truth = expected(p, tensors).value
    ours, theirs = (float(np.abs(np.asarray(x, np.float64) - truth).max()) for x in (out, of_torch(p, tensors)))
    return ours, theirs, OP.verify(p, tensors, out)


def label(p: Any) -> str:
    """Return what the problem is, with what its own label leaves out."""
    further = [f"scale {p.scale}"] if p.scale is not None else []
    further += ["heads before rows"] if p.layout == "bhsd" else []
    text = p.label().removeprefix("fmha ").replace(f"fwd_{p.dtype}_", "")
    return ", ".join([text, *further])


def row(problems: list[Any]) -> str:
    """Return one line of the table: one configuration in its dtypes."""
    cells, right = [], True
    for p in problems:
        ours, theirs, verdict = errors(p)
        cells += [f"{ours:.1e}", f"{theirs:.1e}", f"{verdict.ratio:.2f}"]
        right = right and verdict.ok
    return f"| {label(problems[-1])} | {' | '.join(cells)} | {'yes' if right else 'NO'} |"


def main() -> None:
    """Print the table."""
    print(own_kernels_only(), file=sys.stderr)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda:0"))
    parser.add_argument("--dtypes", default="fp32,bf16", help="separated by commas")
    parser.add_argument("--prepare", action="store_true", help="only compile")
    args = parser.parse_args()
    dtypes = args.dtypes.split(",")
    lines = [json.loads(line) for line in PROBLEMS.read_text().splitlines()]
    rows = [[tw.problem_from_dict({**x, "dtype": d, "device": args.device}) for d in dtypes] for x in lines]
    p = tw.problem_from_dict({**HALF, "device": args.device})
    if args.prepare:
        tw.default_dispatcher().warm_up([p, *(x for problems in rows for x in problems)])
        return
    print("| problem | " + "".join(f"{d} error | torch's | of the tolerance | " for d in dtypes) + "right |")
    print("|---|" + "---|" * (3 * len(dtypes)) + "---|")
    for problems in rows:
        print(row(problems))
    ours, theirs, verdict = errors(p)
    print(f"\n{label(p)} in fp16, {np.prod(p.shape('out')):,} outputs: largest error {ours:.2e}, torch's {theirs:.2e}")
    if not verdict.ok or ours > HALF_ERROR:
        raise SystemExit(f"the largest error must be at most {HALF_ERROR:.0e}")


if __name__ == "__main__":
    main()
