"""The order in which a CPU attention kernel sums."""

from __future__ import annotations

from ....arch import get_arch
from ....model.arch import CpuArch
from ....model.kernel import Candidate
from ....ops.fmha.problem import FmhaProblem

EQUAL_ROWS = (1,)  # `blocks` of a launch: a row that is alone in its block is computed as those of full blocks are


def order(candidate: Candidate, problem: FmhaProblem) -> str:
    """Return the keys of a block: a row sums block after block, in the same way in blocks of any number of rows.

    Parts of the keys count only if the problem names their number.
    """
    launch, arch = candidate.launch, get_arch(candidate.spec.arch)
    a = candidate.spec.algorithm
    if launch.blocks != EQUAL_ROWS or a.inner != "fma" or (launch.num_splits > 1 and problem.num_splits is None):
        return ""
    unit = "fma" if isinstance(arch, CpuArch) and arch.has_fma else "fma-rounded-products"
    parts = f":x{launch.num_splits}" if launch.num_splits > 1 else ""
    return f"{unit}:keys{a.block_keys}{parts}"
