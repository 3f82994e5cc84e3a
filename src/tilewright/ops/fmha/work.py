"""The work of an attention problem: flops, bytes, workspaces, and how many splits fill a device."""

from __future__ import annotations

from math import ceil, prod
from typing import TYPE_CHECKING

from ...model.dtype import get_dtype
from ...model.kernel import MAX_SPLITS, PlanStep
from ...model.problem import kept_by_problem

if TYPE_CHECKING:
    from .problem import FmhaProblem

GOOD_ENOUGH = 0.85  # of the best occupancy: fewer splits need less combining


def flops(p: FmhaProblem) -> int:
    """Return multiplications and additions over visible pairs; those of the rotation if keys are appended."""
    if p.family == "fwd_appendkv":
        rows = p.batch * (p.seqlen_q * p.heads_q * (p.rope != "none") + p.seqlen_new * p.heads_kv)
        return 3 * rows * p.rotary_dim
    depth = 3 * p.hdim_q + 2 * p.hdim_v if p.family == "bwd" else p.hdim_q + p.hdim_v
    return 2 * p.heads_q * visible_pairs(p) * depth


@kept_by_problem
def visible_pairs(p: FmhaProblem) -> int:
    """Return the query-key pairs that the mask leaves, over all sequences. Group mode assumes sequences of average
    length, scaled to the totals, because the lengths themselves are in device memory."""
    if p.mode == "batch":
        return p.batch * _visible(p, p.seqlen_q, p.seqlen_k)
    if not p.batch:
        return 0
    rows, keys = p.total_q / p.batch, (p.total_k / p.batch if not p.page_size else p.seqlen_k)
    share = _visible(p, ceil(rows), ceil(keys)) / max(ceil(rows) * ceil(keys), 1)
    return int(p.batch * rows * keys * share)


def _visible(p: FmhaProblem, rows: int, keys: int) -> int:
    if p.mask == "none":
        return rows * keys
    from .mask import count_visible

    return count_visible(p, rows, keys)


@kept_by_problem
def bytes_moved(p: FmhaProblem) -> int:
    """Return the bytes of each tensor once: only the new rows of a cache, only the pages that lengths can need."""
    bits = 0
    for role in p.roles:
        count = prod(p.shape(role))
        if role in ("k", "v") and p.family == "fwd_appendkv":
            count = p.batch * p.seqlen_new * p.heads_kv * p.shape(role)[-1]
        elif role in ("k", "v") and p.page_size:
            count = min(count, p.batch * p.seqlen_k * p.heads_kv * p.shape(role)[-1])
        bits += count * get_dtype(p.dtype_of(role)).bits
    return bits // 8


def query_rows(p: FmhaProblem) -> int:
    """Return the query rows of all sequences and heads."""
    return (p.total_q if p.mode == "group" else p.batch * p.seqlen_q) * p.heads_q


def plan_steps(p: FmhaProblem, num_splits: int = 1) -> tuple[PlanStep, ...]:
    """Return the steps of a plan: one, or two if keys are split (the parts, and their combination), or the three of a
    backward pass. `num_splits` is also the number of parts whose dQ is summed separately.

    >>> from .problem import FmhaProblem
    >>> sizes = {"batch": 1, "heads_q": 2, "seqlen_q": 4, "hdim_q": 32, "dtype": "fp32"}
    >>> [s.label() for s in plan_steps(FmhaProblem.from_dict({**sizes, "family": "bwd"}))]
    ['dot_do_o [delta 32 B]', 'dq_dk_dv [dq_acc 1,024 B]', 'convert_dq']
    """
    rows = 4 * query_rows(p)
    if p.family == "fwd_appendkv":
        return (PlanStep("append"),)
    if p.family == "bwd":
        sums = [("dq_acc", rows * num_splits * p.hdim_q)]
        sums += [("dbias_acc", 4 * prod(p.shape("dbias")))] if p.dbias else []
        return PlanStep("dot_do_o", (("delta", rows),)), PlanStep("dq_dk_dv", tuple(sums)), PlanStep("convert_dq")
    if num_splits == 1:
        return (PlanStep("attend"),)
    partial = (("partial_out", rows * num_splits * p.hdim_v), ("partial_lse", rows * num_splits))
    return PlanStep("split", partial), PlanStep("combine")


def choose_splits(blocks: int, units: int, key_blocks: int, most: int = MAX_SPLITS) -> int:
    """Return how many parts to split the keys into so that `blocks` blocks occupy `units` compute units.

    This is the smallest count whose last round of blocks is nearly as full as the best, because each split costs work.

    >>> choose_splits(blocks=8, units=132, key_blocks=64), choose_splits(blocks=200, units=132, key_blocks=64)
    (16, 1)
    """
    if blocks >= 0.8 * units or key_blocks <= 1:
        return 1
    counts = [1]
    for n in range(2, most + 1):  # not up to `key_blocks`: that may be traced (`model.trace`), and is no number then
        if n > key_blocks:
            break
        if ceil(key_blocks / n) < ceil(key_blocks / (n - 1)):
            counts.append(n)
    occupancy = {n: blocks * n / (units * ceil(blocks * n / units)) for n in counts}
    best = max(occupancy.values())
    return next(n for n in counts if occupancy[n] >= GOOD_ENOUGH * best)
