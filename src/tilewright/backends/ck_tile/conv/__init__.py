"""Grouped convolution by CK Tile: implicit GEMM, the six variants (three directions, 2D and 3D).

>>> from tilewright.backends.ck_tile.conv import OP, CkTileConv
>>> CkTileConv().tile
(128, 128, 32)
"""

from __future__ import annotations

from .algorithm import CkTileConv
from .op import OP

__all__ = ["OP", "CkTileConv"]
