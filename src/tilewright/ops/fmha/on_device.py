"""Attention tensors on a GPU through torch: new random ones, their values for the reference, and a quick check.

Large plain attentions (`is_large`) are drawn and compared on the GPU: NumPy would take minutes for a single one. Their
reference is torch's product in fp32, which rounds far less than 16-bit operands do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...model.device import memory_of
from ...model.tensor import Tensors
from ..gemm.on_device import drawn_on_device, fresh, torch_dtype, torch_module
from ..verify import Verification
from .problem import FmhaProblem
from .tensors import random_indices
from .tensors import random_tensors as random_arrays

LARGE_FLOPS = 1e7  # smaller ones cost NumPy little
SCORE_BYTES = 1 << 30  # of the fp32 scores of one piece of the reference
ROUNDINGS = {"fp16": 2.0**-9, "bf16": 2.0**-6}  # of a result's norm; kernels come to a third of it


def is_large(p: FmhaProblem) -> bool:
    """Return whether `p` is drawn and compared on the GPU: 16-bit, of whole sequences, at most causal, and large.

    >>> is_large(FmhaProblem.from_dict({"batch": 1, "heads_q": 2, "seqlen_q": 64, "hdim_q": 64, "dtype": "fp16"}))
    False
    """
    plain = not (p.dropout or p.soft_cap or p.sink_tokens or p.bias != "none" or p.qscale != "none")
    usual = p.mode == "batch" and p.v_layout == "row" and p.lookup in ("none", "vllm") and p.dtype_out == p.dtype
    causal = p.mask == "none" or p.mask.startswith("causal")
    known = p.family in ("fwd", "fwd_splitkv", "fwd_pagedkv", "bwd") and p.dtype in ROUNDINGS
    return plain and usual and causal and known and p.flops >= LARGE_FLOPS


def random_tensors(p: FmhaProblem, seed: int) -> dict[str, Any]:
    """Return new tensors of every role on the problem's device, in its layout and strides.

    Lengths, pages and a backward pass's `out` and `lse` fit. Small problems have the values of the NumPy arrays of this
    seed.
    """
    if is_large(p):
        return _random_large(p, seed)
    arrays = random_arrays(replace(p, device="cpu"), seed)
    return drawn_on_device(p, seed, lambda p, role, _: _placed(p, role, arrays[role]))


def _random_large(p: FmhaProblem, seed: int) -> dict[str, Any]:
    indices = random_indices(p, np.random.default_rng(seed))

    def draw(p: FmhaProblem, role: str, generator: Any) -> Any:
        if role in indices:
            return _placed(p, role, indices[role])
        return fresh(role, p.shape(role), p.stride(role), p.dtype_of(role), generator, poisoned=role in p.outputs)

    found = drawn_on_device(p, seed, draw)
    if p.family == "bwd":
        for at, made in attended(p, found):
            for role in ("out", "lse"):
                found[role][at] = made[role].to(found[role].dtype)
    return found


def attended(p: FmhaProblem, tensors: Tensors) -> Iterator[tuple[slice, dict[str, Any]]]:
    """Yield (sequences, their results by role) in fp32: `out`, `lse`, and the gradients of a backward pass."""
    torch = torch_module("to compute a reference on the GPU")
    group = p.heads_q // p.heads_kv
    each = 4 * p.heads_q * p.seqlen_q * p.seqlen_k
    count = max(1, SCORE_BYTES // each)
    row, key = (torch.arange(n, device=tensors["q"].device) for n in (p.seqlen_q, p.seqlen_k))
    for start in range(0, p.batch, count):
        at = slice(start, min(start + count, p.batch))
        q = tensors["q"][at].transpose(1, 2).float()
        k, v = (_keys(p, tensors, role, at).transpose(1, 2).float() for role in ("k", "v"))
        k, v = (x.repeat_interleave(group, 1) for x in (k, v))
        keys = torch.full((q.shape[0],), p.seqlen_k, device=q.device)
        if "seqlens_k" in tensors:
            keys = tensors["seqlens_k"][at].long()
        seen = (key[None] < keys[:, None])[:, None, None, :]
        if p.mask != "none":
            shift = 0 if p.mask.endswith("top_left") else keys[:, None, None] - p.seqlen_q
            seen = seen & (key[None, None] <= row[None, :, None] + shift)[:, None]
        s = (q @ k.mT * p.softmax_scale).masked_fill_(~seen, float("-inf"))
        lse = s.logsumexp(-1)
        w = s.sub_(lse.nan_to_num(neginf=0.0)[..., None]).exp_()
        found = {"out": (w @ v).transpose(1, 2), "lse": lse}
        if p.family == "bwd" and "dq" in p.outputs:
            found |= _slopes(p, tensors, at, q, k, v, w, found["out"])
        yield at, found


def _slopes(p: FmhaProblem, tensors: Tensors, at: slice, q: Any, k: Any, v: Any, w: Any, out: Any) -> dict[str, Any]:
    dout = tensors["dout"][at].transpose(1, 2).float()
    dv = w.mT @ dout
    ds = (dout @ v.mT).sub_((dout * out.transpose(1, 2)).sum(-1)[..., None]).mul_(w).mul_(p.softmax_scale)
    made = {"dq": ds @ k, "dk": ds.mT @ q, "dv": dv}
    for role in ("dk", "dv"):  # of the query heads that share a key head
        made[role] = made[role].unflatten(1, (p.heads_kv, -1)).sum(2)
    return {role: x.transpose(1, 2) for role, x in made.items()}


def _keys(p: FmhaProblem, tensors: Tensors, role: str, at: slice) -> Any:
    """Return keys or values of some sequences as [sequences, keys, heads, columns]; pages in their order."""
    if not p.page_size:
        return tensors[role][at]
    return tensors[role][tensors["page_table"][at].long()].flatten(1, 2)[:, : p.seqlen_k]


def quick_check(p: FmhaProblem, tensors: Tensors) -> Callable[..., Verification]:
    """Return a check of results against fp32 references that stay on the GPU: norms of whole tensors of results.

    It calls with the main output; the other outputs are read from `tensors`. NaN never passes.
    """
    torch = torch_module("to compute a reference on the GPU")
    parts = [(at, {r: made[r] for r in p.outputs}) for at, made in attended(p, tensors)]
    wanted = {r: torch.cat([made[r] for _, made in parts]) for r in p.outputs}
    limits = {r: 2.0**-10 if p.dtype_of(r) == "fp32" else ROUNDINGS[p.dtype] for r in p.outputs}
    sizes = {r: x[x.isfinite()].norm() for r, x in wanted.items()}

    def check(out: Any, product_error: Any = 0.0) -> Verification:
        results = {**{r: tensors[r] for r in p.outputs}, p.outputs[0]: out}
        ratios = [_distance(results[r], wanted[r]) / sizes[r] / limits[r] for r in p.outputs]
        worst = float(torch.stack(ratios).nan_to_num(nan=float("inf")).max())
        limit = max(limits.values())
        return Verification(worst <= 1.0, "device", worst * limit, worst * limit, limit, worst)

    return check


def _distance(got: Any, wanted: Any) -> Any:
    """Return the norm of the difference; rows without keys, whose LSE is infinite, must agree exactly."""
    same = (got == wanted) & wanted.isinf()
    return (got.float() - wanted).masked_fill(same, 0.0).norm()


def _placed(p: FmhaProblem, role: str, array: Any) -> Any:
    torch = torch_module("to make tensors on a GPU")
    values = torch.from_numpy(np.ascontiguousarray(array, np.int32 if p.dtype_of(role) == "int32" else np.float32))
    x = torch.empty_strided(
        p.shape(role), p.stride(role), dtype=torch_dtype(p.dtype_of(role)), device=memory_of(p.device)
    )
    return x.copy_(values)


def on_host(tensors: Tensors) -> dict[str, Any]:
    """Return the tensors as NumPy arrays: indices unchanged, numbers in float64, which represents all our dtypes."""
    return {role: (x.double() if x.is_floating_point() else x).detach().cpu().numpy() for role, x in tensors.items()}
