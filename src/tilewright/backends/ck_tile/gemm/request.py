"""Which GEMM kernels to generate: preselected sets, a config file, or dtypes and layouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from ....arch import get_arch
from ....errors import check_known
from ....model.kernel_set import Expansion, KernelSet, expand
from ....model.layout import check_layout
from ....model.tunable import tunables_of
from ....ops.gemm.epilogue import CK_NAMES, DTensor
from ....ops.gemm.prologue import PrologueStep
from ....ops.gemm.signature import GemmSignature
from ...expansion import signatures_of
from ..cpp import TYPES
from .algorithm import CkTileGemm
from .config import read_config, usual_types
from .preselected import preselected_kernels
from .rules import RULES
from .rules.types import NOT_IN_CK
from .space import default_sets, family_of

VARIANTS = ("standard", "preshuffle", "multi_d", "multi_abd")
OTHERS = ("batched", "grouped", "stream_k_atomic")  # CK's other kernels of plain products
SPACES = ("usual", "open")
USUAL_SIDES = {"standard": [64, 128, 256], "preshuffle": [128, 256], "multi_d": [128], "multi_abd": [128],
               "batched": [64, 128, 256], "grouped": [64, 128, 256],
               "stream_k_atomic": [64, 128, 256]}  # fmt: skip
USUAL_OPS = ("MultiDAdd", "Relu", "Gelu", "Sigmoid", "Tanh")


@dataclass(frozen=True)
class GemmRequest:
    """What to generate for one arch. `preselected` or `config` replace the cross product of the other fields.

    If a config names no dtype or layout, those of the request are used.
    `datatypes` are dtypes, or two joined by "x" if A and B differ; `space` "usual" is a moderate choice of tiles,
    "open" the whole search space.

    >>> GemmRequest("gfx942").layouts
    ('rcr',)
    """

    arch: str
    datatypes: tuple[str, ...] = ("fp16",)
    layouts: tuple[str, ...] = ("rcr",)
    variants: tuple[str, ...] = ("standard",)
    elementwise_ops: tuple[str, ...] = USUAL_OPS
    num_d: tuple[int, ...] = (1,)
    space: str = "usual"
    preselected: str = ""
    config: str | Path = ""

    def __post_init__(self) -> None:
        for kind, given, known in (
            ("variant", self.variants, (*VARIANTS, *OTHERS)),
            ("element-wise op", self.elementwise_ops, tuple(CK_NAMES)),
            ("space", (self.space,), SPACES),
            ("dtype", tuple(d for name in self.datatypes for d in name.split("x")), (*TYPES, *NOT_IN_CK)),
        ):
            for name in given:
                check_known(kind, name, known)
        for layout in self.layouts:
            check_layout(layout)


def requested(request: GemmRequest) -> Expansion:
    """Return the kernels of a request, and every combination that a rule removed.

    >>> len(requested(GemmRequest("gfx942", preselected="fp16_rcr_essential")).specs)
    7
    """
    if request.preselected:
        return Expansion(preselected_kernels(request.preselected, request.arch))
    result = Expansion()
    if request.config:
        for kernel_set in read_config(request.config, request.datatypes, request.layouts):
            for signature in signatures_of(kernel_set):
                _add(result, [kernel_set], signature, request.arch)
        return result
    for variant, types, layout in product(request.variants, request.datatypes, request.layouts):
        for signature in _signatures(request, variant, types, layout):
            _add(result, _space(request, variant, signature), signature, request.arch)
    return result


def _add(result: Expansion, sets: Sequence[KernelSet], signature: GemmSignature, arch: str) -> None:
    for kernel_set in sets:
        found = expand(kernel_set, get_arch(arch), signature, CkTileGemm, tunables_of(CkTileGemm), RULES)
        result.specs += found.specs
        result.rejected += found.rejected


def _signatures(request: GemmRequest, variant: str, types: str, layout: str) -> list[GemmSignature]:
    plain = {**usual_types(types), "layout": layout}
    if variant == "standard" or variant in OTHERS:
        return [GemmSignature(**plain)]
    if variant == "preshuffle":
        wanted = tuple(plain[f"dtype_{role}"] for role in ("a", "b", "acc"))
        sets = [s for s in default_sets() if request.arch in s.archs and s.signature["b_format"] != "plain"]
        matching = [s for s in sets if tuple(s.signature[f"dtype_{r}"] for r in ("a", "b", "acc")) == wanted]
        # An arch without packed kernels still gets its rejections counted, through the default format.
        formats = [s.signature["b_format"] for s in matching] or ["ck_tile_n32_v8"]
        return [GemmSignature(**plain, b_format=f) for f in formats]
    out = plain["dtype_out"]
    if variant == "multi_abd":  # one more tensor for A and one for B
        a, b = ((PrologueStep("add", plain[f"dtype_{r}"]),) for r in ("a", "b"))
        return [GemmSignature(**plain, d=(DTensor(out),) * n, prologue_a=a, prologue_b=b) for n in request.num_d]
    counts = dict.fromkeys(request.elementwise_ops, request.num_d)
    return [
        GemmSignature(**plain, **CK_NAMES[name], d=(DTensor(out),) * n) for name, many in counts.items() for n in many
    ]


def _space(request: GemmRequest, variant: str, signature: GemmSignature) -> list[KernelSet]:
    family = variant if variant in OTHERS else "universal"
    sets = [s for s in default_sets() if s.takes(signature, request.arch) and family_of(s) == family]
    if not sets:  # no kernels at all: one combination, so that the rules can say why
        follows = {"pipeline": "preshufflev2", "double_smem_buffer": True} if variant == "preshuffle" else {}
        return [KernelSet("none", "gemm", "ck_tile", (follows,), {}, (request.arch,))]
    if request.space == "open":
        return sets
    return [_usual(s, USUAL_SIDES[variant]) for s in sets]


def _usual(kernel_set: KernelSet, sides: list[int]) -> KernelSet:
    maps = [{**a, "tile_m": sides, "tile_n": sides} for a in kernel_set.algorithms if not a.get("pad_m")]
    return KernelSet(f"{kernel_set.name}_usual", "gemm", "ck_tile", tuple(maps), kernel_set.signature, kernel_set.archs)
