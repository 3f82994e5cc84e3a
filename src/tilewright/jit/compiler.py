"""The C++ compiler: finding it, knowing exactly which one it is, and the build request for a shared library.

The environment variable CXX is not read: a kernel must not depend on a variable that was set for another project.
Set TILEWRIGHT_CXX instead.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import SchemaError, ToolchainError
from ..model.json_text import read_json
from ..settings import Settings
from .artifact import BuildRequest, sha256_text
from .cache import LAYOUT, default_root
from .files import replace_file, sha256_file
from .headers import HeaderScan
from .ownership import make_folder

CANDIDATES = ("g++", "clang++")
PROBE_SCHEMA = 1

# No option here changes what NaN, infinity or signed zero mean, so -ffast-math is out. Contraction to fused
# multiply-add is spelt out because compilers differ in its default and GEMM halves in speed without it.
BASE_FLAGS = (
    "-std=c++17",
    "-O2",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-Wl,--as-needed",
)
INSTALL_HINT = (
    "install one (Debian/Ubuntu: `apt-get install g++`, Fedora: `dnf install gcc-c++`, Alpine: `apk add g++`), "
    "or set TILEWRIGHT_CXX to the compiler"
)
_AVX512 = re.compile(r"avx512|amx|x86-64-v4|skylake-avx512|cascadelake|icelake|sapphirerapids|emeraldrapids|znver[45]")
_NATIVE = re.compile(r"-m(?:arch|tune|cpu)=native")


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler that was found: how to call it, and who it is.

    `fingerprint` enters build keys and names no path: the same compiler elsewhere gives the same kernels.
    """

    argv: tuple[str, ...]
    path: str
    family: str
    version: str
    target: str
    sha256: str

    def fingerprint(self) -> dict[str, str]:
        """What identifies the compiler in a build key."""
        return {"family": self.family, "version": self.version, "target": self.target, "sha256": self.sha256}


def find_compiler(settings: Settings | None = None) -> Compiler:
    """The compiler that the settings name, else g++, else clang++; `ToolchainError` with the remedy where none is.

    It is asked for its version once; the answer is kept in the cache folder under the file's path, size and time, so
    a warm start forks nothing.
    """
    settings = settings if settings is not None else Settings.from_env()
    argv = _locate(settings)
    path = os.path.realpath(argv[0])
    fact = os.stat(path)
    root = str(default_root(settings))
    return _identify(argv, path, fact.st_size, fact.st_mtime_ns, root, settings.probe_timeout)


def _locate(settings: Settings) -> tuple[str, ...]:
    if not settings.cxx:
        for name in CANDIDATES:
            found = shutil.which(name)
            if found:
                return (found,)
        raise ToolchainError(
            f"no C++ compiler was found on PATH; looked for {' and '.join(CANDIDATES)}", remedy=INSTALL_HINT
        )
    whole = shutil.which(os.path.expanduser(settings.cxx))
    words = shlex.split(settings.cxx)  # such as "ccache g++"
    found = whole or (shutil.which(os.path.expanduser(words[0])) if words else None)
    if not found:
        raise ToolchainError(f"TILEWRIGHT_CXX is {settings.cxx!r}, which is no program on PATH", remedy=INSTALL_HINT)
    return (os.path.abspath(found), *([] if whole else words[1:]))


@functools.lru_cache(maxsize=32)
def _identify(argv: tuple[str, ...], path: str, size: int, mtime_ns: int, root: str, limit: float) -> Compiler:
    """The identity of a compiler, from the kept answer where the file is the same binary, else by asking it."""
    subject = {"schema": PROBE_SCHEMA, "argv": [*argv], "path": path, "size": size, "mtime_ns": mtime_ns}
    kept = Path(root) / LAYOUT / "probes" / f"cxx-{sha256_text(json.dumps([*argv, path]))[:16]}.json"
    lasting = _is_the_compiler(argv, path)
    if lasting:
        with contextlib.suppress(SchemaError, KeyError, TypeError):
            record = read_json(kept)
            facts = {name: str(value) for name, value in {**record["compiler"]}.items()}
            if record["subject"] == subject:
                return Compiler(**{**facts, "argv": argv})  # type: ignore[arg-type]
    compiler = _probe(argv, path, limit)
    if lasting:  # only saves time, so a cache that cannot be written is no error here; storing a kernel tells it
        with contextlib.suppress(OSError):
            make_folder(kept.parent)
            replace_file(kept, json.dumps({"subject": subject, "compiler": asdict(compiler)}, indent=1).encode())
    return compiler


def _is_the_compiler(argv: tuple[str, ...], path: str) -> bool:
    """Whether the file is the compiler itself: a script or ccache stays the same while what it calls changes."""
    if len(argv) > 1 or not re.search(r"g\+\+|gcc|clang|c\+\+", os.path.basename(path)):
        return False
    with open(path, "rb") as stream:
        return stream.read(2) != b"#!"


def _probe(argv: tuple[str, ...], path: str, limit: float) -> Compiler:
    version_text = _ask(argv, "--version", limit)
    target = _ask(argv, "-dumpmachine", limit).strip()
    version = version_text.splitlines()[0].strip() if version_text.strip() else ""
    # gcc's first line starts with the name it was called by (g++, c++, x86_64-linux-gnu-g++): not part of who it is.
    version = re.sub(r"^\S*(?:g\+\+|c\+\+|gcc)\S*\s+(?=\()", "", version)
    family = "clang" if "clang" in version_text else "gcc"
    return Compiler(argv, path, family, version, target, sha256_file(path))


def _ask(argv: tuple[str, ...], option: str, limit: float) -> str:
    from .process import ask  # here, since it pulls in subprocess, which a warm start does not need

    command = f"{shlex.join(argv)} {option}"
    try:
        said = ask((*argv, option), limit, {**os.environ, "LC_ALL": "C"})
    except OSError as problem:
        raise ToolchainError(f"{command} cannot be run: {problem}", remedy=INSTALL_HINT) from None
    if said.status is None:
        raise ToolchainError(
            f"{command} was stopped at the limit of {said.over}",
            remedy="check the compiler, set TILEWRIGHT_CXX to another one, or raise TILEWRIGHT_PROBE_TIMEOUT",
        )
    if said.status != 0:
        text = (said.stderr or said.stdout).strip()[:500]
        raise ToolchainError(f"{command} exited with status {said.status}: {text}", remedy=INSTALL_HINT)
    return said.stdout


def cxx_request(
    source_text: str,
    *,
    name: str,
    spec_digest: str = "",
    include_dirs: Sequence[str | os.PathLike[str]] = (),
    flags: Sequence[str] = (),
    isa: str | Sequence[str] | Mapping[str, Any] = "",
    settings: Settings | None = None,
    output: str = "kernel.so",
    source_name: str = "kernel.cpp",
    inspect: str | None = None,
    scan: HeaderScan | None = None,
    spec: Mapping[str, Any] | None = None,
) -> BuildRequest:
    """The request that compiles one C++ text into a shared library.

    `include_dirs` enter the build key by the content of the headers that are reached, never by path. `isa` names what
    the code may use and enters the key; `flags` say it to the compiler. Many sources built together share a `scan`.

    >>> request = cxx_request("int x;", name="demo", settings=Settings(cache_dir="/tmp/tilewright-doc"))
    >>> request.outputs
    ('kernel.so',)
    """
    settings = settings if settings is not None else Settings.from_env()
    compiler = find_compiler(settings)
    extra = shlex.split(settings.cxx_flags)
    everything = [*BASE_FLAGS, *_family_flags(compiler, flags, isa), *flags, *extra]
    libraries = [flag for flag in everything if flag.startswith("-l")]  # a linker reads from left to right
    options = [flag for flag in everything if not flag.startswith("-l")]
    folders = [os.path.abspath(folder) for folder in include_dirs]
    searched = [*_folders_of(options), *folders]
    if scan is None or scan.folders != searched:
        scan = HeaderScan(searched)
    key: dict[str, Any] = {"compiler": compiler.fingerprint(), "headers": scan.closure(source_text).digest, "isa": isa}
    if any(_NATIVE.fullmatch(flag) for flag in options):
        key["host"] = _host_digest()
    includes = [f"-I{folder}" for folder in folders]
    command = (*compiler.argv, *options, *includes, source_name, "-o", output, *libraries)
    return BuildRequest(
        spec_digest=spec_digest,
        name=name,
        inputs={source_name: source_text},
        commands=(command,),
        outputs=(output,),
        key=key,
        inspect=inspect,
        spec=spec,
        timeout=settings.build_timeout,
    )


def _family_flags(compiler: Compiler, flags: Sequence[str], isa: Any) -> list[str]:
    """What one compiler family needs beyond the common flags: clang keeps to 256-bit vectors unless told."""
    wide = _AVX512.search(" ".join(flags)) or _AVX512.search(str(isa))
    return ["-mprefer-vector-width=512"] if compiler.family == "clang" and wide else []


def _folders_of(options: Sequence[str]) -> list[str]:
    """Include folders that hide in flags (`-I/x`, `-isystem /x`), so that their headers are in the key too."""
    found, take = [], False
    for option in options:
        if take:
            found.append(option)
        take = option in ("-I", "-isystem", "-iquote", "-idirafter")
        joined = re.match(r"-(?:I|isystem|iquote|idirafter)(.+)", option)
        if joined:
            found.append(joined[1])
    return [os.path.abspath(folder) for folder in found]


@functools.lru_cache(maxsize=1)
def _host_digest() -> str:
    """Identity of this CPU for `-march=native`, whose meaning the flag itself does not show."""
    with contextlib.suppress(OSError):
        first = Path("/proc/cpuinfo").read_text().split("\n\n", 1)[0]
        wanted = [
            line for line in first.splitlines() if re.match(r"(vendor_id|cpu family|model|flags|Features)\b", line)
        ]
        return sha256_text("\n".join(wanted))
    import platform

    return sha256_text(f"{platform.machine()} {platform.processor()}")
