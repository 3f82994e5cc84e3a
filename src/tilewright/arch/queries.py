"""Queries of the arch facts. An unknown name is an error that names the nearest known one, never a default.

Every function takes an optional `catalog`. The default is `default_catalog()`: the shipped facts, with the overlay of
TILEWRIGHT_ARCH_FILE if that is set.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from ..errors import ArchError, UnknownNameError, check_known
from ..model.arch import FMHA_FAMILIES, AmdArch, Arch, CpuArch, DtypeCombination, FmhaTile, NvidiaArch, Tile
from ..model.device import Device
from ..model.dtype import DTYPES, get_dtype
from .catalog import ArchCatalog, default_catalog

A = TypeVar("A", bound=Arch)


def get_arch(name: str, catalog: ArchCatalog | None = None) -> Arch:
    """Return the arch called `name`.

    >>> get_arch("sm_90").kind
    'nvidia'
    """
    return (catalog or default_catalog())[name]


def get_supported_archs(kind: str | None = None, catalog: ArchCatalog | None = None) -> tuple[str, ...]:
    """Return the names of all archs, or of those of one kind (amd, nvidia, x86), in file order.

    >>> get_supported_archs("nvidia")
    ('sm_80', 'sm_90')
    """
    archs = catalog or default_catalog()
    kinds = {arch.kind for arch in archs.values()}
    if kind is not None and kind not in kinds:
        raise UnknownNameError("arch kind", kind, kinds)
    return tuple(name for name, arch in archs.items() if kind in (None, arch.kind))


def get_arch_family(name: str, catalog: ArchCatalog | None = None) -> str:
    """Return the product generation of an arch.

    >>> get_arch_family("gfx1201")
    'rdna4'
    """
    return get_arch(name, catalog).family


def get_element_size(dtype: str) -> float:
    """Return bytes per element; 0.5 for the 4-bit types.

    >>> get_element_size("pk_fp4")
    0.5
    """
    return get_dtype(dtype).bytes


def get_wave_size(name: str, catalog: ArchCatalog | None = None) -> int:
    """Return threads per wave (AMD) or warp (NVIDIA).

    >>> get_wave_size("gfx1100")
    32
    """
    arch = get_arch(name, catalog)
    if isinstance(arch, NvidiaArch):
        return arch.warp_size
    return _of_kind(arch, AmdArch, "a wave size").wave_size


def get_wave_maps(name: str, catalog: ArchCatalog | None = None) -> tuple[Tile, ...]:
    """Return the waves per block (m, n, k) that an AMD arch allows.

    >>> get_wave_maps("gfx90a")
    ((1, 4, 1), (2, 2, 1), (4, 1, 1))
    """
    return _amd(name, catalog, "wave maps").wave_maps


def get_warp_tile_combos(name: str, dtype_key: str, catalog: ArchCatalog | None = None) -> tuple[Tile, ...]:
    """Return the warp tiles (m, n, k) of an AMD arch for `A_B_Acc`; empty if none (see `why_no_warp_tiles`).

    >>> get_warp_tile_combos("gfx1100", "fp16_fp16_fp32")
    ((16, 16, 16),)
    """
    arch = _amd(name, catalog, "warp tiles")
    return arch.warp_tiles.get(own_key(arch, _dtype_key(dtype_key, catalog)), ())


def get_preshuffle_warp_tile_combos(name: str, dtype_key: str, catalog: ArchCatalog | None = None) -> tuple[Tile, ...]:
    """Return the warp tiles of an AMD arch for GEMMs whose B is stored pre-shuffled; empty if it has none.

    >>> get_preshuffle_warp_tile_combos("gfx942", "int8_int8_int32")
    ((16, 16, 32), (32, 32, 16))
    """
    arch = _amd(name, catalog, "warp tiles")
    return arch.preshuffle_warp_tiles.get(own_key(arch, _dtype_key(dtype_key, catalog)), ())


def own_key(arch: AmdArch, dtype_key: str) -> str:
    """Return `A_B_Acc` with the 8-bit floats of an arch: CK calls those of gfx942, fp8_fnuz and bf8_fnuz, fp8 and bf8.

    >>> own_key(get_arch("gfx942"), "fp8_bf8_fp32"), own_key(get_arch("gfx950"), "fp8_bf8_fp32")
    ('fp8_fnuz_bf8_fnuz_fp32', 'fp8_bf8_fp32')
    """
    if "fp8" in arch.dtypes or "fp8_fnuz" not in arch.dtypes or "fnuz" in dtype_key:
        return dtype_key
    return "_".join(f"{part}_fnuz" if part in ("fp8", "bf8") else part for part in dtype_key.split("_"))


def why_no_warp_tiles(name: str, dtype_key: str, catalog: ArchCatalog | None = None) -> str | None:
    """Return why an AMD arch has no warp tile for `A_B_Acc`, or None if it has one.

    >>> why_no_warp_tiles("gfx1100", "fp8_fp8_fp32")
    'gfx1100 does not compute with fp8'
    """
    arch = _amd(name, catalog, "warp tiles")
    if arch.warp_tiles.get(own_key(arch, _dtype_key(dtype_key, catalog))):
        return None
    if dtype_key in arch.withheld:
        return arch.withheld[dtype_key].reason
    combinations = (catalog or default_catalog()).dtype_combinations.values()
    operands = next((c.a, c.b) for c in combinations if c.key == dtype_key)
    lacking = [d for d in dict.fromkeys(operands) if d not in arch.dtypes]
    if lacking:
        return f"{name} does not compute with {' and '.join(lacking)}"
    return f"no matrix instruction of {name} takes {dtype_key}"


def get_preshuffle_pipelines(catalog: ArchCatalog | None = None) -> tuple[str, ...]:
    """Return the pipelines that read a pre-shuffled B.

    >>> get_preshuffle_pipelines()
    ('preshufflev2',)
    """
    return tuple(p.name for p in (catalog or default_catalog()).pipelines.values() if p.preshuffle)


def get_lds_limit(pipeline: str, arch: str, catalog: ArchCatalog | None = None) -> int:
    """Return bytes of LDS that the A and B tiles of `pipeline` may take on `arch`.

    "default" is a pipeline of which nothing is known: all of the LDS.

    >>> get_lds_limit("compv4", "gfx950"), get_lds_limit("default", "gfx942")
    (81920, 65536)
    """
    facts = _amd(arch, catalog, "an LDS limit")
    pipelines = (catalog or default_catalog()).pipelines
    if pipeline == "default":
        return facts.lds_bytes
    check_known("pipeline", pipeline, pipelines)
    return int(facts.lds_bytes * pipelines[pipeline].lds_fraction)


def is_trait_combo_unsupported(
    pipeline: str, epilogue: str, scheduler: str, catalog: ArchCatalog | None = None
) -> bool:
    """Return whether CK Tile has no kernel with this pipeline, epilogue and scheduler.

    >>> is_trait_combo_unsupported("compv4", "cshuffle", "interwave")
    True
    """
    facts = catalog or default_catalog()
    check_known("pipeline", pipeline, facts.pipelines)
    check_known("epilogue", epilogue, facts.epilogues)
    check_known("scheduler", scheduler, facts.schedulers)
    return (pipeline, epilogue, scheduler) in facts.unsupported_traits


def get_dtype_info(dtype_a: str, dtype_b: str, catalog: ArchCatalog | None = None) -> DtypeCombination:
    """Return the combination of two operand dtypes: accumulator, `A_B_Acc` key and note.

    >>> get_dtype_info("bf8", "fp8").acc
    'fp32'
    """
    combinations = (catalog or default_catalog()).dtype_combinations
    if not is_dtype_combo_valid(dtype_a, dtype_b, catalog):
        partners = [c.b for c in combinations.values() if c.a == dtype_a]
        raise ArchError(
            f"no product of {dtype_a} and {dtype_b} is known; {dtype_a} pairs with {', '.join(partners) or 'nothing'}",
            remedy="convert one operand",
        )
    return combinations[f"{dtype_a}_{dtype_b}"]


def is_dtype_combo_valid(dtype_a: str, dtype_b: str, catalog: ArchCatalog | None = None) -> bool:
    """Return whether operands of these two dtypes can be multiplied without converting one of them.

    >>> is_dtype_combo_valid("fp8", "fp8_fnuz")
    False
    """
    check_known("dtype", dtype_a, DTYPES)
    check_known("dtype", dtype_b, DTYPES)
    return f"{dtype_a}_{dtype_b}" in (catalog or default_catalog()).dtype_combinations


def get_valid_dtype_combos(catalog: ArchCatalog | None = None) -> tuple[str, ...]:
    """Return all valid operand pairs, as `A_B`.

    >>> "pk_fp4_pk_fp4" in get_valid_dtype_combos()
    True
    """
    return tuple((catalog or default_catalog()).dtype_combinations)


def get_fmha_tiles(arch: str, family: str, dtype: str, catalog: ArchCatalog | None = None) -> tuple[FmhaTile, ...]:
    """Return the attention tiles of an AMD arch; empty if it has none for this family and dtype.

    >>> [t.hdim for t in get_fmha_tiles("gfx90a", "fwd_pagedkv", "fp16")]
    [(128, 128)]
    """
    facts = _amd(arch, catalog, "attention tiles")
    check_known("attention family", family, FMHA_FAMILIES)
    check_known("dtype", dtype, DTYPES)
    by_dtype = facts.fmha.families.get(family)
    table = by_dtype.get(dtype) if by_dtype else None
    return table.tiles if table else ()


def get_nominal_device(name: str, catalog: ArchCatalog | None = None) -> Device:
    """Return a product with the figures of its datasheet, to reason about hardware that this machine does not have.

    >>> get_nominal_device("MI300X").units
    304
    """
    devices = (catalog or default_catalog()).devices
    check_known("device", name, devices)
    return devices[name]


def get_nominal_devices(arch: str, catalog: ArchCatalog | None = None) -> tuple[Device, ...]:
    """Return the nominal devices of an arch.

    >>> [d.name for d in get_nominal_devices("sm_90")]
    ['H100-SXM', 'H200-SXM']
    """
    get_arch(arch, catalog)
    return tuple(d for d in (catalog or default_catalog()).devices.values() if d.arch == arch)


def get_cpu_archs(machine: str, cpu_flags: Iterable[str], catalog: ArchCatalog | None = None) -> tuple[CpuArch, ...]:
    """Return the archs whose code a CPU runs, the most capable first; the last one runs on every CPU.

    `machine` is what `uname -m` prints, `cpu_flags` are the features as /proc/cpuinfo spells them.

    >>> [a.name for a in get_cpu_archs("aarch64", ["fp", "asimd", "some_new_feature"])]
    ['aarch64', 'generic']
    """
    flags = frozenset(cpu_flags)
    cpus = [a for a in (catalog or default_catalog()).values() if isinstance(a, CpuArch)]
    found = [a for a in cpus if a.runs_on(machine, flags)]
    return tuple(sorted(found, key=lambda a: (-a.level, -len(a.cpu_flags))))


def _amd(name: str, catalog: ArchCatalog | None, what: str) -> AmdArch:
    return _of_kind(get_arch(name, catalog), AmdArch, what)


def _of_kind(arch: Arch, kind: type[A], what: str) -> A:
    if isinstance(arch, kind):
        return arch
    raise ArchError(f"{arch.name} is an arch of kind {arch.kind}, which has no {what.removeprefix('a ')}")


def _dtype_key(key: str, catalog: ArchCatalog | None) -> str:
    check_known("dtype key", key, (catalog or default_catalog()).dtype_keys)
    return key
