"""The preselected kernel sets, by the names of the CK dispatcher, every member legal on each arch that its set claims.

A name such as `fp16_rcr_essential` may have parts, called `fp16_rcr_essential.<part>`: one `KernelSet` holds one family
of signatures and one list of algorithms, and CDNA and RDNA need different waves and warp tiles.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from ....arch import get_arch
from ....errors import ArchError, SpecError, UnknownNameError
from ....model.fields import Fields
from ....model.kernel import KernelSpec
from ....model.kernel_set import KernelSet, expand
from ....model.tunable import tunables_of
from ....ops.gemm.epilogue import DTensor
from ...expansion import signatures_of
from ..algorithm import Triple
from .algorithm import CkTileGemm
from .rules import RULES

CDNA = ("gfx90a", "gfx942", "gfx950")
CDNA3_UP = ("gfx942", "gfx950")
RDNA = ("gfx1100", "gfx1200", "gfx1201")
RDNA4 = ("gfx1200", "gfx1201")
PADDED = {"pad_m": True, "pad_n": True, "pad_k": True}


def _kernel(tile: Triple, waves: Triple, warp: Triple, pipeline: str, **traits: Any) -> Fields:
    names = ("tile", "waves", "warp_tile")
    shape = {
        f"{n}_{d}": v for n, t in zip(names, (tile, waves, warp), strict=True) for d, v in zip("mnk", t, strict=True)
    }
    if pipeline in ("compv4", "preshufflev2"):
        traits["double_smem_buffer"] = True
    return {**shape, "pipeline": pipeline, **traits}


def _compute(k: int, warp: Triple) -> tuple[Fields, ...]:
    """Return large tiles for CDNA, four waves; `k` is the depth of a double-buffered 256x256 tile."""
    square = (2, 2, 1)
    return (
        _kernel((256, 256, k), square, warp, "compv4"),
        _kernel((256, 256, 2 * k), square, warp, "compv3"),
        _kernel((256, 128, k), square, warp, "compv4"),
        _kernel((128, 256, k), square, warp, "compv4"),
        _kernel((128, 128, k), square, warp, "compv4"),
        _kernel((128, 128, 2 * k), square, warp, "compv4"),
        _kernel((256, 256, k), square, warp, "compv4", persistent=True),
    )


def _without(kernels: tuple[Fields, ...], place: int) -> tuple[Fields, ...]:
    return kernels[:place] + kernels[place + 1 :]


def _compute_rdna(k: int) -> tuple[Fields, ...]:
    """Return large tiles for RDNA, eight waves: 256x256 would need more registers than a thread has."""
    warp = (16, 16, 16)
    return (
        _kernel((128, 256, k), (2, 4, 1), warp, "compv4"),
        _kernel((256, 128, k), (4, 2, 1), warp, "compv4"),
        _kernel((128, 128, k), (2, 4, 1), warp, "compv4"),
        _kernel((128, 128, 2 * k), (2, 4, 1), warp, "compv3"),
        _kernel((128, 128, k), (2, 4, 1), warp, "compv4", persistent=True),
    )


_WIDE, _NARROW = (32, 32, 16), (16, 16, 16)
_MEMORY = tuple(
    _kernel(tile, waves, warp, "mem", scheduler="interwave")
    for tile, waves, warp in (
        ((16, 64, 64), (1, 4, 1), _NARROW),
        ((64, 16, 64), (4, 1, 1), _NARROW),
        ((32, 64, 64), (2, 2, 1), _NARROW),
        ((64, 32, 64), (2, 2, 1), _NARROW),
        ((32, 128, 64), (1, 4, 1), _WIDE),
        ((128, 32, 64), (4, 1, 1), _WIDE),
    )
)
_MEMORY_SMALL = tuple(
    _kernel(tile, waves, warp, "mem", scheduler="interwave")
    for tile, waves, warp in (
        ((16, 32, 32), (1, 1, 1), _NARROW),
        ((32, 16, 32), (1, 1, 1), _NARROW),
        ((32, 64, 32), (1, 2, 1), _WIDE),
        ((64, 32, 32), (2, 1, 1), _WIDE),
    )
)
_LATENCY = tuple(
    _kernel(tile, waves, _NARROW, "mem", epilogue="default")
    for tile, waves in (((16, 64, 64), (1, 4, 1)), ((64, 16, 64), (4, 1, 1)))
)
_LATENCY_SMALL = tuple(
    _kernel(tile, (1, 1, 1), _NARROW, "mem", epilogue="default") for tile in ((16, 32, 32), (32, 16, 32))
)


def _essential(k: int, warp: Triple, small: Triple) -> tuple[Fields, ...]:
    """Return a few kernels for most sizes on CDNA: large, medium, medium with padding, and two small ones."""
    square = (2, 2, 1)
    return (
        _kernel((256, 256, k), square, warp, "compv4"),
        _kernel((128, 128, k), square, warp, "compv4"),
        _kernel((128, 128, k), square, warp, "compv4", **PADDED),
        _kernel((32, 64, 2 * k), square, small, "mem", scheduler="interwave"),
        _kernel((64, 32, 2 * k), square, small, "mem", scheduler="interwave"),
    )


def _essential_rdna(k: int) -> tuple[Fields, ...]:
    warp = (16, 16, 16)
    return (
        _kernel((128, 128, k), (2, 4, 1), warp, "compv4"),
        _kernel((128, 128, k), (2, 4, 1), warp, "compv4", **PADDED),
        _kernel((32, 64, 2 * k), (2, 4, 1), warp, "mem", scheduler="interwave"),
        _kernel((64, 32, 2 * k), (4, 2, 1), warp, "mem", scheduler="interwave"),
    )


def _signature(dtype: str, acc: str = "fp32", out: str | None = None, **fields: Any) -> Fields:
    plain: Fields = {"dtype_a": dtype, "dtype_b": dtype, "dtype_acc": acc, "dtype_out": out or dtype}
    rest = {"layout": "rcr", "scale_a": "none", "scale_b": "none", "combine": "add", "activation": "none", "d": ()}
    return {**plain, **rest, "b_format": "plain", **fields}


def _set(name: str, signature: Mapping[str, Any], algorithms: Any, archs: tuple[str, ...], about: str) -> KernelSet:
    return KernelSet(name, "gemm", "ck_tile", tuple(algorithms), signature, archs, description=about)


def _fp16() -> list[KernelSet]:
    fp16, one, two = _signature("fp16"), (DTensor("fp16"),), (DTensor("fp16"),) * 2
    fused = [_kernel((128, 128, 32), (2, 2, 1), _WIDE, "compv4")]
    fused_rdna = [_kernel((128, 128, 32), (2, 4, 1), _NARROW, "compv4")]
    shuffled = [
        _kernel((m, n, k), (2, 2, 1), _WIDE, "preshufflev2")
        for m, n, k in ((256, 256, 32), (128, 128, 32), (128, 128, 64))
    ]
    deep = [_kernel((m, 128, 64), (1, 4, 1), (16, 16, 32), "preshufflev2") for m in (128, 64)]
    many = {**fp16, "activation": ["none", "relu", "gelu_erf", "gelu_tanh"], "d": [one, two]}
    some = {**fp16, "activation": ["relu", "gelu_erf"], "d": [one]}
    name = "fp16_rcr"
    parts = [
        _set(f"{name}_compute", fp16, _compute(32, _WIDE), CDNA3_UP, "large tiles for compute-bound products"),
        # The compiler leaves out a wait in the second kernel for gfx90a (rule missing_wait).
        _set(f"{name}_compute.gfx90a", fp16, _without(_compute(32, _WIDE), 1), ("gfx90a",), "the same, but for one"),
        _set(f"{name}_compute.rdna", fp16, _compute_rdna(32), RDNA, "large tiles for compute-bound products"),
        _set(f"{name}_memory", fp16, _MEMORY, CDNA, "small tiles for memory-bound products"),
        _set(f"{name}_memory.small", fp16, _MEMORY_SMALL, CDNA3_UP, "one or two waves for memory-bound products"),
        _set(f"{name}_latency", fp16, _LATENCY, CDNA, "the least work per block, for tiny products"),
        _set(f"{name}_latency.small", fp16, _LATENCY_SMALL, CDNA3_UP, "one wave, for tiny products"),
        _set(f"{name}_multi_d", many, fused, CDNA, "add one or two D operands, then an activation"),
        _set(f"{name}_multi_d.rdna", many, fused_rdna, RDNA, "add one or two D operands, then an activation"),
        _set(
            f"{name}_preshuffle",
            {**fp16, "b_format": "ck_tile_n32_v8"},
            shuffled,
            CDNA,
            "weights packed in strips of 32",
        ),
        _set(
            f"{name}_preshuffle.n16",
            {**fp16, "b_format": "ck_tile_n16_v8"},
            deep,
            CDNA,
            "weights packed in strips of 16",
        ),
    ]
    everything = [replace(p, name=p.name.replace(f"{name}_", f"{name}_all.")) for p in parts]
    return [
        *parts,
        *everything,
        _set(f"{name}_essential", fp16, _essential(32, _WIDE, _NARROW), CDNA, "a few kernels for most sizes"),
        _set(f"{name}_essential.rdna", fp16, _essential_rdna(32), RDNA, "a few kernels for most sizes"),
        _set(f"{name}_essential.multi_d", some, fused, CDNA, "one D operand, then relu or gelu"),
        _set(f"{name}_essential.rdna_multi_d", some, fused_rdna, RDNA, "one D operand, then relu or gelu"),
    ]


def _others() -> list[KernelSet]:
    few = "a few kernels for most sizes"
    bf16, int8 = _signature("bf16"), _signature("int8", "int32", "int32")
    fp8, fnuz = _signature("fp8", out="fp16"), _signature("fp8_fnuz", out="fp16")
    eight, small = _essential(64, (32, 32, 32), (16, 16, 32)), _essential(32, _WIDE, _NARROW)
    pair = (_kernel((256, 256, 32), (2, 2, 1), _WIDE, "compv4"), _kernel((128, 128, 32), (2, 2, 1), _WIDE, "compv4"))
    pair_rdna = (_kernel((128, 128, 32), (2, 4, 1), _NARROW, "compv4"),)
    mixed = {dtype: _signature(dtype, out="fp32") for dtype in ("fp16", "bf16")}
    about = "16-bit operands, fp32 output"
    return [
        _set("bf16_rcr_essential", bf16, small, CDNA, few),
        _set("bf16_rcr_essential.rdna", bf16, _essential_rdna(32), RDNA, few),
        _set("int8_rcr_essential", int8, _essential(64, _WIDE, (16, 16, 32)), CDNA3_UP, few),
        _set("int8_rcr_essential.rdna", int8, _essential_rdna(64), RDNA, few),
        _set("fp8_rcr_essential", fp8, eight, ("gfx950",), "OCP fp8: " + few),
        _set("fp8_rcr_essential.fnuz", fnuz, eight, ("gfx942",), "FNUZ fp8: " + few),
        _set("fp8_rcr_essential.rdna", fp8, _essential_rdna(64), RDNA4, "OCP fp8: " + few),
        _set("mixed_precision", mixed["fp16"], pair, CDNA, about),
        _set("mixed_precision.bf16", mixed["bf16"], pair, CDNA, about),
        _set("mixed_precision.rdna", mixed["fp16"], pair_rdna, RDNA, about),
        _set("mixed_precision.rdna_bf16", mixed["bf16"], pair_rdna, RDNA, about),
    ]


@cache
def all_sets() -> tuple[KernelSet, ...]:
    """Return every preselected set, one per part."""
    return (*_fp16(), *_others())


def preselected_names() -> tuple[str, ...]:
    """Return the names that `preselected` knows.

    >>> "fp16_rcr_all" in preselected_names()
    True
    """
    return tuple(dict.fromkeys(s.name.split(".")[0] for s in all_sets()))


def preselected(name: str) -> tuple[KernelSet, ...]:
    """Return the parts of a preselected set.

    >>> [s.name for s in preselected("mixed_precision")][:2]
    ['mixed_precision', 'mixed_precision.bf16']
    """
    if name not in preselected_names():
        raise UnknownNameError("preselected kernel set", name, preselected_names())
    return tuple(s for s in all_sets() if s.name.split(".")[0] == name)


def preselected_kernels(name: str, arch: str) -> list[KernelSpec]:
    """Return every kernel of a preselected set on one arch; raise an error if the set has none for it.

    >>> len(preselected_kernels("fp16_rcr_essential", "gfx942"))
    7
    """
    facts, sets = get_arch(arch), preselected(name)
    parts = [s for s in sets if arch in s.archs]
    if not parts:
        claimed = ", ".join(dict.fromkeys(a for s in sets for a in s.archs))
        raise ArchError(
            f"kernel set {name} has no kernels for {arch}; it has some for {claimed}",
            remedy="choose another set or arch",
        )
    specs: dict[str, KernelSpec] = {}
    for part in parts:
        for signature in signatures_of(part):
            found = expand(part, facts, signature, CkTileGemm, tunables_of(CkTileGemm), RULES)
            if found.rejected:
                spec, rejections = found.rejected[0]
                raise SpecError(
                    f"kernel set {part.name} holds {spec.name}, illegal on {arch}: {rejections[0]}",
                    rejections=rejections,
                )
            specs.update((s.digest, s) for s in found.specs)
    return list(specs.values())
