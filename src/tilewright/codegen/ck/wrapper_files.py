"""The text of build files: commands of each unit, and the templates of CMake, Ninja and make.

Paths between the files of a build are relative. `PORTABLE` means a toolchain of the machine that will build: its
command and the folder of CK's headers are variables of the build files.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...backends.ck_tile.lower import INCLUDE_DIRS
from ...backends.ck_tile.toolchain import DEVICE_ONLY, Toolchain, compile_flags
from ...errors import ToolchainError
from ...jit.compiler import find_compiler
from ...model.kernel import KernelSpec
from ...settings import Settings

if TYPE_CHECKING:
    from jinja2 import Environment

COMPILER, CK_HEADERS = "@HIPCXX@", "@CK_INCLUDE_DIR@"  # replaced by variables of each build system
PORTABLE = Toolchain("rocm", (COMPILER,), (COMPILER,), Path(CK_HEADERS), "the compiler of the machine that builds", "")
INCLUDE = "include"  # the folder of tilewright's own headers beside the wrappers
TABLE, LIBRARY = "dispatcher_kernels.c", "libdispatcher_kernels.so"
# The C++ standard of a build, if an older one than the toolchain's was tested with that release of CK.
STANDARDS = {("1.2.0", "gemm"): "-std=c++17"}
SEED_FLAGS = ("--offload-compress", "-Wno-undefined-func-template", "-Wno-float-equal")
HOST_DEFINES = ("-DTW_CK_HOST=1", "-DTW_CK_COMBINED=1")


@dataclass(frozen=True)
class Unit:
    """One kernel of the build: its number, names, and the whole command that compiles it."""

    number: int
    name: str
    space: str
    digest: str
    arch: str
    command: tuple[str, ...]
    flags: tuple[str, ...]  # those of every compiler, without folders: for build systems that know their compiler

    @property
    def output(self) -> str:
        """What compiling the unit makes: an object (ROCm) or a code object (cross compiler)."""
        return self.command[-1]


def unit_of(number: int, spec: KernelSpec, names: tuple[str, str], build: Build) -> Unit:
    """Return the build of one kernel; `names` are those of its file and of its namespace."""
    name, space = names
    flags = (*compile_flags(spec.arch, spec.op), *SEED_FLAGS, *build.more(spec.op))
    return Unit(number, name, space, spec.digest, spec.arch, build.command(spec, name), flags)


@dataclass(frozen=True)
class Build:
    """How the units of one folder are compiled."""

    toolchain: Toolchain
    kernels: str  # the folder of the headers, relative to that of the wrappers
    revision: str
    main_only: bool = False

    @property
    def cross(self) -> bool:
        """Whether units become code objects."""
        return self.toolchain.kind == "cross"

    def more(self, op: str) -> tuple[str, ...]:
        """Return the options of this build of an op."""
        standard = STANDARDS.get((self.revision, op))
        return (*([standard] if standard else []), *(["-DTW_CK_MAIN_ONLY=1"] if self.main_only else []))

    def command(self, spec: KernelSpec, name: str) -> tuple[str, ...]:
        """Return the compile command of one wrapper; it also writes a dependency file for incremental builds."""
        folders = (f"-I{self.kernels}", f"-I{INCLUDE}")
        extra = [*SEED_FLAGS, *self.more(spec.op), *folders, "-MD", "-MF", f"{name}.d"]
        tools, source = self.toolchain, f"{name}.cpp"
        if self.cross:
            return tools.command(spec.arch, spec.op, source, f"{name}.co", extra=[*extra, "-MT", f"{name}.co"])
        host = ["-fPIC", *HOST_DEFINES, "-MT", f"{name}.o", "-c", source, "-o", f"{name}.o"]
        return (*tools.argv, *tools.flags(spec.arch, spec.op), *extra, *host)

    def values(self) -> dict[str, Any]:
        """Return how the host's objects are compiled and linked, as the templates need it."""
        host = _host_compiler() if self.cross else self.toolchain.argv
        compile_c = (*host, "-x", "c", "-fPIC", "-O2", f"-I{INCLUDE}")
        mode = ("-DTW_CODE_OBJECTS=1",) if self.cross else ()
        return {
            "cross": self.cross,
            "portable": self.toolchain is PORTABLE,
            "host": host,
            "compile_table": (*compile_c, *mode, "-c", TABLE, "-o", "dispatcher_kernels.o"),
            "link": (*host, "-shared", "-fPIC"),
            "libs": () if self.cross else ("--hip-link", "-lamdhip64"),
            "kernels": self.kernels,
            "device_only": DEVICE_ONLY,
            "host_defines": HOST_DEFINES,
        }


def _host_compiler() -> tuple[str, ...]:
    try:
        return find_compiler(Settings.from_env()).argv
    except ToolchainError:
        return ("c++",)  # text is written without a compiler; the build needs one


def own_headers() -> dict[str, str]:
    """Return tilewright's own headers by their path beside the wrappers, so that these can be moved."""
    found = {}
    for folder in INCLUDE_DIRS:
        for path in sorted(folder.rglob("*.h*")):
            name = path.relative_to(folder).as_posix()
            if name.startswith("tilewright_ck/") or name == "tilewright_abi.h":
                found[f"{INCLUDE}/{name}"] = path.read_text(encoding="utf-8")
    return found


def relative(target: Path, start: Path) -> str:
    """Return the path from one folder to another one."""
    return Path(os.path.relpath(target, start)).as_posix()


def render(template: str, **values: Any) -> str:
    """Return the text of a build file."""
    return _environment().get_template(template).render(**values)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(str(Path(__file__).parent / "templates")),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["ninja"] = lambda argv: _shell(argv, "$hipcxx", "$ck_include_dir")
    environment.filters["make"] = lambda argv: _shell(argv, "$(HIPCXX)", "$(CK_INCLUDE_DIR)")
    environment.filters["cmake"] = lambda argv: " ".join(_cmake_word(str(word)) for word in argv)
    return environment


def _shell(argv: Sequence[str], compiler: str, headers: str) -> str:
    """Return a command line with `$` doubled, and the variables of a portable build in their place."""
    import shlex

    text = shlex.join(map(str, argv)).replace("$", "$$")
    return text.replace(COMPILER, compiler).replace(CK_HEADERS, headers)


def _cmake_word(word: str) -> str:
    """Return one argument of a CMake command, quoted so that nothing in it is expanded."""
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") + '"'
