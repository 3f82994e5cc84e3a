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
from ..algorithm import BlockShape
from .algorithm import CkTileGemm

VECTOR_BYTES = (16, 8)  # widths that CK tries before it loads single elements
WIDEST_BYTES = 16
DIMS = ("m", "n", "k")
PRESHUFFLED = (16, 32)  # columns of the warp tiles that read pre-shuffled B


@lru_cache(maxsize=64)
def element_bytes(dtype: str) -> float:
    """Return bytes of one element; 0.5 for packed 4-bit types.

    >>> element_bytes("bf16"), element_bytes("pk_fp4")
    (2.0, 0.5)
    """
    return get_dtype(dtype).bytes


def threads(algorithm: CkTileGemm, arch: AmdArch) -> int:
    """Return the block size: lanes of a wave times waves of the block."""
    return arch.wave_size * algorithm.wave_count


def operand_bytes(algorithm: CkTileGemm, signature: GemmSignature) -> int:
    """Return the bytes of one A tile and one B tile, which a pipeline keeps in LDS once.

    >>> operand_bytes(CkTileGemm(), GemmSignature("fp16", "fp16", "fp32", "fp16"))
    65536
    """
    a = algorithm.tile_m * algorithm.tile_k * element_bytes(signature.dtype_a)
    b = algorithm.tile_n * algorithm.tile_k * element_bytes(signature.dtype_b)
    return ceil(a + b)


@dataclass(frozen=True)
class Spread:
    """How the lanes of a block cover an x by y tile: `lanes` of a wave along x, `vector` elements each.

    `fault` says why that does not fill every wave, with its numbers; it is empty if it does.
    """

    x: int
    y: int
    vector: int
    lanes: int
    fault: str = ""

    @property
    def covers(self) -> bool:
        """Whether every lane of every wave has the same amount of work."""
        return not self.fault


@lru_cache(maxsize=16384)
def cover(x: int, y: int, vector: int, block: int, wave: int, groups: int = 1) -> Spread:
    """Return how `block` threads cover an x by y tile in vectors along x; each of `groups` wave groups covers all.

    >>> cover(64, 256, 8, 256, 64).lanes, cover(96, 64, 8, 256, 64).fault
    (8, '12 lanes of 8 elements along the contiguous 96, and 64 % 12 = 4 lanes are left over')
    """
    if min(x, y, vector, block) <= 0:
        return Spread(x, y, 1, 0)  # another rule checks invalid sizes
    narrowed = min(vector, x * y // block)
    lanes = x // narrowed if narrowed else 0
    fault = ""
    if not narrowed or (groups == 1 and x * y % block):
        fault = f"{block} threads leave {x * y / block:g} elements per thread"
    elif x % vector or x % narrowed:
        fault = f"rows of {x} are not a whole number of vectors of {vector if x % vector else narrowed}"
    elif wave % lanes:
        fault = (
            f"{lanes} lanes of {narrowed} elements along the contiguous {x}, "
            f"and {wave} % {lanes} = {wave % lanes} lanes are left over"
        )
    elif y % (rows := wave // lanes * max(1, block // wave // groups)):
        fault = f"{y} rows, taken {rows} at a time, leave {y % rows}"
    return Spread(x, y, vector, lanes, fault)


@lru_cache(maxsize=16384)
def spread(x: int, y: int, block: int, wave: int, size: float, groups: int = 1) -> Spread:
    """Return a tile in CK's vectors: 16 or 8 bytes that divide x and each thread's share, else one element.

    >>> spread(64, 256, 256, 64, 2.0)
    Spread(x=64, y=256, vector=8, lanes=8, fault='')
    """
    share = x * y // block if block > 0 else 0
    widths = (int(b / size) for b in VECTOR_BYTES)
    vector = next((w for w in widths if x % w == 0 and share % w == 0), 1)
    return cover(x, y, vector, block, wave, groups)


def load_extents(algorithm: CkTileGemm, signature: GemmSignature, role: str) -> tuple[int, int, str]:
    """Return (contiguous extent, other extent, contiguous dimension) of the tile of operand "a" or "b"."""
    side = ("m", algorithm.tile_m) if role == "a" else ("n", algorithm.tile_n)
    along_k = signature.layout[0] == "r" if role == "a" else signature.layout[1] == "c"
    return (algorithm.tile_k, side[1], "k") if along_k else (side[1], algorithm.tile_k, side[0])


def load_spread(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch, role: str) -> Spread:
    """Return how a block loads its tile of operand "a" or "b"; each wave group loads its own tiles."""
    x, y, _ = load_extents(algorithm, signature, role)
    dtype = signature.dtype_a if role == "a" else signature.dtype_b
    block, groups = threads(algorithm, arch), max(1, algorithm.num_wave_groups)
    return spread(x, y, block, arch.wave_size, element_bytes(dtype), groups)


@dataclass(frozen=True)
class Shuffle:
    """The part of the output tile that cshuffle transposes at once: `group` warp tiles of a wave along m."""

    x: int
    y: int
    group: int


def shuffle(algorithm: BlockShape, vector: int, wave: int) -> Shuffle:
    """Return as many warp tiles as give a lane a whole vector, if the tile has that many.

    >>> shuffle(CkTileGemm(warp_tile_m=16, warp_tile_n=16), 8, 64)
    Shuffle(x=32, y=64, group=2)
    """
    (m, n, _), (waves_m, waves_n, _) = algorithm.warp_tile, algorithm.waves
    held = m * n // wave
    repeats = algorithm.tile_m // max(1, waves_m * m)
    group = 1 if held >= vector or not held else max(1, min(vector // held, repeats))
    return Shuffle(n * waves_n, m * waves_m * group, group)


def store_spread(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch) -> Spread:
    """Return how the cshuffle epilogue stores one part of the output tile; only one wave group stores."""
    wave, vector = arch.wave_size, store_vector(algorithm, signature, arch)
    part = shuffle(algorithm, vector, wave)
    return cover(part.x, part.y, vector, algorithm.waves_m * algorithm.waves_n * wave, wave)


def load_vector(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch, role: str) -> int:
    """Return elements per global load of operand "a" or "b"; pre-shuffle pipelines read 16 bytes at a time."""
    dtype = signature.dtype_a if role == "a" else signature.dtype_b
    if signature.b_format != "plain":
        return max(1, int(WIDEST_BYTES / element_bytes(dtype)))
    return load_spread(algorithm, signature, arch, role).vector


def store_vector(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch, dtype: str | None = None) -> int:
    """Return elements per global store of the output (or per load of a D operand of `dtype`).

    cshuffle stores up to 16 bytes; the default epilogue stores the contiguous elements of a lane: single elements of a
    row, and 4 (MFMA) or 8 (WMMA) of a column.
    """
    row = signature.layout[2] == "r"
    if algorithm.epilogue != "cshuffle":
        return 1 if row else 4 if arch.matrix_isa == "mfma" else 8
    reach = algorithm.waves_n * algorithm.warp_tile_n if row else algorithm.waves_m * algorithm.warp_tile_m
    return min(reach, max(1, int(WIDEST_BYTES / element_bytes(dtype or signature.dtype_out))))


# The targets on which CK 1.2.0 adds pairs of bf16 by a builtin that clang has no instruction for: "Cannot select" of
# BUFFER_ATOMIC_FADD (core/arch/amd_buffer_addressing_builtins.hpp, line 1178).
NO_BF16_PAIRS = ("gfx950",)


def miscounts(a: CkTileGemm, steps: int) -> bool:
    """Return whether the main loop of CK multiplies too much: five steps along k for three, beyond the rows of A and B.

    So does the loop of ops/gemm/pipeline/gemm_pipeline_ag_bg_cr_comp_v4.hpp, which runs at least once. Padded along k,
    the steps that are too many are zero.

    >>> miscounts(CkTileGemm(pipeline="compv4"), 3), miscounts(CkTileGemm(pipeline="compv4", pad_k=True), 3)
    (True, False)
    """
    return a.pipeline == "compv4" and steps == 3 and not a.pad_k


def unpaired(algorithm: CkTileGemm, signature: GemmSignature, arch: AmdArch) -> str:
    """Return why splits of K cannot be added to a 16-bit output, which atomics do by pairs; empty if they can.

    >>> from tilewright.arch import get_arch
    >>> unpaired(CkTileGemm(), GemmSignature("bf16", "bf16", "fp32", "bf16"), get_arch("gfx950"))
    'CK 1.2.0 has no addition of bf16 pairs on gfx950'
    """
    if signature.dtype_out not in ("fp16", "bf16"):
        return ""
    if signature.layout[2] == "c":  # universal_gemm_kernel.hpp: "enable vector write for C in ColMajor"
        return "CK 1.2.0 stores single elements of a column-major output"
    vector = store_vector(algorithm, signature, arch)
    if vector % 2:
        return f"the {algorithm.epilogue} epilogue stores {vector}"
    no_bf16 = signature.dtype_out == "bf16" and arch.name in NO_BF16_PAIRS
    return f"CK 1.2.0 has no addition of bf16 pairs on {arch.name}" if no_bf16 else ""


def preshuffle_format(algorithm: CkTileGemm, dtype_b: str, wave: int = 64) -> str:
    """Return the name of a pre-shuffle kernel's packed format of B: strips of `n` columns, `v` elements deep.

    B is viewed as [N/n, n, K/v, v] and stored in the order 0, 2, 1, 3; n is the warp tile's n, and v the smaller of
    the elements in 16 bytes and those of one lane along k.

    >>> preshuffle_format(CkTileGemm(), "fp16")
    'ck_tile_n32_v8'
    """
    n = algorithm.warp_tile_n
    rows_of_lanes = max(1, wave // max(1, n))
    depth = min(int(WIDEST_BYTES / element_bytes(dtype_b)), max(1, algorithm.warp_tile_k // rows_of_lanes))
    return f"ck_tile_n{n}_v{depth}"


def packed_formats(signature: GemmSignature, arch: AmdArch) -> set[str]:
    """Return the packed formats of B that pre-shuffle kernels of an arch read.

    >>> from tilewright.arch import get_arch
    >>> sorted(packed_formats(GemmSignature("fp16", "fp16", "fp32", "fp16"), get_arch("gfx942")))
    ['ck_tile_n16_v4', 'ck_tile_n16_v8', 'ck_tile_n32_v4', 'ck_tile_n32_v8']
    """
    tiles = arch.preshuffle_warp_tiles.get(signature.dtype_key, ())
    shapes = (CkTileGemm(warp_tile_m=m, warp_tile_n=n, warp_tile_k=k) for m, n, k in tiles if n in PRESHUFFLED)
    return {preshuffle_format(shape, signature.dtype_b, arch.wave_size) for shape in shapes}


def closest(choices: Iterable[Any], distance: Callable[[Any], float], fits: Callable[[Any], bool]) -> Any:
    """Return the choice that fits at the smallest distance (in a tie the earlier one), or None.

    >>> closest((8, 16, 32, 64), lambda c: abs(c - 40), lambda c: c % 16 == 0)
    32
    """
    return min((c for c in choices if fits(c)), key=distance, default=None)


def smaller(choices: Iterable[int], value: int, fits: Callable[[int], bool]) -> int | None:
    """Return the largest choice below `value` that fits, or None.

    >>> smaller((8, 16, 32, 64), 64, lambda c: c <= 20)
    16
    """
    return max((c for c in choices if c < value and fits(c)), default=None)


def round_up(value: int, multiple: int) -> int:
    """Return `value` rounded up to a multiple.

    >>> round_up(100, 32)
    128
    """
    return -(-value // multiple) * multiple
