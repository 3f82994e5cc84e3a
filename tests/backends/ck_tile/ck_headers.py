"""Small CK headers for tests: the templates that generated code names, and nothing else."""

from __future__ import annotations

from pathlib import Path

from tilewright.backends.ck_tile.ck_revision import REFERENCE
from tilewright.backends.ck_tile.ck_templates import REVISIONS, TEMPLATES


def headers(folder: Path, **changed: str | None) -> Path:
    """Header files that declare the templates of the reference revision, some of them changed or left out."""
    lists: dict[str, str | None] = {**REVISIONS[REFERENCE.name], **changed}
    (folder / "ck_tile").mkdir(parents=True)
    (folder / "ck_tile" / "core.hpp").write_text("#pragma once\n")
    for template, header in TEMPLATES.items():
        words = lists[template]
        path = folder / "ck_tile" / header
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text() if path.is_file() else "// template <typename Old> struct comment {};\n"
        if words is not None:
            parameters = ", ".join(f"typename {w.rstrip('?')}" + " = A<B, C>" * w.endswith("?") for w in words.split())
            text += f"template <{parameters}>\nstruct {template}\n{{\n}};\n"
        path.write_text(text)
    return folder
