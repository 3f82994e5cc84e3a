"""Launch CK's Stream-K kernels through the HIP runtime. It has never run on hardware.

The blocks of a launch share out the steps along k of all tiles evenly. With more tiles than blocks, whole tiles are
computed first, until less than two for each block are left.
"""

from __future__ import annotations

import ctypes
from dataclasses import astuple, dataclass
from math import ceil
from typing import Any

from ....arch import get_arch
from ....model.kernel import Candidate
from ....model.tensor import Addresses
from ....ops.gemm.problem import GemmProblem
from ...gpu.stage import GpuStage, units_of
from ..call import CkKernels, ClearCall, CodeCall
from .algorithm import CkTileGemm
from .geometry import threads
from .instances import instances
from .launch import GemmArgs, arguments, clears

SUM_BYTES, FLAG_BYTES = 4, 4  # of an element of a part of a tile, and of the flag of a block
MAX_SHARES = 16


class StreamKArgs(ctypes.Structure):
    """The kernel argument, field by field as `tilewright_ck::StreamKArgs`.

    >>> ctypes.sizeof(StreamKArgs)
    224
    """

    _fields_ = [("product", GemmArgs), ("workspace", ctypes.c_void_p), ("shares", ctypes.c_int32 * MAX_SHARES)]


@dataclass(frozen=True)
class Shares:
    """The members of CK's StreamKTilePartitionerBase in order, all 32-bit integers."""

    tiles: int
    blocks: int
    whole_tiles: int  # computed by one block each
    full_tiles: int
    shared_tiles: int
    sharing_blocks: int
    shared_steps: int
    steps: int  # of a tile
    steps_each: int  # of a sharing block
    extra_steps: int  # one more for each of the first blocks
    whole_steps: int
    n: int

    @classmethod
    def of(cls, m: int, n: int, k: int, tile: tuple[int, int, int], blocks: int) -> Shares:
        """Return how CK shares out a product; as its constructor does.

        >>> s = Shares.of(320, 64, 256, (64, 64, 64), 2)
        >>> s.whole_tiles, s.shared_tiles, s.steps_each
        (2, 3, 6)
        """
        steps, tiles = ceil(k / tile[2]), ceil(m / tile[0]) * ceil(n / tile[1])
        shared, sharing = 0, 0
        if tiles % blocks:
            shared, sharing = (blocks + tiles % blocks if tiles > blocks else tiles), blocks
            if shared * steps < blocks:  # too little work: one tile for each block
                shared, sharing = 0, 0
        each, extra = divmod(shared * steps, sharing) if sharing else (0, 0)
        whole = tiles - shared
        return cls(tiles, blocks, whole, 1, shared, sharing, shared * steps, steps, each, extra, whole * steps, n)

    def numbers(self, persistent: bool) -> tuple[int, ...]:
        """Return the members with those of the persistent, or of the other, partitioner."""
        whole = self.whole_tiles
        own = (whole // self.blocks, whole % self.blocks) if persistent else (whole, 0, whole)
        return (*astuple(self), *own)

    def grid(self, persistent: bool) -> int:
        """Return the blocks to launch: those that stay, or one for each whole tile and the sharing ones."""
        if persistent:
            return self.tiles if self.whole_tiles % self.blocks else self.blocks
        return self.whole_tiles + self.sharing_blocks

    def bytes(self, algorithm: CkTileGemm) -> int:
        """Return the workspace of the linear reduction: a flag and a tile of sums for each sharing block."""
        return self.sharing_blocks * (FLAG_BYTES + SUM_BYTES * algorithm.tile_m * algorithm.tile_n)


def shares_of(candidate: Candidate, problem: GemmProblem, units: int) -> Shares:
    """Return how a launch shares out its work: among as many blocks as were asked for, else one for each unit.

    One block per unit is always resident, so no block waits for one that cannot start.
    """
    launch = candidate.launch
    blocks = min(launch.grid[0], units) if launch.grid else units
    return Shares.of(problem.m, problem.n, problem.k, candidate.spec.algorithm.tile, blocks)


class StreamKStage(GpuStage):
    """One Stream-K product of a plan."""

    def __init__(self, candidate: Candidate, problem: GemmProblem, kernels: CkKernels) -> None:
        algorithm, units = candidate.spec.algorithm, units_of(candidate.spec.arch)
        linear = algorithm.family == "stream_k_linear"
        space = shares_of(candidate, problem, units).bytes(algorithm) if linear else 0

        def ready(driver: Any, addresses: Addresses, workspace: int) -> list[Any]:
            shares = shares_of(candidate, problem, min(units, driver.units()))
            flags = shares.sharing_blocks * FLAG_BYTES
            first: list[Any] = [] if linear else list(clears(driver, problem, addresses["out"]))
            if linear and flags:
                first = [ClearCall(driver, workspace, flags, flags, 1)]
            return [*first, product(kernels, driver, candidate, problem, shares, addresses, workspace)]

        super().__init__(kernels, space, ready)


def product(
    kernels: CkKernels,
    driver: Any,
    candidate: Candidate,
    problem: GemmProblem,
    shares: Shares,
    addresses: Addresses,
    workspace: int,
) -> CodeCall:
    """Return the launch of the product."""
    spec = candidate.spec
    persistent, arch = spec.algorithm.persistent, get_arch(spec.arch)
    args = StreamKArgs(arguments(spec.algorithm.family, problem, candidate.launch, addresses), workspace)
    numbers = shares.numbers(persistent)
    args.shares[: len(numbers)] = numbers
    function = kernels.function(driver, str(instances(spec)[0].name))
    block = threads(spec.algorithm, arch)  # type: ignore[arg-type]  # an AMD arch
    return CodeCall(driver, spec.name, function, (shares.grid(persistent), 1, 1), block, bytes(args))
