"""Static copies of the arch facts: a Python module, a C++ header, and JSON with parents applied."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import check_known
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


def _python(catalog: ArchCatalog) -> str:
    from .export_python import module_text

    return module_text(catalog)


def _cpp(catalog: ArchCatalog) -> str:
    from .export_cpp import header_text

    return header_text(catalog)


FORMATS: dict[str, Callable[[ArchCatalog], str]] = {"python": _python, "cpp": _cpp, "json": _json}
