"""The kernels that the triton backend offers for products, as kernel sets: those of all pipelines."""

from __future__ import annotations

from ....model.kernel_set import KernelSet
from .pipelines import FOLDERS

DEFAULT_SETS: tuple[KernelSet, ...] = FOLDERS.sets("SETS")
NAMED_SETS = (*DEFAULT_SETS, *FOLDERS.sets("NAMED"))
