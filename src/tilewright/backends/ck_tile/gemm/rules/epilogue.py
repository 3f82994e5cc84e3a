"""What the two epilogues of CK's headers can store."""

from __future__ import annotations

from typing import Any

from .....model.rule import Broken, rule
from .....ops.gemm.problem import GemmSubject as Subject
from ...algorithm import BlockShape
from ..geometry import shuffle, store_spread, store_vector
from .common import say


@rule("ck_tile.gemm.cshuffle_layout", "compile", "cshuffle: the output is row-major")
def cshuffle_layout(p: Subject) -> Broken | None:
    """CK's cshuffle epilogue has only the row-major form; a static assertion checks it."""
    if p.algorithm.epilogue != "cshuffle" or p.signature.layout[2] == "r":
        return None
    text = f"the cshuffle epilogue stores row-major outputs; layout {p.signature.layout} has a column-major one"
    return say([text], {"epilogue": "default"}, layout=p.signature.layout)


def _shuffles(p: Subject) -> bool:
    return bool(p.algorithm.epilogue == "cshuffle" and p.signature.layout[2] == "r")


@rule(
    "ck_tile.gemm.store_c",
    "compile",
    "cshuffle: X0 * (wave // X0) == wave with X, Y = waves_n * warp_tile_n, waves_m * warp_tile_m * group",
)
def store_c(p: Subject) -> Broken | None:
    """The lanes of every wave cover whole rows of the part of the output tile that is stored at once."""
    found = store_spread(p.algorithm, p.signature, p.arch) if _shuffles(p) else None
    if found is None or found.covers:
        return None
    text = f"output part {found.x}x{found.y} of {p.signature.dtype_out}: {found.fault}"
    numbers: dict[str, Any] = {"x": found.x, "y": found.y, "vector": found.vector, "lanes": found.lanes}
    return say([text], {"epilogue": "default"}, wave=p.arch.wave_size, **numbers)


@rule(
    "ck_tile.gemm.cshuffle_group",
    "known-miscompile",
    "cshuffle: tile_m / (waves_m * warp_tile_m) % group == 0, group = vector / (warp_tile_m * warp_tile_n / wave) >= 1",
)
def cshuffle_group(p: Subject) -> Broken | None:
    """Narrow warp tiles are stored in groups; CK 1.2.0 does not detect repeats that leave an incomplete group."""
    vector = store_vector(p.algorithm, p.signature, p.arch)
    return left_over(p.algorithm, vector, p.arch.wave_size) if _shuffles(p) else None


def left_over(a: BlockShape, vector: int, wave: int) -> Broken | None:
    """Return the broken rule if the repeats of the warp tile along m are not a whole number of cshuffle's groups."""
    unit, group = a.waves_m * a.warp_tile_m, shuffle(a, vector, wave).group
    repeats = a.tile_m // unit if unit > 0 else 0
    if repeats % group == 0:
        return None
    text = (
        f"tile_m {a.tile_m} / (waves_m {a.waves_m} * {a.warp_tile_m}) = {repeats} repeats, of which cshuffle stores "
        f"{group} at a time for vectors of {vector}: {repeats % group} is left over, and the results are wrong"
    )
    fix = {"tile_m": unit * (repeats - repeats % group)}
    return say([text], fix, repeats=repeats, group=group, vector=vector)


@rule(
    "ck_tile.gemm.default_activation",
    "known-miscompile",
    "default epilogue: an activation only together with D operands",
)
def default_activation(p: Subject) -> Broken | None:
    """Without D operands CK's default epilogue silently never calls the element-wise functor."""
    s = p.signature
    if p.algorithm.epilogue != "default" or s.d or s.activation == "none":
        return None
    text = f"the default epilogue omits the activation {s.activation} if there is no D operand"
    return say([text], {"epilogue": "cshuffle"}, activation=s.activation)


@rule(
    "ck_tile.gemm.default_d_dtype", "known-miscompile", "default epilogue: the first D operand has the output's dtype"
)
def default_d_dtype(p: Subject) -> Broken | None:
    """CK's default epilogue keeps the combined value in the dtype of the first D operand, rounding it there."""
    s = p.signature
    if p.algorithm.epilogue != "default" or not s.d or s.d[0].dtype == s.dtype_out:
        return None
    text = f"the default epilogue rounds to {s.d[0].dtype}, the dtype of d0, before it stores {s.dtype_out}"
    return say([text], {"epilogue": "cshuffle"}, d0=s.d[0].dtype, dtype_out=s.dtype_out)


@rule("ck_tile.gemm.column_d", "known-miscompile", "D operands: the output is row-major")
def column_d(p: Subject) -> Broken | None:
    """CK 1.2.0 views a column-major D as [N, M], but its default epilogue reads it as the [M, N] of the accumulator.

    See `MakeGemmTensorViews` of ops/gemm/kernel/universal_gemm_kernel.hpp and ops/epilogue/default_2d_epilogue.hpp. The
    tests execute such a kernel.
    """
    s = p.signature
    if not s.d or s.layout[2] == "r":
        return None
    text = f"layout {s.layout} with {len(s.d)} D operands: CK 1.2.0 reads each tile of a column-major D transposed"
    remedy = f"use layout {s.layout[:2]}r, or multiply the transposed matrices, or use another backend"
    return say([text], remedy=remedy, layout=s.layout, d=len(s.d))


RULES = (cshuffle_layout, store_c, cshuffle_group, default_activation, default_d_dtype, column_d)
