"""`cache`: manage built kernels."""

from __future__ import annotations

import os
import re
from dataclasses import asdict
from typing import Annotated, Any

import typer

from ..errors import TilewrightError
from .amounts import BYTES, SECONDS, amount_of
from .options import AsJson, settings_of
from .output import note, print_json

File = Annotated[str, typer.Argument(metavar="FILE", help="A .tar.gz of cache entries.", show_default=False)]
MaxSize = Annotated[str, typer.Option("--max-size", metavar="SIZE", help="Keep at most this much, as 500MB or 2GB.")]
OlderThan = Annotated[
    str, typer.Option("--older-than", metavar="TIME", help="Remove kernels that were not used for 30d, 12h ...")
]
Everything = Annotated[
    bool, typer.Option("--all", help="Also remove toolchains, measurements and trained models: all that is kept.")
]

ENDINGS = ("", "-wal", "-shm", "-journal")  # SQLite keeps up to three files next to its own


def info(as_json: AsJson = False) -> None:
    """Show where the cache is and what it holds."""
    from ..report.tables import Table, size

    found = _cache().info()
    if as_json:
        print_json(found.to_json())
        return
    state = "writable" if found.writable else "NOT writable"
    table = Table(["cache", ""])
    table.add("folder", f"{found.root} ({state if found.exists else f'{state}, not created yet'})")
    table.add("kernels", f"{found.entries} ({size(found.entry_bytes)}, {found.build_seconds:.1f} s of compiling)")
    table.add("failed builds", found.failures)
    table.add("quarantined", found.quarantined)
    table.add("total size", size(found.total_bytes))
    for root, count in found.shared:
        table.add("shared, read-only", f"{root} ({count} kernels)")
    table.show()


def verify(as_json: AsJson = False) -> None:
    """Read every cached kernel and compare it with its digest; damaged ones are set aside and rebuilt when needed."""
    verdict = _cache(verbose=not as_json).verify()
    if as_json:
        print_json(
            {"ok": verdict.ok, "whole": verdict.whole, "damaged": list(verdict.damaged), "outdated": verdict.outdated}
        )
    else:
        also = f", {verdict.outdated} are of an older version and will be built again" if verdict.outdated else ""
        print(f"{verdict.whole} kernels are whole, {len(verdict.damaged)} were damaged{also}")
    if not verdict.ok:
        raise typer.Exit(1)


def prune(max_size: MaxSize = "", older_than: OlderThan = "", as_json: AsJson = False) -> None:
    """Remove kernels that were not used for a long time, then the least recently used ones beyond a size."""
    limit = amount_of(max_size, BYTES, "--max-size", "500MB") if max_size else None
    age = amount_of(older_than, SECONDS, "--older-than", "30d") if older_than else None
    if limit is None and age is None:
        raise TilewrightError("prune needs a limit", remedy="give --max-size 500MB or --older-than 30d")
    _removed(_cache().prune(None if limit is None else int(limit), age), as_json)


def clear(everything: Everything = False, as_json: AsJson = False) -> None:
    """Remove every kernel of the user's cache; kernels are built again when needed.

    With --all, remove everything that tilewright keeps on this machine: kernels, toolchains, measurements and trained
    models. The package itself remains: `pip uninstall tilewright`.
    """
    removed = _cache().clear()
    gone = _remove_everything() if everything else []
    if as_json:
        print_json({**asdict(removed), **({"removed": gone} if everything else {})})
        return
    _removed(removed, as_json)
    for path in gone:
        print(f"removed {path}")


def _remove_everything() -> list[str]:
    """Remove the files and folders that tilewright makes, by name: a folder that the user chose may hold others."""
    import shutil
    from pathlib import Path

    from ..backends.ck_tile.toolchain_install import toolchain_root
    from ..select.model_directory import models_folder
    from ..store.kept import KEPT_FILES
    from ..store.sqlite import data_root, store_path

    settings, root = settings_of(), _cache().root
    store = store_path(settings)
    kept = [toolchain_root(settings), models_folder(settings)]
    kept += sorted(path for path in root.glob("*") if re.fullmatch(r"v\d+|foreign-.*", path.name))
    kept += [store.with_name(name) for name in (*(store.name + end for end in ENDINGS), *KEPT_FILES)]
    found = [path for path in kept if path.exists()]
    for path in found:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for folder in (root, Path(data_root(settings))):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return [str(path) for path in found]


def export(file: File, as_json: AsJson = False) -> None:
    """Write every cached kernel to one file, for another machine."""
    count = _cache().export(file)
    print_json({"file": file, "kernels": count}) if as_json else print(f"{count} kernels written to {file}")


def import_(file: File, as_json: AsJson = False) -> None:
    """Import the kernels of an exported file. Import only files you trust: kernels are native code."""
    count = _cache().import_(file)
    print_json({"file": file, "new": count}) if as_json else print(f"{count} new kernels taken from {file}")


def _cache(verbose: bool = True) -> Any:
    """Return the cache that the settings name; damaged entries are reported as notes."""
    from ..jit import Cache
    from ..settings import Settings

    settings = Settings.from_env()
    shared = [folder for folder in settings.shared_cache.split(os.pathsep) if folder]
    return Cache(None, shared, settings, on_event=lambda event: note(event.message) if verbose else None)


def _removed(removed: Any, as_json: bool) -> None:
    from ..report.tables import size

    if as_json:
        print_json(asdict(removed))
    else:
        also = f", {removed.failures} failure records, {removed.quarantined} quarantined" if removed.failures else ""
        print(f"removed {removed.entries} kernels ({size(removed.bytes)}){also}")
