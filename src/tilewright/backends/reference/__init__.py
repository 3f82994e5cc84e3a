"""The reference backend: NumPy in float64, slow and complete. It is never in a default registry; name it explicitly."""

from __future__ import annotations

from typing import ClassVar

from ..base import Backend


class ReferenceBackend(Backend):
    """Runs anywhere and builds nothing; all other backends are checked against it."""

    name: ClassVar[str] = "reference"
    arch_kinds: ClassVar[tuple[str, ...]] = ("any",)
    compiles: ClassVar[bool] = False
    package: ClassVar[str] = __name__


BACKEND = ReferenceBackend()
