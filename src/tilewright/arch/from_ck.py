"""The arch_specs.json of CK's dispatcher as an overlay: what its tables say otherwise than ours, and new archs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..errors import ArchError
from ..model.arch import AmdArch
from ..model.json_text import Json
from .catalog import SCHEMA_VERSION, ArchCatalog, load_archs

TABLES = {"warp_tile_combos": "warp_tiles", "preshuffle_warp_tile_combos": "preshuffle_warp_tiles"}
READ = {"family", "description", "architecture", "warp_size", "lds_capacity_kb", "warp_configs", *TABLES}
EIGHT_BIT = {"fp8": "fp8_fnuz", "bf8": "bf8_fnuz"}  # what CK's words mean on archs that have these instead


@dataclass
class Converted:
    """An overlay, and a sentence for everything of the original that is not in it."""

    overlay: Json
    notes: list[str] = field(default_factory=list)


def convert_ck(document: Any) -> Converted:
    """Return the overlay of a file of CK's dispatcher. Facts that equal ours are left out, and so are unknown ones.

    >>> convert_ck({"architectures": {"gfx942": {"family": "cdna3", "warp_configs": [[2, 2, 1]]}}}).overlay["archs"]
    {'gfx942': {'wave_maps': [[2, 2, 1]]}}
    >>> convert_ck({"architectures": {"gfx943": {"family": "cdna3"}}}).overlay["archs"]
    {'gfx943': {'parent': 'gfx942'}}
    """
    archs = document.get("architectures") if isinstance(document, Mapping) else None
    if not isinstance(archs, Mapping) or not all(isinstance(entry, Mapping) for entry in archs.values()):
        raise ArchError("this is not an arch_specs.json of CK's dispatcher: it has no architectures")
    catalog, found = load_archs(), Converted({"schema_version": SCHEMA_VERSION, "archs": {}})
    apart = document.get("preshuffle_warp_tile_combos")
    for name, entry in archs.items():
        facts = {**entry, "preshuffle_warp_tile_combos": apart[name]} if isinstance(apart, Mapping) and name in apart \
            else dict(entry)  # fmt: skip
        made = _arch(name, facts, catalog, found.notes)
        if made:
            found.overlay["archs"][name] = made
    others = sorted(n for n in document if n not in ("architectures", *TABLES) and not n.startswith("_"))
    if others:
        found.notes.append(f"not taken: {', '.join(others)}; these facts are the same for all archs here")
    return found


def _arch(name: str, entry: Mapping[str, Any], catalog: ArchCatalog, notes: list[str]) -> Json:
    made: Json = {}
    base = catalog[name] if name in catalog else _relative(str(entry.get("family", "")), catalog)
    if not isinstance(base, AmdArch):
        notes.append(f"{name}: no arch of family {entry.get('family')} is known, so nothing can be inherited; left out")
        return made
    if name not in catalog:
        made["parent"] = base.name
        if entry.get("description"):
            made["description"] = str(entry["description"])
    own = {
        "wave_size": entry.get("warp_size"),
        "lds_bytes": 1024 * entry["lds_capacity_kb"] if isinstance(entry.get("lds_capacity_kb"), int) else None,
        "wave_maps": entry.get("warp_configs"),
    }
    made |= {k: v for k, v in own.items() if v is not None and _plain(v) != _plain(getattr(base, k))}
    for there, here in TABLES.items():
        tiles = _tiles(name, entry.get(there) or {}, getattr(base, here), base, notes)
        if tiles:
            made[here] = tiles
    unread = sorted(set(entry) - READ)
    if unread:
        notes.append(f"{name}: not taken: {', '.join(unread)}")
    return made


def _relative(family: str, catalog: ArchCatalog) -> AmdArch | None:
    """Return the last arch of a family."""
    found = [a for a in catalog.values() if isinstance(a, AmdArch) and a.family == family]
    return found[-1] if found else None


def _tiles(name: str, table: Any, known: Any, base: AmdArch, notes: list[str]) -> Json:
    """Return the warp tiles by dtypes that are others than ours; those of dtypes that we withhold are left out."""
    made = {}
    for key, tiles in table.items() if isinstance(table, Mapping) else ():
        words = [EIGHT_BIT[w] if w in EIGHT_BIT and EIGHT_BIT[w] in base.dtypes else w for w in _words(str(key))]
        ours = "_".join(words)
        if ours in base.withheld:
            notes.append(f"{name}: no tiles of {ours}: {base.withheld[ours].reason}")
        elif _plain(tiles) != _plain(known.get(ours, ())):
            made[ours] = [list(t) for t in tiles]
    return made


def _words(key: str) -> list[str]:
    """Return the dtypes of a key; `pk_fp4` is one word.

    >>> _words("pk_fp4_pk_fp4_fp32")
    ['pk_fp4', 'pk_fp4', 'fp32']
    """
    return key.replace("pk_fp4", "pk-fp4").replace("_", " ").replace("pk-fp4", "pk_fp4").split()


def _plain(value: Any) -> Any:
    """Return a table of triples as a set, and anything else as it is."""
    if isinstance(value, list | tuple) and all(isinstance(v, list | tuple) for v in value):
        return {tuple(v) for v in value}
    return value
