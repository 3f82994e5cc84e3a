"""The ck_tile backend: AMD GPUs through CK Tile kernels. This version declares, checks and ranks them."""

from __future__ import annotations

from typing import ClassVar

from ...settings import Settings
from ..base import Backend


class CkTile(Backend):
    """AMD GPUs through CK Tile."""

    name: ClassVar[str] = "ck_tile"
    arch_kinds: ClassVar[tuple[str, ...]] = ("amd",)
    package: ClassVar[str] = __name__

    def missing(self, settings: Settings) -> str | None:
        """What keeps this backend from building and running kernels here."""
        return "this version declares, checks and ranks ck_tile kernels; it does not build or run them"


BACKEND = CkTile()
