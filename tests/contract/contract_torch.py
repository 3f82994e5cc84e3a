"""Cases of the list through `tilewright.torch`: results and gradients against torch in float64.

An error may be three times that of torch's own function in the same dtype, and four roundings of the largest number.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from contract_data import tensors_of
from contract_run import Case, all_cases
from contract_targets import SPACES
from torch.nn import functional

import tilewright.torch as tt
from tilewright.errors import TilewrightError
from tilewright.ops.gemm.on_device import torch_dtype

NAME = f"tilewright.torch on {platform.machine()}, with gradients"
DTYPES = ("fp32", "fp16", "bf16")
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "none": lambda y: y, "relu": torch.relu, "gelu_tanh": lambda y: functional.gelu(y, approximate="tanh"),
    "gelu_erf": functional.gelu, "silu": functional.silu, "sigmoid": torch.sigmoid, "tanh": torch.tanh,
}  # fmt: skip
Pair = tuple[Callable[..., Any], Callable[..., Any], list[Any]]  # ours, torch's, leaves


def leaf(array: Any, dtype: str) -> Any:
    """Return a tensor with the values and the strides of an array, which wants a gradient."""
    steps = [s // array.itemsize for s in array.strides]
    made = torch.empty_strided(array.shape, steps, dtype=torch_dtype(dtype))
    once = tuple(slice(0, 1) if s == 0 else slice(None) for s in steps)  # elements that share memory are written once
    made[once].copy_(torch.from_numpy(np.ascontiguousarray(array[once]).astype(np.float64)))
    return made.requires_grad_()


def product(p: Any, arrays: dict[str, Any], case: Case) -> Pair | None:
    """Return `linear` or `matmul` of a GEMM whose operands and result have one dtype."""
    same = p.dtype_a == p.dtype_b == p.dtype_out and p.dtype_a in DTYPES
    plain = p.scale_a == p.scale_b == "none" and p.epilogue.alpha == 1.0 and case.choice["b_format"] == "plain"
    plain = plain and not p.has_prologue and not p.groups
    if not same or not plain or p.epilogue.combine != "add" or any(s < 0 for t in p.strides.values() for s in t):
        return None
    a, b = leaf(arrays["a"], p.dtype_a), leaf(arrays["b"], p.dtype_a)
    name = p.epilogue.activation
    if not p.d and name == "none":
        return tt.matmul, torch.matmul, [a, b]
    bias = [d.broadcast for d in p.d]
    if bias not in ([], ["row"]) or p.d[0:1] != tuple(d for d in p.d if d.dtype == p.dtype_a) or p.batch != 1:
        return None
    if name not in ACTIVATIONS or p.epilogue.beta != 1.0:
        return None
    leaves = [a, leaf(arrays["b"].T, p.dtype_a), *([leaf(arrays["d0"][0], p.dtype_a)] if bias else [])]
    ours = lambda x, w, b=None: tt.linear(x, w, b, name)  # noqa: E731
    return ours, lambda x, w, b=None: ACTIVATIONS[name](functional.linear(x, w, b)), leaves


def convolution(p: Any, arrays: dict[str, Any], case: Case) -> Pair | None:
    """Return `conv` of a forward convolution with one dtype and the same padding on both sides."""
    same = p.dtype_input == p.dtype_weight == p.dtype_output and p.dtype_input in DTYPES
    plain = p.epilogue.activation == "none" and p.epilogue.alpha == 1.0 and not p.d
    if p.direction != "forward" or not same or not plain or any(left != right for left, right in p.pad):
        return None
    if any(s < 0 for t in p.strides.values() for s in t):
        return None
    options = {"stride": p.stride, "padding": [left for left, _ in p.pad], "dilation": p.dilation, "groups": p.g}
    theirs = {1: torch.conv1d, 2: torch.conv2d, 3: torch.conv3d}[p.dims]
    leaves = [leaf(arrays[r], p.dtype_input) for r in ("input", "weight")]
    return lambda x, w: tt.conv(x, w, **options), lambda x, w: theirs(x, w, **options), leaves


def attention(p: Any, arrays: dict[str, Any], case: Case) -> Pair | None:
    """Return `sdpa` of a forward attention in a batch: masks and biases as torch has them."""
    plain = p.family == "fwd" and p.mode == "batch" and p.dtype in DTYPES and not p.kv_lengths and p.soft_cap == 0
    if not plain or p.dropout or p.bias == "alibi" or p.mask not in ("none", "causal_top_left") or p.v_layout != "row":
        return None
    if p.seqlen_k == 0 and case.choice["data"] == "nan":  # without keys, one NaN makes every row of torch's result NaN
        return None
    if (p.bias != "none" and p.mask != "none") or any(s < 0 for t in p.strides.values() for s in t):
        return None
    leaves = [leaf(arrays[r].transpose(0, 2, 1, 3), p.dtype) for r in "qkv"]
    more = {"is_causal": p.mask != "none", "scale": p.scale, "enable_gqa": p.heads_kv != p.heads_q}
    if p.bias == "elementwise":
        leaves.append(leaf(arrays["bias"], p.dtype).detach().requires_grad_(case.choice["data"] == "normal"))
    ours = lambda q, k, v, m=None: tt.sdpa(q, k, v, m, **more)  # noqa: E731
    return ours, lambda q, k, v, m=None: functional.scaled_dot_product_attention(q, k, v, m, **more), leaves


CALLS = {"gemm": product, "conv": convolution, "fmha": attention}


def computed(call: Callable[..., Any], leaves: Sequence[Any], grad: Any = None) -> list[Any]:
    """Return the result and the gradients of the leaves that want one, in float64."""
    out = call(*leaves)
    wanting = [x for x in leaves if x.requires_grad]
    grad = torch.ones_like(out) if grad is None else grad.to(out.dtype)
    return [x.detach().double() for x in (out, *torch.autograd.grad(out, wanting, grad, materialize_grads=True))]


def run_case(case: Case) -> dict[str, Any] | None:
    """Return the row of a case, or None if no function of torch says it."""
    p = SPACES[case.op].problem_of(case.choice)
    with np.errstate(all="ignore"):
        found = CALLS[case.op](p, tensors_of(p, case.choice, case.number), case)
    if found is None:
        return None
    ours, theirs, leaves = found
    row = {"id": case.id, "op": case.op, "target": NAME}
    wide = [x.detach().double().requires_grad_(x.requires_grad) for x in leaves]
    torch.manual_seed(case.number)
    grad = torch.randn(theirs(*wide).shape, dtype=torch.float64)
    want, usual = computed(theirs, wide, grad), computed(theirs, leaves, grad)
    try:
        got = computed(ours, leaves, grad)
    except TilewrightError as error:
        return {**row, "state": "refused", "rule": type(error).__name__, "message": str(error)[:300]}
    u = torch.finfo(leaves[0].dtype).eps
    for number, (w, t, g) in enumerate(zip(want, usual, got, strict=True)):
        if w.numel() == 0:
            continue
        same_kind = torch.equal(g.isfinite(), t.isfinite())
        finite = w.isfinite() & t.isfinite() & g.isfinite()
        error = (g - w)[finite].abs().max().item() if finite.any() else 0.0
        allowed = 3 * ((t - w)[finite].abs().max().item() if finite.any() else 0.0)
        allowed += 4 * u * (w[finite].abs().max().item() if finite.any() else 0.0)
        if not same_kind or error > allowed:
            what = "the result" if number == 0 else f"gradient {number}"
            return {
                **row,
                "state": "wrong",
                "message": f"{what}: error {error:.3g} > {allowed:.3g}, finite {same_kind}",
            }
    return {**row, "state": "right"}


def main() -> int:
    """Run the cases that a function of torch can say (`--stride N` takes fewer) and write the rows."""
    stride = int(sys.argv[sys.argv.index("--stride") + 1]) if "--stride" in sys.argv else 1
    out = Path(sys.argv[sys.argv.index("--out") + 1])
    rows = [row for case in all_cases()[::stride] if (row := run_case(case)) is not None]
    out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    bad = [row for row in rows if row["state"] not in ("right", "refused")]
    print(f"{NAME}: {len(rows)} cases, {len(bad)} not right")
    for row in bad:
        print(json.dumps(row))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
