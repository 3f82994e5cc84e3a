"""`arch`: show, check and export the arch facts."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import AsJson
from .output import note, print_json, write_text

Name = Annotated[str, typer.Argument(metavar="ARCH", help="The name of an arch, see `tilewright arch list`.")]
File = Annotated[str, typer.Argument(metavar="FILE", help="A JSON file to apply over the shipped facts.")]
CkFile = Annotated[str, typer.Argument(metavar="FILE", help="An arch_specs.json of CK's dispatcher.")]
Format = Annotated[str, typer.Option("--format", help="python, cpp or json.")]
Out = Annotated[str, typer.Option("--out", metavar="FILE", help="Output file; -: standard output.")]


def list_archs(as_json: AsJson = False) -> None:
    """List every arch that tilewright knows."""
    from ..arch import default_catalog
    from ..report.tables import Table

    archs = list(default_catalog().values())
    if as_json:
        keys = ("name", "kind", "family", "description", "dtypes", "parent")
        print_json([{k: getattr(a, k) for k in keys} for a in archs])
        return
    table = Table(["arch", "kind", "family", "dtypes", "description"])
    for a in archs:
        table.add(a.name, a.kind, a.family, " ".join(a.dtypes), a.description)
    table.show()


def show(arch: Name, as_json: AsJson = False) -> None:
    """Show every fact of one arch."""
    from ..arch import default_catalog, describe
    from ..report.tables import Table

    name = default_catalog()[arch].name
    if as_json:
        print_json({"name": name, **default_catalog().resolved["archs"][name]})
        return
    table = Table(["fact", "value"])
    for what, value in describe(name):
        table.add(what, value)
    table.show()


def check(file: File = "", as_json: AsJson = False) -> None:
    """Check that the arch facts are complete and do not contradict themselves."""
    from ..arch import check as find_problems
    from ..arch import default_catalog

    problems = find_problems(file or None)
    if as_json:
        print_json({"ok": not problems, "problems": problems})
    elif not problems:
        print(f"the arch facts are sound: {len(default_catalog())} archs" + (f", with {file} applied" if file else ""))
    for problem in [] if as_json else problems:
        note(problem)
    if problems:
        raise typer.Exit(1)


def convert(file: CkFile, out: Out = "-", as_json: AsJson = False) -> None:
    """Convert the arch_specs.json of CK's dispatcher into an overlay.

    The overlay has what the file says otherwise than the shipped facts, for TILEWRIGHT_ARCH_FILE. What has no
    counterpart is named.
    """
    import json
    from pathlib import Path

    from ..arch import check as find_problems
    from ..arch.from_ck import convert_ck
    from ..model.json_text import read_json

    found = convert_ck(read_json(Path(file), what=f"arch file {file}"))
    if not as_json or out != "-":
        write_text(out, json.dumps(found.overlay, indent=1) + "\n")
    problems = find_problems(out) if out != "-" else []
    if as_json:
        print_json({"overlay": found.overlay, "notes": found.notes, "problems": problems})
    for text in [] if as_json else [*found.notes, *problems]:
        note(text)
    if problems:
        raise typer.Exit(1)


def export(format: Format = "json", out: Out = "-", as_json: AsJson = False) -> None:
    """Write a static copy of the arch facts that does not need tilewright: a Python module, a C++ header, or JSON."""
    from ..arch import export as text_of

    write_text(out, text_of("json" if as_json else format))
