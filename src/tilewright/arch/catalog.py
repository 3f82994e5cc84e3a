"""The arch catalog: `arch_specs.json`, with a user's overlay file applied, as immutable values."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from ..errors import ArchError, UnknownNameError, count_mistakes, nearest
from ..model.arch import (
    AmdArch,
    Arch,
    CpuArch,
    DtypeCombination,
    Fmha,
    FmhaTable,
    GemmPipeline,
    NvidiaArch,
    Table,
)
from ..model.device import Device
from ..model.json_text import read_json
from ..model.locks import cached_property
from ..settings import Settings
from .inherit import lay_over, resolve
from .reader import WRONG, read_record

SPECS = Path(__file__).with_name("arch_specs.json")
SCHEMA_VERSION = 1
KINDS: dict[str, type[Arch]] = {
    "amd": AmdArch,
    "nvidia": NvidiaArch,
    "x86": CpuArch,
    "arm": CpuArch,
    "generic": CpuArch,
}


@dataclass(frozen=True)
class FmhaLimits:
    """Limits of attention kernels that hold on every AMD arch."""

    hdim_multiple: int
    combine_min_splits: int
    combine_max_splits: int
    combine_hdim_v_multiple: int
    combine_bn1: int


@dataclass(frozen=True)
class _Document:
    """The top level of the file; archs, devices and attention tables are read separately."""

    schema_version: int
    pipelines: Table[_Pipeline]
    epilogues: tuple[str, ...]
    schedulers: tuple[str, ...]
    unsupported_traits: tuple[tuple[str, str, str], ...]
    dtype_combinations: tuple[DtypeCombination, ...]
    fmha_limits: FmhaLimits


@dataclass(frozen=True)
class _Pipeline:
    lds_fraction: float
    preshuffle: bool = False


@dataclass(frozen=True)
class _FmhaNames:
    families: Table[Table[str]]
    absent: Table[str] = field(default_factory=Table)


@dataclass(frozen=True, eq=False)
class ArchCatalog(Mapping[str, Arch]):
    """All arch facts. A mapping from arch name to `Arch`, in file order.

    `resolved` is the same as plain JSON data with parents applied; `digest` identifies the content; `overlaid` names
    the archs that an overlay file added or changed.
    """

    archs: Table[Arch]
    devices: Table[Device]
    device_sources: Table[str]
    pipelines: Table[GemmPipeline]
    epilogues: tuple[str, ...]
    schedulers: tuple[str, ...]
    unsupported_traits: frozenset[tuple[str, str, str]]
    dtype_combinations: Table[DtypeCombination]
    fmha_limits: FmhaLimits
    resolved: Mapping[str, Any]
    overlaid: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Arch:
        try:
            return self.archs[name]
        except (KeyError, TypeError):
            raise UnknownNameError("arch", name, self.archs) from None

    def __contains__(self, name: object) -> bool:
        return name in self.archs

    def __iter__(self) -> Iterator[str]:
        return iter(self.archs)

    def __len__(self) -> int:
        return len(self.archs)

    @cached_property
    def digest(self) -> str:
        """The identity of the content, for selection snapshots and reports."""
        return hashlib.sha256(json.dumps(self.resolved, sort_keys=True).encode()).hexdigest()

    @cached_property
    def dtype_keys(self) -> frozenset[str]:
        """Every valid `A_B_Acc` key."""
        return frozenset(c.key for c in self.dtype_combinations.values())


def load_archs(extra: str | os.PathLike[str] | None = None) -> ArchCatalog:
    """Return the shipped arch facts with the overlay file `extra` (JSON, same schema) applied and checked.

    >>> load_archs()["gfx942"].family
    'cdna3'
    """
    if not extra:
        return _shipped()
    path = Path(extra)
    try:
        stat = path.stat()
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None
    return _overlaid(path.resolve(), stat.st_mtime_ns, stat.st_size)


@cache
def default_catalog() -> ArchCatalog:
    """Return the default catalog of queries: the shipped facts and the overlay of TILEWRIGHT_ARCH_FILE.

    It is read once; after `default_catalog.cache_clear()` the next query reads it again.
    """
    return load_archs(Settings.from_env().arch_file)


@cache
def _shipped() -> ArchCatalog:
    return build_catalog(read_document(SPECS, strict=False))  # tests check that the shipped file is strict


@lru_cache(maxsize=8)
def _overlaid(path: Path, mtime_ns: int, size: int) -> ArchCatalog:
    from .checks import find_problems  # an overlay is user input: check it as a whole; tests check the shipped file

    patch = read_document(path)
    document = lay_over(read_document(SPECS, strict=False), patch)
    problems = find_problems(document)
    if problems:
        raise ArchError(count_mistakes(f"arch file {path}", problems), remedy="correct the entries named above")
    return build_catalog(document, overlaid=tuple(patch.get("archs", {})))


def read_document(path: Path, *, strict: bool = True) -> dict[str, Any]:
    """Return the JSON object in `path`. `strict` also refuses a duplicate key, which JSON readers ignore."""
    if strict:
        document = read_json(path, error=ArchError, what=f"arch file {path}")
    else:  # tests check the shipped file: use the plain reader, which is faster
        document = json.loads(path.read_text(encoding="utf-8"))
    if isinstance(document, dict) and "architectures" in document:
        raise _of_ck(path)
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        got = document.get("schema_version") if isinstance(document, dict) else type(document).__name__
        raise ArchError(
            f"arch file {path} has schema_version {got!r}; this tilewright reads {SCHEMA_VERSION}",
            remedy=f'write {{"schema_version": {SCHEMA_VERSION}, "archs": {{...}}}}',
        )
    return document


# Sections of the arch_specs.json of CK's dispatcher, and what they are here.
CK_SECTIONS = {
    "architectures": "archs",
    "warp_size": "wave_size",
    "warp_configs": "wave_maps",
    "warp_tile_combos": "warp_tiles",
    "preshuffle_warp_tile_combos": "preshuffle_warp_tiles",
    "lds_capacity_kb": "lds_bytes",
    "pipeline_lds_limits": "pipelines (lds_fraction)",
    "unsupported_trait_combos": "unsupported_traits",
    "element_sizes": "nothing: dtypes are known",
}


def _of_ck(path: Path) -> ArchError:
    """Return the error for a file of CK's dispatcher: its tables mean other things (warps are waves, for example)."""
    mapping = ", ".join(f"{there} -> {here}" for there, here in CK_SECTIONS.items())
    return ArchError(
        f"arch file {path} is the arch_specs.json of CK's dispatcher, which is not read: it lacks facts that rules "
        f"need, and its sections are called otherwise here: {mapping}",
        remedy=f"convert it: tilewright arch convert {path} --out my_archs.json",
    )


def _unreadable(path: Path, why: str) -> ArchError:
    return ArchError(
        f"arch file {path} cannot be read: {why}", remedy="name an existing JSON file, or unset the option"
    )


def build_catalog(document: Mapping[str, Any], overlaid: tuple[str, ...] = ()) -> ArchCatalog:
    """Return the catalog of a whole document, or raise one ArchError that names every wrong field."""
    mistakes: list[str] = []
    catalog = read_catalog(document, mistakes, overlaid)
    if catalog is None:
        raise ArchError(count_mistakes("arch facts", mistakes), remedy="correct the entries named above")
    return catalog


def read_catalog(
    document: Mapping[str, Any], mistakes: list[str], overlaid: tuple[str, ...] = ()
) -> ArchCatalog | None:
    """Return the catalog, or None with every structural mistake appended to `mistakes`."""
    apart = {name: document.get(name, {}) for name in ("archs", "devices", "fmha_tables")}
    for name, section in apart.items():
        if not isinstance(section, dict):
            mistakes.append(f"{name}: need an object, got {section!r}")
            return None
    rest = {k: v for k, v in document.items() if k not in apart}
    top = read_record(_Document, rest, "document", mistakes)
    resolved = resolve(apart["archs"], mistakes)
    tables = FmhaTables(apart["fmha_tables"])
    archs = {n: _read_arch(n, entry, tables, mistakes) for n, entry in resolved.items()}
    devices = {n: _read_device(n, entry, mistakes) for n, entry in apart["devices"].items()}
    if mistakes:
        return None
    return ArchCatalog(
        archs=Table(archs),
        devices=Table({n: device for n, (device, _) in devices.items()}),
        device_sources=Table({n: source for n, (_, source) in devices.items()}),
        pipelines=Table({n: GemmPipeline(n, p.lds_fraction, p.preshuffle) for n, p in top.pipelines.items()}),
        epilogues=top.epilogues,
        schedulers=top.schedulers,
        unsupported_traits=frozenset(top.unsupported_traits),
        dtype_combinations=Table({c.pair: c for c in top.dtype_combinations}),
        fmha_limits=top.fmha_limits,
        resolved={**rest, **apart, "archs": resolved},
        overlaid=overlaid,
    )


class FmhaTables:
    """The shared attention tables. They are half of the file and GEMM never needs them: each is read at first use."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self._read: dict[str, FmhaTable] = {}

    def mistakes(self) -> list[str]:
        """Return every mistake in the tables."""
        found: list[str] = []
        for name, data in self.raw.items():
            read_record(FmhaTable, data, f"fmha_tables.{name}", found)
        return found

    def select(self, names: Mapping[str, str]) -> dict[str, FmhaTable]:
        """Return dtype -> table, for dtype -> name."""
        return {dtype: self._get(name) for dtype, name in names.items()}

    def _get(self, name: str) -> FmhaTable:
        if name not in self._read:
            mistakes: list[str] = []
            table = read_record(FmhaTable, self.raw[name], f"fmha_tables.{name}", mistakes)
            if mistakes:
                raise ArchError(count_mistakes("arch facts", mistakes), remedy="correct the entries named above")
            self._read[name] = table
        return self._read[name]


def _read_arch(name: str, entry: dict[str, Any], tables: FmhaTables, mistakes: list[str]) -> Any:
    where = f"archs.{name}"
    kind = entry.get("kind")
    if kind not in KINDS:
        mistakes.append(f"{where}: kind {kind!r} is not one of {', '.join(KINDS)}")
        return WRONG
    ready: dict[str, Any] = {"name": name, "parent": entry.get("derived_from")}
    data = {k: v for k, v in entry.items() if k != "derived_from"}
    if kind == "amd" and "fmha" in data:
        ready["fmha"] = _read_fmha(data.pop("fmha"), tables, f"{where}.fmha", mistakes)
    return read_record(KINDS[kind], data, where, mistakes, extra=ready)


def _read_fmha(data: Any, tables: FmhaTables, where: str, mistakes: list[str]) -> Any:
    """Return the attention facts of one arch; the file has names of shared tables, the model the tables themselves."""
    named = read_record(_FmhaNames, data, where, mistakes)
    if named is WRONG:
        return WRONG
    families: dict[str, Table[FmhaTable]] = {}
    for family, by_dtype in named.families.items():
        for dtype, table in by_dtype.items():
            if table not in tables.raw:
                near = nearest(table, tables.raw)
                hint = f"; did you mean {near!r}?" if near else ""
                mistakes.append(f"{where}.families.{family}.{dtype}: unknown table {table!r}{hint}")
        families[family] = Table(partial(tables.select, by_dtype))
    return Fmha(families=Table(families), absent=named.absent)


def _read_device(name: str, entry: Any, mistakes: list[str]) -> Any:
    where = f"devices.{name}"
    if not isinstance(entry, dict) or not isinstance(entry.get("source"), str):
        mistakes.append(f"{where}: need an object with a text field 'source' (the source of the numbers)")
        return WRONG, ""
    data = {k: v for k, v in entry.items() if k != "source"}
    return read_record(Device, data, where, mistakes, extra={"name": name, "nominal": True}), entry["source"]
