"""blocked: products by NumPy, some rows at a time. A whole backend in two files, beside docs/adding-a-backend.md."""

from __future__ import annotations

from typing import ClassVar

from ..base import Backend


class BlockedBackend(Backend):
    """Runs on CPUs and compiles nothing. The devices are those that `cpu` finds."""

    name: ClassVar[str] = "blocked"
    arch_kinds: ClassVar[tuple[str, ...]] = ("x86", "arm", "generic")
    compiles: ClassVar[bool] = False
    package: ClassVar[str] = __name__


BACKEND = BlockedBackend()
