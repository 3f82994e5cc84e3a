"""hopper: rules, values and stages of kernels in which one warp fills a ring and the others multiply."""

from __future__ import annotations

from ......arch import get_arch
from ......model.arch import Arch, NvidiaArch
from ......model.dtype import get_dtype
from ......model.kernel import KernelSpec, Launch
from ......model.rule import Broken, broken
from ......model.tensor import Addresses
from ......ops.gemm.problem import GemmProblem
from ......ops.gemm.signature import GemmSignature
from ....pipelines import Call
from ...algorithm import TritonGemm, column_blocks, is_narrowed
from ...bind import tile_count, values
from ...tma import TmaPipeline
from .ring import hopper_shared_bytes, hopper_stages, part_width, reduce_block, residual_of
from .rules import entry_registers, narrowed

ACCUMULATORS = 192  # registers per thread that a consumer can spare for sums
NARROW = 32  # columns of a tile up to which A is read too often by a wide product


class Hopper(TmaPipeline):
    """Warps with roles, wgmma, clusters, splits of any kind."""

    has = frozenset({
        "free_stages", "reduce", "order", "consumers", "blocks_per_unit", "store", "operands", "cluster", "one_block",
        "loose",
    })  # fmt: skip
    streams = True
    least_tile = (64, 8)
    first_rules = (entry_registers, narrowed)

    def kind(self, spec: KernelSpec) -> str:
        """Return "columns" for tiles that are narrower than what is compiled, "abreast" if their programs are."""
        if spec.algorithm.order == "abreast":
            return "abreast"
        return "columns" if is_narrowed(spec.algorithm) else "gemm"

    def scales_blocks(self, a: TritonGemm) -> bool:
        """Return where each step is added to sums in registers."""
        return a.accumulate == "promoted"

    def columns(self, a: TritonGemm) -> tuple[int, int]:
        """Return a power of two and a smaller one; promoted sums have one block, narrowed tiles too."""
        first, rest = column_blocks(a)
        if rest < 0:
            return first, 0
        return (a.tile_n, 0) if a.accumulate == "promoted" else (first, rest)

    def instruction(self, a: TritonGemm) -> Broken | None:
        """Judge the warps: a group has 4 or 8, each with 16 rows."""
        rows = 16 * a.warps // a.consumers
        if a.tile_m % rows or a.warps // a.consumers not in (4, 8):
            got = f"{a.warps} warps in {a.consumers} groups need tile_m a multiple of {rows}; it is {a.tile_m}"
            return broken(got, "use 4 or 8 warps per group", rows=rows)
        return None

    def most_sums(self, a: TritonGemm) -> int:
        """Return what one program has, or what several leave to each other."""
        if a.blocks_per_unit > 1:
            return 65536 // (a.blocks_per_unit * 32 * 4 * -(-(a.warps + 1) // 4)) - 40
        return ACCUMULATORS

    def shared_bytes(self, spec: KernelSpec, arch: Arch) -> int:
        """Return the ring, the store buffers and barriers."""
        if not isinstance(arch, NvidiaArch):
            return super().shared_bytes(spec, arch)
        a, g = spec.algorithm, spec.signature
        return hopper_shared_bytes(g, a, max(2, hopper_stages(g, a, arch)))

    def residual(self, spec: KernelSpec) -> int | None:
        """Return the one that has a ring of its own."""
        return residual_of(spec.signature, spec.algorithm)

    def box(self, name: str, k_major: bool, dtype: str, size: int) -> Broken | None:
        """Return what wgmma reads if K is not contiguous."""
        if k_major:
            return None
        if size < 16:
            got = f"{name} has {size} columns side by side; wgmma reads them wrongly where K is not contiguous"
            return broken(got, "use a tile of 16, or the pointer pipeline", columns=size)
        if get_dtype(dtype).bits != 16:
            got = f"{name} is {dtype} with K not contiguous; wgmma reads only 16-bit types that way"
            return broken(got, "use operands='staged', or the pointer pipeline", dtype=dtype)
        return None

    def stored_columns(self, g: GemmSignature, a: TritonGemm) -> int:
        """Return those of a column block."""
        return part_width(g, a)

    def narrow(self, columns: int, a: TritonGemm) -> Broken | None:
        """Narrow tiles are for few columns."""
        if a.tile_n > NARROW or columns <= 4 * a.tile_n:
            return None
        return broken(f"{columns} columns in tiles of {a.tile_n} read A too often", "use wider tiles", columns=columns)

    def after(
        self, spec: KernelSpec, p: GemmProblem, launch: Launch, units: int, addresses: Addresses, workspace: int
    ) -> list[Call]:
        """Return the kernel that adds the shares of the product, if they are not added inside of it."""
        a = spec.algorithm
        if not a.split or a.reduce != "after":
            return []
        _, args = values(spec, p, launch, units, addresses, workspace)
        rows, cols = reduce_block(spec.signature, a)
        blocks = (a.tile_n // cols) * (a.tile_m // rows)
        return [("reduce", (tile_count(p, a) * blocks, 1, 1), args)]

    def held_stages(self, spec: KernelSpec) -> float:
        """Return those of the ring."""
        arch = get_arch(spec.arch)
        if not isinstance(arch, NvidiaArch):
            return super().held_stages(spec)
        return float(hopper_stages(spec.signature, spec.algorithm, arch))


PIPELINE = Hopper()
