"""Kernels with the names of the CK dispatcher: `KernelConfig`, its parts, and what is valid on an arch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

from ..arch import get_arch
from ..arch.queries import own_key
from ..backends.ck_tile.cpp import LAYOUTS, PIPELINES, SCHEDULERS, TYPES, cpp_layout, cpp_type
from ..backends.ck_tile.gemm import CkTileGemm
from ..backends.ck_tile.gemm.geometry import preshuffle_format
from ..backends.ck_tile.gemm.rules import KERNEL_RULES
from ..backends.ck_tile.gemm.rules.traits import follows
from ..errors import ArchError, SpecError, UnknownNameError, check_known
from ..model.arch import AmdArch
from ..model.dtype import get_dtype
from ..model.fields import Fields
from ..model.kernel import KernelSpec
from ..model.rule import Rejection, Subject, judge
from ..ops.gemm.epilogue import CK_NAMES, DTensor
from ..ops.gemm.signature import GemmSignature

VARIANTS = ("standard", "preshuffle", "multi_d")
DEFAULT_ARCH = "gfx942"
_TRAIT_RULES = ("emitted", "pipeline", "scheduler", "double_smem_buffer", "wave_groups")
_TILE_RULES = ("positive", "fits", "divides", "minimum", "alignment", "wave_map", "block_size", "warp_tile", "released")

Triple = tuple[int, int, int]
# The fields of `KernelConfig` of the CK dispatcher's Python side, and their defaults.
CK_DEFAULTS: Fields = {
    "dtype_a": "fp16", "dtype_b": "fp16", "dtype_c": "fp16", "dtype_acc": "fp32", "layout_a": "row", "layout_b": "col",
    "layout_c": "row", "tile_m": 128, "tile_n": 128, "tile_k": 32, "wave_m": 2, "wave_n": 2, "wave_k": 1, "warp_m": 32,
    "warp_n": 32, "warp_k": 16, "pipeline": "compv4", "scheduler": "intrawave", "epilogue": "cshuffle", "pad_m": True,
    "pad_n": True, "pad_k": True, "persistent": False, "gfx_arch": DEFAULT_ARCH, "variant": "standard",
}  # fmt: skip


@dataclass(frozen=True)
class _TileFields:
    tile_m: int = 256
    tile_n: int = 256
    tile_k: int = 64
    warp_m: int = 2
    warp_n: int = 2
    warp_k: int = 1
    warp_tile_m: int = 32
    warp_tile_n: int = 32
    warp_tile_k: int = 16


@dataclass(frozen=True)
class _TraitFields:
    pipeline: str = "compv3"
    epilogue: str = "cshuffle"
    scheduler: str = "intrawave"
    pad_m: bool = False
    pad_n: bool = False
    pad_k: bool = False
    persistent: bool = False


@dataclass(frozen=True)
class TileConfig(_TileFields):
    """The tile of a block, its waves (CK's `warp_m` ...) and the warp tile.

    >>> TileConfig(128, 128, 64).is_valid("gfx942"), TileConfig(128, 128, 64, 4, 4, 1).is_valid("gfx942")
    (True, False)
    """

    def fields(self) -> Fields:
        """Return the corresponding fields of our algorithm."""
        waves = {f"waves_{d}": getattr(self, f"warp_{d}") for d in "mnk"}
        return {k: v for k, v in asdict(self).items() if k not in ("warp_m", "warp_n", "warp_k")} | waves

    def rejections(self, arch: str = DEFAULT_ARCH, dtype: str = "fp16") -> tuple[Rejection, ...]:
        """Return every rule about shapes that the tile breaks on an arch."""
        return _judge(_spec(arch, dtype, CkTileGemm(**self.fields())), _TILE_RULES)

    def is_valid(self, arch: str = DEFAULT_ARCH, dtype: str = "fp16") -> bool:
        """Return whether no rule about shapes is broken."""
        return not self.rejections(arch, dtype)


@dataclass(frozen=True)
class TraitConfig(_TraitFields):
    """Pipeline, epilogue, scheduler, padding and persistence; values that a pipeline determines are derived from it.

    >>> TraitConfig("compv4").is_valid("gfx942"), TraitConfig("compv4", scheduler="interwave").is_valid("gfx942")
    (True, False)
    """

    def fields(self) -> Fields:
        """Return the corresponding fields of our algorithm."""
        return {**asdict(self), **follows(self.pipeline)}

    def rejections(self, arch: str = DEFAULT_ARCH) -> tuple[Rejection, ...]:
        """Return every rule about traits that is broken on an arch."""
        return _judge(_spec(arch, "fp16", CkTileGemm(**self.fields())), _TRAIT_RULES)

    def is_valid(self, arch: str = DEFAULT_ARCH) -> bool:
        """Return whether no rule about traits is broken."""
        return not self.rejections(arch)


@dataclass(frozen=True)
class KernelConfig(_TraitFields, _TileFields):
    """One GEMM kernel, flat, as the CK dispatcher's Python side declares it.

    `warp_m`, `warp_n`, `warp_k` count waves of a block. `elementwise_op` and `num_d_tensors` matter for the variant
    multi_d, `dtype_b` and `dtype_c` if they differ from the usual ones.

    >>> KernelConfig(tile_m=256, tile_n=256, tile_k=64).spec().algorithm.tile
    (256, 256, 64)
    """

    dtype: str = "fp16"
    dtype_b: str = ""
    dtype_c: str = ""
    layout: str = "rcr"
    gfx_arch: str = DEFAULT_ARCH
    variant: str = "standard"
    elementwise_op: str = "MultiDAdd"
    num_d_tensors: int = 1

    @classmethod
    def from_ck(cls, **fields: Any) -> KernelConfig:
        """Return a config from the fields of the CK dispatcher's `KernelConfig` in Python, with its defaults.

        There, `wave_m` counts waves and `warp_m` is the warp tile; dtypes and layouts have a field for each matrix;
        the pipeline is compv4 and every dimension is padded unless stated.

        >>> KernelConfig.from_ck(tile_m=128, tile_n=128, tile_k=32, layout_b="row").spec().name[:40]
        'gemm_ck_tile_gfx942_fp16_rrr_128x128x32_'
        """
        unknown = sorted(set(fields) - set(CK_DEFAULTS))
        if unknown:
            raise UnknownNameError("field of the CK dispatcher's KernelConfig", unknown[0], CK_DEFAULTS)
        given = {**CK_DEFAULTS, **fields}
        usual = get_dtype(given["dtype_a"]).accumulator
        if fields.get("dtype_acc", usual) != usual:
            raise SpecError(
                f"dtype_acc is {fields['dtype_acc']}; products of {given['dtype_a']} are summed in {usual}",
                remedy="leave dtype_acc out",
            )
        shapes = {f"warp_{d}": given[f"wave_{d}"] for d in "mnk"} | {
            f"warp_tile_{d}": given[f"warp_{d}"] for d in "mnk"
        }
        letters = "".join(str(given[f"layout_{x}"])[0] for x in "abc")
        same = {name: given[name] for name in ("tile_m", "tile_n", "tile_k", *_TraitFields.__dataclass_fields__)}
        types = {"dtype": given["dtype_a"], "dtype_b": given["dtype_b"], "dtype_c": given["dtype_c"]}
        return cls(**same, **shapes, **types, layout=letters, gfx_arch=given["gfx_arch"], variant=given["variant"])

    @property
    def tile(self) -> TileConfig:
        """Its tile part."""
        return TileConfig(**{name: getattr(self, name) for name in TileConfig.__dataclass_fields__})

    @property
    def traits(self) -> TraitConfig:
        """Its trait part."""
        return TraitConfig(**{name: getattr(self, name) for name in TraitConfig.__dataclass_fields__})

    def spec(self) -> KernelSpec:
        """Return the kernel spec, not yet checked by rules."""
        algorithm = CkTileGemm(**self.tile.fields(), **self.traits.fields())
        return KernelSpec("gemm", "ck_tile", _amd(self.gfx_arch).name, self._signature(algorithm), algorithm)

    def rejections(self) -> tuple[Rejection, ...]:
        """Return every rule that the kernel breaks."""
        spec = self.spec()
        return judge(KERNEL_RULES, Subject(spec, _amd(spec.arch)))

    def is_valid(self) -> bool:
        """Return whether no rule is broken.

        >>> KernelConfig(tile_k=128).is_valid()
        False
        """
        return not self.rejections()

    def checked_spec(self) -> KernelSpec:
        """Return the kernel spec; an illegal one is an error that lists every broken rule."""
        spec, found = self.spec(), self.rejections()
        if found:
            listed = "; ".join(map(str, found))
            raise SpecError(f"{spec.name} breaks {len(found)} rules: {listed}", rejections=found)
        return spec

    def with_changes(self, **changes: Any) -> KernelConfig:
        """Return the same config with some fields changed."""
        return replace(self, **changes)

    def _signature(self, algorithm: CkTileGemm) -> GemmSignature:
        plain = _signature(self.dtype, self.dtype_b, self.dtype_c, self.layout)
        check_known("variant", self.variant, VARIANTS)
        if self.variant == "preshuffle":
            wave = _amd(self.gfx_arch).wave_size
            return replace(plain, b_format=preshuffle_format(algorithm, plain.dtype_b, wave))
        if self.variant == "multi_d":
            check_known("element-wise op", self.elementwise_op, CK_NAMES)
            operands = (DTensor(plain.dtype_out),) * self.num_d_tensors
            return replace(plain, **CK_NAMES[self.elementwise_op], d=operands)
        return plain


TraitConfigBase = TraitConfig
"""Another name of `TraitConfig`, as in the CK dispatcher."""


class CommonTypeMappings:
    """The typed tables from our names to C++, as the CK dispatcher's shared helpers offer them.

    >>> CommonTypeMappings.cpp_type("bf16"), "compv3" in CommonTypeMappings.PIPELINES
    ('ck_tile::bf16_t', True)
    """

    TYPES = TYPES
    LAYOUTS = LAYOUTS
    PIPELINES = PIPELINES
    SCHEDULERS = SCHEDULERS
    cpp_type = staticmethod(cpp_type)
    cpp_layout = staticmethod(cpp_layout)


def valid_wave_configs(arch: str, tile: Triple | None = None, warp_tile: Triple | None = None) -> tuple[Triple, ...]:
    """Return the waves per block of an arch, only those that fit a tile and warp tile if these are given.

    >>> (2, 2, 1) in valid_wave_configs("gfx942"), valid_wave_configs("gfx942", (64, 64, 64), (32, 32, 16))[-1]
    (True, (2, 2, 1))
    """
    maps = _amd(arch).wave_maps
    if tile is None or warp_tile is None:
        return tuple(maps)
    return tuple(w for w in maps if all(t % (n * v) == 0 for t, n, v in zip(tile, w, warp_tile, strict=True)))


def valid_warp_configs(
    arch: str, dtype: str = "fp16", dtype_b: str = "", variant: str = "standard"
) -> tuple[Triple, ...]:
    """Return the warp tiles of an arch for these operands; empty if it has no matrix instructions for them.

    >>> (32, 32, 16) in valid_warp_configs("gfx942", "fp16"), valid_warp_configs("gfx90a", "fp8")
    (True, ())
    """
    facts = _amd(arch)
    table = facts.preshuffle_warp_tiles if variant == "preshuffle" else facts.warp_tiles
    return tuple(table.get(own_key(facts, f"{dtype}_{dtype_b or dtype}_{get_dtype(dtype).accumulator}"), ()))


def _signature(dtype: str, dtype_b: str = "", dtype_c: str = "", layout: str = "rcr") -> GemmSignature:
    facts = get_dtype(dtype)
    return GemmSignature(dtype, dtype_b or dtype, facts.accumulator, dtype_c or facts.default_out, layout)


def _spec(arch: str, dtype: str, algorithm: CkTileGemm) -> KernelSpec:
    return KernelSpec("gemm", "ck_tile", _amd(arch).name, _signature(dtype), algorithm)


def _judge(spec: KernelSpec, names: tuple[str, ...]) -> tuple[Rejection, ...]:
    rules = [r for r in KERNEL_RULES if r.id.rsplit(".", 1)[-1] in names]
    return judge(rules, Subject(spec, _amd(spec.arch)))


def _amd(name: str) -> AmdArch:
    arch = get_arch(name)
    if not isinstance(arch, AmdArch):
        raise ArchError(f"{name} is not an AMD GPU", remedy="choose one of `tilewright arch list`")
    return arch
