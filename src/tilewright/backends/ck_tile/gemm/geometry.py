"""The numbers that rules and the cost model share: bytes, vectors, and how a tile spreads over the lanes of a wave."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Any

from ....model.arch import AmdArch
from ....model.dtype import get_dtype
from ....ops.gemm.signature import GemmSignature
from .algorithm import CkTileGemm

VECTOR_BYTES = (16, 8, 4, 2)
WIDEST_BYTES = 16
DIMS = ("m", "n", "k")


@lru_cache(maxsize=64)
def element_bytes(dtype: str) -> float:
    """Bytes of one element; 0.5 for packed 4-bit types.

    >>> element_bytes("bf16"), element_bytes("pk_fp4")
    (2.0, 0.5)
    """
    return get_dtype(dtype).bytes


def threads(algorithm: CkTileGemm, arch: AmdArch) -> int:
    """The block size: lanes of a wave times waves of the block."""
    return arch.wave_size * algorithm.wave_count


def operand_bytes(algorithm: CkTileGemm, signature: GemmSignature) -> int:
    """Bytes of one A tile and one B tile: what a pipeline keeps in LDS, once.

    >>> operand_bytes(CkTileGemm(), GemmSignature("fp16", "fp16", "fp32", "fp16"))
    65536
    """
    a = algorithm.tile_m * algorithm.tile_k * element_bytes(signature.dtype_a)
    b = algorithm.tile_n * algorithm.tile_k * element_bytes(signature.dtype_b)
    return ceil(a + b)


@dataclass(frozen=True)
class Spread:
    """How a block loads an x by y tile: `lanes` lanes of a wave side by side along x, `vector` elements each.

    `covers` says whether that fills every wave: a whole number of elements per thread, and whole rows of lanes.
    """

    x: int
    y: int
    vector: int
    lanes: float
    per_thread: float
    covers: bool


@lru_cache(maxsize=16384)
def spread(x: int, y: int, block: int, wave: int, size: float) -> Spread:
    """The widest loads of 16, 8, 4 or 2 bytes that divide the contiguous extent x and each thread's share.

    >>> spread(64, 256, 256, 64, 2.0)
    Spread(x=64, y=256, vector=8, lanes=8.0, per_thread=64.0, covers=True)
    """
    if min(x, y, block) <= 0:
        return Spread(x, y, 1, 0.0, 0.0, True)  # sizes that mean nothing are the business of another rule
    per_thread = x * y / block
    widths = (int(b / size) for b in VECTOR_BYTES if b >= size)
    vector = next((w for w in widths if x % w == 0 and per_thread % w == 0), 1)
    narrowed = min(vector, per_thread)
    lanes = x / narrowed if narrowed else float("inf")
    covers = per_thread >= 1 and per_thread == int(per_thread) and lanes * (wave // lanes) == wave
    return Spread(x, y, vector, lanes, per_thread, covers)


def load_extents(algorithm: CkTileGemm, signature: GemmSignature, role: str) -> tuple[int, int, str]:
    """(contiguous extent, other extent, contiguous dimension) of the tile of operand "a" or "b"."""
    side = ("m", algorithm.tile_m) if role == "a" else ("n", algorithm.tile_n)
    along_k = signature.layout[0] == "r" if role == "a" else signature.layout[1] == "c"
    return (algorithm.tile_k, side[1], "k") if along_k else (side[1], algorithm.tile_k, side[0])


def load_spread(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch, role: str) -> Spread:
    """How a block loads its tile of operand "a" or "b"; wave groups load tiles of their own."""
    x, y, _ = load_extents(algorithm, signature, role)
    block = threads(algorithm, arch) // max(1, algorithm.num_wave_groups)
    dtype = signature.dtype_a if role == "a" else signature.dtype_b
    return spread(x, y, block, arch.wave_size, element_bytes(dtype))


def store_spread(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch) -> Spread:
    """How the cshuffle epilogue stores the output tile of one row of waves."""
    rows = algorithm.tile_m // max(1, algorithm.waves_m)
    block = threads(algorithm, arch)
    return spread(algorithm.tile_n, rows, block, arch.wave_size, element_bytes(signature.dtype_out))


def load_vector(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch, role: str) -> int:
    """Elements per global load of operand "a" or "b"; operands read 16 bytes at a time by pre-shuffle pipelines."""
    dtype = signature.dtype_a if role == "a" else signature.dtype_b
    if signature.b_format != "plain":
        return max(1, int(WIDEST_BYTES / element_bytes(dtype)))
    return load_spread(algorithm, signature, arch, role).vector


def store_vector(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch, dtype: str | None = None) -> int:
    """Elements per global store of the output (or per load of a D operand of `dtype`).

    cshuffle stores up to 16 bytes; the default epilogue stores what a lane holds side by side: single elements of a
    row, and 4 (MFMA) or 8 (WMMA) of a column.
    """
    row = signature.layout[2] == "r"
    if algorithm.epilogue != "cshuffle":
        return 1 if row else 4 if arch.matrix_isa == "mfma" else 8
    reach = algorithm.waves_n * algorithm.warp_tile_n if row else algorithm.waves_m * algorithm.warp_tile_m
    return min(reach, max(1, int(WIDEST_BYTES / element_bytes(dtype or signature.dtype_out))))


def preshuffle_format(algorithm: CkTileGemm, dtype_b: str, wave: int = 64) -> str:
    """The name of the packed format of B that a pre-shuffle kernel reads: strips of `n` columns, `v` elements deep.

    B is viewed as [N/n, n, K/v, v] and stored in the order 0, 2, 1, 3; n is the warp tile's n, and v the fewer of the
    elements in 16 bytes and those that one lane takes along k.

    >>> preshuffle_format(CkTileGemm(), "fp16")
    'ck_tile_n32_v8'
    """
    n = algorithm.warp_tile_n
    rows_of_lanes = max(1, wave // max(1, n))
    depth = min(int(WIDEST_BYTES / element_bytes(dtype_b)), max(1, algorithm.warp_tile_k // rows_of_lanes))
    return f"ck_tile_n{n}_v{depth}"


def closest(choices: Iterable[Any], distance: Callable[[Any], float], fits: Callable[[Any], bool]) -> Any:
    """The choice that fits at the smallest distance (the earlier one of a tie), or None.

    >>> closest((8, 16, 32, 64), lambda c: abs(c - 40), lambda c: c % 16 == 0)
    32
    """
    return min((c for c in choices if fits(c)), key=distance, default=None)


def smaller(choices: Iterable[int], value: int, fits: Callable[[int], bool]) -> int | None:
    """The largest choice below `value` that fits, or None.

    >>> smaller((8, 16, 32, 64), 64, lambda c: c <= 20)
    16
    """
    return max((c for c in choices if c < value and fits(c)), default=None)


def round_up(value: int, multiple: int) -> int:
    """`value` rounded up to a multiple.

    >>> round_up(100, 32)
    128
    """
    return -(-value // multiple) * multiple
