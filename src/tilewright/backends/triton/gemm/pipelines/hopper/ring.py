"""hopper: column blocks of a tile, and the ring of stages in shared memory."""

from __future__ import annotations

from ......model.arch import NvidiaArch
from ......model.dtype import get_dtype
from ......ops.gemm.signature import GemmSignature
from ...algorithm import TritonGemm, is_narrowed, shared_limit, view_of

MOST_STAGES = 8
RESIDUAL_BYTES = 1 << 16  # of a residual in flight, if that is more than a tile


def part_width(signature: GemmSignature, algorithm: TritonGemm) -> int:
    """hopper: columns of the blocks in which a tile is stored; 128 bytes if they are contiguous, else at most 64."""
    widest = 64
    if view_of(signature, algorithm).out_row:
        widest = int(128 // get_dtype(signature.dtype_out).bytes)
    return min(widest, algorithm.tile_n & -algorithm.tile_n)  # a power of two that divides the tile


def parts_together(signature: GemmSignature, algorithm: TritonGemm) -> int:
    """Return how many of these blocks are copied to memory together: narrowed tiles have many small ones."""
    if not is_narrowed(algorithm):
        return 1
    return max(1, (64 if algorithm.tile_m <= 128 else 32) // part_width(signature, algorithm))


def residual_of(signature: GemmSignature, algorithm: TritonGemm) -> int | None:
    """Return the number of the D operand that TMA brings: the only one like the output, where one program sums a tile.

    >>> from tilewright.ops.gemm import DTensor
    >>> signature = GemmSignature("fp16", "fp16", "fp32", "fp16", d=(DTensor("fp16", "row"), DTensor("fp16")))
    >>> residual_of(signature, TritonGemm(pipeline="hopper")), residual_of(signature, TritonGemm(split=True))
    (1, None)
    """
    found = [i for i, d in enumerate(signature.d) if d.broadcast == "none"]
    whole = algorithm.store == "tma" and not algorithm.split and not algorithm.loose
    if not whole or len(found) != 1 or signature.d[found[0]].dtype != signature.dtype_out:
        return None
    return found[0] if get_dtype(signature.dtype_out).bytes >= 2 else None


def residual_parts(signature: GemmSignature, algorithm: TritonGemm) -> int:
    """Return the column blocks of a residual in flight: those of a tile for each group of warps, while they are few."""
    if residual_of(signature, algorithm) is None:
        return 0
    tile = algorithm.tile_m * algorithm.tile_n * get_dtype(signature.dtype_out).bytes
    tiles = algorithm.consumers if tile * algorithm.consumers <= RESIDUAL_BYTES else 1
    return algorithm.tile_n // part_width(signature, algorithm) * tiles


REDUCE_ELEMENTS = 128


def reduce_block(signature: GemmSignature, algorithm: TritonGemm) -> tuple[int, int]:
    """Rows and columns that one program of the reduction adds: few elements, so that many programs hide latencies.

    Blocks are wide if the output's columns are contiguous, tall if its rows are.
    """
    part = part_width(signature, algorithm)
    cols = part if view_of(signature, algorithm).out_row else min(part, 8)
    return min(algorithm.tile_m, REDUCE_ELEMENTS // cols), cols


def hopper_shared_bytes(signature: GemmSignature, algorithm: TritonGemm, stages: int) -> int:
    """Shared memory of the hopper pipeline: the ring, the store buffers, barriers and what the compiler adds."""
    view = view_of(signature, algorithm)
    sizes = get_dtype(view.a).bytes, get_dtype(view.b).bytes
    ring = (algorithm.tile_m * sizes[0] + algorithm.tile_n * sizes[1]) * algorithm.tile_k * stages
    # A pointer store passes each column block through shared memory once, to line threads up with columns.
    buffers = algorithm.out_buffers if algorithm.store == "tma" else 1
    block = algorithm.tile_m * part_width(signature, algorithm) * parts_together(signature, algorithm)
    out = block * get_dtype(signature.dtype_out).bytes * buffers * algorithm.consumers
    parts = residual_parts(signature, algorithm)
    residual = algorithm.tile_m * part_width(signature, algorithm) * get_dtype(signature.dtype_out).bytes * parts
    return int(ring + out + residual) + 16 * (stages + parts) + 512


def hopper_stages(signature: GemmSignature, algorithm: TritonGemm, arch: NvidiaArch) -> int:
    """Return the stages of a hopper kernel: those it asks for, or as many as fit (0 if not even two do).

    >>> from tilewright.arch import get_arch
    >>> hopper_stages(GemmSignature("fp16", "fp16", "fp32", "fp16"), TritonGemm(warps=8, stages=0), get_arch("sm_90"))
    6
    """
    if algorithm.stages:
        return algorithm.stages
    limit = shared_limit(arch, algorithm)
    fitting = [n for n in range(2, MOST_STAGES + 1) if hopper_shared_bytes(signature, algorithm, n) <= limit]
    return max(fitting, default=0)
