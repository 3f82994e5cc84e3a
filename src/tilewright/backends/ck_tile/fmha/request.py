"""Which attention kernels a generator is asked for: families and dtypes of an arch, through a receipt."""

from __future__ import annotations

from dataclasses import dataclass

from ....errors import UnknownNameError
from ....model.arch import FMHA_FAMILIES
from ....ops.fmha.signature import DTYPES
from .receipts import RECEIPTS
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
                if name not in known:
                    raise UnknownNameError(kind, name, known)


def requested(request: FmhaRequest) -> Space:
    """The kernels of a request, every combination that a rule removed, and how many the receipt left out.

    >>> [s.algorithm.stage for s in requested(FmhaRequest("gfx942", ("bwd",), "fp32_min", hdims=(64,))).specs]
    ['dot_do_o', 'dot_do_o', 'dq_dk_dv', 'dq_dk_dv', 'convert_dq', 'convert_dq']
    """
    result = Space()
    for family in FMHA_FAMILIES if ALL in request.families else request.families:
        found = declared(request.arch, family, request.receipt, request.datatypes, request.hdims)
        result.specs += found.specs
        result.rejected += found.rejected
        result.left_out += found.left_out
    return result
