"""How many work items a block of an attention kernel has."""

from __future__ import annotations

from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec
from .algorithm import CkTileFmha

# Kernels without matrix products: work items of a block; 0 means one for each row.
FIXED = {"append": 256, "dot_do_o": 0, "convert_dq": 256, "sum_heads": 256}
COMBINE_WAVES = 4


def threads(spec: KernelSpec) -> int:
    """Return the work items of a block."""
    a: CkTileFmha = spec.algorithm
    arch: Any = get_arch(spec.arch)
    if a.stage in FIXED:
        return FIXED[a.stage] or a.tile_m0
    waves = COMBINE_WAVES if a.stage == "combine" else max(w[0] * w[1] for w in a.waves)
    return int(arch.wave_size) * waves
