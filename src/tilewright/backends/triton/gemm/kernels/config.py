"""The compile-time constants of the GEMM kernels, one frozen value per kernel family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class EpilogueConfig:
    """What is done with the accumulator. `d` holds the broadcast of each D operand: none, row or col.

    `integer`: the accumulator is int32; `exact_int` leaves it as it is. `residual` is the number of the D operand that
    the kernel has in registers (-1: none), because TMA brought it.
    """

    scale_a: str = "none"
    scale_b: str = "none"
    d: tuple[str, ...] = ()
    combine: str = "add"
    activation: str = "none"
    exact_int: bool = False
    integer: bool = False
    residual: int = -1


@dataclass(frozen=True)
class BlockScales:
    """Factors that belong to blocks of K: one per `rows` rows and one per `cols` columns of the product (0: none).

    `steps` k-steps share a factor.
    """

    rows: int = 0
    cols: int = 0
    steps: int = 1


@dataclass(frozen=True)
class HopperConfig:
    """Constants of `hopper_gemm`. Layouts are Gluon layout values; dtypes are Triton's.

    A tile is bm x (bn + rest), stored in column blocks of `part`. `a_k`, `b_k`: whether K is the contiguous dimension
    of the operand. `out_row`: whether N is that of the output. `consumers`: 1 for cooperative warps, 2 for ping-pong.
    `reduce_after`: every tile is handed in in shares, which another kernel adds. `tiles_first`: see `schedule`.
    `a_blocked`, `b_blocked`: the operand is kept in blocks of bk along K, [K / bk, rows, bk]. `cluster`: programs that
    share the tiles of B; `b_smem`, `rest_smem` lay out whole tiles of it. `residual_parts`: column blocks of a residual
    that are in flight.
    """

    bm: int
    bn: int
    rest: int
    bk: int
    part: int
    stages: int
    group: int
    cluster: int
    a_k: bool
    b_k: bool
    out_row: bool
    stream: bool
    reduce_after: bool
    consumers: int
    out_buffers: int
    acc: Any
    out: Any
    layout: Any
    rest_layout: Any
    part_layout: Any
    b_smem: Any
    rest_smem: Any
    store_layout: Any
    promote: bool
    tma_store: bool
    pdl: bool
    tiles_first: bool
    a_blocked: bool
    b_blocked: bool
    scales: BlockScales
    epilogue: EpilogueConfig
    residual_parts: int = 0


@dataclass(frozen=True)
class PortableConfig:
    """Constants of `portable_gemm` and `tma_gemm`.

    `even_k`: K is a multiple of bk. `wide`: offsets inside a tile need 64 bits. `imprecise`: fp8 sums may stay in the
    tensor core. `persistent`: fuse the tile loop with the K loop. `a_blocked`, `b_blocked`: as in `HopperConfig`.
    """

    bm: int
    bn: int
    bk: int
    group: int
    a_k: bool
    b_k: bool
    out_row: bool
    stream: bool
    even_k: bool
    wide: bool
    acc: Any
    out: Any
    precision: str
    imprecise: bool
    persistent: bool
    a_blocked: bool
    b_blocked: bool
    scales: BlockScales
    epilogue: EpilogueConfig

    @property
    def zero(self) -> Any:
        """The zero of the operands, for masked reads."""
        return 0 if self.epilogue.integer else 0.0


@dataclass(frozen=True)
class PrologueStepConfig:
    """One step of a prologue: the number of its tensor with its broadcast, or -1 and `epilogue` with the activation."""

    tensor: int
    broadcast: str
    multiplies: bool
    epilogue: EpilogueConfig


@dataclass(frozen=True)
class PrologueConfig(PortableConfig):
    """Constants of `prologue_gemm`: those of `portable_gemm`, and the steps of A and B."""

    before_a: tuple[PrologueStepConfig, ...]
    before_b: tuple[PrologueStepConfig, ...]


@dataclass(frozen=True)
class ReduceConfig:
    """Constants of `reduce_shares`: tiles of bm x width in column blocks of `part`, rows x cols of them per program."""

    bm: int
    width: int
    part: int
    rows: int
    cols: int
    group: int
    acc: Any
    out: Any
    pdl: bool
    epilogue: EpilogueConfig
