"""The compile-time constants of the convolution kernels, one frozen value per kernel family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...gemm.kernels.config import EpilogueConfig


@dataclass(frozen=True)
class ImplicitConfig:
    """Constants of `implicit_conv` and `implicit_weight`: tiles of bm x bn, steps of bk.

    `forward`: source and destination are input and output; else backward data. `merge`: as many groups as fit share a
    tile. `channels`: channels per group on both sides where they are known (0: not). `even_k`: the channels of a group
    are a multiple of bk. `fold`: a filter row counts as one run of channels. `atomic`: shares of backward weight meet
    by atomic additions.
    """

    dims: int
    forward: bool
    bm: int
    bn: int
    bk: int
    group: int
    merge: bool
    channels: int
    even_k: bool
    fold: bool
    wide: bool
    atomic: bool
    out: Any
    precision: str
    epilogue: EpilogueConfig


class Columns:
    """The source columns of `span` neighbouring destination columns, relative to a program's origin."""

    forward: bool
    span: int
    fw: int
    stride: int
    phase: int

    @property
    def low(self) -> int:
        """The first source position along w that a program reads, relative to its origin."""
        return 0 if self.forward else -((self.fw - 1 - self.phase) // self.stride)

    @property
    def high(self) -> int:
        """One past the last source position along w."""
        if self.forward:
            return (self.span - 1) * self.stride + self.fw
        return (self.span - 1 + self.phase) // self.stride + 1

    @property
    def advance(self) -> int:
        """Source positions from one program's origin to the next one's."""
        return self.span * self.stride if self.forward else self.span // self.stride


@dataclass(frozen=True)
class WindowConfig(Columns):
    """Constants of `window_conv` and `window_weight`.

    A program holds `span` destination pixels along w for each of `bl` lines, times a block of channels: bc read, bn
    written. `fw`, `stride`, `phase` (backward data: left padding modulo stride) describe the w axis; `fh` the height of
    the filter (window_weight only). `dot`: matrix units over merged groups; else one channel per group on the vector
    units.
    """

    dims: int
    forward: bool
    dot: bool
    bl: int
    bc: int
    bn: int
    span: int
    fh: int
    fw: int
    stride: int
    phase: int
    channels: int
    wide: bool
    atomic: bool
    out: Any
    precision: str
    epilogue: EpilogueConfig


@dataclass(frozen=True)
class FinishConfig:
    """Constants of `finish_weight`: `tiles` are (elements per program, shares of each in turn) for ever more shares.

    `even`: what divides the elements of a share. `clear`: leave the workspace at zero. `fold`: the shares are those of
    folded filter rows. `taps_first`: the shares hold the taps one after the other. `pdl`: set up while the kernel
    before still runs.
    """

    tiles: tuple[tuple[int, int], ...]
    even: int
    clear: bool
    fold: bool
    taps_first: bool
    pdl: bool
    out: Any
    epilogue: EpilogueConfig

    def most(self, tile: int) -> int:
        """The most shares for which a tile that is not the last is taken."""
        return 2 * self.tiles[tile][1]


@dataclass(frozen=True)
class HopperConvConfig:
    """Constants of `hopper_conv` and `hopper_weight`, named as in the gemm backend's `HopperConfig`.

    A tile is bm rows by bn + rest columns. In the data directions its rows are a box of pixels; in backward weight a
    k-step is one. `forward`: source and destination are input and output; else backward data. `stream`: the pixels of
    backward weight are summed in shares. `rows` > 0: that many filter rows share a tile of backward weight, side by
    side in its columns, `part` channels each. `merge`: a tile of backward weight holds several groups, of which the
    blocks on its diagonal are wanted.
    """

    bm: int
    bn: int
    rest: int
    bk: int
    part: int
    stages: int
    group: int
    rows: int
    merge: bool
    forward: bool
    a_k: bool
    b_k: bool
    stream: bool
    consumers: int
    out_buffers: int
    acc: Any
    out: Any
    layout: Any
    rest_layout: Any
    part_layout: Any
    store_layout: Any
    tile_layout: Any
    tma_store: bool
    pdl: bool
    tiles_first: bool
    epilogue: EpilogueConfig
    residual_parts: int = 0
    cluster: int = 1  # no program shares copies with another
    out_row: bool = True  # channels are contiguous


@dataclass(frozen=True)
class ThinConfig:
    """Constants of `thin_conv`: bm pixels at a time, all bk channels that are read and bn that are written.

    `merge`: several groups, of which a program holds as many as fit.
    """

    bm: int
    bn: int
    bk: int
    stages: int
    merge: bool
    wide: bool
    out: Any
    precision: str
    epilogue: EpilogueConfig
