"""Pipeline: one way to compute a product, and what generic code asks of it. Each has a folder in `pipelines`.

The methods here are those of a kernel that reads its operands through pointers and leaves the copies in flight to
Triton's compiler; a pipeline overrides what it does differently. `a` is the algorithm, `p` the problem.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

from ....model.arch import AmdArch, Arch
from ....model.dtype import get_dtype
from ....model.kernel import KernelSpec, Launch
from ....model.rule import Broken
from ....model.tensor import Addresses
from ....ops.gemm.problem import GemmProblem
from ....ops.gemm.signature import GemmSignature
from ..pipelines import BasePipeline, Call
from .algorithm import KernelView, TritonGemm, view_of
from .operands import Operand

INT32_LIMIT = 2**31


class Pipeline(BasePipeline):
    """A pipeline as generic code sees it. The facts are class attributes; the parts are modules of its folder."""

    # Tunables that only some pipelines have, and this one has; "free_stages": stages=0 means as many as fit.
    has: ClassVar[frozenset[str]] = frozenset()
    tma: ClassVar[bool] = False  # operands arrive by TMA
    stays: ClassVar[bool] = False  # programs stay on the GPU and walk through the tiles
    streams: ClassVar[bool] = False  # programs may share tiles by stream-K
    reads_packed: ClassVar[bool] = True  # takes a packed B
    least_tile: ClassVar[tuple[int, int]] = (16, 16)
    detour: ClassVar[float] = 1.0  # how much slower than the best pipeline, as a rule of thumb

    def kind(self, spec: KernelSpec) -> str:
        """Return which of the jobs of the folder's `source` makes the product."""
        return "gemm"

    # Which kernels are legal.

    def has_prologues(self, a: TritonGemm) -> bool:
        """Return whether operands can go through steps before the product."""
        return False

    def scales_blocks(self, a: TritonGemm) -> bool:
        """Return whether a kernel can apply factors per block of K."""
        return True

    def lacks(self, a: TritonGemm) -> Broken | None:
        """Judge choices that the pipeline does not have."""
        return None

    def columns(self, a: TritonGemm) -> tuple[int, int]:
        """Columns of a tile that are computed together, and a rest; each is a power of two."""
        return a.tile_n, 0

    def instruction(self, a: TritonGemm) -> Broken | None:
        """Judge how tiles and warps fit the matrix instructions."""
        return None

    def most_sums(self, a: TritonGemm) -> int:
        """Registers per thread that sums may take."""
        return 256

    def shared_bytes(self, spec: KernelSpec, arch: Arch) -> int:
        """Shared memory of a program: the operand tiles in flight, and what the store needs."""
        a = spec.algorithm
        view = view_of(spec.signature, a)
        bytes_a, bytes_b = get_dtype(view.a).bytes, get_dtype(view.b).bytes
        # AMD keeps one of the stages in registers.
        stages = max(1, a.stages - 1) if isinstance(arch, AmdArch) else a.stages
        ring = (a.tile_m * bytes_a + a.tile_n * bytes_b) * a.tile_k * stages
        return int(ring + self.store_bytes(spec))

    def store_bytes(self, spec: KernelSpec) -> float:
        """Shared memory that the store takes in addition to the tiles in flight."""
        return 0

    def box(self, name: str, k_major: bool, dtype: str, size: int) -> Broken | None:
        """Judge the box of an operand that arrives by TMA: `size` rows or columns; `k_major`: K is contiguous."""
        return None

    def stored_columns(self, g: GemmSignature, a: TritonGemm) -> int:
        """Return the columns of a tile that are stored at a time."""
        return a.tile_n

    # Which problems a kernel takes.

    def alignment(self, a: TritonGemm, role: str) -> int:
        """Return the bytes of which pointer and leading stride of a tensor have to be multiples."""
        return a.vector_bytes

    def residual(self, spec: KernelSpec) -> int | None:
        """Return the number of the D operand that arrives by TMA, if one does."""
        return None

    def offsets(self, p: GemmProblem, a: TritonGemm) -> Broken | None:
        """Judge the offsets inside of a tile."""
        return None

    def narrow(self, columns: int, a: TritonGemm) -> Broken | None:
        """Judge tiles of few columns, for a product of `columns`."""
        return None

    # Values and cost.

    def maps(self, p: GemmProblem, a: TritonGemm, view: KernelView, seen: tuple[Operand, ...]) -> dict[str, Any]:
        """Return the tensor maps of A, B and out, with the parameter values that belong to them."""
        return {}

    def after(
        self, spec: KernelSpec, p: GemmProblem, launch: Launch, units: int, addresses: Addresses, workspace: int
    ) -> list[Call]:
        """Return the launches after the product."""
        return []

    def held_stages(self, spec: KernelSpec) -> float:
        """Return the steps that a kernel has in flight."""
        return float(max(1, spec.algorithm.stages))

    def part(self, name: str) -> Any:
        """Return a module of this pipeline's folder; imported at its first use."""
        return import_module(f"{__package__}.pipelines.{self.name}.{name}")
