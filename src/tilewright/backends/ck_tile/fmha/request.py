"""Which attention kernels to generate: families and dtypes of an arch, filtered by a receipt."""

from __future__ import annotations

from dataclasses import dataclass

from ....arch import get_arch
from ....errors import SpecError, check_known
from ....model.arch import FMHA_FAMILIES, AmdArch
from ....ops.fmha.receipts import RECEIPTS, get_receipt
from ....ops.fmha.signature import DTYPES
from .space import Space, declared

ALL = "all"


@dataclass(frozen=True)
class FmhaRequest:
    """What to generate for one arch. No dtypes, and no head widths, mean all that the arch's tables have.

    >>> FmhaRequest("gfx942", ("bwd",)).receipt
    'ck_default'
    """

    arch: str
    families: tuple[str, ...] = ("fwd",)
    receipt: str = "ck_default"
    datatypes: tuple[str, ...] = ()
    hdims: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for kind, given, known in (
            ("fmha family", self.families, (*FMHA_FAMILIES, ALL)),
            ("receipt", (self.receipt,), tuple(RECEIPTS)),
            ("dtype", self.datatypes, DTYPES),
        ):
            for name in given:
                check_known(kind, name, known)


def requested(request: FmhaRequest) -> Space:
    """Return the kernels of a request, every combination that a rule removed, and how many the receipt omitted.

    >>> [s.algorithm.stage for s in requested(FmhaRequest("gfx942", ("bwd",), "fp32_min", hdims=(64,))).specs]
    ['dot_do_o', 'dot_do_o', 'dq_dk_dv', 'dq_dk_dv', 'convert_dq', 'convert_dq']
    """
    result = Space()
    families = FMHA_FAMILIES if ALL in request.families else request.families
    _check_hdims(request, families)
    for family in families:
        found = declared(request.arch, family, request.receipt, request.datatypes, request.hdims)
        result.specs += found.specs
        result.rejected += found.rejected
        result.left_out += found.left_out
    if result.left_out and not result.specs and not result.rejected:
        raise _no_kernels(request, tuple(families))
    return result


def _check_hdims(request: FmhaRequest, families: tuple[str, ...]) -> None:
    """Refuse a head width that no table of these families has; the rules report an arch without tables."""
    arch = get_arch(request.arch)
    if not isinstance(arch, AmdArch):
        return
    tables = [table for family in families for table in arch.fmha.families.get(family, {}).values()]
    known = sorted({tile.hdim[0] for table in tables for tile in table.tiles})
    unknown = [h for h in request.hdims if h not in known]
    if known and unknown:
        raise SpecError(
            f"{arch.name} has no {' or '.join(families)} kernels for heads of {unknown[0]}; it has "
            f"{', '.join(map(str, known))}",
            remedy=_wider_heads(unknown[0], known),
        )


def _wider_heads(hdim: int, known: list[int]) -> str:
    """Return which widths have kernels that pad heads of `hdim` columns.

    >>> _wider_heads(160, [128, 192, 256])
    'use --hdim 192 or 256, whose kernels pad narrower heads'
    """
    wider = [h for h in known if h > hdim][:2]
    if not wider:
        return f"no kernel takes heads wider than {known[-1]}: split them into narrower ones"
    return f"use --hdim {' or '.join(map(str, wider))}, whose kernels pad narrower heads"


def _no_kernels(request: FmhaRequest, families: tuple[str, ...]) -> SpecError:
    """Return the error of a receipt that includes no kernel of these families."""
    arch = get_arch(request.arch)
    assert isinstance(arch, AmdArch)
    taken = {f: get_receipt(request.receipt).filter_of(f).get("dtype", DTYPES) for f in FMHA_FAMILIES}
    have = {f: list(tables) for f, tables in arch.fmha.families.items()}
    others = [f for f in have if set(have[f]) & set(taken[f]) and not request.datatypes]
    dtypes = "; ".join(f"{f} has {', '.join(have.get(f, ())) or 'none'}" for f in families)
    return SpecError(
        f"the receipt {request.receipt} has no {' or '.join(families)} kernels for {arch.name}: it takes "
        f"{', '.join(dict.fromkeys(d for f in families for d in taken[f]))}"
        f"{', and --datatype ' + ', '.join(request.datatypes) + ' was given' if request.datatypes else ''} ({dtypes})",
        remedy=f"use another receipt such as ck_default, or --family {' or '.join(others)}"
        if others
        else "use another receipt such as ck_default",
    )
