"""Which convolution kernels to generate."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from ....arch import get_arch
from ....errors import UnknownNameError
from ....model.kernel_set import Expansion, KernelSet, expand
from ....model.sweep import Words, read_sweep
from ....model.tunable import tunables_of
from ....ops.conv.signature import DIRECTIONS, ConvSignature
from .algorithm import CkTileConv
from .rules import RULES
from .sets import DTYPES, LAYOUTS, default_sets


@dataclass(frozen=True)
class ConvRequest:
    """What to generate for one arch; `config` is a sweep file whose algorithms replace the shipped ones.

    >>> ConvRequest("gfx942").variants
    ('forward',)
    """

    arch: str
    datatypes: tuple[str, ...] = ("fp16",)
    variants: tuple[str, ...] = ("forward",)
    dims: tuple[int, ...] = (2,)
    config: str | Path = ""

    def __post_init__(self) -> None:
        for kind, given, known in (
            ("variant", self.variants, DIRECTIONS),
            ("convolution dtype", self.datatypes, DTYPES),
            ("number of spatial dimensions", tuple(map(str, self.dims)), tuple(map(str, LAYOUTS))),
        ):
            for name in given:
                if name not in known:
                    raise UnknownNameError(kind, name, known)


def requested(request: ConvRequest) -> Expansion:
    """Return the kernels of a request, and every combination that a rule removed.

    >>> requested(ConvRequest("gfx942")).counts()["ck_tile.conv.fits"] > 0
    True
    """
    result = Expansion()
    for signature in _signatures(request):
        for kernel_set in _sets(request, signature):
            found = expand(kernel_set, get_arch(request.arch), signature, CkTileConv, tunables_of(CkTileConv), RULES)
            result.specs += found.specs
            result.rejected += found.rejected
    return result


def _signatures(request: ConvRequest) -> list[ConvSignature]:
    return [
        ConvSignature(direction, dtype, dtype, dtype, "fp32", LAYOUTS[dims])
        for direction in request.variants
        for dims in request.dims
        for dtype in request.datatypes
    ]


def _sets(request: ConvRequest, signature: ConvSignature) -> list[KernelSet]:
    if request.config:
        names = tuple(f.name for f in fields(ConvSignature))
        found = read_sweep(request.config, Words("conv", "ck_tile", tunables_of(CkTileConv), names))
        return [s for s in found if s.takes(signature, request.arch)]
    sets = [s for s in default_sets() if s.takes(signature, request.arch)]
    # Without kernels for the dtype, keep one combination, so that the rules can say why.
    return sets or [KernelSet("none", "conv", "ck_tile", ({},), {}, (request.arch,))]
