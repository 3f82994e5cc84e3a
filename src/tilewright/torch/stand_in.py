"""torch's own operators as stand-ins: what a call runs on while its kernel is compiled in the background.

They take the problems that torch has an operator for. Any other problem waits for its kernel, or runs on another
stand-in of the dispatcher.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from ..model.problem import Problem
from ..model.tensor import Tensors
from ..ops import get_op
from ..ops.gemm.on_device import activated, gone_back

NARROW = frozenset({"fp16", "bf16"})
FLOATS = frozenset({"fp64", "fp32", "fp16", "bf16"})
PLAIN_ATTENTION = frozenset({"q", "k", "v", "out", "lse", "dout", "dq", "dk", "dv"})
SCORE_BYTES = 1 << 28  # of the scores whose sums are taken at once


class TorchStandIn:
    """Computes a problem by torch's own operators, into the tensor that the caller gets.

    >>> from tilewright.ops import problem_from_dict
    >>> p = problem_from_dict({"op": "gemm", "m": 1, "n": 1, "k": 2, "dtype": "fp32", "layout": "rrr"})
    >>> tensors = {"a": torch.ones(1, 2), "b": torch.ones(2, 1), "out": torch.zeros(1, 1)}
    >>> compute = TorchStandIn()
    >>> compute.takes(p), compute(p, tensors), tensors["out"].item()
    (True, True, 2.0)
    """

    name = "torch"

    def takes(self, problem: Problem) -> bool:
        """Return whether torch has an operator for a problem, at its place."""
        known = PARTS.get(problem.op)
        return known is not None and problem.device.split(":")[0] in ("cpu", "cuda") and known[0](problem)

    @torch.no_grad()
    def __call__(self, problem: Problem, tensors: Tensors) -> bool:
        """Compute `problem`; return False if torch has no operator for it."""
        if not self.takes(problem):
            return False
        turned = {role: t for role, t in tensors.items() if _goes_backwards(t)}
        copied = {role: t.copy() for role, t in turned.items()}
        PARTS[problem.op][1](problem, {role: _of_torch(t) for role, t in {**tensors, **copied}.items()})
        for role in turned.keys() & set(get_op(problem.op).out_roles(problem)):
            turned[role][...] = copied[role]
        return True


def _goes_backwards(tensor: Any) -> bool:
    """Return whether a tensor is an array with a negative stride, which torch has not."""
    return isinstance(tensor, np.ndarray) and min(tensor.strides, default=0) < 0


def _of_torch(tensor: Any) -> Any:
    """Return a tensor of torch over the same memory; a NumPy array is not copied."""
    if isinstance(tensor, torch.Tensor):
        return tensor
    bits = tensor.view(f"i{tensor.itemsize}")
    if not bits.flags.writeable:  # torch has no read-only tensors, and warns of them; nothing writes to this one
        memory = {**bits.__array_interface__, "data": (bits.ctypes.data, False)}
        bits = np.asarray(SimpleNamespace(__array_interface__=memory))
    return torch.from_numpy(bits).view(getattr(torch, tensor.dtype.name))


def _takes_gemm(p: Any) -> bool:
    plain = p.scale_a == p.scale_b == "none" and p.b_format == "plain" and not p.groups and not p.has_prologue
    return plain and p.dtype_a == p.dtype_b and p.dtype_a in FLOATS and p.dtype_out in FLOATS


def _gemm(p: Any, t: Tensors) -> None:
    a, b = t["a"], t["b"]
    if p.dtype_a in NARROW and (p.dtype_out != p.dtype_a or _has_epilogue(p)):
        a, b = a.float(), b.float()  # a result of 16 bits would be rounded twice
    product = torch.matmul(a, b)
    t["out"].copy_(_finished(p, product, [t[f"d{i}"] for i in range(len(p.d))]).view(t["out"].shape))


def _has_epilogue(p: Any) -> bool:
    return bool(p.d) or p.epilogue.alpha != 1.0 or p.epilogue.activation != "none"


def _finished(p: Any, product: Any, operands: list[Any]) -> Any:
    """Return the product after its epilogue."""
    e = p.epilogue
    value = product if e.alpha == 1.0 else product * e.alpha
    return e.finished(value, (), operands, activated, gone_back)[0]


def _takes_conv(p: Any) -> bool:
    same = len({p.dtype_input, p.dtype_weight, p.dtype_output}) == 1 and p.dtype_input in FLOATS
    return same and all(left == right for left, right in p.pad)


def _conv(p: Any, t: Tensors) -> None:
    read = {role: t[role] for role in ("input", "weight", "output")}  # of the result, only its shape
    if p.dtype_input in NARROW and (p.device == "cpu" or _has_epilogue(p)):  # CPUs may even add in 16 bits
        read = {role: tensor.float() for role, tensor in read.items()}
    operands = [t[f"d{i}"] for i in range(len(p.d))]
    operands = [d.view(1, -1, *(1 for _ in p.input)) if d.dim() == 1 else d for d in operands]
    t[p.result].copy_(_finished(p, _convolved(p, read), operands))


def _convolved(p: Any, t: Tensors) -> Any:
    zeros, pad = [0] * p.dims, [left for left, _ in p.pad]
    if p.direction == "forward":
        return torch.ops.aten.convolution(
            t["input"], t["weight"], None, p.stride, pad, p.dilation, False, zeros, p.g
        )  # fmt: skip
    wanted = [p.direction == "backward_data", p.direction == "backward_weight", False]
    found = torch.ops.aten.convolution_backward(
        t["output"], t["input"], t["weight"], None, p.stride, pad, p.dilation, False, zeros, p.g, wanted
    )
    return found[wanted.index(True)]


def _takes_attention(p: Any) -> bool:
    square = p.mask == "causal_bottom_right" and p.seqlen_q == p.seqlen_k
    plain = p.family in ("fwd", "bwd") and p.mode == "batch" and not (p.kv_lengths or p.page_size or p.soft_cap)
    known = p.mask in ("none", "causal_top_left") or square
    usual = p.dtype in FLOATS and p.dtype_out == p.dtype and p.v_layout == "row" and not p.sink_tokens
    # torch takes a bias or a causal mask; what it returns for rows that see no key was compared on CPUs only
    biased = p.bias == "elementwise" and p.mask == "none" and p.device == "cpu" and p.dtype == "fp32"
    return plain and known and usual and PLAIN_ATTENTION.issuperset({*p.roles} - ({"bias"} if biased else set()))


def _attention(p: Any, t: Tensors) -> None:
    q, k, v = (t[role].transpose(1, 2) for role in ("q", "k", "v"))
    options = {"is_causal": p.mask != "none", "scale": p.softmax_scale, "enable_gqa": p.heads_q != p.heads_kv,
               "attn_mask": t.get("bias")}  # fmt: skip
    if p.family == "fwd":
        t["out"].copy_(SDPA(q, k, v, **options).transpose(1, 2))
        if "lse" in t:
            _write_lse(p, q, k, t)
        return
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    with torch.enable_grad(), torch._C._SetExcludeDispatchKeyGuard(AUTOGRAD, False):  # which it is in an operator
        out = SDPA(*leaves, **options)
    for role, grad in zip(("dq", "dk", "dv"), torch.autograd.grad(out, leaves, t["dout"].transpose(1, 2)), strict=True):
        t[role].copy_(grad.transpose(1, 2))


def _write_lse(p: Any, q: Any, k: Any, t: Tensors) -> None:
    """Write the logarithm of the sum of each row's exponentials; torch's operator does not return it."""
    lse = t["lse"]
    bias = t["bias"].expand(p.batch, p.heads_q, -1, -1) if "bias" in t else None
    rows = max(1, SCORE_BYTES // max(1, 4 * p.seqlen_k * p.heads_q))
    keys = k.repeat_interleave(p.heads_q // p.heads_kv, 1).float().transpose(2, 3)
    columns = torch.arange(p.seqlen_k, device=q.device)
    for batch in range(p.batch):
        for first in range(0, p.seqlen_q, rows):
            part = q[batch, :, first : first + rows].float() * p.softmax_scale
            scores = part @ keys[batch]
            if bias is not None:
                scores = scores + bias[batch, :, first : first + rows]
            if p.mask != "none":
                below = torch.arange(first, first + part.shape[1], device=q.device)[:, None]
                scores = scores.masked_fill(columns > below, float("-inf"))
            lse[batch, :, first : first + rows] = scores.logsumexp(-1)


AUTOGRAD = torch._C.DispatchKey.AutogradFunctionality
SDPA = functional.scaled_dot_product_attention  # torch's own: a patch of the module comes later
PARTS: Mapping[str, tuple[Callable[[Any], bool], Callable[[Any, Tensors], None]]] = {
    "gemm": (_takes_gemm, _gemm),
    "conv": (_takes_conv, _conv),
    "fmha": (_takes_attention, _attention),
}
