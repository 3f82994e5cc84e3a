"""`codegen docs`: write the generated reference pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import AsJson
from .output import make_folder, note, print_json, write_text

Folder = Annotated[str, typer.Option("--out", metavar="FOLDER", help="Output folder of the pages.")]
Check = Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if a page is out of date.")]


def docs(out: Folder = "docs/reference", check: Check = False, as_json: AsJson = False) -> None:
    """Write the reference pages (rules, settings, tunables) that are generated from the code."""
    from ..codegen.docs import pages

    texts, folder = pages(), Path(out)
    stale = [n for n, text in texts.items() if not (folder / n).is_file() or (folder / n).read_text() != text]
    if not check:
        make_folder(folder)
        for name in stale:
            write_text(str(folder / name), texts[name])
    if as_json:
        print_json({"pages": sorted(texts), "stale" if check else "written": stale})
    else:
        print(f"{len(texts)} pages in {out}, {len(stale)} {'out of date' if check else 'written'}")
    if check and stale:
        note(f"out of date: {', '.join(stale)}; run `tilewright codegen docs --out {out}`")
        raise typer.Exit(1)
