"""The numbers of an attention problem that cost models and selection models read.

Adding a number, or changing one for problems that models were trained on, changes `VERSION`.
"""

from __future__ import annotations

from ...model.dtype import get_dtype
from .problem import FmhaProblem
from .work import bytes_moved, query_rows, visible_pairs

VERSION = 3
# What differs only in these fields is the same problem to a judge: it must not be on both sides of a split.
BATCH_FIELDS = ("batch",)
# A model is used only for problems with those of these features, and widths of heads, that its measurements had.
REACH = ("append", "biased", "capped", "deterministic", "dropout", "hdim_q", "hdim_v", "paged", "sinks", "varlen")


def numbers(problem: FmhaProblem) -> dict[str, float]:
    """Return the problem as numbers, by name.

    >>> sizes = {"batch": 2, "heads_q": 8, "heads_kv": 2, "seqlen_q": 4, "hdim_q": 32}
    >>> p = FmhaProblem.from_dict({**sizes, "dtype": "fp16"})
    >>> numbers(p)["group"], numbers(p)["masked"]
    (4.0, 0.0)
    """
    p = problem
    append = p.family == "fwd_appendkv"
    return {
        "batch": 1.0 * p.batch,
        "heads_q": 1.0 * p.heads_q,
        "heads_kv": 1.0 * p.heads_kv,
        "group": float(p.heads_q // max(p.heads_kv, 1)),
        "seqlen_q": 1.0 * p.seqlen_q,
        "seqlen_k": 1.0 * p.seqlen_k,
        "hdim_q": 1.0 * p.hdim_q,
        "hdim_v": 1.0 * p.hdim_v,
        "flops": 1.0 * p.flops,
        "bytes": 1.0 * bytes_moved(p),
        "pairs": 0.0 if append else 1.0 * visible_pairs(p),
        "rows": 1.0 * query_rows(p),
        "size": get_dtype(p.dtype).bytes,
        "append": float(append),
        "backward": float(p.family == "bwd"),
        "masked": float(p.mask != "none"),
        "causal": float(p.mask.startswith("causal")),
        "paged": float(p.page_size > 0),
        "varlen": float(p.mode == "group"),
        "biased": float(p.bias != "none"),
        "capped": float(p.soft_cap > 0),
        "deterministic": float(p.deterministic),
        "dropout": float(p.dropout > 0),
        "sinks": float(p.sink_tokens > 0),
    }
