"""Small attentions that take a kernel along its paths; kernels of single stages run with the main one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec, Launch
from ....model.trial import Trial
from ....ops.fmha.of_signature import problem_for
from ....ops.fmha.signature import FmhaSignature
from ...gpu.trials import attention_loops, attention_trials

MAIN = ("attend", "dq_dk_dv")
APPEND = "append"  # a pass of its own, without products


def counted(spec: KernelSpec, place: str) -> tuple[Trial, ...]:
    """Return two attentions whose main loop runs differently often; empty for kernels without products, or if the
    rules refuse one."""
    from .op import OP

    a = spec.algorithm
    if a.stage not in MAIN:
        return ()
    found = attention_loops(spec.signature, place, a.tile_m0, a.tile_n0)
    problems: list[Any] = [t.problem for t in found]
    return () if any(OP.check(spec, get_arch(spec.arch), p, Launch()) for p in problems) else found


def trials(spec: KernelSpec, place: str) -> Iterator[Trial]:
    """Yield attentions: whole blocks, tails, few keys, one row, grouped heads; of an append, those of its blocks."""
    a = spec.algorithm
    if a.stage in MAIN:
        yield from attention_trials(spec.signature, place, a.tile_m0, a.tile_n0)
    elif a.stage == APPEND:
        for path, sizes in append_sizes(spec.signature, a.tile_m0, a.tile_n0):
            yield Trial(path, problem_for(spec.signature, place, **sizes))


def append_sizes(signature: FmhaSignature, rows: int, keys: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (path, sizes) of appends for a kernel with blocks of `rows` queries and `keys` new keys."""
    page = signature.page_size
    hold = page if page else 4 * keys
    same, grouped = {"heads_q": 2, "heads_kv": 2}, {"heads_q": 4, "heads_kv": 2}
    yield "whole blocks", {"batch": 1, **same, "seqlen_q": rows, "seqlen_new": keys, "seqlen_k": 2 * hold}
    yield "tails", {"batch": 2, **same, "seqlen_q": rows + 5, "seqlen_new": keys + 7, "seqlen_k": 2 * hold + page}
    yield "tails of keys", {"batch": 2, **same, "seqlen_q": rows, "seqlen_new": keys + 7, "seqlen_k": 2 * hold}
    yield "one row", {"batch": 3, **same, "seqlen_q": 1, "seqlen_new": 1, "seqlen_k": hold}
    yield "grouped heads", {"batch": 2, **grouped, "seqlen_q": rows, "seqlen_new": 5, "seqlen_k": hold}
