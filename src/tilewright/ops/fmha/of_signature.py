"""From a signature back to a problem: the attention that a kernel computes, with given sizes."""

from __future__ import annotations

from typing import Any

from .problem import FmhaProblem
from .signature import FmhaSignature

SOFT_CAP, DROPOUT, SINK_TOKENS = 4.0, 0.25, 3  # the values of "some" in a signature
WINDOW = (20, 5)  # keys that a row sees to its left and right
SCALE_BLOCK, ROTARY_DIM = 64, 16


def problem_for(signature: FmhaSignature, device: str = "cpu", **sizes: Any) -> FmhaProblem:
    """Return an attention of this signature; `sizes` are fields of the JSON form.

    >>> s = FmhaSignature("fwd", "fp16", "fp16", 64, 64, mask="window", soft_cap=True, dropout="philox")
    >>> problem_for(s, batch=1, heads_q=2, seqlen_q=8).signature == s
    True
    """
    s = signature
    same = ("family", "dtype", "dtype_out", "hdim_q", "hdim_v", "mode", "v_layout", "mask", "bias", "lse", "qscale",
            "rope", "deterministic", "dbias")  # fmt: skip
    fields: dict[str, Any] = {name: getattr(s, name) for name in same}
    fields |= {"soft_cap": SOFT_CAP} if s.soft_cap else {}
    fields |= {"dropout": DROPOUT, "dropout_rng": s.dropout} if s.dropout != "none" else {}
    fields |= {"sink_tokens": SINK_TOKENS} if s.sink else {}
    fields |= dict(zip(("window_left", "window_right"), WINDOW, strict=True)) if s.mask.startswith("window") else {}
    fields |= {"page_size": s.page_size, "lookup": s.lookup} if s.page_size else {}
    fields |= {"block_q": SCALE_BLOCK, "block_k": SCALE_BLOCK} if s.qscale == "blockscale" else {}
    fields |= {"rotary_dim": ROTARY_DIM} if s.rope != "none" else {}
    return FmhaProblem.from_dict({**fields, "device": device, **sizes})
