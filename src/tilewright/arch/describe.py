"""An arch as rows of text, for `tilewright arch show` and the docs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ..model.arch import Arch, Fmha, Wgmma
from .catalog import ArchCatalog
from .queries import get_arch, get_nominal_devices


def describe(arch: str | Arch, catalog: ArchCatalog | None = None) -> list[tuple[str, str]]:
    """Return (name, value) rows of one arch: every fact, its nominal devices last.

    >>> describe("gfx1201")[0]
    ('name', 'gfx1201')
    """
    facts = arch if isinstance(arch, Arch) else get_arch(arch, catalog)
    rows: list[tuple[str, str]] = []
    for field in fields(facts):
        rows += _rows(field.name, getattr(facts, field.name))
    for device in get_nominal_devices(facts.name, catalog):
        speed = f"{device.units} units at {device.clock_mhz:,.0f} MHz, {device.bandwidth_gbps:,.0f} GB/s"
        rows.append(("device", f"{device.name}: {speed}"))
    return rows


def _rows(name: str, value: Any) -> list[tuple[str, str]]:
    if value is None or (isinstance(value, (tuple, Mapping)) and not value):
        return []
    if isinstance(value, Fmha):
        return _fmha_rows(value)
    if isinstance(value, Wgmma):
        return [(name, f"{value.m} x n x {value.k}, n one of {', '.join(map(str, value.n))}")]
    if name == "compute_capability":
        return [(name, ".".join(map(str, value)))]
    if isinstance(value, Mapping):
        return [row for key, item in value.items() for row in _rows(f"{name} {key}", item)]
    if is_dataclass(value):
        return [row for f in fields(value) for row in _rows(f"{name} {f.name}", getattr(value, f.name))]
    return [(name, _bytes(value) if name.endswith("_bytes") else _text(value))]


def _fmha_rows(fmha: Fmha) -> list[tuple[str, str]]:
    rows = []
    for family, by_dtype in fmha.families.items():
        for dtype, table in by_dtype.items():
            hdims = ", ".join(dict.fromkeys(_text(tile.hdim) for tile in table.tiles))
            rows.append(
                (f"fmha {family} {dtype}", f"{len(table.tiles)} tiles in {_text((*table.pipelines,))}: {hdims}")
            )
    return rows + [(f"fmha without {family}", reason) for family, reason in fmha.absent.items()]


def _bytes(value: int) -> str:
    return f"{value:,} B" + (f" ({value / 1024:g} KiB)" if value >= 1024 else "")


def _text(value: Any) -> str:
    if isinstance(value, tuple) and value and all(isinstance(v, int) and not isinstance(v, bool) for v in value):
        return "x".join(map(str, value))
    if isinstance(value, tuple):
        return ", ".join(_text(v) for v in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
