"""The C++ compiler: find it, identify it, and make the build request for a shared library.

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
from typing import TYPE_CHECKING, Any

from ..errors import SchemaError, ToolchainError
from ..model.json_text import read_json
from ..settings import Settings
from .artifact import BuildRequest, sha256_text
from .cache import default_root
from .files import replace_file, sha256_file
from .headers import HeaderScan
from .host_cpu import host_cpu
from .ownership import LAYOUT, make_folder

if TYPE_CHECKING:
    from .process import Answer

CANDIDATES = ("g++", "clang++")
PROBE_SCHEMA = 1

# No option here changes the meaning of NaN, infinity or signed zero, so -ffast-math is not used. Contraction to fused
# multiply-add is explicit because compilers differ in its default and GEMM has half the speed without it.
BASE_FLAGS = (
    "-std=c++17",
    "-O2",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
)
INSTALL_HINT = (
    "install one (Debian/Ubuntu: `apt-get install g++`, Fedora: `dnf install gcc-c++`, Alpine: `apk add g++`), "
    "or set TILEWRIGHT_CXX to the compiler"
)
_AVX512 = re.compile(r"avx512|amx|x86-64-v4|skylake-avx512|cascadelake|icelake|sapphirerapids|emeraldrapids|znver[45]")
_NATIVE = re.compile(r"-m(?:arch|tune|cpu)=native")


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: how to call it, and its identity.

    `fingerprint` enters build keys and has no path: the same compiler elsewhere gives the same kernels.
    """

    argv: tuple[str, ...]
    path: str
    family: str
    version: str
    target: str
    sha256: str

    def fingerprint(self) -> dict[str, str]:
        """Return the identity of the compiler in a build key."""
        return {"family": self.family, "version": self.version, "target": self.target, "sha256": self.sha256}


def find_compiler(settings: Settings | None = None) -> Compiler:
    """Return the compiler of the settings, else g++, else clang++; raise `ToolchainError` if there is none.

    Its version is queried once and kept in the cache folder by the file's path, size and time, so a warm start forks
    no process.
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
        raise ToolchainError(f"TILEWRIGHT_CXX is {settings.cxx!r}, which is not a program on PATH", remedy=INSTALL_HINT)
    return (os.path.abspath(found), *([] if whole else words[1:]))


@functools.lru_cache(maxsize=32)
def _identify(argv: tuple[str, ...], path: str, size: int, mtime_ns: int, root: str, limit: float) -> Compiler:
    """Return the identity of a compiler, from the cache if the file is the same binary, else by a query."""
    subject = {"schema": PROBE_SCHEMA, "argv": [*argv], "path": path, "size": size, "mtime_ns": mtime_ns}
    kept = _probe_file(root, "cxx", [*argv, path])
    lasting = _is_the_compiler(argv, path)
    if lasting:
        with contextlib.suppress(KeyError, TypeError):
            facts = {name: str(value) for name, value in {**_recall(kept, subject)["compiler"]}.items()}
            return Compiler(**{**facts, "argv": argv})  # type: ignore[arg-type]
    compiler = _probe(argv, path, limit)
    if lasting:
        _remember(kept, subject, compiler=asdict(compiler))
    return compiler


def _probe_file(root: str, kind: str, subject: Any) -> Path:
    return Path(root) / LAYOUT / "probes" / f"{kind}-{sha256_text(json.dumps(subject))[:16]}.json"


def _recall(kept: Path, subject: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a probe of the same subject found; empty if it is unknown or unreadable."""
    with contextlib.suppress(SchemaError, KeyError, TypeError):
        record: dict[str, Any] = read_json(kept)
        if record["subject"] == subject:
            return record
    return {}


def _remember(kept: Path, subject: Mapping[str, Any], **found: Any) -> None:
    """Store what a probe found. It only saves time, so an unwritable cache is not an error here."""
    with contextlib.suppress(OSError):
        make_folder(kept.parent)
        replace_file(kept, json.dumps({"subject": subject, **found}, indent=1).encode())


def refused_flags(compiler: Compiler, flags: Sequence[str], settings: Settings) -> str | None:
    """Return the compiler's message if it does not accept `flags`, None if it does.

    The result is kept in the cache folder with the compiler's identity.

    >>> settings = Settings.from_env()
    >>> refused_flags(find_compiler(settings), ["-O2"], settings) is None
    True
    """
    return _refused(compiler, tuple(flags), str(default_root(settings)), settings.probe_timeout)


@functools.lru_cache(maxsize=128)
def _refused(compiler: Compiler, flags: tuple[str, ...], root: str, limit: float) -> str | None:
    subject = {"schema": PROBE_SCHEMA, "compiler": compiler.fingerprint(), "flags": [*flags]}
    kept = _probe_file(root, "flags", subject)
    lasting = _is_the_compiler(compiler.argv, compiler.path)
    said = _recall(kept, subject).get("refused", "") if lasting else ""
    if said == "":
        done = _run((*compiler.argv, *flags, "-x", "c++", "-fsyntax-only", os.devnull), limit)
        said = None if done.status == 0 else (done.stderr or done.stdout).strip()[:500] or "no reason given"
        if lasting:
            _remember(kept, subject, refused=said)
    return said if said is None or isinstance(said, str) else None


def _is_the_compiler(argv: tuple[str, ...], path: str) -> bool:
    """Return whether the file is the compiler itself: a script or ccache does not change with the compiler it calls."""
    if len(argv) > 1 or not re.search(r"g\+\+|gcc|clang|c\+\+", os.path.basename(path)):
        return False
    with open(path, "rb") as stream:
        return stream.read(2) != b"#!"


def _probe(argv: tuple[str, ...], path: str, limit: float) -> Compiler:
    version_text = _ask(argv, "--version", limit)
    target = _ask(argv, "-dumpmachine", limit).strip()
    version = version_text.splitlines()[0].strip() if version_text.strip() else ""
    # gcc's first line starts with the name it was called by (g++, c++, x86_64-linux-gnu-g++): not part of its identity.
    version = re.sub(r"^\S*(?:g\+\+|c\+\+|gcc)\S*\s+(?=\()", "", version)
    family = "clang" if "clang" in version_text else "gcc"
    return Compiler(argv, path, family, version, target, sha256_file(path))


def _ask(argv: tuple[str, ...], option: str, limit: float) -> str:
    said = _run((*argv, option), limit)
    if said.status != 0:
        text = (said.stderr or said.stdout).strip()[:500]
        failure = f"{shlex.join(argv)} {option} exited with status {said.status}"
        raise ToolchainError(f"{failure}: {text}", remedy=INSTALL_HINT)
    return said.stdout


def _run(command: tuple[str, ...], limit: float) -> Answer:
    """Return a compiler's output; raise `ToolchainError` if it cannot be run within `limit` seconds."""
    from .process import ask  # here, because it imports subprocess, which a warm start does not need

    try:
        said = ask(command, limit, {**os.environ, "LC_ALL": "C"})
    except OSError as problem:
        raise ToolchainError(f"{shlex.join(command)} cannot be run: {problem}", remedy=INSTALL_HINT) from None
    if said.status is None:
        raise ToolchainError(
            f"{shlex.join(command)} was stopped at the limit of {said.over}",
            remedy="check the compiler, set TILEWRIGHT_CXX to another one, or raise TILEWRIGHT_PROBE_TIMEOUT",
        )
    return said


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
    """Return the request that compiles one C++ text into a shared library.

    `include_dirs` enter the build key by the content of the included headers, never by path. `isa` names the
    instruction set and enters the key; `flags` pass it to the compiler. Many sources built together share a `scan`.

    >>> request = cxx_request("int x;", name="demo", settings=Settings(cache_dir="/tmp/tilewright-doc"))
    >>> request.outputs
    ('kernel.so',)
    """
    settings = settings if settings is not None else Settings.from_env()
    compiler = find_compiler(settings)
    extra = _expanded(shlex.split(settings.cxx_flags))
    everything = [
        *BASE_FLAGS,
        *linker_flags(compiler, "-Wl,--as-needed"),
        *_family_flags(compiler, flags, isa),
        *flags,
        *extra,
    ]
    libraries = [flag for flag in everything if flag.startswith("-l")]  # a linker reads from left to right
    options = [flag for flag in everything if not flag.startswith("-l")]
    folders = [os.path.abspath(folder) for folder in include_dirs]
    forced = _forced(options)
    searched = [*_folders_of(options), *folders, *(os.path.dirname(name) for name in forced if os.path.isabs(name))]
    if scan is None or scan.folders != searched:
        scan = HeaderScan(searched)
    closure = scan.closure("".join(f'#include "{name}"\n' for name in forced) + source_text)
    key: dict[str, Any] = {"compiler": compiler.fingerprint(), "headers": closure.digest, "isa": isa}
    if any(_NATIVE.fullmatch(flag) for flag in options):
        key["host"] = sha256_text(host_cpu().identity)  # the flag itself does not show its meaning
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


def linker_flags(compiler: Compiler, *elf: str) -> tuple[str, ...]:
    """Return the linker flags of a shared library: `elf` on ELF systems, and permission to use the host's symbols.

    >>> linker_flags(Compiler(("c++",), "c++", "clang", "", "arm64-apple-darwin23", ""), "-Wl,--as-needed")
    ('-undefined', 'dynamic_lookup')
    """
    apple = "apple" in compiler.target or "darwin" in compiler.target
    return ("-undefined", "dynamic_lookup") if apple else elf


def _family_flags(compiler: Compiler, flags: Sequence[str], isa: Any) -> list[str]:
    """Return the flags of one compiler family: clang uses only 256-bit vectors by default."""
    wide = _AVX512.search(" ".join(flags)) or _AVX512.search(str(isa))
    return ["-mprefer-vector-width=512"] if compiler.family == "clang" and wide else []


def _expanded(words: Sequence[str], depth: int = 8) -> list[str]:
    """Return flags with those of files (`@FILE`) in place of the files, so that all of them are in the key."""
    found = []
    for word in words:
        try:
            text = Path(word[1:]).read_text() if depth and word.startswith("@/") else None
        except (OSError, ValueError):  # the compiler says what is wrong with it
            text = None
        found += [word] if text is None else _expanded(shlex.split(text), depth - 1)
    return found


def _forced(options: Sequence[str]) -> list[str]:
    """Return the files that flags include before the source (`-include FILE`).

    >>> _forced(["-O2", "-include", "a.h", "-imacros/b.h"])
    ['a.h', '/b.h']
    """
    pairs = zip(options, [*options[1:], ""], strict=True)
    words = [f"{word}{after}" if word in ("-include", "-imacros") else word for word, after in pairs]
    return [match[1] for word in words if (match := re.fullmatch(r"-(?:include|imacros)(.+)", word))]


def _folders_of(options: Sequence[str]) -> list[str]:
    """Return include folders in flags (`-I/x`, `-isystem /x`), so that their headers are in the key too."""
    found, take = [], False
    for option in options:
        if take:
            found.append(option)
        take = option in ("-I", "-isystem", "-iquote", "-idirafter")
        joined = re.match(r"-(?:I|isystem|iquote|idirafter)(.+)", option)
        if joined:
            found.append(joined[1])
    return [os.path.abspath(folder) for folder in found]
