"""FmhaBuilder: builds an attention problem with named setters; `build` reports every inconsistency at once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ...errors import ProblemError
from ...model.rule import Rejection
from .problem import NEEDED, FmhaProblem, with_defaults
from .rules import check


class FmhaBuilder:
    """Collects the fields of a problem. Every setter returns the builder; nothing is checked before `build`.

    >>> p = FmhaBuilder("fwd", "fp16").sizes(2, 256).heads(16, 4).hdim(128).mask("causal_top_left").lse().build()
    >>> p.label()
    'fmha b2 h16/4 256x256 fwd_fp16_d128_causal-top-left_lse'
    """

    def __init__(self, family: str = "fwd", dtype: str = "fp16", dtype_out: str | None = None) -> None:
        self._fields: dict[str, Any] = {"family": family, "dtype": dtype}
        if dtype_out is not None:
            self._fields["dtype_out"] = dtype_out

    def set(self, **fields: Any) -> FmhaBuilder:
        """Set any fields of the problem by name."""
        self._fields.update(fields)
        return self

    def sizes(self, batch: int, seqlen_q: int, seqlen_k: int | None = None) -> FmhaBuilder:
        """Set the number of sequences, and the query and key rows of each."""
        return self.set(batch=batch, seqlen_q=seqlen_q, seqlen_k=seqlen_q if seqlen_k is None else seqlen_k)

    def varlen(
        self, batch: int, max_q: int, max_k: int, total_q: int | None = None, total_k: int | None = None
    ) -> FmhaBuilder:
        """Use sequences of different lengths, one after another: give the longest lengths and the totals."""
        totals = {"total_q": total_q, "total_k": total_k}
        given = {name: n for name, n in totals.items() if n is not None}
        return self.sizes(batch, max_q, max_k).set(mode="group", **given)

    def heads(self, queries: int, keys: int | None = None) -> FmhaBuilder:
        """Set the number of query heads, and of key heads if there are fewer."""
        return self.set(heads_q=queries, heads_kv=queries if keys is None else keys)

    def hdim(self, q: int, v: int | None = None) -> FmhaBuilder:
        """Set the width of a head of Q and K, and of V if it differs."""
        return self.set(hdim_q=q, hdim_v=q if v is None else v)

    def layout(self, layout: str, v: str = "row") -> FmhaBuilder:
        """Set the memory order: bshd or bhsd; V row- or column-major."""
        return self.set(layout=layout, v_layout=v)

    def scale(self, scale: float) -> FmhaBuilder:
        """Set the factor of Q K^T instead of 1 / sqrt(hdim_q)."""
        return self.set(scale=scale)

    def mask(self, mask: str) -> FmhaBuilder:
        """Set the mask: none, causal_top_left or causal_bottom_right."""
        return self.set(mask=mask)

    def window(self, left: int, right: int, sink_tokens: int = 0, top_left: bool = False) -> FmhaBuilder:
        """Use a sliding window; -1 is unbounded. The first `sink_tokens` keys stay visible."""
        mask = "window_top_left" if top_left else "window"
        return self.set(mask=mask, window_left=left, window_right=right, sink_tokens=sink_tokens)

    def bias(self, kind: str, batch: int = 1, heads: int = 1) -> FmhaBuilder:
        """Set the bias: elementwise (with its extents) or alibi."""
        return self.set(bias=kind, bias_batch=batch, bias_heads=heads)

    def soft_cap(self, cap: float) -> FmhaBuilder:
        """Replace scaled scores by cap * tanh(scores / cap), before a bias is added."""
        return self.set(soft_cap=cap)

    def dropout(self, probability: float, rng: str = "philox") -> FmhaBuilder:
        """Set the fraction of probabilities that is dropped, and the generator of the mask."""
        return self.set(dropout=probability, dropout_rng=rng)

    def lse(self, wanted: bool = True) -> FmhaBuilder:
        """Set whether the log-sum-exp of each row is returned."""
        return self.set(lse=wanted)

    def qscale(self, kind: str, block_q: int = 0, block_k: int = 0) -> FmhaBuilder:
        """Set the scales of 8-bit operands: pertensor, or blockscale with the rows of a block."""
        return self.set(qscale=kind, block_q=block_q, block_k=block_k)

    def paged(self, page_size: int, num_pages: int | None = None, lookup: str = "vllm") -> FmhaBuilder:
        """Use pages of keys and values, with a page table in the form of vLLM or SGLang."""
        self.set(page_size=page_size, lookup=lookup)
        return self if num_pages is None else self.set(num_pages=num_pages)

    def kv_lengths(self) -> FmhaBuilder:
        """Take the number of keys of each sequence from `seqlens_k`."""
        return self.set(kv_lengths=True)

    def append(self, seqlen_new: int) -> FmhaBuilder:
        """Set the number of keys and values to append to each sequence."""
        return self.set(seqlen_new=seqlen_new)

    def rope(self, kind: str, rotary_dim: int) -> FmhaBuilder:
        """Apply rotary embedding while appending: interleaved or half, over the first `rotary_dim` columns."""
        return self.set(rope=kind, rotary_dim=rotary_dim)

    def splits(self, count: int) -> FmhaBuilder:
        """Set a fixed number of KV splits; otherwise tilewright chooses."""
        return self.set(num_splits=count)

    def deterministic(self) -> FmhaBuilder:
        """Require a backward pass that gives the same bits every time."""
        return self.set(deterministic=True)

    def dbias(self) -> FmhaBuilder:
        """Compute the gradient of the elementwise bias too."""
        return self.set(dbias=True)

    def mistakes(self) -> tuple[Rejection, ...]:
        """Return every rule that the current fields break, including missing fields.

        >>> [r.rule for r in FmhaBuilder("bwd").sizes(1, 8).heads(6, 4).hdim(300).lse(False).mistakes()]
        ['fmha.heads_divide', 'fmha.hdim', 'fmha.bwd_lse']
        """
        missing = [n for n in NEEDED if n not in self._fields]
        found = [Rejection("fmha.missing", f"{n} is missing", {}, f"give {n}") for n in missing]
        stand_ins = dict.fromkeys(missing, 8)  # harmless values, so that the other rules can still be checked
        whole = with_defaults({**self._fields, **stand_ins})
        defaults = {f.name: f.default for f in FmhaProblem.__dataclass_fields__.values()}
        return (*found, *check(SimpleNamespace(**{**defaults, **whole})))

    def build(self) -> FmhaProblem:
        """Return the problem; raise an error that lists every mistake if there are any."""
        mistakes = self.mistakes()
        if mistakes:
            raise ProblemError.of("fmha problem", [str(m) for m in mistakes])
        return FmhaProblem.from_dict(self._fields)
