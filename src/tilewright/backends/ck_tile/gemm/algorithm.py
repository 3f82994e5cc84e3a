"""CkTileGemm: how a CK Tile GEMM kernel is built, every field a declared tunable."""

from __future__ import annotations

from dataclasses import dataclass

from ....model.tunable import tunable
from ..algorithm import BlockShape

PIPELINES = (
    "mem",
    "compv3",
    "compv4",
    "compv5",
    "preshufflev2",
    "compv1",
    "compv2",
    "compv6",
    "comp_async",
    "preshufflev1",
)
EMITTED = ("mem", "compv3", "compv4", "compv5", "preshufflev2", "compv6", "comp_async")
SCHEDULERS = ("intrawave", "interwave", "default")
EPILOGUES = ("cshuffle", "default")
# CK's kernels around the pipeline: one product; a batch of equal ones; Stream-K, whose blocks share out the steps along
# k of all tiles evenly, and add the parts of a tile by atomics, or one after the other through a workspace; products
# with scales; rows in groups.
FAMILIES = ("universal", "batched", "stream_k_atomic", "stream_k_linear", "quant", "grouped")
STREAM_K = ("stream_k_atomic", "stream_k_linear")
# The scales of A and B that CK's kernel with scales takes, and its name of them.
QUANT = {("tensor", "tensor"): "TensorQuant", ("row", "row"): "RowColQuant", ("block", "none"): "AQuantGrouped",
         ("none", "block"): "BQuantGrouped"}  # fmt: skip

_TILE_MN = (16, 32, 48, 64, 96, 128, 160, 192, 224, 256, 320, 384, 512)
_TILE_K = (8, 16, 32, 64, 128, 256, 512)
_WAVES = (1, 2, 4, 8)
_WARP_MN = (4, 16, 32, 64)
_WARP_K = (4, 8, 16, 32, 64, 128)


@dataclass(frozen=True)
class CkTileGemm(BlockShape):
    """The tile that a block computes, its waves, the tile of one matrix instruction group, and the traits.

    "Waves" count wavefronts of a block along m, n, k; one wave multiplies a "warp tile" at once. The defaults
    are part of every digest and never change within a schema version.

    >>> CkTileGemm(tile_k=32, pad_n=True).label()
    '256x256x32_2x2x1_32x32x16_compv3_cshuffle_intrawave_pad-n'
    """

    tile_m: int = tunable(256, _TILE_MN, "rows of the output tile of one block")
    tile_n: int = tunable(256, _TILE_MN, "columns of the output tile of one block")
    tile_k: int = tunable(64, _TILE_K, "depth that a block loads at once")
    waves_m: int = tunable(2, _WAVES, "waves of a block along m")
    waves_n: int = tunable(2, _WAVES, "waves of a block along n")
    waves_k: int = tunable(1, (1, 2), "waves of a block along k")
    warp_tile_m: int = tunable(32, _WARP_MN, "rows that one wave multiplies at once")
    warp_tile_n: int = tunable(32, _WARP_MN, "columns that one wave multiplies at once")
    warp_tile_k: int = tunable(16, _WARP_K, "depth that one wave multiplies at once")
    pipeline: str = tunable("compv3", PIPELINES, "how global loads, LDS and matrix instructions overlap")
    scheduler: str = tunable("intrawave", SCHEDULERS, "whether overlap is arranged within a wave or between waves")
    epilogue: str = tunable("cshuffle", EPILOGUES, "whether the output goes through LDS to be stored in wide vectors")
    pad_m: bool = tunable(False, (False, True), "takes M that is not a whole number of tiles")
    pad_n: bool = tunable(False, (False, True), "takes N that is not a whole number of tiles")
    pad_k: bool = tunable(False, (False, True), "takes K that is not a whole number of tiles")
    persistent: bool = tunable(False, (False, True), "blocks stay resident and loop over output tiles")
    double_smem_buffer: bool = tunable(False, (False, True), "two LDS buffers: one is filled while the other is read")
    block_per_cu: int = tunable(1, (1, 2, 3, 4), "blocks per compute unit that register allocation aims at")
    num_wave_groups: int = tunable(1, (1, 2), "groups of waves that take turns at loading and multiplying")
    family: str = tunable("universal", FAMILIES, "CK's kernel: which blocks compute what")

    @property
    def ends_at_run_time(self) -> bool:
        """Whether the kernel itself chooses how the main loop ends, so that there is one device kernel for any k."""
        return self.family in STREAM_K or (self.family == "grouped" and (self.persistent or self.double_smem_buffer))

    def label(self) -> str:
        """Return a short readable text; display only, never parsed."""
        parts = [*self.shapes(), self.pipeline, self.epilogue, self.scheduler]
        pads = "".join(d for d in "mnk" if getattr(self, f"pad_{d}"))
        parts += [f"pad-{pads}"] if pads else []
        parts += ["persistent"] if self.persistent else []
        parts += [f"bpc{self.block_per_cu}"] if self.block_per_cu != 1 else []
        parts += [self.family.replace("_", "-")] if self.family != "universal" else []
        return "_".join(parts)
