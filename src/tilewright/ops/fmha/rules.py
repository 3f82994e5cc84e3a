"""The semantic rules of attention: which descriptions are invalid, each with a name, a formula and a remedy.

They read only the fields of a problem (or of a draft in the builder), never tensors: see `contents` for those.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from ...errors import nearest
from ...model.dtype import FLOAT64_REMEDY
from ...model.expr import is_integer
from ...model.fields import FACTOR, FLOAT32_TINY, factor_of, shown
from ...model.kernel import MAX_SPLITS
from ...model.rule import Broken, Rejection, broken
from ...model.summation import ANY, is_summation
from . import signature as s
from .shapes import LAYOUTS

MAX_COUNT = (1 << 31) - 1  # kernels count rows, keys and pages in 32 bits
MAX_HEADS = 1 << 16
MAX_SHARED = 256  # key heads that a message lists
MAX_HDIM = 256
PAGED_FAMILIES = ("fwd_splitkv", "fwd_pagedkv", "fwd_appendkv", "batch_prefill")
DROPOUT_FAMILIES = ("fwd", "batch_prefill", "bwd")
NAMES: dict[str, tuple[str, ...]] = {
    "family": s.FAMILIES,
    "mode": s.MODES,
    "layout": LAYOUTS,
    "v_layout": s.V_LAYOUTS,
    "mask": s.MASKS,
    "bias": s.BIASES,
    "dropout_rng": s.DROPOUT_RNGS,
    "qscale": s.QSCALES,
    "rope": s.ROPES,
    "lookup": s.LOOKUPS,
    "dtype": s.DTYPES,
    "dtype_out": s.DTYPES,
}
COUNTS = (
    "batch", "heads_q", "heads_kv", "seqlen_q", "seqlen_k", "hdim_q", "hdim_v", "total_q", "total_k", "sink_tokens",
    "bias_batch", "bias_heads", "block_q", "block_k", "rotary_dim", "seqlen_new", "page_size", "num_pages",
)  # fmt: skip
_read_counts = attrgetter(*COUNTS)
FLAGS = ("kv_lengths", "lse", "deterministic", "dbias")


@dataclass(frozen=True)
class ProblemRule:
    """A named rule over the fields of a problem."""

    id: str
    formula: str
    check: Callable[[Any], Broken | None]
    kind: str = "semantic"


RULES: list[ProblemRule] = []


def _rule(id: str, formula: str) -> Callable[[Callable[[Any], Broken | None]], None]:
    def keep(check: Callable[[Any], Broken | None]) -> None:
        RULES.append(ProblemRule(f"fmha.{id}", formula, check))

    return keep


def check(p: Any) -> tuple[Rejection, ...]:
    """Return every rule that `p` breaks. Values of the wrong kind come first; rules that read them are skipped.

    >>> from types import SimpleNamespace
    >>> [r.rule for r in check(SimpleNamespace(batch="two"))][0]
    'fmha.values'
    """
    wrong = _wrong_values(p)
    answers: list[tuple[str, Broken | None]] = [("fmha.values", b) for b in wrong.values()]
    if not wrong:
        answers = [(rule.id, rule.check(p)) for rule in RULES]
    readable = _Readable(p, frozenset(wrong))
    for rule in RULES if wrong else ():
        with suppress(Exception):  # a wrong value can raise anything in the properties of a problem
            answers.append((rule.id, rule.check(readable)))
    return tuple(Rejection(id, b.message, b.values, b.remedy) for id, b in answers if b is not None)


class _Readable:
    """The fields of a problem except those with values of the wrong kind."""

    def __init__(self, p: Any, wrong: frozenset[str]) -> None:
        self._p, self._wrong = p, wrong

    def __getattr__(self, name: str) -> Any:
        if name in self._wrong:
            raise AttributeError(name)
        return getattr(self._p, name)


def _counts_fit(p: Any) -> bool:
    """Return whether all counts are certainly right; finding the wrong ones takes longer."""
    try:
        values = _read_counts(p)
    except AttributeError:
        return False
    fit = set(map(type, values)) == {int} and min(values) >= 0 and max(values) <= MAX_COUNT
    return fit and max(p.heads_q, p.heads_kv, p.bias_heads) <= MAX_HEADS


def _wrong_values(p: Any) -> dict[str, Broken]:
    """Return values of the wrong kind by the name of the field."""
    found: dict[str, Broken] = {}
    for name in () if _counts_fit(p) else COUNTS:
        value = getattr(p, name, 0)
        most = MAX_HEADS if name in ("heads_q", "heads_kv", "bias_heads") else MAX_COUNT
        if not is_integer(value) or not 0 <= value <= most:
            found[name] = broken(f"{name} is {shown(value)}; it must be an integer from 0 to {most:,}")
    for name in FLAGS:
        if not isinstance(getattr(p, name, False), bool):
            found[name] = broken(f"{name} is {getattr(p, name)!r}; it must be true or false")
    for name in ("window_left", "window_right"):
        value = getattr(p, name, -1)
        if type(value) is not int or not -1 <= value <= MAX_COUNT:
            limits = f"it must be an integer from -1 to {MAX_COUNT:,}"
            found[name] = broken(f"{name} is {shown(value)}; {limits}", "-1 means unbounded")
    for name in ("scale", "soft_cap", "dropout"):
        value = getattr(p, name, 0.0)
        if factor_of(value) is None and not (name == "scale" and value is None):
            found[name] = broken(f"{name} is {shown(value)}; {FACTOR}")
    if not is_summation(getattr(p, "summation", ANY)):
        found["summation"] = broken(f"summation is {shown(p.summation)}; it must be any, invariant or an order's name")
    splits = getattr(p, "num_splits", None)
    if splits is not None and (not isinstance(splits, int) or isinstance(splits, bool)):
        found["num_splits"] = broken(f"num_splits is {splits!r}; it must be an integer", "null lets tilewright choose")
    for name, known in NAMES.items():
        value = getattr(p, name, known[0])
        if type(value) is not str or value not in known:
            near = nearest(str(value)[:80], known)
            hint = f"did you mean {near!r}?" if near else "use one of these"
            if value == "fp64":
                hint = FLOAT64_REMEDY
            found[name] = broken(f"{name} is {shown(value)}, not one of {', '.join(known)}", hint)
    return found


@_rule("heads_divide", "heads_kv >= 1 and heads_q % heads_kv == 0: each key head serves a whole group of query heads")
def _heads_divide(p: Any) -> Broken | None:
    if p.heads_q and (p.heads_kv == 0 or p.heads_q % p.heads_kv):
        shared = [h for h in range(1, min(p.heads_q, MAX_SHARED) + 1) if p.heads_q % h == 0]
        return broken(
            f"{p.heads_q} query heads do not divide over {p.heads_kv} key heads",
            f"use one of {shared} key heads",
            heads_q=p.heads_q,
            heads_kv=p.heads_kv,
        )
    return None


@_rule("hdim", f"hdim_q and hdim_v from 1 to {MAX_HDIM}")
def _hdim(p: Any) -> Broken | None:
    wrong = {n: getattr(p, n) for n in ("hdim_q", "hdim_v") if not 1 <= getattr(p, n) <= MAX_HDIM}
    if wrong:
        sizes_text = " and ".join(f"{n} = {v}" for n, v in wrong.items())
        return broken(f"{sizes_text}: not between 1 and {MAX_HDIM}", "split wide heads into narrower ones", **wrong)
    return None


@_rule("soft_cap", "soft_cap is 0, which means none, or at least 2**-126: kernels multiply by its reciprocal")
def _soft_cap(p: Any) -> Broken | None:
    if p.soft_cap == 0 or p.soft_cap >= FLOAT32_TINY:
        return None
    return broken(f"soft_cap is {p.soft_cap}", f"give a cap of at least {FLOAT32_TINY:.4g}, or 0 for none")


@_rule("dbias", "dbias only in bwd with an elementwise bias")
def _dbias(p: Any) -> Broken | None:
    if p.dbias and (p.family != "bwd" or p.bias != "elementwise"):
        return broken(f"dbias with family {p.family} and bias {p.bias}", "it needs bwd and an elementwise bias")
    return None


@_rule("bias_extents", "bias_batch is 1 or batch; bias_heads is 1 or heads_q; above 1 only with a bias")
def _bias_extents(p: Any) -> Broken | None:
    heads = (1,) if p.bias == "alibi" else (1, p.heads_q)  # there is always one slope per head
    batches = (1,) if p.bias == "elementwise" and p.mode == "group" else (1, p.batch)
    if p.bias == "none":
        heads, batches = (1,), (1,)
    if p.bias_batch not in batches or p.bias_heads not in heads:
        return broken(
            f"bias_batch {p.bias_batch} and bias_heads {p.bias_heads} with bias {p.bias}, mode {p.mode}",
            f"bias_batch must be one of {batches}, bias_heads one of {heads}",
        )
    return None


@_rule("bwd_lse", "bwd needs lse: the probabilities are recomputed from it")
def _bwd_lse(p: Any) -> Broken | None:
    if p.family == "bwd" and not p.lse:
        return broken("a backward pass without the LSE of the forward pass", "run the forward pass with lse")
    return None


@_rule("bwd_dtype", "bwd takes fp32, fp16 or bf16, and its output has the same dtype")
def _bwd_dtype(p: Any) -> Broken | None:
    if p.family == "bwd" and (p.dtype in s.EIGHT_BIT or p.dtype_out != p.dtype):
        return broken(f"bwd with {p.dtype} to {p.dtype_out}", "use one of fp32, fp16, bf16 for both")
    return None


@_rule("dtype_out", "8-bit floats give fp16, bf16, fp32 or themselves; any other dtype gives itself")
def _dtype_out(p: Any) -> Broken | None:
    allowed = ("fp16", "bf16", "fp32", p.dtype) if p.dtype in s.EIGHT_BIT else (p.dtype,)
    if p.dtype_out not in allowed and p.family != "bwd":
        return broken(f"{p.dtype} operands with a {p.dtype_out} output", f"use one of {allowed}")
    return None


@_rule("totals", "group mode: longest <= total <= batch * longest; batch mode has no totals")
def _totals(p: Any) -> Broken | None:
    pairs = [("q", p.total_q, p.seqlen_q)] + ([("k", p.total_k, p.seqlen_k)] if not p.page_size else [])
    if p.mode == "batch":
        given = [f"total_{n} = {total}" for n, total, _ in pairs if total]
        return broken(f"{' and '.join(given)} in batch mode", "totals belong to group mode") if given else None
    wrong = [
        f"total_{n} = {total} with {p.batch} sequences of at most {longest}"
        for n, total, longest in pairs
        if not (longest if p.batch else 0) <= total <= p.batch * longest
    ]
    return (
        broken(" and ".join(wrong), "totals must be between the longest length and batch times it") if wrong else None
    )


@_rule("group_family", "group mode in fwd, fwd_splitkv, fwd_pagedkv, batch_prefill and bwd")
def _group_family(p: Any) -> Broken | None:
    if p.mode == "group" and p.family == "fwd_appendkv":
        return broken("append-KV in group mode", "appending works on a batch of caches: use mode batch")
    return None


@_rule("kv_lengths", "kv_lengths only in batch mode without pages, and not in bwd: others get lengths elsewhere")
def _kv_lengths(p: Any) -> Broken | None:
    if p.kv_lengths and (p.mode == "group" or p.page_size or p.family in ("bwd", "fwd_appendkv")):
        return broken(
            f"kv_lengths in {p.family}, mode {p.mode}, page size {p.page_size}",
            "omit it: cu_seqlens_k, the page table or the append itself gives the lengths",
        )
    return None


@_rule(
    "paged_family",
    "pages only in fwd_splitkv, fwd_appendkv, and in fwd_pagedkv and batch_prefill, which need them",
)
def _paged_family(p: Any) -> Broken | None:
    if p.page_size and p.family not in PAGED_FAMILIES:
        return broken(f"page size {p.page_size} in family {p.family}", f"use one of {', '.join(PAGED_FAMILIES)}")
    if not p.page_size and p.family in ("fwd_pagedkv", "batch_prefill"):
        return broken(f"{p.family} without a page size", "give page_size")
    return None


@_rule("page_lookup", "lookup is vllm or sglang exactly if there are pages, with at least one page")
def _page_lookup(p: Any) -> Broken | None:
    if (p.page_size > 0) != (p.lookup != "none"):
        return broken(f"page size {p.page_size} with lookup {p.lookup}", "give both page_size and lookup, or neither")
    if p.page_size and not p.num_pages and p.seqlen_k:
        return broken("paged keys with no pages", "set num_pages to the number of pages of the cache")
    if p.num_pages and not p.page_size:
        return broken(f"{p.num_pages} pages without a page size", "give page_size")
    return None


@_rule("prefill", "batch_prefill: group mode, row V, page size a power of two")
def _prefill(p: Any) -> Broken | None:
    if p.family != "batch_prefill":
        return None
    wrong = [f"mode {p.mode}"] if p.mode != "group" else []
    wrong += [f"page size {p.page_size}"] if p.page_size & (p.page_size - 1) else []
    return broken(f"batch prefill with {', '.join(wrong)}", "use group mode and 2**n pages") if wrong else None


@_rule("v_layout", "v_layout col only without pages, in fwd and fwd_splitkv")
def _v_layout(p: Any) -> Broken | None:
    if p.v_layout == "col" and (p.page_size or p.family not in ("fwd", "fwd_splitkv")):
        return broken(f"column-major V in {p.family} (page size {p.page_size})", "use v_layout row")
    return None


@_rule("append", "appending: 1 <= seqlen_new <= seqlen_k (the capacity); no other family appends")
def _append(p: Any) -> Broken | None:
    if p.family == "fwd_appendkv" and not 1 <= p.seqlen_new <= p.seqlen_k:
        return broken(
            f"{p.seqlen_new} new keys for a cache of {p.seqlen_k}", "append 1 or more, up to what the cache holds"
        )
    if p.family != "fwd_appendkv" and p.seqlen_new:
        return broken(f"{p.seqlen_new} new keys in family {p.family}", "use fwd_appendkv")
    return None


@_rule("append_plain", "appending takes no window, bias, soft cap, dropout, lse or scales: it computes no attention")
def _append_plain(p: Any) -> Broken | None:
    if p.family != "fwd_appendkv":
        return None
    extras = {
        "a window": "window" in p.mask,
        "a bias": p.bias != "none",
        "a soft cap": p.soft_cap > 0,
        "lse": p.lse,
        "scales": p.qscale != "none",
    }
    given = [name for name, there in extras.items() if there]
    return broken(f"append-KV with {', '.join(given)}", "give them to the attention that follows") if given else None


@_rule("rope", "rope only in fwd_appendkv; rotary_dim even, 2..hdim_q, exactly if there is a rope")
def _rope(p: Any) -> Broken | None:
    if p.rope != "none" and p.family != "fwd_appendkv":
        return broken(f"{p.rope} rope in family {p.family}", "rotate while appending: fwd_appendkv")
    legal = p.rotary_dim % 2 == 0 and 2 <= p.rotary_dim <= p.hdim_q
    if (p.rope != "none" and not legal) or (p.rope == "none" and p.rotary_dim):
        return broken(
            f"rotary_dim {p.rotary_dim} with {p.rope} rope and hdim_q {p.hdim_q}", "give an even number up to hdim_q"
        )
    return None


@_rule(
    "append_queries",
    "rope under a causal mask: seqlen_q <= seqlen_new, so that every query has a position in the cache",
)
def _append_queries(p: Any) -> Broken | None:
    if p.rope != "none" and p.mask != "none" and p.seqlen_q > p.seqlen_new:
        return broken(f"{p.seqlen_q} queries with {p.seqlen_new} new keys", "give a key for every query, or no mask")
    return None


@_rule("window", "window_left and window_right only with a window mask, which needs at least one of them")
def _window(p: Any) -> Broken | None:
    bounded = p.window_left >= 0 or p.window_right >= 0
    if bounded != ("window" in p.mask):
        return broken(
            f"mask {p.mask} with window ({p.window_left}, {p.window_right})",
            "use mask window with window_left and window_right, or another mask without them",
        )
    return None


@_rule("sink", "sink_tokens only with window_left >= 0 and sink_tokens <= seqlen_k: otherwise no key leaves the view")
def _sink(p: Any) -> Broken | None:
    if p.sink_tokens and (p.window_left < 0 or p.sink_tokens > p.seqlen_k):
        return broken(
            f"{p.sink_tokens} sink tokens with window_left {p.window_left} over {p.seqlen_k} keys",
            "sink tokens need a left window",
        )
    return None


@_rule("dropout", "0 <= dropout < 1, and above 0 only in fwd, batch_prefill and bwd")
def _dropout(p: Any) -> Broken | None:
    if not 0 <= p.dropout < 1:
        return broken(f"dropout is {p.dropout}", "give a probability from 0 up to but not including 1")
    if p.dropout > 0 and p.family not in DROPOUT_FAMILIES:
        return broken(f"dropout {p.dropout} in {p.family}", f"it is for training: {', '.join(DROPOUT_FAMILIES)}")
    return None


@_rule("splits", f"num_splits from 1 to {MAX_SPLITS}, given only in fwd_splitkv")
def _splits(p: Any) -> Broken | None:
    if p.num_splits is None:
        return None
    if p.family != "fwd_splitkv":
        return broken(f"num_splits {p.num_splits} in {p.family}", "use fwd_splitkv")
    if not 1 <= p.num_splits <= MAX_SPLITS:
        return broken(f"{p.num_splits} splits; the combine step takes 1 to {MAX_SPLITS}", "use fewer, or null")
    return None


@_rule("qscale", "scales only with 8-bit floats; block sizes >= 1 exactly with blockscale")
def _qscale(p: Any) -> Broken | None:
    if p.qscale != "none" and p.dtype not in s.EIGHT_BIT:
        return broken(f"{p.qscale} scales with {p.dtype} operands", "scales belong to 8-bit floats")
    blocks = p.qscale == "blockscale"
    if (p.block_q > 0) != blocks or (p.block_k > 0) != blocks:
        return broken(f"block sizes {p.block_q} and {p.block_k} with {p.qscale} scales", "give both with blockscale")
    return None


@_rule("deterministic", "deterministic only in bwd: every other family is always deterministic")
def _deterministic(p: Any) -> Broken | None:
    return broken(f"deterministic in {p.family}", "omit it") if p.deterministic and p.family != "bwd" else None


@_rule("summation", "an order of summation only in forward passes")
def _summation(p: Any) -> Broken | None:
    if p.summation == ANY or p.family not in ("bwd", "fwd_appendkv"):
        return None
    return broken(f"summation {p.summation!r} in {p.family}", "omit it: only forward passes have invariant results")
