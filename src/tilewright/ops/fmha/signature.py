"""FmhaSignature: what an attention kernel computes, independent of the sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...model.fields import Bounds, Limit

FAMILIES = ("fwd", "fwd_splitkv", "fwd_pagedkv", "fwd_appendkv", "batch_prefill", "bwd")
MODES = ("batch", "group")
MASKS = ("none", "causal_top_left", "causal_bottom_right", "window_top_left", "window")
BIASES = ("none", "elementwise", "alibi")
DROPOUT_RNGS = ("philox", "ck")
QSCALES = ("none", "pertensor", "blockscale")
ROPES = ("none", "interleaved", "half")
V_LAYOUTS = ("row", "col")
LOOKUPS = ("none", "vllm", "sglang")
DTYPES = ("fp32", "bf16", "fp16", "fp8", "bf8", "fp8_fnuz", "bf8_fnuz")
MAX_HDIM = 1 << 16
EIGHT_BIT = ("fp8", "bf8", "fp8_fnuz", "bf8_fnuz")


@dataclass(frozen=True)
class FmhaSignature:
    """Family, types and features. `mask` "window" counts from the bottom right corner, as the causal masks of decoding
    do; `window_top_left` from the top left. `dropout` names the generator of the mask. `page_size` 0 means that keys
    and values are not paged.

    >>> FmhaSignature("fwd", "fp16", "fp16", 128, 128, mask="causal_top_left", lse=True).label()
    'fwd_fp16_d128_causal-top-left_lse'
    """

    ALLOWED: ClassVar[Mapping[str, Limit]] = {
        "family": FAMILIES,
        "dtype": DTYPES,
        "dtype_out": DTYPES,
        "hdim_q": Bounds(1, MAX_HDIM),
        "hdim_v": Bounds(1, MAX_HDIM),
        "mode": MODES,
        "v_layout": V_LAYOUTS,
        "mask": MASKS,
        "bias": BIASES,
        "dropout": ("none", *DROPOUT_RNGS),
        "qscale": QSCALES,
        "rope": ROPES,
        "lookup": LOOKUPS,
        "page_size": Bounds(0, 1 << 20),
    }

    family: str
    dtype: str
    dtype_out: str
    hdim_q: int
    hdim_v: int
    mode: str = "batch"
    v_layout: str = "row"
    mask: str = "none"
    sink: bool = False
    bias: str = "none"
    soft_cap: bool = False
    dropout: str = "none"
    lse: bool = False
    qscale: str = "none"
    rope: str = "none"
    lookup: str = "none"
    page_size: int = 0
    deterministic: bool = False
    dbias: bool = False

    def label(self) -> str:
        """Return a short readable text; display only."""
        hdim = f"d{self.hdim_q}" if self.hdim_q == self.hdim_v else f"d{self.hdim_q}x{self.hdim_v}"
        parts = [self.family.replace("_", "-"), self.dtype.replace("_", "-"), hdim]
        parts += [f"to-{self.dtype_out}"] if self.dtype_out != self.dtype else []
        parts += ["varlen"] if self.mode == "group" else []
        parts += ["vcol"] if self.v_layout == "col" else []
        parts += [self.mask.replace("_", "-")] if self.mask != "none" else []
        parts += [self.bias] if self.bias != "none" else []
        parts += [self.qscale] if self.qscale != "none" else []
        parts += [f"rope-{self.rope}"] if self.rope != "none" else []
        parts += [f"{self.lookup}{self.page_size}"] if self.page_size else []
        flags = {"sink": self.sink, "softcap": self.soft_cap, f"dropout-{self.dropout}": self.dropout != "none"}
        flags |= {"lse": self.lse and self.family != "bwd", "det": self.deterministic, "dbias": self.dbias}
        return "_".join(parts + [name for name, there in flags.items() if there])
