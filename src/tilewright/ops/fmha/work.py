"""How much work an attention problem is: flops, bytes, features, workspaces, and how many splits fill a device."""

from __future__ import annotations

from math import ceil, log2, prod
from typing import TYPE_CHECKING

from ...model.dtype import get_dtype
from .rules import MAX_SPLITS

if TYPE_CHECKING:
    from .problem import FmhaProblem

GOOD_ENOUGH = 0.85  # of the best occupancy: fewer splits mean less to combine


def flops(p: FmhaProblem) -> int:
    """Multiplications and additions of the products over visible pairs; of the rotation where keys are appended."""
    if p.family == "fwd_appendkv":
        rows = p.batch * (p.seqlen_q * p.heads_q * (p.rope != "none") + p.seqlen_new * p.heads_kv)
        return 3 * rows * p.rotary_dim
    depth = 3 * p.hdim_q + 2 * p.hdim_v if p.family == "bwd" else p.hdim_q + p.hdim_v
    return 2 * p.heads_q * visible_pairs(p) * depth


def visible_pairs(p: FmhaProblem) -> int:
    """Query-key pairs that the mask leaves, over all sequences. Group mode counts sequences of average length, scaled
    to the totals, because the lengths themselves are in device memory."""
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
    from .mask import row_bounds

    low, high, sink = row_bounds(p, rows, keys)
    return int((high - low).clip(min=0).sum() + sink.sum())


def bytes_moved(p: FmhaProblem) -> int:
    """Each tensor once: of a cache that is appended to only the new rows, of pages only those that lengths can need."""
    total = 0.0
    for role in p.roles:
        count = prod(p.shape(role))
        if role in ("k", "v") and p.family == "fwd_appendkv":
            count = p.batch * p.seqlen_new * p.heads_kv * p.shape(role)[-1]
        elif role in ("k", "v") and p.page_size:
            count = min(count, p.batch * p.seqlen_k * p.heads_kv * p.shape(role)[-1])
        total += count * get_dtype(p.dtype_of(role)).bytes
    return int(total)


def features(p: FmhaProblem) -> dict[str, float]:
    """Numbers for selection models."""
    rows = p.total_q if p.mode == "group" else p.batch * p.seqlen_q
    pairs = max(p.batch * p.seqlen_q * p.seqlen_k, 1)
    moved = max(p.bytes, 1)
    return {
        "log_batch": log2(max(p.batch, 1)),
        "log_heads_q": log2(max(p.heads_q, 1)),
        "group_size": p.heads_q / max(p.heads_kv, 1),
        "log_seqlen_q": log2(max(p.seqlen_q, 1)),
        "log_seqlen_k": log2(max(p.seqlen_k, 1)),
        "log_rows": log2(max(rows, 1)),
        "hdim_q": float(p.hdim_q),
        "hdim_v": float(p.hdim_v),
        "dtype_bytes": get_dtype(p.dtype).bytes,
        "visible_share": visible_pairs(p) / pairs if p.family != "fwd_appendkv" else 1.0,
        "intensity": p.flops / moved,
        "page_size": float(p.page_size),
        "varlen": float(p.mode == "group"),
        "biased": float(p.bias != "none"),
        "dropout": float(p.dropout > 0),
    }


def split_workspace(p: FmhaProblem, num_splits: int) -> int:
    """Bytes of the partial outputs and LSEs of a split-KV attention, in fp32."""
    rows = p.total_q if p.mode == "group" else p.batch * p.seqlen_q
    return 4 * num_splits * rows * p.heads_q * (p.hdim_v + 1)


def backward_workspace(p: FmhaProblem, key_block: int) -> int:
    """Bytes of dot(dO, O) and of dQ in fp32; a deterministic pass keeps one dQ for each block of `key_block` keys."""
    rows = p.total_q if p.mode == "group" else p.batch * p.seqlen_q
    copies = ceil(p.seqlen_k / key_block) if p.deterministic else 1
    return 4 * rows * p.heads_q * (1 + copies * p.hdim_q)


def choose_splits(blocks: int, units: int, key_blocks: int, most: int = MAX_SPLITS) -> int:
    """How many parts to cut the keys into so that `blocks` blocks occupy `units` compute units.

    Of all counts whose last round of blocks is nearly as full as the best, the smallest: each split is work to combine.

    >>> choose_splits(blocks=8, units=132, key_blocks=64), choose_splits(blocks=200, units=132, key_blocks=64)
    (16, 1)
    """
    if blocks >= 0.8 * units or key_blocks <= 1:
        return 1
    counts = [
        n for n in range(1, min(most, key_blocks) + 1) if n == 1 or ceil(key_blocks / n) < ceil(key_blocks / (n - 1))
    ]
    occupancy = {n: blocks * n / (units * ceil(blocks * n / units)) for n in counts}
    best = max(occupancy.values())
    return next(n for n in counts if occupancy[n] >= GOOD_ENOUGH * best)
