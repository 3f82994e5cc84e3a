"""The convolution kernels that the triton backend offers, as kernel sets: those of all pipelines."""

from __future__ import annotations

from ....model.kernel_set import KernelSet
from .pipelines import PIPELINES, get_pipeline

PARTS = tuple(get_pipeline(name).part("sets") for name in PIPELINES)
PLACED = sorted(((place, sets) for part in PARTS for place, sets in part.SETS.items()), key=lambda pair: pair[0])
DEFAULT_SETS: tuple[KernelSet, ...] = tuple(s for _, sets in PLACED for s in sets)
NAMED_SETS = (*DEFAULT_SETS, *(s for part in PARTS for s in getattr(part, "NAMED_SETS", ())))
