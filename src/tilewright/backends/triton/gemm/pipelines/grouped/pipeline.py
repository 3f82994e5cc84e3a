"""grouped: rules of rows in groups, which are read through pointers."""

from __future__ import annotations

from ......model.rule import Broken, broken
from ...algorithm import TritonGemm
from ..pointer.pipeline import Pointer


class Grouped(Pointer):
    """As `pointer`, but programs stay: only the GPU knows how many tiles the groups have."""

    has = frozenset({"precision", "even_k", "vector_bytes", "unit", "wide", "blocks_per_unit"})
    stays = True
    reads_packed = False

    def has_prologues(self, a: TritonGemm) -> bool:
        """Never: products in groups have no prologues."""
        return False

    def scales_blocks(self, a: TritonGemm) -> bool:
        """Never: products in groups have no scales."""
        return False

    def lacks(self, a: TritonGemm) -> Broken | None:
        """Splits and transposed products."""
        if a.split or a.swap_ab:
            return broken("grouped has no split and no swap_ab", "leave split and swap_ab at their defaults")
        return None


PIPELINE = Grouped()
