"""CkTileConv: how a CK Tile convolution kernel is built, every field a declared tunable."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ....model.tunable import tunable
from ....ops.conv.signature import ConvSignature
from ..algorithm import BlockShape, Triple
from ..gemm.algorithm import PIPELINES, SCHEDULERS, CkTileGemm

EMITTED = ("mem", "compv3", "compv4")
SPECIALIZATIONS = ("default", "filter1x1_pad0", "filter1x1_stride1_pad0", "filter3x3")
_TILE_MN = (16, 32, 64, 128, 256)
_VECTORS = (1, 2, 4, 8)


@dataclass(frozen=True)
class CkTileConv(BlockShape):
    """The tile of the implicit GEMM that a block computes, its waves and warp tile, and fields of convolution.

    The tensors that the implicit GEMM calls A, B and C are input, weight, output (forward), output, weight, input
    (backward data) and output, input, weight (backward weight). The defaults are part of every digest.

    >>> CkTileConv(groups_to_merge=8).label()
    '128x128x32_2x2x1_32x32x16_compv3_intrawave_v4.8.8_merge8'
    """

    tile_m: int = tunable(128, _TILE_MN, "rows of the output tile of one block")
    tile_n: int = tunable(128, _TILE_MN, "columns of the output tile of one block")
    tile_k: int = tunable(32, (16, 32, 64, 128), "depth that a block loads at once")
    waves_m: int = tunable(2, (1, 2, 4, 8), "waves of a block along m")
    waves_n: int = tunable(2, (1, 2, 4, 8), "waves of a block along n")
    waves_k: int = tunable(1, (1,), "waves of a block along k")
    warp_tile_m: int = tunable(32, (4, 16, 32, 64), "rows that one wave multiplies at once")
    warp_tile_n: int = tunable(32, (4, 16, 32, 64), "columns that one wave multiplies at once")
    warp_tile_k: int = tunable(16, (4, 8, 16, 32, 64), "depth that one wave multiplies at once")
    pipeline: str = tunable("compv3", PIPELINES, "how global loads, LDS and matrix instructions overlap")
    scheduler: str = tunable("intrawave", SCHEDULERS, "whether overlap is arranged within a wave or between waves")
    double_smem_buffer: bool = tunable(False, (False, True), "two LDS buffers: one is filled while the other is read")
    vector_a: int = tunable(4, _VECTORS, "elements per load of A")
    vector_b: int = tunable(8, _VECTORS, "elements per load of B")
    vector_c: int = tunable(8, _VECTORS, "elements per store of C")
    specialization: str = tunable("default", SPECIALIZATIONS, "filters that the address arithmetic is specialised for")
    groups_to_merge: int = tunable(1, (1, 2, 4, 8, 16, 32, 64), "groups that one tile computes together")
    two_stage: bool = tunable(False, (False, True), "sums in an fp32 workspace, converted by a second kernel")
    block_per_cu: int = tunable(1, (1, 2, 3, 4), "blocks per compute unit that register allocation aims at")

    @property
    def vectors(self) -> Triple:
        """Elements per access of A, B and C."""
        return (self.vector_a, self.vector_b, self.vector_c)

    def as_gemm(self) -> CkTileGemm:
        """Return the algorithm of the implicit GEMM, for the rules of GEMM. Convolution always pads and shuffles."""
        shared = {name: getattr(self, name) for name in SHARED}
        return CkTileGemm(**shared, pad_m=True, pad_n=True, pad_k=True)

    def matrix_instructions(self, signature: ConvSignature) -> tuple[tuple[str, str], list[Triple]]:
        """Return the multiplied dtypes and the warp tiles, for the inspection of a code object."""
        return signature.dtype_read, [self.warp_tile]

    def label(self) -> str:
        """Return a short readable text; display only, never parsed."""
        parts = [*self.shapes(), self.pipeline, self.scheduler, f"v{'.'.join(map(str, self.vectors))}"]
        parts += [self.specialization.replace("_", "-")] if self.specialization != "default" else []
        parts += [f"merge{self.groups_to_merge}"] if self.groups_to_merge != 1 else []
        parts += ["two-stage"] if self.two_stage else []
        parts += [f"bpc{self.block_per_cu}"] if self.block_per_cu != 1 else []
        return "_".join(parts)


_OWN = {f.name for f in fields(CkTileConv)}
SHARED = tuple(f.name for f in fields(CkTileGemm) if f.name in _OWN)  # fields that both have
