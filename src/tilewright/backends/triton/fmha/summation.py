"""The order in which a Triton attention kernel sums."""

from __future__ import annotations

from ....arch import get_arch
from ....model.arch import NvidiaArch
from ....model.kernel import Candidate
from ....ops.fmha.problem import FmhaProblem

WARP_ROWS = 16  # rows of a warp in one matrix instruction
GROUP_ROWS = 64  # of a wgmma


def order(candidate: Candidate, problem: FmhaProblem) -> str:
    """Return the pipeline with its matrix instruction, the keys of a block, and how keys are split.

    Blocks of keys begin at multiples of their size, and what a row does not see adds zeros. So it does not matter which
    rows share a block. Splits have a name if each has a fixed number of keys, or if the problem names their number.
    With a bias, the Hopper pipeline looks at the bias of all rows of a block, so it declares nothing.
    """
    spec, launch, arch = candidate.spec, candidate.launch, get_arch(candidate.spec.arch)
    a, g = spec.algorithm, spec.signature
    chosen = launch.num_splits > 1 and problem.num_splits is None and not launch.blocks
    if g.family in ("bwd", "fwd_appendkv") or chosen:
        return ""
    if a.pipeline == "hopper" and g.bias != "none":
        return ""
    whole = isinstance(arch, NvidiaArch) and a.tile_m >= WARP_ROWS * a.warps  # a warp has all keys of its rows
    unit = "wgmma" if spec.arch == "sm_90" and a.tile_m >= GROUP_ROWS else "mma"
    words = [a.pipeline, unit if whole else f"{unit}{a.tile_m}w{a.warps}", f"keys{a.tile_n}"]
    words += [a.precision] if g.dtype == "fp32" else []
    if launch.num_splits > 1:
        words.append(f"by{launch.blocks[0]}" if launch.blocks else f"x{launch.num_splits}")
    return ":".join(words)
