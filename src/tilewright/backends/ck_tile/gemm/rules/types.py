"""What the kernels can compute: dtypes, output, scales and D operands."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .....arch import default_catalog
from .....model.arch import AmdArch
from .....model.dtype import get_dtype
from .....model.rule import Broken, rule
from .....ops.gemm.problem import GemmSubject as Subject
from ...cpp import FNUZ, OCP, OCP_TARGETS, TYPES
from ..algorithm import EMITTED, QUANT
from .common import say

LEAST_BITS = 8
# The dtypes that CK 1.2.0 can convert an accumulator to: in any epilogue, and in one that does nothing else.
OUTPUTS = {"fp32": ("fp16", "bf16", "fp32"), "int32": ("int32",)}
BARE_OUTPUTS = {"fp32": ("fp8", "fp8_fnuz", "bf8", "bf8_fnuz"), "int32": ("fp32", "fp16")}
# The targets whose conversion to 8 bits is packed: CK 1.2.0 packs fp8 even if bf8 is requested.
PACKED = ("gfx942", "gfx950", "gfx1200", "gfx1201")


# Operands that have no kernels, and the CK source that says so.
NOT_IN_CK = {
    "fp64": "CK 1.2.0 multiplies no doubles: WarpGemmDispatcher has none (ops/gemm/warp/warp_gemm_dispatcher.hpp)",
    "int4": "CK 1.2.0 takes pk_int4_t as one operand, converted to the other's dtype, in compv3 and preshufflev2 (mem, "
    "compv4, compv6 and comp_async refuse it by static_assert); tilewright has no tensors of packed int4",
}


@rule("ck_tile.gemm.dtypes", "hardware", "A_B_Acc is a key of the arch's warp tiles (pre-shuffled B: of its own table)")
def dtypes(p: Subject) -> Broken | None:
    """The arch has matrix instructions for these operand dtypes; a key without a table is an error, never a guess."""
    key, shuffled = p.signature.dtype_key, p.signature.variant == "preshuffle"
    table = p.arch.preshuffle_warp_tiles if shuffled else p.arch.warp_tiles
    if key in table:
        return None
    kind = "pre-shuffled kernel" if shuffled else "kernel"
    text = f"{p.arch.name} has no {kind} for {key}; it has {', '.join(table) or 'none at all'}"
    if key in p.arch.withheld:
        text += f". Withheld: {p.arch.withheld[key].reason}"
    text += "".join(f". {why}" for d, why in NOT_IN_CK.items() if d in (p.signature.dtype_a, p.signature.dtype_b))
    others = archs_with(key, shuffled)
    advice = f"use an arch that has {key}: {', '.join(others)}" if others else "use one of the dtypes listed"
    return say([text], remedy=advice, dtype_key=key, known=tuple(table), archs=others)


@rule("ck_tile.gemm.packed", "compile", "operands have at least 8 bits")
def packed(p: Subject) -> Broken | None:
    """CK 1.2.0 has 4-bit floats only with scales, in kernels of another family; its GEMM pipelines do not compile."""
    narrow = [d for d in (p.signature.dtype_a, p.signature.dtype_b) if get_dtype(d).bits < LEAST_BITS]
    if not narrow:
        return None
    text = f"{narrow[0]} operands: CK multiplies them only with scales, which these kernels do not take"
    return say([text], remedy="use fp8 or bf8, which have the same kernels unscaled", dtypes=tuple(narrow))


# The pipelines of CK 1.2.0 that choose the instruction by the dtypes of both operands; the others use A's for both.
TWO_DTYPE_PIPELINES = ("compv4", "compv5", "preshufflev2", "compv6", "comp_async")


@rule("ck_tile.gemm.mixed_operands", "known-miscompile", "dtype_a == dtype_b, or pipeline is not mem or compv3")
def mixed_operands(p: Subject) -> Broken | None:
    """mem and compv3 silently multiply both operands as if they had A's dtype."""
    a, b, name = p.signature.dtype_a, p.signature.dtype_b, p.algorithm.pipeline
    if a == b or name in TWO_DTYPE_PIPELINES or name not in EMITTED or p.signature.dtype_key not in p.arch.warp_tiles:
        return None
    text = f"pipeline {name} multiplies {a} x {b} as {a} x {a}, which gives wrong results"
    fix = {"pipeline": "compv4", "double_smem_buffer": True, "scheduler": "intrawave"}
    return say([text], fix, f"use one of {', '.join(TWO_DTYPE_PIPELINES)}", dtype_a=a, dtype_b=b, pipeline=name)


@lru_cache(maxsize=128)
def archs_with(key: str, shuffled: bool = False) -> tuple[str, ...]:
    """Return the AMD archs that have warp tiles for `A_B_Acc`.

    >>> archs_with("fp8_fp8_fp32")
    ('gfx950', 'gfx1200', 'gfx1201')
    """
    archs = (a for a in default_catalog().values() if isinstance(a, AmdArch))
    return tuple(a.name for a in archs if key in (a.preshuffle_warp_tiles if shuffled else a.warp_tiles))


@rule(
    "ck_tile.gemm.output",
    "compile",
    "out, D: dtypes of CK; 8-bit floats are OCP on gfx950, gfx1200, gfx1201, FNUZ elsewhere",
)
def output(p: Subject) -> Broken | None:
    """CK has one type for both encodings of an 8-bit float; the target determines the encoding."""
    s, ocp = p.signature, p.arch.name in OCP_TARGETS
    for name, dtype in (("dtype_out", s.dtype_out), *((f"d{i}", d.dtype) for i, d in enumerate(s.d))):
        facts: dict[str, Any] = {name: dtype}
        if dtype not in TYPES:
            return say([f"{name} is {dtype}, for which CK has no type"], remedy="use fp32", **facts)
        if dtype in (*OCP, *FNUZ) and (dtype in OCP) != ocp:
            instead = dtype.removesuffix("_fnuz") if ocp else f"{dtype}_fnuz"
            text = f"{p.arch.name} stores 8-bit floats as {instead}, not as {dtype}"
            return say([text], remedy=f"use {name} {instead}", **facts)
    return None


@rule(
    "ck_tile.gemm.conversion",
    "known-miscompile",
    "fp32 sums store fp32, fp16, bf16, or 8-bit floats without epilogue (bf8 only on gfx90a and gfx11); int32 sums "
    "store int32, or fp32 and fp16 without epilogue",
)
def conversion(p: Subject) -> Broken | None:
    """CK casts if it has no conversion, and rounds to 8 bits before it applies D operands and activation."""
    s = p.signature
    always, bare = OUTPUTS.get(s.dtype_acc, ()), BARE_OUTPUTS.get(s.dtype_acc, ())
    if p.arch.name in PACKED:
        bare = tuple(d for d in bare if not d.startswith("bf8"))
    plain = not s.d and s.activation == "none"
    if s.dtype_out in always or (s.dtype_out in bare and plain):
        return None
    known = always if s.dtype_out in bare else (*always, *bare)
    doing = "" if plain else f" with {len(s.d)} D operands and activation {s.activation}"
    can = f"it can be {', '.join(known)}" if known else "no dtype can store it"
    text = f"an accumulator of {s.dtype_acc} is stored wrongly as {s.dtype_out}{doing}; {can}"
    return say([text], remedy=f"use dtype_out {always[0]}" if always else "", dtype_out=s.dtype_out)


@rule(
    "ck_tile.gemm.scales",
    "compile",
    "quant: scales tensor tensor, row row, block none or none block; others: none none",
)
def scales(p: Subject) -> Broken | None:
    """CK's kernels without scales are another family than those with them."""
    s, quant = p.signature, p.algorithm.family == "quant"
    pair = (s.scale_a, s.scale_b)
    if pair in QUANT if quant else pair == ("none", "none"):
        return None
    asked = {name: getattr(s, name) for name in ("scale_a", "scale_b")}
    known = ", ".join(f"{a} and {b}" for a, b in QUANT)
    text = f"scales of A and B are {pair[0]} and {pair[1]}; "
    text += f"CK 1.2.0 has {known}" if quant else f"kernels of family {p.algorithm.family} take none"
    fix = {"family": "universal" if quant else "quant"} if pair == ("none", "none") or pair in QUANT else {}
    return say([text], fix, "" if fix else "use the cpu or triton backend, or fold the scales into an operand", **asked)


@rule("ck_tile.gemm.d_broadcast", "compile", "a D operand repeats only along the strided dimension of the output")
def d_broadcast(p: Subject) -> Broken | None:
    """A row-major output takes D per element or per column, a column-major one per element or per row."""
    allowed = "row" if p.signature.layout[2] == "r" else "col"
    wrong = [
        f"d{i} is broadcast {d.broadcast!r}" for i, d in enumerate(p.signature.d) if d.broadcast not in _with(allowed)
    ]
    if not wrong:
        return None
    layout = "row-major" if allowed == "row" else "column-major"
    text = f"{', '.join(wrong)}; with a {layout} output D's contiguous stride is 1, so only {allowed!r} can repeat"
    return say([text], remedy="store the output in the other layout, or expand D", allowed=_with(allowed))


def _with(broadcast: str) -> tuple[str, str]:
    return ("none", broadcast)


RULES = (dtypes, packed, mixed_operands, output, conversion, scales, d_broadcast)
