"""A registry as plain JSON data and as a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ..backends.plain import MAX_PRIORITY, set_from_dict, set_to_dict, spec_from_dict
from ..errors import SchemaError, TilewrightError
from ..jit.files import replace_file
from ..model.fields import shortened, shown
from .collection import MAX_SETS, Collection
from .entry import Entry, checked_entry

REGISTRY_SCHEMA = 1
ENTRY_FIELDS = {"digest", "priority", "source", "spec"}
R = TypeVar("R", bound=Collection)


def to_dict(registry: Collection) -> dict[str, Any]:
    """Return plain JSON data of every entry and set, with counts for readers; `from_dict` does not need them."""
    return {
        "schema": REGISTRY_SCHEMA,
        "name": registry.name,
        "statistics": statistics(registry),
        "kernels": [
            {"digest": e.spec.digest, "priority": e.priority, "source": e.source, "spec": e.spec.to_dict()}
            for e in registry.entries()
        ],
        "sets": [set_to_dict(s) for s in registry.sets()],
    }


def statistics(registry: Collection) -> dict[str, Any]:
    """Return how many kernels there are in all, and by op, backend, arch, signature and pipeline, largest first."""
    specs = [e.spec for e in registry.entries()]
    groups = {
        "op": lambda s: s.op, "backend": lambda s: s.backend, "arch": lambda s: s.arch,
        "signature": lambda s: s.signature.label(), "pipeline": lambda s: getattr(s.algorithm, "pipeline", "none"),
    }  # fmt: skip
    counts = {f"by_{name}": dict(Counter(map(of, specs)).most_common()) for name, of in groups.items()}
    return {"kernels": len(specs), "sets": len(registry.sets()), **counts}


def write(data: Mapping[str, Any], path: str | Path) -> None:
    """Write plain data of a registry as a JSON file; a crash leaves the previous file."""
    text = json.dumps(data, indent=1) + "\n"
    try:
        replace_file(Path(path), text.encode())
    except OSError as error:
        raise TilewrightError(
            f"the registry cannot be written to {path}: {error.strerror or error}", remedy="name another file"
        ) from error


def from_dict(data: Any, make: Callable[[str], R]) -> R:
    """Return a registry, created by `make` from its name, from its plain form. Each kernel is checked as in `add`, and
    its digest is compared."""
    schema = data.get("schema") if isinstance(data, Mapping) else None
    if schema is None:
        raise SchemaError("no registry: it has no schema", remedy="read what `Registry.export_json` wrote")
    if type(schema) is not int or schema != REGISTRY_SCHEMA:
        raise SchemaError(f"registry schema {shown(schema)} cannot be read; this version reads {REGISTRY_SCHEMA}")
    for name, kind in (("name", str), ("kernels", list), ("sets", list)):
        if name not in data:
            raise SchemaError(f"the registry has no {name}", remedy="export it again")
        if not isinstance(data[name], kind):
            raise SchemaError(f"{name} of the registry is {shown(data[name])}; it must be a {kind.__name__}")
    registry = make(data["name"])
    registry.take([_entry_from_dict(item) for item in data["kernels"]])
    if len(data["sets"]) > MAX_SETS:
        raise SchemaError(f"the registry has {len(data['sets']):,} kernel sets; the most is {MAX_SETS:,}")
    for item in data["sets"]:
        registry.declare(set_from_dict(item))
    return registry


def _entry_from_dict(item: Any) -> Entry:
    if not isinstance(item, Mapping) or set(item) != ENTRY_FIELDS:
        raise SchemaError(f"a kernel of the registry is {shown(item)}; it must have {', '.join(sorted(ENTRY_FIELDS))}")
    for name, kind in (("digest", str), ("source", str), ("priority", int)):
        if type(item[name]) is not kind:
            raise SchemaError(f"{name} of a kernel is {shown(item[name])}; it must be of type {kind.__name__}")
    if abs(item["priority"]) > MAX_PRIORITY:
        raise SchemaError(f"priority of a kernel is {item['priority']}; the most is {MAX_PRIORITY:,}")
    spec = spec_from_dict(item["spec"])
    if spec.digest != item["digest"]:
        said = shortened(item["digest"][:12])
        raise SchemaError(f"kernel {spec.name} has digest {spec.digest[:12]}, the file says {said}")
    return checked_entry(spec, item["priority"], item["source"])
