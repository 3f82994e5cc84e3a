"""`attention` and `attention_varlen` with gradients; operators for tracing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import torch

from ..frontends.attention_options import bias_of
from ..frontends.call import hashable
from ..ops.fmha.problem import usual_out
from . import attention_calls as calls
from .attention_calls import Extras, Options
from .leaving import gradient_or_torchs
from .registration import operator, result_dtype
from .stand_in import SDPA
from .ways import RECORDED, autocast_dtype, cast_all, once, recorder, way_of

Tensor = torch.Tensor
OPTIONS = (
    "bool alibi, bool causal, SymInt[] window, str align, int sink_tokens, float? scale, float soft_cap, "
    "float dropout, str layout, SymInt? max_seqlen_q, SymInt? max_seqlen_k, bool invariant"
)
_set_grad_enabled = torch._C._set_grad_enabled
EXTRAS = "Tensor? bias, Tensor? rng, Tensor? cu_seqlens_q, Tensor? cu_seqlens_k"


def attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: bool = False,
    window: tuple[int, int] = (-1, -1),
    align: str = "bottom_right",
    sink_tokens: int = 0,
    bias: Tensor | None = None,
    alibi_slopes: Tensor | None = None,
    scale: float | None = None,
    soft_cap: float = 0.0,
    dropout: float = 0.0,
    return_lse: bool = False,
    layout: str = "bshd",
    invariant: bool = False,
) -> Any:
    """Return what `tilewright.attention` returns, with gradients of q, k, v and bias.

    `dropout` draws its seed from torch's generator of the device, so `torch.manual_seed` and CUDA graphs apply to it.

    >>> q = torch.ones(1, 4, 2, 32, requires_grad=True)
    >>> attention(q, q, q, causal=True).sum().backward()
    """
    o = Options(alibi_slopes is not None, causal, hashable(window), align, sink_tokens, scale, soft_cap, dropout,
                layout, invariant=bool(invariant))  # fmt: skip
    return attend(q, k, v, Extras(bias_of(bias, alibi_slopes), seed_of(dropout, q)), o, return_lse)


def attention_varlen(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    cu_seqlens_q: Tensor,
    cu_seqlens_k: Tensor,
    max_seqlen_q: int,
    max_seqlen_k: int,
    *,
    causal: bool = False,
    window: tuple[int, int] = (-1, -1),
    align: str = "bottom_right",
    sink_tokens: int = 0,
    alibi_slopes: Tensor | None = None,
    scale: float | None = None,
    soft_cap: float = 0.0,
    dropout: float = 0.0,
    return_lse: bool = False,
    invariant: bool = False,
) -> Any:
    """Return what `tilewright.attention_varlen` returns, with gradients of q, k and v.

    >>> q, ends = torch.ones(5, 2, 32, requires_grad=True), torch.tensor([0, 2, 5], dtype=torch.int32)
    >>> attention_varlen(q, q, q, ends, ends, 3, 3).sum().backward()
    """
    o = Options(alibi_slopes is not None, causal, hashable(window), align, sink_tokens, scale, soft_cap, dropout,
                "bshd", max_seqlen_q, max_seqlen_k, bool(invariant))  # fmt: skip
    return attend(q, k, v, Extras(alibi_slopes, seed_of(dropout, q), cu_seqlens_q, cu_seqlens_k), o, return_lse)


def seed_of(dropout: float, q: Tensor) -> Tensor | None:
    """Return the seed of a dropout mask, drawn by torch's generator; None if nothing is dropped."""
    if not dropout:
        return None
    return torch.randint(-(2**31), 2**31, (3,), dtype=torch.int64, device=q.device).to(torch.int32)


def attend(q: Tensor, k: Tensor, v: Tensor, extras: Extras, o: Options, return_lse: bool) -> Any:
    """Return out, or (out, lse), by the way that these tensors need."""
    way = way_of(q, k, v, extras.bias)
    if way > RECORDED:
        wants = return_lse or (torch.is_grad_enabled() and any(t.requires_grad for t in (q, k, v)))
        tensors = (extras.bias, extras.rng, extras.cu_seqlens_q, extras.cu_seqlens_k)
        out, lse = ATTENTION(q, k, v, *tensors, *o.values, wants)
        return (out, lse) if return_lse else out
    dtype = autocast_dtype(q)
    if dtype is not None:
        q, k, v = cast_all(dtype, (q, k, v))
        if not o.alibi:
            extras = replace(extras, bias=cast_all(dtype, (extras.bias,))[0])
    if way:
        out, lse = _record(q, k, v, extras.bias, extras, o)
    else:
        out, lse = calls.forward(q, k, v, extras, o, return_lse)
    return (out, lse) if return_lse else out


class _Attention(torch.autograd.Function):
    """`attention` with gradients, without the dispatcher of torch between."""

    @staticmethod
    def forward(ctx: Any, q: Tensor, k: Tensor, v: Tensor, bias: Tensor | None, extras: Extras, o: Options) -> Any:
        """Return (out, lse)."""
        out, lse = calls.forward(q, k, v, extras, o, True)
        ctx.save_for_backward(q, k, v, bias, out, lse, extras.rng, extras.cu_seqlens_q, extras.cu_seqlens_k)
        ctx.options = o
        ctx.mark_non_differentiable(lse)
        ctx.set_materialize_grads(False)  # else torch fills a gradient of `lse`, which nobody reads
        return out, lse

    @staticmethod
    @once
    def backward(ctx: Any, dout: Tensor | None, _: Any) -> tuple[Any, ...]:
        """Return the gradients of q, k, v and bias."""
        if dout is None:
            return (None,) * 6
        q, k, v, bias, out, lse, *rest = ctx.saved_tensors
        dbias = bias is not None and ctx.needs_input_grad[3]
        given = (_dense(dout), q, k, v, out, lse, Extras(bias, *rest), ctx.options, dbias)
        return *gradient_or_torchs("attention", calls.backward, _torchs_backward, *given), None, None


_record = recorder(_Attention)


class _Plain(torch.autograd.Function):
    """The attention of SDPA without a mask and dropout: fewer values to carry from call to call.

    `found` is (out, lse) if they are computed already.
    """

    @staticmethod
    def forward(
        ctx: Any, q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float | None, invariant: bool, found: Any = None
    ) -> Any:
        """Return the attention."""
        out, lse = found or calls.plain_forward(q, k, v, causal, scale, invariant)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.options = causal, scale
        return out

    @staticmethod
    @once
    def backward(ctx: Any, dout: Tensor) -> tuple[Any, ...]:
        """Return the gradients of q, k and v."""
        given = (_dense(dout), *ctx.saved_tensors, *ctx.options)
        return *gradient_or_torchs("attention", calls.plain_backward, _torchs_plain_backward, *given), *[None] * 4


record_plain = recorder(_Plain)


def record_recalled(q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float | None, invariant: bool = False) -> Any:
    """Return the recorded attention of SDPA for tensors like those of an earlier call; None if there was none."""
    _set_grad_enabled(False)  # the memo refuses tensors whose gradient it would lose
    try:
        found = calls.recalled(q, k, v, None, causal, scale, True, invariant)
    finally:
        _set_grad_enabled(True)
    return None if found is None else record_plain(q, k, v, causal, scale, invariant, found)


def _torchs_plain_backward(
    dout: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, causal: bool, scale: float | None
) -> tuple[Any, ...]:
    """Return (dq, dk, dv) by torch, which computes the attention once more."""
    return _differentiated(dout, (q, k, v), is_causal=causal, scale=scale, enable_gqa=q.shape[1] != k.shape[1])


def _torchs_backward(
    dout: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, extras: Extras, o: Options, dbias: bool
) -> tuple[Any, ...]:
    """Return (dq, dk, dv, dbias) by torch; raise an error for options that its function does not have."""
    usual = Options(False, o.causal, (-1, -1), o.align, 0, o.scale, 0.0, 0.0, "bhsd", invariant=o.invariant)
    square = o.align == "top_left" or not o.causal or q.shape[2] == k.shape[2]
    if o != usual or not square or extras.cu_seqlens_q is not None or (o.causal and extras.bias is not None):
        raise NotImplementedError("torch has no attention with these options")
    options = {"is_causal": o.causal, "scale": o.scale, "enable_gqa": q.shape[1] != k.shape[1]}
    inputs = (q, k, v) if extras.bias is None else (q, k, v, extras.bias)
    found = _differentiated(dout, inputs, **options)
    return found if dbias else (*found[:3], None)


def _differentiated(dout: Tensor, inputs: tuple[Tensor, ...], **options: Any) -> tuple[Any, ...]:
    with torch.enable_grad():
        leaves = [t.detach().requires_grad_() for t in inputs]
        out: Any = cast(Any, SDPA)(*leaves, **options)
        return torch.autograd.grad(out, leaves, dout)


def _dense(dout: Tensor) -> Tensor:
    """Return a gradient whose last dimension is dense, as kernels need it."""
    return dout if dout.stride(-1) == 1 else dout.contiguous()


def _kernel(q: Tensor, k: Tensor, v: Tensor, *rest: Any) -> tuple[Tensor, Tensor]:
    extras, o, lse = Extras(*rest[:4]), Options.of(rest[4:16]), rest[16]
    out, found = calls.forward(q, k, v, extras, o, lse)
    return out, found if found is not None else _no_lse(q)


def _no_lse(q: Tensor) -> Tensor:
    return q.new_empty((0,), dtype=torch.float32)


def _rows_first(like: Tensor, columns: Any, layout: str) -> Tensor:
    """Return an empty result as `attention_calls` makes it."""
    dtype = result_dtype(like, usual_out)
    if layout != "bhsd":
        return like.new_empty((*like.shape[:-1], columns), dtype=dtype)
    batch, heads, rows, _ = like.shape
    return like.new_empty((batch, rows, heads, columns), dtype=dtype).transpose(1, 2)


def _shapes(q: Tensor, k: Tensor, v: Tensor, *rest: Any) -> tuple[Tensor, Tensor]:
    layout, lse = rest[12], rest[16]
    out = _rows_first(q, v.shape[-1], layout)
    if not lse:
        return out, _no_lse(q)
    if q.dim() == 3:
        return out, q.new_empty((q.shape[1], q.shape[0]), dtype=torch.float32)
    batch, one, two, _ = q.shape
    heads, rows = (one, two) if layout == "bhsd" else (two, one)
    return out, q.new_empty((batch, heads, rows), dtype=torch.float32)


def _backward_kernel(dout: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, *rest: Any) -> Any:
    *found, dbias = calls.backward(_dense(dout), q, k, v, out, lse, Extras(*rest[:4]), Options.of(rest[4:16]), rest[16])
    return *found, dbias if dbias is not None else q.new_empty((0,))


def _backward_shapes(dout: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, *rest: Any) -> Any:
    layout = rest[12]
    dbias = torch.empty_like(rest[0], memory_format=torch.contiguous_format) if rest[16] else q.new_empty((0,))
    return *(_rows_first(t, t.shape[-1], layout) for t in (q, k, v)), dbias


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    q, k, v, bias, rng, ends_q, ends_k, *options, _ = inputs
    out, lse = output
    ctx.options = options
    ctx.save_for_backward(q, k, v, bias, rng, ends_q, ends_k, out, lse)
    ctx.mark_non_differentiable(lse)


@once
def _gradient(ctx: Any, dout: Tensor, _: Any) -> tuple[Any, ...]:
    q, k, v, *extras, out, lse = ctx.saved_tensors
    dbias = extras[0] is not None and ctx.needs_input_grad[3]
    if not lse.numel():  # a caller that asked for none: computed again
        out, lse = ATTENTION(q, k, v, *extras, *ctx.options, True)
    dq, dk, dv, found = ATTENTION_BACKWARD(dout, q, k, v, out, lse, *extras, *ctx.options, dbias)
    return dq, dk, dv, found if dbias else None, *[None] * 16


def _cast(dtype: torch.dtype, values: tuple[Any, ...]) -> list[Any]:
    """Return the arguments with q, k, v and an elementwise bias converted; slopes stay fp32."""
    bias, alibi = values[3], values[7]
    return [*cast_all(dtype, values[:3]), bias if alibi else cast_all(dtype, (bias,))[0], *values[4:]]


ATTENTION = operator(
    f"attention(Tensor q, Tensor k, Tensor v, {EXTRAS}, {OPTIONS}, bool lse) -> (Tensor, Tensor)",
    _kernel,
    _shapes,
    backward=_gradient,
    keep=_keep,
    autocast=_cast,
)
ATTENTION_BACKWARD = operator(
    f"attention_backward(Tensor dout, Tensor q, Tensor k, Tensor v, Tensor out, Tensor lse, {EXTRAS}, {OPTIONS}, "
    "bool dbias) -> (Tensor, Tensor, Tensor, Tensor)",
    _backward_kernel,
    _backward_shapes,
    autocast=None,
)
