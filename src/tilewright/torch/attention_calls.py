"""Attention on plain torch tensors, by one call: forward and backward, of a batch or of packed sequences.

Shapes are those of the caller's `layout`. Results lie in memory as [batch, rows, heads, hdim] in either layout, as
torch's own kernels leave them, so that the heads of a row can be merged without a copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from ..frontends import attention as fwd
from ..frontends import attention_backward as bwd
from ..frontends import default
from ..frontends.attention_options import NO_WINDOW, ROWS, new_result, view_in_order
from ..frontends.call import Description, Result, Views, run
from ..ops.fmha.problem import FmhaProblem

Tensor = torch.Tensor


@dataclass  # not frozen, as nobody changes one: a frozen one takes four times as long to make, at every call
class Options:
    """The options of one attention besides its tensors, in the order of the operators' schemas."""

    alibi: bool = False
    causal: bool = False
    window: tuple[int, int] = (-1, -1)
    align: str = "bottom_right"
    sink_tokens: int = 0
    scale: float | None = None
    soft_cap: float = 0.0
    dropout: float = 0.0
    layout: str = "bshd"
    max_seqlen_q: int | None = None
    max_seqlen_k: int | None = None
    invariant: bool = False

    @classmethod
    def of(cls, values: Any) -> Options:
        """Return the options from the values of an operator, whose lists become tuples.

        >>> Options.of((False, True, [-1, -1], "top_left", 0, None, 0.0, 0.0, "bhsd", None, None, False)).window
        (-1, -1)
        """
        alibi, causal, window, *rest = values
        return cls(alibi, causal, tuple(window), *rest)

    @property
    def values(self) -> tuple[Any, ...]:
        """The values in the order of the schemas."""
        return (
            self.alibi, self.causal, list(self.window), self.align, self.sink_tokens, self.scale, self.soft_cap,
            self.dropout, self.layout, self.max_seqlen_q, self.max_seqlen_k, self.invariant,
        )  # fmt: skip


@dataclass
class Extras:
    """Tensors that an attention may have besides q, k and v."""

    bias: Any = None  # or the slopes of ALiBi
    rng: Any = None
    cu_seqlens_q: Any = None
    cu_seqlens_k: Any = None


def forward(q: Any, k: Any, v: Any, extras: Extras, o: Options, lse: bool) -> tuple[Any, Any]:
    """Return (out, lse); lse is None unless it is asked for."""
    given = {
        "q": q, "k": k, "v": v, "out": None, "lse": None, "bias": extras.bias, "rng": extras.rng,
        "cu_seqlens_q": extras.cu_seqlens_q, "cu_seqlens_k": extras.cu_seqlens_k,
    }  # fmt: skip
    choices = ("fwd", o.causal, o.window, o.align, o.sink_tokens, o.alibi, o.scale, o.soft_cap, o.dropout, lse,
               o.layout, o.max_seqlen_q, o.max_seqlen_k, None, o.invariant)  # fmt: skip
    tensors = run(FORWARD, given, choices)
    return tensors["out"], tensors["lse"]


def plain_forward(
    q: Any, k: Any, v: Any, causal: bool, scale: float | None, invariant: bool = False
) -> tuple[Any, Any]:
    """Return (out, lse) of the attention of SDPA without a mask and dropout."""
    given = {
        "q": q, "k": k, "v": v, "out": None, "lse": None, "bias": None, "rng": None,
        "cu_seqlens_q": None, "cu_seqlens_k": None,
    }  # fmt: skip
    choices = (
        "fwd",
        causal,
        NO_WINDOW,
        "top_left",
        0,
        False,
        scale,
        0.0,
        0.0,
        True,
        "bhsd",
        None,
        None,
        None,
        invariant,
    )
    run(FORWARD, given, choices)
    return given["out"], given["lse"]


def plain_backward(
    dout: Any, q: Any, k: Any, v: Any, out: Any, lse: Any, causal: bool, scale: float | None
) -> tuple[Any, ...]:
    """Return (dq, dk, dv) of the attention of SDPA without a mask and dropout."""
    given = {
        "q": q, "k": k, "v": v, "out": out, "lse": lse, "dout": dout, "bias": None, "cu_seqlens_q": None,
        "cu_seqlens_k": None, "rng": None, "dq": None, "dk": None, "dv": None, "dbias": None,
    }  # fmt: skip
    fixed = torch.are_deterministic_algorithms_enabled()
    choices = (causal, NO_WINDOW, "top_left", 0, False, scale, 0.0, 0.0, fixed, False, True, "bhsd", None, None)
    run(BACKWARD, given, choices)
    return given["dq"], given["dk"], given["dv"]


def recalled(
    q: Any, k: Any, v: Any, bias: Any, causal: bool, scale: float | None, lse: bool = False, invariant: bool = False,
    quiet: bool = False, name: Any = None,
) -> tuple[Any, Any] | None:  # fmt: skip
    """Return (out, lse) of SDPA for tensors that look like those of an earlier call; None if there was none.

    With `quiet`, None as well if torch has to know of the call: for a gradient, a compiler, a mode or a transform.
    With a `name`, the memo in C knows the call by it afterwards: see `run_as`.
    """
    given = {
        "q": q, "k": k, "v": v, "out": None, "lse": None, "bias": bias, "rng": None,
        "cu_seqlens_q": None, "cu_seqlens_k": None,
    }  # fmt: skip
    choices = ("fwd", causal, NO_WINDOW, "top_left", 0, False, scale, 0.0, 0.0, lse, "bhsd", None, None, None,
               invariant)  # fmt: skip
    in_c = None if default.made is None else default.made.calls.in_c
    if in_c is None:
        return None
    asked = (FORWARD, choices, None)
    if not (in_c.run_quiet if quiet else in_c.run)(asked, given):
        return None
    if name is not None:
        in_c.keep_as(asked, name, {**given, "out": None, "lse": None})
    return given["out"], given["lse"]


def run_as(name: Any, q: Any, k: Any, v: Any) -> Any:
    """Return SDPA for tensors of a call that is known by this name; None if there is none, or torch has to know of it.

    One question in C: when the weights of a decoder have gone through the caches, each function of Python on the way
    is read from memory.
    """
    made = default.made
    in_c = None if made is None else made.calls.in_c
    return None if in_c is None else in_c.run_as(name, 3, q, k, v, None, None, None, None, None, None)


def backward(
    dout: Any, q: Any, k: Any, v: Any, out: Any, lse: Any, extras: Extras, o: Options, dbias: bool
) -> tuple[Any, ...]:
    """Return (dq, dk, dv, dbias); dbias is None unless it is asked for. The mode of torch decides `deterministic`."""
    given = {
        "q": q, "k": k, "v": v, "out": out, "lse": lse, "dout": dout, "bias": extras.bias,
        "cu_seqlens_q": extras.cu_seqlens_q, "cu_seqlens_k": extras.cu_seqlens_k, "rng": extras.rng,
        "dq": None, "dk": None, "dv": None, "dbias": None,
    }  # fmt: skip
    choices = (
        o.causal, o.window, o.align, o.sink_tokens, o.alibi, o.scale, o.soft_cap, o.dropout,
        torch.are_deterministic_algorithms_enabled(), dbias, True, o.layout, o.max_seqlen_q, o.max_seqlen_k,
    )  # fmt: skip
    tensors = run(BACKWARD, given, choices)
    return tensors["dq"], tensors["dk"], tensors["dv"], tensors["dbias"]


def _rows_first(problem: FmhaProblem, role: str, views: Views, choices: Mapping[str, Any]) -> Result:
    """Return a result in the caller's order of dimensions, rows before heads in memory."""
    found = new_result(problem, role, views, choices)
    if role not in ROWS or choices.get("layout") != "bhsd":
        return found
    _, heads, rows, columns = found.shape
    return Result(found.shape, found.dtype, (rows * heads * columns, columns, heads * columns, 1))


FORWARD = Description("fmha", fwd.CHOICES, fwd.ATTENTION.pose, _rows_first, view_in_order, places=fwd.places)
BACKWARD = Description("fmha", bwd.CHOICES, bwd.BACKWARD.pose, _rows_first, view_in_order)
