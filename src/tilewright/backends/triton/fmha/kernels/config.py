"""The compile-time constants of the attention kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FmhaConfig:
    """Constants of every attention kernel. dtypes are Triton's.

    Blocks are `bm` query rows by `bn` keys. `hdim_q`, `hdim_v` are padded to the powers of two `dq`, `dv`. `pack`: the
    rows of a block are the rows of all query heads that share a key head, so that keys are read once. `split`: a
    program takes a part of the keys and hands in a partial result. `left`, `right`: which sides of a row's window are
    bounded; `top_left` says where positions count from. `plain`: logits are only scaled. `operand` is the dtype of
    the probabilities as they enter the second product. `tma`: keys and values are read through tensor maps.
    `pdl`: the combination of splits is launched while they still run. `clamp`: indices that were read from memory are
    kept inside of the tensors (see `place.clamp`). `by_keys`: lists of blocks belong to blocks of keys, not of rows
    (`bias_blocks`).
    """

    bm: int
    bn: int
    hdim_q: int
    hdim_v: int
    dq: int
    dv: int
    varlen: bool
    lookup: str
    page_size: int
    pack: bool
    split: bool
    left: bool
    right: bool
    top_left: bool
    sink: bool
    bias: str
    soft_cap: bool
    dropout: bool
    lse: bool
    qscale: str
    plain: bool
    precision: str
    operand: Any
    out: Any
    tma: bool = False
    rope: str = "none"
    pdl: bool = False
    clamp: bool = True
    by_keys: bool = False

    @property
    def whole_pages(self) -> bool:
        """Whether a block of keys consists of several whole pages."""
        return self.lookup != "none" and self.page_size < self.bn and self.bn % self.page_size == 0


@dataclass(frozen=True)
class HopperBackwardConfig:
    """Constants of `hopper_gradients`. Layouts are Gluon layout values; dtypes are Triton's.

    Blocks are `bm` rows by `bn` keys, heads of `hdim` columns (of V `hdim_v`) padded to `d`; blocks of rows lie in a
    ring of `stages`.
    `varlen`, `left`, `right`, `top_left`, `clamp`: as in `FmhaConfig`. Sums of dQ lie in lines of `line` numbers.
    A program takes `blocks_per_item` blocks of keys at a time. `bias`: a bias for each element, through a ring of
    `bias_stages`; blocks of rows come from a list (`bias_blocks`). `ordered`: shares of dQ are added in a fixed order,
    `shares_in_flight` on their way at a time.
    `shares`: programs may share the walk of a block of keys. `wide`: the groups of warps share the keys of a block, of
    which there are 64 (heads of more than 128 columns). `direct`: shares of dQ are added from registers.
    `narrow`: the scores of heads padded to 256 columns are products of 192.
    `sink`, `soft_cap`, `dropout`: as in `FmhaConfig`; but without a bias `sink_rows`: what rows see only as sink tokens
    was summed before (`sink_gradients`), of `sink_block` keys at a time.
    """

    bm: int
    bn: int
    d: int
    hdim: int
    hdim_v: int
    stages: int
    varlen: bool
    left: bool
    right: bool
    top_left: bool
    line: int
    blocks_per_item: int
    operand: Any
    s_layout: Any
    left_layout: Any
    out_layout: Any
    dq_layout: Any
    store_layout: Any
    ds_shared: Any
    clamp: bool = True
    sink: bool = False
    bias: bool = False
    bias_stages: int = 0
    soft_cap: bool = False
    dropout: bool = False
    ordered: bool = False
    shares: bool = False
    wide: bool = False
    direct: bool = False
    narrow: bool = False
    shares_in_flight: int = 0
    sink_rows: bool = False
    sink_block: int = 16


@dataclass(frozen=True)
class HopperForwardConfig:
    """Constants of `hopper_forward`. Layouts are Gluon layout values; dtypes are Triton's.

    A tile is bm = 64 * consumers rows; blocks of `bn` keys lie in rings of `stages`, tiles of queries in one of
    `q_stages`. `dynamic`: programs draw their tiles from a counter, because these differ in length. `turns`: the groups
    of warps issue their products one after another. `bias`: a bias is added, through a ring of `bias_stages`, and
    blocks of keys come from a list (`bias_blocks`). `replace`: results take the place of their rows. `narrow_q`,
    `narrow_v`: 192 of the 256 columns of a tile are multiplied. The rest is as in `FmhaConfig`.
    """

    bm: int
    bn: int
    dq: int
    dv: int
    consumers: int
    stages: int
    q_stages: int
    dynamic: bool
    turns: bool
    left: bool
    right: bool
    top_left: bool
    bias: bool
    bias_stages: int
    replace: bool
    lse: bool
    operand: Any
    out: Any
    score_layout: Any
    out_layout: Any
    p_layout: Any
    narrow_q: bool = False
    narrow_v: bool = False
    rest_layout: Any = None
