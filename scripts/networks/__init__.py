"""Networks as walkers: each yields the convolutions of a published architecture from its hyper-parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from . import efficient, grouped, residual, volumes
from .trace import Conv

Walker = Callable[[], Iterator[Conv]]
NETWORKS: dict[str, Walker] = {**residual.NETWORKS, **grouped.NETWORKS, **efficient.NETWORKS, **volumes.NETWORKS}

__all__ = ["NETWORKS", "Conv", "Walker"]
