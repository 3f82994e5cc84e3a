"""Keeps workspaces that a captured graph uses: it may be replayed at any time, after its plan was forgotten too.

A graph does not say when it goes, so they are kept as long as the process. A stream has one workspace for each plan,
and a graph that is captured again on the same stream uses the same ones. Here are those that are new in a capture; the
C launcher keeps those that were used on the same stream before.
"""

from __future__ import annotations

import sys
from typing import Any

_kept: dict[int, Any] = {}  # owners of workspaces, by identity


def is_capturing() -> bool:
    """Return whether torch captures its current stream; torch is asked only if the program has loaded it.

    >>> is_capturing()
    False
    """
    cuda = _cuda_of_torch()
    return bool(cuda is not None and cuda.is_initialized() and cuda.is_current_stream_capturing())


def may_be_captured() -> bool:
    """Return whether a graph may hold launches of this process: torch uses a GPU, and does not say what it captured.

    >>> may_be_captured()
    False
    """
    cuda = _cuda_of_torch()
    return bool(cuda is not None and cuda.is_initialized())


def _cuda_of_torch() -> Any:
    """Return `torch.cuda`; None without torch, or while torch is being imported, when finalisers may run too."""
    return getattr(sys.modules.get("torch"), "cuda", None)


def keep_if_captured(owner: object) -> None:
    """Keep the owner of a workspace that is used for the first time on a stream, if that is captured."""
    if is_capturing():
        _kept[id(owner)] = owner
