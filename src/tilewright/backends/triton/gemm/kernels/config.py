"""The compile-time constants of the GEMM kernels, one frozen value per kernel family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class EpilogueConfig:
    """What is done with the accumulator. `d` holds the broadcast of each D operand: none, row or col.

    `exact_int` leaves an integer accumulator as it is.
    """

    scale_a: str = "none"
    scale_b: str = "none"
    d: tuple[str, ...] = ()
    combine: str = "add"
    activation: str = "none"
    exact_int: bool = False


@dataclass(frozen=True)
class HopperConfig:
    """Constants of `hopper_gemm`. Layouts are Gluon layout values; dtypes are Triton's.

    `a_k`, `b_k`: whether K is the contiguous dimension of the operand. `out_row`: whether N is that of the output.
    `consumers`: 1 for cooperative warps, 2 for ping-pong. `parts`: column blocks in which a tile is stored.
    """

    bm: int
    bn: int
    bk: int
    stages: int
    group: int
    a_k: bool
    b_k: bool
    out_row: bool
    stream: bool
    consumers: int
    parts: int
    out_buffers: int
    acc: Any
    out: Any
    layout: Any
    part_layout: Any
    out_smem: Any
    promote: bool
    tma_store: bool
    pdl: bool
    epilogue: EpilogueConfig


@dataclass(frozen=True)
class PortableConfig:
    """Constants of `portable_gemm` and `tma_gemm`."""

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
    parts: int
    acc: Any
    out: Any
    precision: str
    imprecise_steps: int
    persistent: bool
    stages: int
    epilogue: EpilogueConfig
