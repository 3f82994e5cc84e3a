"""Wrappers: one translation unit per generated kernel, a table of all of them, and the build files.

The build depends on the toolchain. ROCm compiles host and device code into objects with the C ABI. A cross compiler
makes code objects; small assembly stubs put them into the library, so that it links without a HIP runtime.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...backends.ck_tile.ck_revision import CkRevision, known_revision
from ...backends.ck_tile.lower import INCLUDE_DIRS, lower, namespace
from ...backends.ck_tile.toolchain import Toolchain
from ...errors import SchemaError, TilewrightError
from ...jit.compiler import find_compiler
from ...model.json_text import decode_text, read_bytes
from ...settings import Settings
from .folder import prepare, remove, write_changed
from .manifest import Manifest, read_manifest

if TYPE_CHECKING:
    from jinja2 import Environment

BUILD_FILES = {"cmake": "CMakeLists.txt", "ninja": "build.ninja", "makefile": "Makefile"}
LIBRARY, TABLE, FLAGS, LISTING = "libdispatcher_kernels.so", "dispatcher_kernels.c", "compile_flags.txt", "wrappers.txt"
# What builds leave behind; a folder with these files still counts as ours.
LEFTOVERS = ("*.co", "*.o", "*.d", "*.so", ".ninja*", "CMakeFiles", "CMakeCache.txt", "cmake_install.cmake", "build")
# The C++ standard of a build, if an older one than the toolchain's was tested with that release of CK.
STANDARDS = {("1.2.0", "gemm"): "-std=c++17"}
SEED_FLAGS = ("--offload-compress", "-Wno-undefined-func-template", "-Wno-float-equal")

Tell = Callable[[int, int, str, str], None]


@dataclass(frozen=True)
class Unit:
    """One kernel of the build: its number, names, and the whole command that compiles it."""

    number: int
    name: str
    space: str
    digest: str
    arch: str
    command: tuple[str, ...]

    @property
    def output(self) -> str:
        """What compiling the unit makes: an object (ROCm) or a code object (cross compiler)."""
        return self.command[-1]


@dataclass(frozen=True)
class Wrapped:
    """The result: the units of the build, the files that were written, and the build files."""

    folder: Path
    units: tuple[Unit, ...]
    written: tuple[str, ...]
    build_files: tuple[str, ...]


def generate_wrappers(
    kernel_dir: str | os.PathLike[str],
    output_dir: str | os.PathLike[str],
    toolchain: Toolchain,
    *,
    pattern: str = "*.hpp",
    build_systems: Sequence[str] = (),
    main_only: bool = False,
    tell: Tell | None = None,
) -> Wrapped:
    """Write a wrapper per kernel of `kernel_dir` whose file matches `pattern`, and the named build files.

    `build_systems` is any of cmake, ninja, makefile; all of them build the same units into the same library. Files that
    did not change are not touched.
    """
    kernels, folder = Path(kernel_dir).expanduser().absolute(), Path(output_dir).expanduser().absolute()
    manifest, files = _chosen(kernels, pattern)
    previous = _listed(folder)
    _prepare(folder, previous)
    revision = known_revision(manifest.revision) if manifest.revision != "unnamed" else _headers_of(toolchain)
    texts: dict[str, str] = {}
    units = []
    for number, file in enumerate(files, 1):
        spec = manifest.spec(file)
        source = lower(spec, revision)
        _unchanged(kernels / file, source.header_text)
        extra = [STANDARDS[manifest.revision, spec.op]] if (manifest.revision, spec.op) in STANDARDS else []
        extra += ["-DTW_CK_MAIN_ONLY=1"] if main_only else []
        command = _command(toolchain, spec, source.name, kernels, extra)
        units.append(Unit(number, source.name, namespace(spec), spec.digest, spec.arch, command))
        texts[f"{source.name}.cpp"] = source.wrapper_text
        if toolchain.kind == "cross":
            texts[f"{source.name}.stub.s"] = _render("stub.s.j2", unit=units[-1])
    texts[TABLE] = _render("table.c.j2", units=units, cross=toolchain.kind == "cross")
    texts[FLAGS] = "\n".join(" ".join(u.command) for u in units) + "\n"
    values = {"units": units, "library": LIBRARY, "table": TABLE, "flags": FLAGS, **_host(toolchain)}
    names = [BUILD_FILES[system] for system in build_systems]
    texts |= {name: _render(f"{name}.j2", **values) for name in names}
    texts[LISTING] = "".join(f"{name}\n" for name in sorted([*texts, LISTING]))
    written = _write(folder, texts, units, tell)
    remove(folder, [name for name in previous if name not in texts])
    return Wrapped(folder, tuple(units), tuple(written), tuple(names))


def _chosen(kernels: Path, pattern: str) -> tuple[Manifest, list[str]]:
    if not kernels.is_dir():
        raise TilewrightError(f"there is no folder {kernels}", remedy="generate kernels with `tilewright codegen gemm`")
    manifest = read_manifest(kernels)
    if manifest is None:
        raise TilewrightError(
            f"{kernels} has no manifest, so its files are unknown",
            remedy="generate kernels into it with `tilewright codegen gemm`",
        )
    files = sorted(name for name in manifest.kernels if fnmatch.fnmatch(name, pattern))
    if not files:
        raise TilewrightError(
            f"none of the {len(manifest.kernels)} kernels in {kernels} matches {pattern!r}", remedy="widen --pattern"
        )
    missing = [name for name in files if not (kernels / name).is_file()]
    if missing:
        raise TilewrightError(f"{kernels} lacks {missing[0]}, which its manifest lists", remedy="generate it again")
    return manifest, files


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
    outside = sorted(name for name in names if "/" in name or "\0" in name or name in (".", ".."))
    if outside:
        raise SchemaError(
            f"{folder / LISTING} lists {outside[0][:80]!r}, which is no name of a file in it",
            remedy="name an empty or new folder",
        )
    return names


def _prepare(folder: Path, previous: set[str]) -> None:
    found = set(os.listdir(folder)) if previous and folder.is_dir() else set()
    left = {name for name in found if any(fnmatch.fnmatch(name, p) for p in LEFTOVERS)}
    prepare(folder, previous | left)


def _headers_of(toolchain: Toolchain) -> CkRevision:
    from ...backends.ck_tile.ck_revision import detect

    return detect(toolchain.include_dirs[0])


def _command(toolchain: Toolchain, spec: Any, name: str, kernels: Path, more: Sequence[str]) -> tuple[str, ...]:
    """Return the compile command of one wrapper; it also writes a dependency file for incremental builds."""
    extra = [*SEED_FLAGS, *more, *(f"-I{d}" for d in (kernels, *INCLUDE_DIRS)), "-MD", "-MF", f"{name}.d"]
    if toolchain.kind == "cross":
        return toolchain.command(spec.arch, spec.op, f"{name}.cpp", f"{name}.co", extra=[*extra, "-MT", f"{name}.co"])
    host = ["-fPIC", "-DTW_CK_HOST=1", "-DTW_CK_COMBINED=1", "-MT", f"{name}.o", "-c", f"{name}.cpp", "-o", f"{name}.o"]
    return (*toolchain.argv, *toolchain.flags(spec.arch, spec.op), *extra, *host)


def _host(toolchain: Toolchain) -> dict[str, Any]:
    """Return how objects for the host are compiled and linked."""
    includes = tuple(f"-I{d}" for d in INCLUDE_DIRS)
    cross = toolchain.kind == "cross"
    argv = find_compiler(Settings.from_env()).argv if cross else toolchain.argv
    compile_c = (*argv, "-x", "c", "-fPIC", "-O2", *includes, "-c", TABLE, "-o", "dispatcher_kernels.o")
    rocm = () if cross else ("--hip-link", "-lamdhip64")
    return {"cross": cross, "host": argv, "compile_table": compile_c, "link": (*argv, "-shared", "-fPIC"), "libs": rocm}


def _write(folder: Path, texts: dict[str, str], units: Sequence[Unit], tell: Tell | None) -> list[str]:
    written = [name for name, text in texts.items() if write_changed(folder / name, text)]
    if tell is not None:
        for unit in units:
            status = "written" if f"{unit.name}.cpp" in written else "unchanged"
            tell(unit.number, len(units), unit.name, status)
    return written


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    import shlex

    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(Path(__file__).parent / "templates")),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shell"] = lambda argv: shlex.join(map(str, argv))
    environment.filters["ninja"] = lambda argv: shlex.join(map(str, argv)).replace("$", "$$")
    environment.filters["make"] = lambda argv: shlex.join(map(str, argv)).replace("$", "$$")
    environment.filters["cmake"] = lambda argv: " ".join(_cmake_word(str(word)) for word in argv)
    return environment


def _cmake_word(word: str) -> str:
    """Return one argument of a CMake command, quoted so that nothing in it is expanded."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") + '"'
