"""Keeps fused weights that a captured CUDA graph reads, after the patch that made them is undone.

A graph holds the memory of what was allocated while it was captured. Fused weights are older, and it may be replayed at
any time: they are kept for the process, or until `Patch.undo(release=True)`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from ..backends.gpu.captured import is_capturing

_kept: dict[object, dict[int, torch.Tensor]] = {}  # by the patch's report, then by address


def keep_if_captured(report: object, layers: Iterable[Any]) -> None:
    """Keep the weights and biases of layers that a patch has made, if the current stream is captured."""
    if not torch.compiler.is_compiling() and is_capturing():
        held = (t for layer in layers for t in (layer.weight, layer.bias) if t is not None)
        _kept.setdefault(report, {}).update((t.data_ptr(), t) for t in held)


def release(report: object) -> None:
    """Forget what was kept for a patch: no graph of its model is replayed any more.

    >>> release(object())
    """
    _kept.pop(report, None)
