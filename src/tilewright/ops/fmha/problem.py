"""FmhaProblem: sizes, types and features of one attention."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from math import sqrt
from typing import Any

from ...errors import ProblemError
from ...model.canonical import canonical, digest
from ...model.device import full_device_name
from ...model.dtype import get_dtype
from ...model.locks import cached_property
from ...model.rule import Subject
from ...model.summation import ANY
from ...model.tensor import MAX_BYTES, MAX_ELEMENT_BYTES, VECTOR, overflows, reach_of
from ..given import given_fields
from . import shapes, work
from .rules import check
from .signature import EIGHT_BIT, FmhaSignature

_signature = lru_cache(maxsize=1024, typed=True)(FmhaSignature)  # few, and asked for by every new shape
NEEDED = ("batch", "heads_q", "seqlen_q", "hdim_q", "dtype")


@dataclass(frozen=True)
class FmhaProblem:
    """One attention: out = dropout(softmax(cap(scale * Q K^T) + bias)) V over `batch` sequences.

    `seqlen_q` and `seqlen_k` are the longest lengths; in group mode the sequences lie one after another and `total_q`,
    `total_k` are the sums (tensors `cu_seqlens_q`, `cu_seqlens_k` hold the start of each). With `kv_lengths`, tensor
    `seqlens_k` has the number of keys of each sequence. With `page_size`, K and V are `num_pages` pages, found by a
    table of the form `lookup`. `window_left` and `window_right` are -1 if unbounded; the first `sink_tokens` keys stay
    visible. `bias_batch` and `bias_heads` are 1 if the bias is shared. If `num_splits` is None, tilewright chooses.
    `summation` is the order of all sums of a row: any, invariant (the same for every batch), or the name of one.
    `alignment` holds the bytes that divide the pointer of a role if those are fewer than 16.

    >>> p = FmhaProblem.from_dict({"batch": 2, "heads_q": 8, "seqlen_q": 64, "hdim_q": 32, "dtype": "fp16"})
    >>> p.heads_kv, p.seqlen_k, p.roles, p.flops
    (8, 64, ('q', 'k', 'v', 'out'), 8388608)
    """

    op = "fmha"  # not annotated: no field
    batch: int
    heads_q: int
    heads_kv: int
    seqlen_q: int
    seqlen_k: int
    hdim_q: int
    hdim_v: int
    dtype: str
    dtype_out: str
    family: str = "fwd"
    mode: str = "batch"
    total_q: int = 0
    total_k: int = 0
    kv_lengths: bool = False
    layout: str = "bshd"
    v_layout: str = "row"
    scale: float | None = None
    mask: str = "none"
    window_left: int = -1
    window_right: int = -1
    sink_tokens: int = 0
    bias: str = "none"
    bias_batch: int = 1
    bias_heads: int = 1
    soft_cap: float = 0.0
    dropout: float = 0.0
    dropout_rng: str = "philox"
    lse: bool = False
    qscale: str = "none"
    block_q: int = 0
    block_k: int = 0
    rope: str = "none"
    rotary_dim: int = 0
    seqlen_new: int = 0
    page_size: int = 0
    num_pages: int = 0
    lookup: str = "none"
    num_splits: int | None = None
    deterministic: bool = False
    dbias: bool = False
    strides: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    alignment: Mapping[str, int] = field(default_factory=dict)
    device: str = "cpu"
    summation: str = ANY

    def __post_init__(self) -> None:
        object.__setattr__(self, "device", full_device_name(self.device))  # one name, one exact key
        broken = check(self)
        for name in ("scale", "soft_cap", "dropout"):
            value = getattr(self, name)
            if not isinstance(value, (float, int)) and value is not None and not broken:
                object.__setattr__(self, name, float(value))  # a scalar of NumPy
        if broken:
            raise ProblemError.of("fmha problem", [str(r) for r in broken])
        mistakes = [
            f"strides of {r!r}: no such tensor; there are {', '.join(self.roles)}"
            if r not in self.roles
            else f"strides of {r!r}: {s!r}; need one for each extent of {self.shape(r)}"
            for r, s in self.strides.items()
            if r not in self.roles or len(s) != len(self.shape(r))
        ]
        if mistakes:
            raise ProblemError.of("fmha problem", mistakes)
        self.check_addresses()

    def check_addresses(self) -> None:
        """Raise `ProblemError` if addresses or products overflow."""
        mistakes = []
        if self.strides or self._largest > MAX_BYTES // MAX_ELEMENT_BYTES:
            mistakes = overflows({r: reach_of(self.shape(r), self.stride(r)) for r in self.roles}, self.dtype_of)
        if not mistakes and self._products > MAX_BYTES:
            mistakes = ["the products of all heads overflow 64 bits"]
        if mistakes:
            raise ProblemError.of("fmha problem", mistakes)

    @property
    def _products(self) -> int:
        rows = max(self.batch * self.seqlen_q, self.total_q)
        return rows * self.heads_q * max(self.seqlen_k, 1) * (self.hdim_q + self.hdim_v)

    @property
    def _largest(self) -> int:
        """Return a bound on the elements of any dense tensor: a quick check before tensors are inspected."""
        length = self.seqlen_q + self.seqlen_k + self.total_q + self.total_k + self.seqlen_new + self.page_size + 1
        heads, row = self.heads_q + self.heads_kv, self.hdim_q + self.hdim_v + self.seqlen_k
        return (self.batch + self.num_pages) * heads * length * row

    @property
    def variant(self) -> str:
        """forward, decode (splits of the keys) or backward."""
        return {"bwd": "backward", "fwd_splitkv": "decode"}.get(self.family, "forward")

    @property
    def operand_dtype(self) -> str:
        """The dtype of the first operand."""
        return self.dtype

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FmhaProblem:
        """Return a problem from its JSON form; omitted fields are derived from the others (`with_defaults`)."""
        return cls(**with_defaults(data))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form without fields at their default."""
        return {"op": "fmha", **canonical(self)}

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The tensors of this problem, in order."""
        return shapes.roles(self)

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """The tensors that are written, the main one first."""
        return shapes.outputs(self)

    def shape(self, role: str) -> tuple[int, ...]:
        """Return the logical shape of a role: (batch, seqlen, heads, hdim) or, in group mode, (total, heads, hdim)."""
        found = self._shape_table.get(role)
        if found is None:
            found = self._shape_table[role] = shapes.shape(self, role)
        return found

    @cached_property
    def _shape_table(self) -> dict[str, tuple[int, ...]]:
        return {}

    def dtype_of(self, role: str) -> str:
        """Return the dtype of a role."""
        return shapes.dtype_of(self, role)

    def stride(self, role: str) -> tuple[int, ...]:
        """Return the strides of a role in elements: as given, or dense in the problem's layout."""
        return self.strides[role] if role in self.strides else shapes.dense_strides(self, role)

    @cached_property
    def softmax_scale(self) -> float:
        """The factor of Q K^T: as given, or 1 / sqrt(hdim_q)."""
        return 1.0 / sqrt(self.hdim_q) if self.scale is None else self.scale

    @cached_property
    def signature(self) -> FmhaSignature:
        """What is computed, without the sizes."""
        return _signature(
            self.family, self.dtype, self.dtype_out, self.hdim_q, self.hdim_v,
            mode=self.mode, v_layout=self.v_layout, mask=self.mask, sink=self.sink_tokens > 0, bias=self.bias,
            soft_cap=self.soft_cap > 0, dropout=self.dropout_rng if self.dropout > 0 else "none", lse=self.lse,
            qscale=self.qscale, rope=self.rope, lookup=self.lookup, page_size=self.page_size,
            deterministic=self.deterministic, dbias=self.dbias,
        )  # fmt: skip

    @cached_property
    def exact_key(self) -> str:
        """Identity for the plan cache."""
        return digest(self)

    @cached_property
    def tuning_key(self) -> str:
        """Identity for measurements: sizes, signature, the extent of the mask, and how well rows are aligned."""
        names = (
            "batch",
            "heads_q",
            "heads_kv",
            "seqlen_q",
            "seqlen_k",
            "total_q",
            "total_k",
            "seqlen_new",
            "num_pages",
        )
        windows = (self.window_left, self.window_right, self.sink_tokens, self.rotary_dim, self.block_q, self.block_k)
        rows = {r: self.row_alignment(r) for r in self.roles if r in ("q", "k", "v", "out", "bias")}
        return digest(
            {
                "op": "fmha",
                "sizes": [getattr(self, name) for name in names],
                "windows": windows,
                "signature": self.signature,
                "rows": rows,
                "splits": self.num_splits,
                "layout": (self.layout, self.kv_lengths),
                "bias": (self.bias_batch, self.bias_heads),
            }
        )

    def row_alignment(self, role: str) -> int:
        """Return the largest power of two, up to 16, of bytes that divides every stride of a role.

        The axis whose elements lie one after another does not count; rows that overlap may be one element apart.
        """
        size, shape = get_dtype(self.dtype_of(role)).bytes, self.shape(role)
        unit = len(shape) - (3 if role == "v" and self.v_layout == "col" else 1)
        strides = enumerate(zip(self.stride(role), shape, strict=True))
        steps = [int(abs(s) * size) for axis, (s, n) in strides if n > 1 and s and (axis, abs(s)) != (unit, 1)]
        return min([VECTOR, *(s & -s for s in steps)])

    @property
    def flops(self) -> int:
        """Multiplications and additions of the products, over the pairs that the mask leaves."""
        return work.flops(self)

    @property
    def bytes(self) -> int:
        """The fewest bytes that must move: each operand and each result once."""
        return work.bytes_moved(self)

    def label(self) -> str:
        """Return a short readable text for tables."""
        heads = f"h{self.heads_q}" if self.heads_q == self.heads_kv else f"h{self.heads_q}/{self.heads_kv}"
        return f"fmha b{self.batch} {heads} {self.seqlen_q}x{self.seqlen_k} {self.signature.label()}"


FmhaSubject = Subject[FmhaProblem]  # what rules of one op look at


def with_defaults(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a problem with derived defaults: as many key heads as query heads, keys as long as queries,
    hdim_v like hdim_q, 8-bit floats to bf16, the LSE of a backward pass, full totals, enough pages.

    >>> with_defaults({"batch": 1, "heads_q": 4, "seqlen_q": 8, "hdim_q": 32, "dtype": "fp8"})["dtype_out"]
    'bf16'
    """
    rest = given_fields("fmha problem", data, [f.name for f in fields(FmhaProblem)], NEEDED)
    rest.setdefault("heads_kv", rest["heads_q"])
    rest.setdefault("seqlen_k", rest["seqlen_q"])
    rest.setdefault("hdim_v", rest["hdim_q"])
    rest.setdefault("dtype_out", usual_out(rest["dtype"]))
    if rest.get("family") == "bwd":
        rest.setdefault("lse", True)
    return {**rest, **_sizes(rest)}


def usual_out(dtype: str) -> str:
    """Return the default dtype of a result: 8-bit floats give bf16, any other dtype gives itself.

    >>> usual_out("fp8"), usual_out("fp16")
    ('bf16', 'fp16')
    """
    return "bf16" if dtype in EIGHT_BIT else dtype


def _sizes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return totals of group mode, the page form and the number of pages if they are omitted."""
    found: dict[str, Any] = {}
    whole = all(isinstance(given[n], int) for n in ("batch", "seqlen_q", "seqlen_k"))
    if given.get("mode") == "group" and whole:
        found["total_q"] = given.get("total_q", given["batch"] * given["seqlen_q"])
        if not given.get("page_size"):
            found["total_k"] = given.get("total_k", given["batch"] * given["seqlen_k"])
    page = given.get("page_size", 0)
    if whole and isinstance(page, int) and page > 0:
        found["lookup"] = given.get("lookup", "vllm")
        found["num_pages"] = given.get("num_pages", given["batch"] * -(-given["seqlen_k"] // page))
    return found
