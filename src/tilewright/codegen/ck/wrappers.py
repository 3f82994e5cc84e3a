"""Wrappers: one translation unit per generated kernel, a table of all of them, and the build files.

The build depends on the toolchain. ROCm compiles host and device code into objects with the C ABI. A cross compiler
makes code objects; small assembly stubs put them into the library, so that it links without a HIP runtime. Writing the
files needs neither.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...backends.ck_tile.ck_revision import CkRevision, detect, known_revision
from ...backends.ck_tile.lower import lower, namespace
from ...backends.ck_tile.toolchain import Toolchain
from ...errors import SchemaError, TilewrightError
from ...model.json_text import decode_text, read_bytes
from .folder import OnFile, prepare, remove, write_changed
from .manifest import Manifest, read_manifest
from .trailer import read_trailer, with_trailer
from .wrapper_files import LIBRARY, PORTABLE, TABLE, Build, Unit, own_headers, relative, render, unit_of

BUILD_FILES = {"cmake": "CMakeLists.txt", "ninja": "build.ninja", "makefile": "Makefile"}
FLAGS, LISTING = "compile_flags.txt", "wrappers.txt"
# What builds leave behind; a folder with these files still counts as ours.
LEFTOVERS = ("*.co", "*.o", "*.d", "*.so", ".ninja*", "CMakeFiles", "CMakeCache.txt", "cmake_install.cmake", "build")
OWN_HEADER = re.compile(r"include/(tilewright_ck/)?\w{1,64}\.h(pp)?")
UNNAMED = "unnamed"


@dataclass(frozen=True)
class Wrapped:
    """The result: the units of the build, the files that were written or removed, and the build files."""

    folder: Path
    units: tuple[Unit, ...]
    written: tuple[str, ...]
    build_files: tuple[str, ...]
    removed: tuple[str, ...] = ()

    @property
    def wrappers_written(self) -> int:
        """How many wrappers were written; the others were there, unchanged."""
        return sum(f"{unit.name}.cpp" in self.written for unit in self.units)


def generate_wrappers(
    kernel_dir: str | os.PathLike[str],
    output_dir: str | os.PathLike[str],
    toolchain: Toolchain | None = None,
    *,
    pattern: str = "*.hpp",
    build_systems: Sequence[str] = (),
    main_only: bool = False,
    on_file: OnFile | None = None,
) -> Wrapped:
    """Write a wrapper per kernel of `kernel_dir` whose file matches `pattern`, and the named build files.

    `build_systems` is any of cmake, ninja, makefile; all of them build the same units into the same library. Without a
    `toolchain` the build files are for ROCm's compiler on the machine that builds. Files that did not change are not
    touched.
    """
    kernels, folder = Path(kernel_dir).expanduser().absolute(), Path(output_dir).expanduser().absolute()
    manifest, files = _chosen(kernels, pattern)
    previous = _listed(folder)
    _prepare(folder, previous)
    tools = toolchain or PORTABLE
    revision = _revision(manifest.revision, tools)
    build = Build(tools, relative(kernels, folder), manifest.revision, main_only)
    texts: dict[str, str] = {}
    units = []
    for number, file in enumerate(files, 1):
        spec = manifest.spec(file)
        source = lower(spec, revision)
        _unchanged(kernels / file, with_trailer(source.header_text, spec, revision.name))
        units.append(unit_of(number, spec, (source.name, namespace(spec)), build))
        texts[f"{source.name}.cpp"] = source.wrapper_text
    texts |= _build_texts(build, units, build_systems)
    texts[LISTING] = "".join(f"{name}\n" for name in sorted([*texts, LISTING]))
    written = _write(folder, texts, units, on_file)
    gone = tuple(sorted(name for name in previous if name not in texts and (folder / name).is_file()))
    remove(folder, [name for name in previous if name not in texts])
    made = tuple(BUILD_FILES[system] for system in build_systems)
    return Wrapped(folder, tuple(units), tuple(written), made, gone)


def _build_texts(build: Build, units: Sequence[Unit], systems: Sequence[str]) -> dict[str, str]:
    """Return everything but the wrappers: the table, tilewright's headers, flags, stubs and build files."""
    texts = {TABLE: render("table.c.j2", units=units), **own_headers()}
    texts[FLAGS] = "\n".join(" ".join(u.command) for u in units) + "\n"
    if build.cross or "cmake" in systems:
        texts |= {f"{unit.name}.stub.s": render("stub.s.j2", unit=unit) for unit in units}
    values = {"units": units, "library": LIBRARY, "table": TABLE, "flags": FLAGS, **build.values()}
    return texts | {BUILD_FILES[system]: render(f"{BUILD_FILES[system]}.j2", **values) for system in systems}


def _chosen(kernels: Path, pattern: str) -> tuple[Manifest, list[str]]:
    """Return the chosen headers, and their specs: from the manifest, or else from the headers themselves."""
    if not kernels.is_dir():
        raise TilewrightError(f"there is no folder {kernels}", remedy="generate kernels with `tilewright codegen gemm`")
    manifest = read_manifest(kernels) or Manifest("")
    found = sorted(name for name in os.listdir(kernels) if name.endswith(".hpp") and (kernels / name).is_file())
    known = sorted({*manifest.kernels, *found})
    files = [name for name in known if fnmatch.fnmatch(name, pattern)]
    if not files:
        raise TilewrightError(
            f"none of the {len(known)} headers in {kernels} matches {pattern!r}",
            remedy="widen --pattern, or generate kernels into the folder with `tilewright codegen gemm`",
        )
    missing = [name for name in files if name not in found]
    if missing:
        raise TilewrightError(f"{kernels} lacks {missing[0]}, which its manifest lists", remedy="generate it again")
    return _completed(manifest, kernels, files), files


def _completed(manifest: Manifest, kernels: Path, files: Sequence[str]) -> Manifest:
    """Return the manifest with the headers that it does not list."""
    entries, revisions = dict(manifest.kernels), {manifest.revision} - {""}
    for name in files:
        if name not in entries:
            entries[name] = _described(kernels / name)
            revisions.add(entries[name]["ck_revision"])
    if len(revisions) > 1:
        raise TilewrightError(
            f"{kernels} holds kernels for several revisions of CK: {', '.join(sorted(revisions))}",
            remedy="choose those of one with --pattern, or generate them again",
        )
    return Manifest(revisions.pop(), entries)


def _described(path: Path) -> dict[str, Any]:
    entry = read_trailer(path)
    if entry is None:
        raise TilewrightError(
            f"{path} was not written by `tilewright codegen`: its last line names no spec",
            remedy="leave it out with --pattern, or generate it with `tilewright codegen gemm`, `conv` or `fmha`",
        )
    return entry


def _revision(name: str, toolchain: Toolchain) -> CkRevision:
    """Return the revision that the headers were generated for."""
    if name != UNNAMED:
        return known_revision(name)
    if toolchain is PORTABLE:
        raise TilewrightError(
            "these kernels were generated for an unnamed revision of CK, and its headers are needed to wrap them",
            remedy="set CK_ROOT to that checkout, with a toolchain (`tilewright toolchain list`)",
        )
    return detect(toolchain.include_dirs[0])


def _unchanged(path: Path, text: str) -> None:
    """Refuse a header that differs from its spec's lowering; it would be built under a false name."""
    if path.read_bytes() != text.encode():
        raise TilewrightError(
            f"{path} is not what this version generates from its spec",
            remedy="generate the kernels again; make changes in the spec or the template",
        )


def _listed(folder: Path) -> set[str]:
    """Return the files that an earlier run wrote; files that are no longer needed are removed by these names."""
    if not (folder / LISTING).is_file():
        return set()
    names = set(decode_text(read_bytes(folder / LISTING), LISTING).split("\n")) - {""}
    plain = {n for n in names if OWN_HEADER.fullmatch(n)}
    outside = sorted(n for n in names - plain if "/" in n or "\0" in n or n in (".", ".."))
    if outside:
        raise SchemaError(
            f"{folder / LISTING} lists {outside[0][:80]!r}, which is no name of a file in it",
            remedy="name an empty or new folder",
        )
    return names


def _prepare(folder: Path, previous: set[str]) -> None:
    found = set(os.listdir(folder)) if previous and folder.is_dir() else set()
    left = {name for name in found if any(fnmatch.fnmatch(name, p) for p in LEFTOVERS)}
    prepare(folder, {name.split("/")[0] for name in previous} | left)


def _write(folder: Path, texts: Mapping[str, str], units: Sequence[Unit], on_file: OnFile | None) -> list[str]:
    for name in {name.rsplit("/", 1)[0] for name in texts if "/" in name}:
        (folder / name).mkdir(parents=True, exist_ok=True)
    written = [name for name, text in texts.items() if write_changed(folder / name, text)]
    if on_file is not None:
        for unit in units:
            status = "written" if f"{unit.name}.cpp" in written else "unchanged"
            on_file(unit.number, len(units), unit.name, status)
    return written
