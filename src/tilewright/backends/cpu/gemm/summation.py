"""The order in which a CPU GEMM kernel sums along K."""

from __future__ import annotations

from ....arch import get_arch
from ....model.arch import CpuArch
from ....model.kernel import Candidate
from ....ops.gemm.problem import GemmProblem

USUAL_BLOCK = 512  # of a kernel and a launch that both leave it open (tw/gemm/plan.hpp)
QUAD = 4  # lanes of 128 bits
NAMED_REGISTERS = 8  # of which SVE can name lanes


def order(candidate: Candidate, problem: GemmProblem) -> str:
    """Return how products are formed, and the length of a block along K unless one block holds all of it.

    A tiled kernel adds the products of a block one after another, then the sums of the blocks. So the rows of a tile,
    packing and threads do not matter. Sums of integers are exact in any order. Splits that were chosen for the number
    of rows have no name, and neither have skinny kernels: most of them sum in orders of their own, for few rows only.
    """
    spec, launch = candidate.spec, candidate.launch
    a = spec.algorithm
    if spec.signature.dtype_acc == "int32":
        return "int32"
    if launch.split_k > 1 and problem.split_k is None:
        return ""
    arch = get_arch(spec.arch)
    assert isinstance(arch, CpuArch), spec.arch
    unit = a.inner if arch.has_fma else f"{a.inner}-rounded-products"
    if a.pipeline == "skinny":
        return unit if _walks(candidate, arch) and launch.split_k == 1 else ""
    if arch.kind == "arm" and a.inner == "fma" and not _multiplies_by_lanes(candidate, arch):
        unit = "fma-by-compiler"  # who decides whether a product is rounded before it is added
    block = a.kc or (launch.blocks[0] if launch.blocks else 0) or USUAL_BLOCK
    parts = f":x{launch.split_k}" if launch.split_k > 1 else ""
    return f"{unit}{parts}" if block >= problem.k else f"{unit}:k{block}{parts}"


def _multiplies_by_lanes(candidate: Candidate, arch: CpuArch) -> bool:
    """Return whether a tile is multiplied by Arm's own instructions: `MicroLanes::fits` of tw/arm/micro_lanes.hpp."""
    g, a = candidate.spec.signature, candidate.spec.algorithm
    along_m = g.layout[0] != "r" or (a.pack_a and a.mr % QUAD == 0)  # a register of A holds one word of four rows
    held, vectors = (a.mr // QUAD if along_m else a.mr), a.nr // arch.lanes
    fits = a.mr * vectors + vectors + held <= arch.vector_registers
    whole = a.nr % arch.lanes == 0 and a.mr % QUAD == 0
    return bool(fits and whole and (arch.lanes == QUAD or held <= NAMED_REGISTERS))


def _walks(candidate: Candidate, arch: CpuArch) -> bool:
    """Return whether a skinny kernel adds all products one after another, as one block does: tw/arm/skinny_walk.hpp."""
    g, a = candidate.spec.signature, candidate.spec.algorithm
    neon = arch.kind == "arm" and arch.lanes == QUAD
    along_n = g.b_format == "plain" and g.layout[1] == "r"
    return bool(neon and along_n and a.inner == "fma" and a.pack_a and g.dtype_b == "fp32")
