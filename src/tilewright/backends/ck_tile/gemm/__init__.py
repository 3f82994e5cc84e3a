"""GEMM by CK Tile: the algorithm, its rules, its sets and its cost model.

>>> from tilewright.backends.ck_tile.gemm import OP, CkTileGemm
>>> CkTileGemm().tile
(256, 256, 64)
"""

from __future__ import annotations

from .algorithm import CkTileGemm
from .op import OP
from .preselected import preselected, preselected_kernels, preselected_names

__all__ = ["OP", "CkTileGemm", "preselected", "preselected_kernels", "preselected_names"]
