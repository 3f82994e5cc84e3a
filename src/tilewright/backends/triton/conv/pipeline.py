"""Pipeline: one way to compute a convolution, and what generic code asks of it. Each has a file in `pipelines`.

The methods here are those of a matrix product over pixels that are read through pointers; a pipeline overrides what it
does otherwise. `a` is the algorithm, `p` the problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from ....jit.artifact import BuildRequest
from ....model.arch import Arch
from ....model.backend import Stage
from ....model.device import Device
from ....model.dtype import get_dtype
from ....model.kernel import Candidate, KernelSpec, Launch, split_launch
from ....model.rule import Broken, broken
from ....model.tensor import Addresses
from ....ops.conv.problem import ConvProblem
from ....ops.conv.problem import ConvSubject as Subject
from ....settings import Settings
from ..pipelines import BasePipeline, Call
from .algorithm import TritonConv, is_weight
from .cost_parts import Constants, family, known_launches, most_shares
from .geometry import FINISH_TILES, Geometry, sides

WAVES = (0.5, 1, 2, 4)  # splits that fill the GPU so often
REGISTERS = 65536
WARPS_PER_UNIT = 64
Traits = Iterator[tuple[bool, str]]


class Pipeline(BasePipeline):
    """A pipeline as generic code sees it. The facts are class attributes."""

    own: ClassVar[bool] = True  # kernels of this op; False: those of the gemm backend over the same memory
    product_rules: ClassVar[bool] = False  # tiles, registers and memory are judged by the gemm backend's rules
    windows: ClassVar[bool] = False  # made for one filter, `span` pixels along w at a time
    span_rows: ClassVar[bool] = False  # the places along w are counted in spans
    walks: ClassVar[bool] = False  # programs walk down the image, in segments that are searched for
    stays: ClassVar[bool] = False  # programs stay on the GPU and walk through the tiles
    folds: ClassVar[bool] = False  # may take a filter row as one run of channels
    turns: ClassVar[bool] = False  # may do so in backward data, as a forward convolution
    knows_channels: ClassVar[bool] = False  # may be made for a number of channels per group
    atomic: ClassVar[bool] = True  # shares of backward weight may meet by atomic additions
    most_sums: ClassVar[int] = 256  # registers per thread that sums may take
    finish_tiles: ClassVar[tuple[tuple[int, int], ...]] = FINISH_TILES
    prices: ClassVar[Mapping[str, Constants]] = {}  # by `family`
    rank: ClassVar[tuple[int, int]]  # among pipelines by rules of thumb: of many channels per group, and of few

    # What a kernel is called, and which further kernels it needs.

    def label(self, a: TritonConv) -> str:
        """Return the first part of a kernel's label."""
        text = f"{a.pipeline}_{a.tile_m}x{a.tile_n}x{a.tile_k}_w{a.warps}s{a.stages}"
        return "_".join([text, *self.shown(a), *a.flags(self.windows)])

    def shown(self, a: TritonConv) -> list[str]:
        """Return what the label says of this pipeline alone."""
        return []

    def sums_shares(self, spec: KernelSpec) -> bool:
        """Return whether a second kernel adds shares."""
        return is_weight(spec)

    def copies(self, spec: KernelSpec) -> tuple[str, ...]:
        """Return the kinds of the kernels that first copy operands (`before`)."""
        return ()

    # Which kernels are legal.

    def tile(self, spec: KernelSpec, sizes: Mapping[str, int]) -> Broken | None:
        """Judge tiles, whose sizes are powers of two."""
        small = [n for n in ("tile_m", "tile_n", "tile_k") if sizes[n] < 16]
        if small:
            return broken(f"{small[0]} is {sizes[small[0]]} < 16, one matrix instruction", "use 16 or more", **sizes)
        return None

    def sums(self, spec: KernelSpec) -> int:
        """Accumulator elements of a program."""
        return int(spec.algorithm.tile_m * spec.algorithm.tile_n)

    def shared_bytes(self, spec: KernelSpec, stages: int) -> int:
        """Shared memory of a program whose copies run `stages` ahead."""
        a = spec.algorithm
        return int((a.tile_m + a.tile_n) * a.tile_k * get_dtype(spec.signature.dtype_read[0]).bytes * stages)

    def has_height(self, spec: KernelSpec) -> bool:
        """Return whether `filter_h` means something."""
        return False

    def may_merge(self, a: TritonConv) -> bool:
        """Return whether groups may share a tile on demand (`merge`)."""
        return False

    def may_split(self, spec: KernelSpec) -> bool:
        """Return whether `split` means something."""
        return False

    def traits(self, spec: KernelSpec, arch: Arch) -> Traits:
        """Yield (whether it is wrong, what) of traits that only this pipeline has."""
        a = spec.algorithm
        yield a.pair > 1, "columns of one product outside strips"
        yield a.rows > 1, "rows outside matrix units' strips"

    def channels(self, s: Subject) -> Broken | None:
        """Judge the channels per group of a problem, in addition to what holds for every pipeline."""
        return None

    def fold(self, p: ConvProblem, a: TritonConv) -> Broken | None:
        """Judge a problem of one group whose filter rows are to be folded."""
        for role in ("input", "weight"):
            if p.stride_of(role)[-1] != p.c_group:
                got = f"{role} has a stride of {p.stride_of(role)[-1]} between pixels of {p.c_group} channels"
                return broken(got, "use fold=False", role=role)
        return None

    # How a launch is cut, and what the kernel is handed.

    def shares_tiles(self, a: TritonConv) -> bool:
        """Return whether whole groups share a tile."""
        return bool(a.merge)

    def side_by_side(self, a: TritonConv) -> bool:
        """Return whether the channels of all groups have to lie side by side."""
        return self.shares_tiles(a)

    def tile_channels(self, a: TritonConv, weight: bool) -> tuple[int, int]:
        """Channels of a tile that are (gathered, on the other side)."""
        return a.tile_k, a.tile_n

    def merged_groups(self, p: ConvProblem, a: TritonConv) -> int:
        """Return how many groups share a tile."""
        if not self.shares_tiles(a):
            return 1
        read, other = sides(p)
        tile_read, tile_other = self.tile_channels(a, p.direction == "backward_weight")
        return max(1, min(tile_read // read, tile_other // other, self.most_groups(p, tile_read)))

    def most_groups(self, p: ConvProblem, tile_read: int) -> int:
        """Groups that a tile may hold."""
        return p.g

    def geometry(self, p: ConvProblem, a: TritonConv, launch: Launch, units: int) -> Geometry:
        """Return the programs of one launch on a GPU of `units` multiprocessors."""
        raise NotImplementedError(self.name)

    def seen(self, p: ConvProblem, a: TritonConv) -> ConvProblem:
        """Return the problem as the kernel sees it."""
        return p

    def operands(
        self, p: ConvProblem, a: TritonConv, addresses: Addresses, workspace: int
    ) -> tuple[Mapping[str, int], int]:
        """Return (addresses that the kernel reads, workspace that is left to it)."""
        return addresses, workspace

    def before(self, p: ConvProblem, a: TritonConv, addresses: Addresses, workspace: int) -> list[Call]:
        """Return the launches before the convolution: copies of its operands."""
        return []

    def arguments(self, p: ConvProblem, a: TritonConv, shape: Geometry, addresses: Addresses) -> dict[str, Any]:
        """Parameter values that only this pipeline has; `addresses` are those of the problem as it is seen."""
        return {}

    # What a launch costs.

    def family(self, spec: KernelSpec) -> str:
        """Return the name under which the prices of a kernel are kept."""
        return family(spec)

    def launches(self, spec: KernelSpec, problem: ConvProblem, device: Device) -> Sequence[Launch]:
        """Return the launches worth considering: splits of backward weight that fill the GPU."""
        known = known_launches(spec, problem)
        if known is not None:
            return known
        one = self.geometry(problem, spec.algorithm, split_launch(1), device.units)
        room, most = device.units * self.resident(spec), most_shares(spec, problem, one.steps)
        wanted = {max(1, min(most, round(w * room / max(1, one.programs)))) for w in WAVES}
        return tuple(map(split_launch, sorted(wanted)))

    def resident(self, spec: KernelSpec) -> int:
        """Return how many programs share a multiprocessor, by the registers of their sums."""
        warps = spec.algorithm.warps
        per_thread = min(255, 48 + self.sums(spec) // (32 * warps))
        return int(max(1, min(WARPS_PER_UNIT // warps, REGISTERS // (32 * warps * per_thread), 32)))

    def turn(self, spec: KernelSpec) -> tuple[float, float, float]:
        """Return (elements loaded, operations on matrix units, vector instructions) of one turn of a program's loop."""
        raise NotImplementedError(self.name)

    def walk(self, spec: KernelSpec) -> tuple[float, float, float]:
        """Return (turns that a strip begins with, destination rows of a turn, channels of a line) of a kernel."""
        return 0.0, 1.0, 1.0

    def preference(self, candidate: Candidate, problem: ConvProblem, device: Device) -> tuple[float, str]:
        """Return (score, reason) by the rules of thumb of another op's kernels; only if they are not this op's own."""
        raise NotImplementedError(self.name)

    # Building and launching.

    def jobs(self, spec: KernelSpec) -> dict[str, Any]:
        """Everything that is compiled for a spec, by file prefix: the convolution, its copies, what adds its shares."""
        kinds = {"kernel": "conv"}
        kinds |= {kind: kind for kind in self.copies(spec)}
        kinds |= {"finish": "finish"} if self.sums_shares(spec) else {}
        return {prefix: {"kind": kind, "spec": spec.to_dict()} for prefix, kind in kinds.items()}

    def request(self, spec: KernelSpec, settings: Settings) -> BuildRequest:
        """Return the build of one kernel."""
        from .lower import own_request

        return own_request(spec, self, settings)

    def open_kernels(self, spec: KernelSpec, folder: Path) -> Any:
        """Return the kernels of one artifact; opening touches no GPU."""
        from ...gpu.stage import GpuKernels

        return GpuKernels(spec, folder, self.jobs(spec))

    def stage(self, candidate: Candidate, problem: ConvProblem, kernels: Any) -> Stage:
        """Return the stage of a plan."""
        from .launch import ConvStage

        return ConvStage(candidate, problem, kernels)
