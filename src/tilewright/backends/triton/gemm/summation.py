"""The order in which a Triton GEMM kernel sums along K."""

from __future__ import annotations

from ....arch import get_arch
from ....model.arch import NvidiaArch
from ....model.dtype import get_dtype
from ....model.kernel import Candidate
from ....ops.gemm.problem import GemmProblem


def order(candidate: Candidate, problem: GemmProblem) -> str:
    """Return the pipeline with its matrix instruction; further, what else decides the order.

    On NVIDIA GPUs a tile adds one instruction's products after another to the same sums. So its rows, columns and depth
    do not matter, unless each step has sums of its own. On AMD GPUs the tile decides which instruction is used. Shares
    of K have no name if their number was chosen for this number of rows; those of stream-K always depend on it.
    """
    spec, launch = candidate.spec, candidate.launch
    a, g, arch = spec.algorithm, spec.signature, get_arch(spec.arch)
    if g.dtype_acc == "int32":
        return "int32"
    if launch.grid or a.order == "abreast" or (launch.split_k > 1 and problem.split_k is None):
        return ""
    words = [a.pipeline]
    if isinstance(arch, NvidiaArch):
        words.append("wgmma" if spec.arch == "sm_90" else "mma")
        apart = a.accumulate == "promoted" or "block" in (g.scale_a, g.scale_b)
        words += [f"k{a.tile_k}"] if apart or launch.split_k > 1 else []
    else:
        words.append(f"{a.tile_m}x{a.tile_n}x{a.tile_k}w{a.warps}{'t' if a.swap_ab else ''}")
    words += [a.precision] if g.dtype_a == "fp32" else []
    words += [a.accumulate] if get_dtype(g.dtype_a).bits == 8 else []
    words += [f"x{launch.split_k}", a.reduce] if launch.split_k > 1 else []
    return ":".join(words)
