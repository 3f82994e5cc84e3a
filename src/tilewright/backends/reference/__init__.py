"""The reference backend: NumPy in float64, slow and complete. It is never in a default registry; name it explicitly."""

from __future__ import annotations

from ..base import Backend


class ReferenceBackend(Backend):
    """Runs anywhere and builds nothing; all other backends are checked against it."""

    name = "reference"
    arch_kinds = ("any",)
    compiles = False
    package = __name__


BACKEND = ReferenceBackend()
