"""The convolution kernels that the triton backend offers, as kernel sets: those of all pipelines."""

from __future__ import annotations

from ....model.kernel_set import KernelSet
from .pipelines import ALL

DEFAULT_SETS: tuple[KernelSet, ...] = ALL.sets("SETS")
NAMED_SETS = (*DEFAULT_SETS, *ALL.sets("NAMED"))
