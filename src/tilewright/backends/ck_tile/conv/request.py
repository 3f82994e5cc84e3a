"""Which convolution kernels to generate: preselected sets, a config file, or dtypes, directions and dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ....arch import get_arch
from ....errors import check_known
from ....model.kernel_set import Expansion, KernelSet, expand
from ....model.tunable import tunables_of
from ....ops.conv.signature import DIRECTIONS, ConvSignature
from .algorithm import CkTileConv
from .config import read_config
from .rules import RULES
from .sets import DTYPES, LAYOUTS, default_sets, types_of

# The names of the directions in CK and in the seeds' file names, and what they are here.
SHORT_NAMES = {
    "fwd": "forward", "bwd_data": "backward_data", "bwdd": "backward_data", "bwd_weight": "backward_weight",
    "bwdw": "backward_weight",
}  # fmt: skip
ESSENTIAL_TILES = ((64, 64, 64), (128, 64, 32), (128, 128, 32), (128, 128, 64))
SCOPES = ("essential", "all")


@dataclass(frozen=True)
class ConvRequest:
    """What to generate for one arch.

    `config` is a sweep file whose algorithms replace the shipped ones, `preselected` the name of a set, such as
    fp16_nhwgc_essential, which replaces `datatypes` and `dims`. Directions have short names too: fwd, bwd_data,
    bwd_weight.

    >>> ConvRequest("gfx942", variants=("fwd", "bwd_data")).variants
    ('forward', 'backward_data')
    """

    arch: str
    datatypes: tuple[str, ...] = ("fp16",)
    variants: tuple[str, ...] = ("forward",)
    dims: tuple[int, ...] = (2,)
    config: str | Path = ""
    preselected: str = ""

    def __post_init__(self) -> None:
        whole = tuple(dict.fromkeys(SHORT_NAMES.get(name, name) for name in self.variants))
        object.__setattr__(self, "variants", whole)
        for kind, given, known in (
            ("variant", self.variants, DIRECTIONS),
            ("convolution dtype", self.datatypes, DTYPES),
            ("number of spatial dimensions", tuple(map(str, self.dims)), tuple(map(str, LAYOUTS))),
            ("preselected set", (self.preselected,) if self.preselected else (), preselected_names()),
        ):
            for name in given:
                check_known(kind, name, known)


def preselected_names() -> tuple[str, ...]:
    """Return the names of the preselected sets: dtype, layout of the input, and essential or all.

    >>> preselected_names()[0]
    'fp16_nhwgc_essential'
    """
    return tuple(f"{d}_{layout}_{scope}" for d in DTYPES for layout in LAYOUTS.values() for scope in SCOPES)


def requested(request: ConvRequest) -> Expansion:
    """Return the kernels of a request, and every combination that a rule removed.

    >>> requested(ConvRequest("gfx942")).counts()["ck_tile.conv.fits"] > 0
    True
    >>> len(requested(ConvRequest("gfx942", preselected="fp16_nhwgc_essential")).specs)
    16
    """
    result = Expansion()
    for signature in _signatures(request):
        for kernel_set in _sets(request, signature):
            found = expand(kernel_set, get_arch(request.arch), signature, CkTileConv, tunables_of(CkTileConv), RULES)
            result.specs += found.specs
            result.rejected += found.rejected
    if request.preselected.endswith("essential"):
        return Expansion([s for s in result.specs if _essential(s.algorithm)])
    return result


def _essential(a: CkTileConv) -> bool:
    """Return whether a kernel is one of the few of each tile: square waves, wide vectors, nothing special."""
    plain = a.specialization == "default" and a.groups_to_merge == 1 and not a.two_stage
    square = (a.waves_m, a.waves_n) in ((2, 2), (4, 2))
    return plain and square and a.tile in ESSENTIAL_TILES and a.vector_c > 1 and a.pipeline in ("compv3", "compv4")


def _signatures(request: ConvRequest) -> list[ConvSignature]:
    datatypes, dims = request.datatypes, request.dims
    if request.preselected:
        dtype, layout, _ = request.preselected.split("_")
        datatypes, dims = (dtype,), tuple(n for n, name in LAYOUTS.items() if name == layout)
    return [
        _signature(direction, dtype, count) for direction in request.variants for count in dims for dtype in datatypes
    ]


def _signature(direction: str, dtype: str, dims: int) -> ConvSignature:
    types = types_of(direction, dtype)
    a, b, c, acc = (types[f"dtype_{role}"] for role in ("input", "weight", "output", "acc"))
    return ConvSignature(direction, a, b, c, acc, LAYOUTS[dims])


def _sets(request: ConvRequest, signature: ConvSignature) -> list[KernelSet]:
    if request.config:
        return [s for s in read_config(request.config) if s.takes(signature, request.arch)]
    sets = [s for s in default_sets() if s.takes(signature, request.arch)]
    # Without kernels for the dtype, keep one combination, so that the rules can say why.
    return sets or [KernelSet("none", "conv", "ck_tile", ({},), {}, (request.arch,))]
