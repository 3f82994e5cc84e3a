"""Static copies of the arch facts: a Python module, a C++ header, and JSON with parents applied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import check_known
from ..model.dtype import DTYPES
from .catalog import ArchCatalog, default_catalog
from .pretty import pretty


def export(format: str, catalog: ArchCatalog | None = None) -> str:
    """Return a static copy that does not need tilewright: `python` (a module), `cpp` (a C++17 header) or `json`.

    >>> export("json").startswith('{')
    True
    """
    check_known("export format", format, FORMATS)
    return FORMATS[format](catalog or default_catalog())


def _json(catalog: ArchCatalog) -> str:
    return pretty(dict(catalog.resolved)) + "\n"


def _cpp(catalog: ArchCatalog) -> str:
    from .export_cpp import header_text

    return header_text(catalog)


HELPERS = Path(__file__).with_name("exported_helpers.py")
MARK = "# The exporter copies what follows.\n"

HEADER = '''"""Arch facts of tilewright: tables and queries. Needs only Python 3.10.

Written by `tilewright arch export --format python` from arch_specs.json (digest {digest}).
Do not edit: change arch_specs.json and export again.
"""

from __future__ import annotations

import copy
import difflib
import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast
'''


def module_text(catalog: ArchCatalog) -> str:
    """Return the source of a standalone module with every table and the query helpers."""
    parts = [HEADER.format(digest=catalog.digest[:16])]
    parts += [f"{name} = {pretty(value, repr)}" for name, value in _tables(catalog).items()]
    return "\n".join(parts) + "\n\n\n" + HELPERS.read_text(encoding="utf-8").split(MARK, 1)[1].lstrip("\n")


def _tables(catalog: ArchCatalog) -> dict[str, Any]:
    combinations = catalog.dtype_combinations.values()
    return {
        "ARCHS": catalog.resolved["archs"],
        "DEVICES": catalog.resolved["devices"],
        "ELEMENT_SIZES": {name: dtype.bytes for name, dtype in DTYPES.items()},
        "PIPELINE_LDS_FRACTIONS": {p.name: p.lds_fraction for p in catalog.pipelines.values()},
        "PRESHUFFLE_PIPELINES": [p.name for p in catalog.pipelines.values() if p.preshuffle],
        "EPILOGUES": catalog.epilogues,
        "SCHEDULERS": catalog.schedulers,
        "UNSUPPORTED_TRAITS": sorted(catalog.unsupported_traits),
        "DTYPE_COMBINATIONS": {c.pair: {"acc": c.acc, "key": c.key, "notes": c.note} for c in combinations},
        "FMHA_LIMITS": catalog.resolved["fmha_limits"],
        "FMHA_TABLES": catalog.resolved["fmha_tables"],
    }


FORMATS: dict[str, Callable[[ArchCatalog], str]] = {"python": module_text, "cpp": _cpp, "json": _json}
