"""tma_persistent: rules of kernels whose pipeline Triton's compiler makes."""

from __future__ import annotations

from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec
from ......model.rule import Broken, broken
from ......ops.gemm.signature import GemmSignature
from ...algorithm import TritonGemm
from ...tma import TmaPipeline


class TmaPersistent(TmaPipeline):
    """The plain form: no splits, no packed operands, no factors per block."""

    has = frozenset({"operands"})
    reads_packed = False
    detour = 1.1

    def scales_blocks(self, a: TritonGemm) -> bool:
        """Never: sums are over whole rows of K."""
        return False

    def lacks(self, a: TritonGemm) -> Broken | None:
        """Splits, and narrow tiles of a transposed product."""
        if a.split or (a.swap_ab and a.tile_n < 16):
            return broken("tma_persistent has no split and no tile under 16 columns", "use pipeline='hopper'")
        return None

    def stored_columns(self, g: GemmSignature, a: TritonGemm) -> int:
        """Half of a tile."""
        return a.tile_n // 2

    def store_bytes(self, spec: KernelSpec) -> float:
        """Half of a tile of the output at a time."""
        a = spec.algorithm
        return float(a.tile_m * a.tile_n * get_dtype(spec.signature.dtype_out).bytes / 2)


PIPELINE = TmaPersistent()
