"""PyTorch as a peer in attention: `scaled_dot_product_attention`, forward on sequences of one length."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...model.tensor import Tensors
from ...ops.fmha.problem import FmhaProblem
from .peers import PeerCall, Unable
from .peers_torch_conv import keep_pages

DTYPES = ("fp32", "bf16", "fp16")


def prepare_fmha(torch: Any, tensor: Callable[[Any], Any], problem: FmhaProblem, tensors: Tensors) -> PeerCall | Unable:
    """Return the call on the problem's own memory, or why torch has none."""
    reason = _cannot(problem)
    if reason:
        return Unable(reason)
    q, k, v = (tensor(tensors[r]).transpose(1, 2) for r in ("q", "k", "v"))
    shared = problem.heads_q != problem.heads_kv
    options: dict[str, Any] = {"scale": problem.softmax_scale, "enable_gqa": shared}
    square = problem.seqlen_q == problem.seqlen_k
    if problem.mask == "causal_top_left" or (problem.mask == "causal_bottom_right" and square):
        options["is_causal"] = True
    elif problem.mask != "none":
        from ...ops.fmha.mask import visible

        options["attn_mask"] = torch.from_numpy(visible(problem, problem.seqlen_q, problem.seqlen_k)).to(q.device)
    elif problem.bias == "elementwise":
        options["attn_mask"] = tensor(tensors["bias"])
    fresh = problem.device == "cpu" and not keep_pages()  # there is no out= to give it
    attend = torch.nn.functional.scaled_dot_product_attention
    result = attend(q, k, v, **options).transpose(1, 2).cpu()
    shown = result.float().numpy() if problem.dtype == "bf16" else result.numpy()
    note = " (fresh pages at each call)" if fresh else ""
    return PeerCall(lambda: attend(q, k, v, **options), shown, f"scaled_dot_product_attention{note}")


def _cannot(problem: FmhaProblem) -> str | None:
    wanted = {
        f"the family {problem.family}": problem.family not in ("fwd", "fwd_splitkv") or problem.page_size > 0,
        "sequences of different lengths": problem.mode == "group" or problem.kv_lengths,
        "a soft cap": problem.soft_cap > 0,
        "ALiBi": problem.bias == "alibi",
        "an LSE": problem.lse,
        "this dropout mask": problem.dropout > 0,
        "a bias together with a mask": problem.bias != "none" and problem.mask != "none",
        f"{problem.dtype} operands": problem.dtype not in DTYPES,
    }
    missing = [name for name, asked in wanted.items() if asked]
    return f"scaled_dot_product_attention does not take {missing[0]}" if missing else None
