"""Launch CK's grouped GEMM kernel through the HIP runtime. It has never run on hardware.

The ends of the groups stay on the GPU, so the grid is the largest that groups of so many rows can need.
"""

from __future__ import annotations

import ctypes
from math import ceil
from typing import Any

from ....arch import get_arch
from ....model.kernel import Candidate
from ....model.tensor import Addresses
from ....ops.gemm.problem import GemmProblem
from ...gpu.stage import GpuStage
from ..call import CkKernels, CodeCall
from .algorithm import CkTileGemm
from .geometry import threads
from .instances import instance_of
from .launch import GemmArgs, arguments, clears


class GroupedGemmArgs(ctypes.Structure):
    """The kernel argument, field by field as `tilewright_ck::GroupedGemmArgs`.

    >>> ctypes.sizeof(GroupedGemmArgs)
    176
    """

    _fields_ = [
        ("product", GemmArgs),
        ("ends", ctypes.c_void_p),
        ("far_b", ctypes.c_int64),
        ("groups", ctypes.c_int32),
    ]


def most_tiles(problem: GemmProblem, algorithm: CkTileGemm) -> int:
    """Return the most tiles of the output that its groups can have, however long each of them is.

    >>> problem = GemmProblem.from_dict({"m": 100, "n": 64, "k": 8, "dtype": "fp16", "groups": 3})
    >>> most_tiles(problem, CkTileGemm(tile_m=64, tile_n=64))
    4
    """
    m, tile = problem.m, algorithm.tile_m
    rows = min(m, (m + min(problem.groups, m) * (tile - 1)) // tile)
    return rows * ceil(problem.n / algorithm.tile_n)


class GroupedStage(GpuStage):
    """One product in groups of a plan. It needs no workspace."""

    def __init__(self, candidate: Candidate, problem: GemmProblem, kernels: CkKernels) -> None:
        spec, launch = candidate.spec, candidate.launch
        instance = str(instance_of(spec, problem.k, launch.split_k).name)

        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[Any]:
            product = arguments(spec.algorithm.family, problem, launch, addresses)
            args = GroupedGemmArgs(product, addresses["ends"], problem.stride("b")[0], problem.groups)
            function, arch = kernels.function(driver, instance), get_arch(spec.arch)
            block = threads(spec.algorithm, arch)  # type: ignore[arg-type]  # an AMD arch
            blocks = most_tiles(problem, spec.algorithm) * launch.split_k
            if spec.algorithm.persistent:
                each = max(1, driver.blocks_per_unit(function, block))
                blocks = min(blocks, launch.grid[0] if launch.grid else driver.units() * each)
            call = CodeCall(driver, spec.name, function, (blocks, 1, 1), block, bytes(args))
            return [*(clears(driver, problem, addresses["out"]) if launch.split_k > 1 else ()), call]

        super().__init__(kernels, 0, ready)
