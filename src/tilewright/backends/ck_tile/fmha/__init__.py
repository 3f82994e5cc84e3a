"""Attention by CK Tile: the algorithm, its rules, receipts and space.

>>> from tilewright.backends.ck_tile.fmha import OP, CkTileFmha
>>> CkTileFmha().pipeline
'qr'
"""

from __future__ import annotations

from ....ops.fmha.receipts import RECEIPTS, get_receipt
from .algorithm import STAGES, CkTileFmha
from .op import OP
from .space import declared

__all__ = ["OP", "RECEIPTS", "STAGES", "CkTileFmha", "declared", "get_receipt"]
