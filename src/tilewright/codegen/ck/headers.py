"""Which CK headers are installed."""

from __future__ import annotations

from ...backends.ck_tile.ck_revision import CkRevision, detect
from ...backends.ck_tile.toolchain import ck_root


def installed_revision() -> CkRevision | None:
    """Return the revision of the headers for a build (CK_ROOT, ROCm's, the installed ones); None if there are none."""
    root = ck_root()
    if root is None:
        return None
    nested = root / "include"
    return detect(nested if (nested / "ck_tile").is_dir() else root)
