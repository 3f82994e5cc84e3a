"""CkTileFmha: how one device kernel of a CK Tile attention is built, every field a declared tunable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....model.tunable import tunable
from ..algorithm import CheckedFields, Triple

# family -> the device kernels it is made of, in launch order
STAGES: dict[str, tuple[str, ...]] = {
    "fwd": ("attend",),
    "fwd_splitkv": ("attend", "combine"),
    "fwd_pagedkv": ("attend",),
    "fwd_appendkv": ("append",),
    "batch_prefill": ("attend",),
    "bwd": ("dot_do_o", "dq_dk_dv", "convert_dq"),
}
OWN_STAGES: dict[str, tuple[str, ...]] = {"bwd": ("sum_heads",)}  # kernels of tilewright's own, if a problem needs them
STAGE_NAMES = ("attend", "combine", "append", "dot_do_o", "dq_dk_dv", "convert_dq", "sum_heads")
PIPELINES = (
    "qr", "qr_async", "qr_async_trload", "qr_pagedkv", "qr_nwarp_sshuffle", "appendkv", "bwd", "bwd_trload", "none",
    "qs", "qr_hpad", "qr_async_trload_v3",
)  # fmt: skip
TABLED = ("attend", "append", "dq_dk_dv")  # the stages whose tiles are facts of the arch

_ROWS = (16, 32, 64, 128, 256)
_KEYS = (0, 16, 32, 64, 128, 192)
_DEPTHS = (0, 16, 32, 48, 64, 80, 96, 128, 160, 192, 256)
_WAVES = (0, 1, 2, 4, 8)
_WARP = (0, 16, 32)


@dataclass(frozen=True)
class CkTileFmha(CheckedFields):
    """The tile of query and key rows that a block works on, waves and warp tiles of its products, and the traits.

    One spec is one device kernel: `stage` names it within its family. The products are S = Q K^T (0) and O = P V (1);
    backward, product 0 is also dP, 1 is dK and dV, 2 is dQ. Fields that a stage does not have are 0.

    >>> CkTileFmha(pad_s=True).label()
    'attend_128x128x32x128x32_qr_pad-s'
    """

    stage: str = tunable("attend", STAGE_NAMES, "which device kernel of its family this is")
    pipeline: str = tunable("qr", PIPELINES, "where Q is kept and how loads overlap with the products")
    tile_m0: int = tunable(128, _ROWS, "query rows of a block")
    tile_n0: int = tunable(128, _KEYS, "key rows that a block processes together")
    tile_k0: int = tunable(32, _DEPTHS, "depth of one step of Q K^T")
    tile_n1: int = tunable(128, _DEPTHS, "columns of V that a block computes")
    tile_k1: int = tunable(32, _DEPTHS, "depth of one step of P V (backward: of dK and dV)")
    tile_k4: int = tunable(0, _DEPTHS, "backward: depth of one step of dQ")
    tile_k0max: int = tunable(128, _DEPTHS, "the head width of Q that a block holds")
    waves0_m: int = tunable(4, _WAVES, "waves along the rows of product 0")
    waves0_n: int = tunable(1, _WAVES, "waves along the columns of product 0")
    waves1_m: int = tunable(4, _WAVES, "waves along the rows of product 1")
    waves1_n: int = tunable(1, _WAVES, "waves along the columns of product 1")
    waves2_m: int = tunable(0, _WAVES, "backward: waves along the rows of product 2")
    waves2_n: int = tunable(0, _WAVES, "backward: waves along the columns of product 2")
    warp0_m: int = tunable(32, _WARP, "rows that one wave multiplies at once in product 0")
    warp0_n: int = tunable(32, _WARP, "columns that one wave multiplies at once in product 0")
    warp0_k: int = tunable(16, _WARP, "depth that one wave multiplies at once in product 0")
    warp1_m: int = tunable(32, _WARP, "rows that one wave multiplies at once in product 1")
    warp1_n: int = tunable(32, _WARP, "columns that one wave multiplies at once in product 1")
    warp1_k: int = tunable(16, _WARP, "depth that one wave multiplies at once in product 1")
    pad_s: bool = tunable(False, (False, True), "takes query lengths that are not a multiple of tile_m0")
    pad_sk: bool = tunable(False, (False, True), "takes key lengths that are not a multiple of tile_n0")
    pad_d: bool = tunable(False, (False, True), "takes heads of Q narrower than the tile")
    pad_dv: bool = tunable(False, (False, True), "takes heads of V narrower than the tile")
    block_per_cu: int = tunable(0, (0, 1, 2, 4, 6), "blocks per compute unit to aim at; 0 leaves it to the pipeline")
    max_seqlen_q: int = tunable(0, (0, 16, 32), "backward: the most query rows this kernel takes; 0 means any number")
    uneven_splits: bool = tunable(True, (False, True), "split-KV: splits need not be whole tiles of keys")
    merge_groups: bool = tunable(False, (False, True), "split-KV: the query heads of a group are rows of one tile")
    log_max_splits: int = tunable(0, (0, 3, 4, 5, 6, 7), "combine: log2 of the most splits it takes")

    @property
    def pads(self) -> tuple[bool, bool, bool, bool]:
        """(pad_s, pad_sk, pad_d, pad_dv)."""
        return (self.pad_s, self.pad_sk, self.pad_d, self.pad_dv)

    @property
    def waves(self) -> tuple[Triple, ...]:
        """Waves per block (m, n, k) of each product."""
        found = ((self.waves0_m, self.waves0_n, 1), (self.waves1_m, self.waves1_n, 1))
        return (*found, (self.waves2_m, self.waves2_n, 1)) if self.waves2_m else found

    @property
    def warp_tiles(self) -> tuple[Triple, ...]:
        """The tile (m, n, k) that one wave multiplies at once, of products 0 and 1."""
        return ((self.warp0_m, self.warp0_n, self.warp0_k), (self.warp1_m, self.warp1_n, self.warp1_k))

    def matrix_instructions(self, signature: Any) -> tuple[tuple[str, str], tuple[Triple, ...]] | None:
        """Return the operand dtypes and warp tiles that the compiled kernel must contain; None without products.

        >>> from types import SimpleNamespace
        >>> CkTileFmha().matrix_instructions(SimpleNamespace(dtype="fp16"))
        (('fp16', 'fp16'), ((32, 32, 16), (32, 32, 16)))
        """
        if self.stage not in ("attend", "dq_dk_dv"):
            return None
        return (signature.dtype, signature.dtype), self.warp_tiles

    def label(self) -> str:
        """Return a short readable text; display only, never parsed."""
        sizes = (self.tile_m0, self.tile_n0, self.tile_k0, self.tile_n1, self.tile_k1)
        parts = [self.stage.replace("_", "-"), "x".join(map(str, sizes))]
        parts += [self.pipeline.replace("_", "-")] if self.pipeline != "none" else []
        names = zip(("s", "sk", "d", "dv"), self.pads, strict=True)
        pads = "-".join(name for name, padded in names if padded)
        parts += [f"pad-{pads}"] if pads else []
        parts += ["merged"] if self.merge_groups else []
        parts += [f"splits{1 << self.log_max_splits}"] if self.log_max_splits else []
        return "_".join(parts)
