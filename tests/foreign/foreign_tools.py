"""Compiler and emulator of the other kind of CPU: those on PATH, else Debian packages unpacked into the checkout."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilewright.errors import ToolchainError
from tilewright.model.arch import CpuArch

FOLDER = Path(__file__).parents[2] / "build" / "foreign"
# What Debian calls the machines in the names of its packages.
DEBIAN_NAMES = {"aarch64": "aarch64", "x86_64": "x86-64"}
# What each CPU of the emulator has, the least first. The first that has all that an arch needs is taken, so that an
# instruction beyond the arch is likely to be an illegal one. Features are spelt as in /proc/cpuinfo.
ARMV8 = ("fp", "asimd")
HALF = (*ARMV8, "fphp", "asimdhp")
X86_V1 = ("fpu", "cx8", "cmov", "mmx", "fxsr", "sse", "sse2", "syscall")
X86_V3 = (
    *(*X86_V1, "cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"),
    *("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"),
)
EMULATED_CPUS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "aarch64": {
        "cortex-a53": ARMV8,
        "neoverse-n1": (*HALF, "asimddp"),
        "a64fx": (*HALF, "sve", "sve_vl512"),
        "max,sve=off": (*HALF, "asimddp", "asimdfhm", "bf16", "i8mm"),
        "max,sve-max-vq=2": (*HALF, "asimddp", "asimdfhm", "bf16", "i8mm", "sve", "sve2", "sve_vl256"),
        "max,sve-max-vq=4": (*HALF, "asimddp", "asimdfhm", "bf16", "i8mm", "sve", "sve2", "sve_vl512"),
    },
    "x86_64": {"qemu64": X86_V1, "max": X86_V3},  # QEMU 7.2 has no AVX-512
}


def foreign_machine(machine: str) -> str:
    """Return the kind of CPU that `machine` is not."""
    return "x86_64" if machine in ("aarch64", "arm64") else "aarch64"


# Which kind of CPU to build for: the one that this machine is not. Naming its own kind tries the emulator on it.
MACHINE = os.environ.get("FOREIGN_MACHINE", "") or foreign_machine(platform.machine())


@dataclass(frozen=True)
class ForeignTools:
    """How to build for another machine and run what was built."""

    machine: str
    compiler: str
    emulator: str

    def command(self, cpu: str) -> list[str]:
        """Return the command that runs a program on an emulated CPU; the program and its arguments follow."""
        loader = _loader(self.compiler)  # called by name, so that nothing depends on where the emulator looks for it
        return [self.emulator, "-cpu", cpu, os.fspath(loader), "--library-path", os.fspath(loader.parent)]


def emulated_cpu(machine: str, arch: CpuArch) -> str | None:
    """Return the CPU that the emulator imitates for an arch; None if it has none with all of the features."""
    return next((cpu for cpu, has in EMULATED_CPUS[machine].items() if arch.runs_on(machine, has)), None)


def find_tools(machine: str, path: str | None = None) -> ForeignTools:
    """Return compiler and emulator for `machine`, downloaded if PATH lacks one; `ToolchainError` if that fails too."""
    unpacked = FOLDER / machine
    folders = os.pathsep.join([path or os.environ.get("PATH", os.defpath), os.fspath(unpacked / "bin")])
    found = tools_on_path(machine, folders)
    if found is None:
        download_tools(machine, unpacked)
        found = tools_on_path(machine, folders)
    if found is None:
        raise _missing(machine, f"the packages unpacked in {unpacked} lack one of them")
    return found


def tools_on_path(machine: str, path: str) -> ForeignTools | None:
    """Return the tools that the folders of `path` hold; None if one is missing."""
    emulator = _first(path, *_emulator_names(machine))
    compiler = _first(path, *_compiler_names(machine))
    return ForeignTools(machine, compiler, emulator) if emulator and compiler else None


def _compiler_names(machine: str) -> list[str]:
    base = f"{machine}-linux-gnu-g++"
    return [base, *(f"{base}-{version}" for version in range(20, 9, -1))]


def _emulator_names(machine: str) -> list[str]:
    return [f"qemu-{machine}", f"qemu-{machine}-static"]


def _first(path: str, *names: str) -> str | None:
    return next((found for name in names if (found := shutil.which(name, path=path))), None)


def _loader(compiler: str) -> Path:
    """The dynamic loader of the compiler's target, which lies beside its C library."""
    asked = subprocess.run([compiler, "-print-file-name=libc.so.6"], capture_output=True, text=True, check=True)
    folder = Path(asked.stdout.strip()).resolve().parent
    found = sorted(folder.glob("ld-linux-*.so.*"))
    if not found:
        raise ToolchainError(
            f"{compiler} has no dynamic loader beside its C library (looked for ld-linux-*.so.* in {folder})",
            remedy="install the C library of the target (Debian: libc6-dev-*-cross)",
        )
    return found[0]


def download_tools(machine: str, folder: Path) -> None:
    """Download the Debian packages that this system lacks and unpack them into `folder`; needs no root.

    apt works on lists and a cache inside of `folder`; the system's own are read only.
    """
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        raise _missing(machine, "this system has no apt-get, so they cannot be downloaded either")
    packages = folder / "packages"
    options = _apt_options(folder)
    packages.mkdir(parents=True, exist_ok=True)
    wanted = [f"g++-{DEBIAN_NAMES[machine]}-linux-gnu", "qemu-user-static"]
    print(f"downloading {' and '.join(wanted)} into {folder}", flush=True)
    _apt(machine, ["apt-get", *options, "update"], packages)
    listed = _apt(
        machine, ["apt-get", *options, "install", "--print-uris", "--no-install-recommends", *wanted], packages
    )
    needed = re.findall(r"^'\S+' ([^_\s]+)_\S+ \d+", listed, re.MULTILINE)
    _apt(machine, ["apt-get", *options, "download", *needed], packages)
    for package in sorted(packages.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", os.fspath(package), os.fspath(folder / "root")], check=True)
        package.unlink()
    make_usable(machine, folder)


def _apt_options(folder: Path) -> list[str]:
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / "apt" / name).mkdir(parents=True, exist_ok=True)
    settings = {
        "Dir::State::Lists": folder / "apt" / "lists",
        "Dir::Cache": folder / "apt" / "cache",
        "Debug::NoLocking": "1",
        "APT::Sandbox::User": "root",  # the folder belongs to the user who runs this
        "Acquire::Languages": "none",
        "APT::Get::Assume-Yes": "1",
    }
    return ["-qq", *(word for name, value in settings.items() for word in ("-o", f"{name}={value}"))]


def _apt(machine: str, command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        raise _missing(machine, f"apt-get cannot download them: {done.stderr.strip()[-600:]}")
    return done.stdout


def make_usable(machine: str, folder: Path) -> None:
    """Give the unpacked tools names in `bin`, and let the linker find libraries where they now lie."""
    root, bin_folder = folder / "root", folder / "bin"
    libraries = [root / usr / "lib" / f"{platform.machine()}-linux-gnu" for usr in ("usr", "")]
    for script in (root / "usr" / f"{machine}-linux-gnu" / "lib").glob("*.so"):
        if script.is_file() and script.read_bytes()[:4] != b"\x7fELF":
            script.write_text(re.sub(rf"/usr/{machine}-linux-gnu/lib(64)?/", "", script.read_text()))
    bin_folder.mkdir(exist_ok=True)
    tools = root / "usr" / f"{machine}-linux-gnu" / "bin"  # where the compiler looks for them
    tools.mkdir(parents=True, exist_ok=True)
    for name in ("as", "ld"):
        found = shutil.which(f"{machine}-linux-gnu-{name}")  # not downloaded, if the system has them
        if found and not (tools / name).exists():
            (tools / name).symlink_to(found)
    for name in _compiler_names(machine):
        if (root / "usr" / "bin" / name).exists():
            _write_wrapper(bin_folder / name, root / "usr" / "bin" / name, libraries)
    for program in (root / "usr" / "bin").glob("qemu-*"):  # linked statically
        if program.name in _emulator_names(machine):
            program.replace(bin_folder / program.name)
        else:
            program.unlink()  # the package holds emulators of thirty machines


def _write_wrapper(path: Path, program: Path, libraries: Iterable[Path]) -> None:
    folders = ":".join(os.fspath(folder) for folder in libraries)
    path.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH="{folders}" exec "{program}" "$@"\n')
    path.chmod(0o755)


def _missing(machine: str, why: str) -> ToolchainError:
    compiler, emulator = f"{machine}-linux-gnu-g++", f"qemu-{machine}"
    return ToolchainError(
        f"the kernels of {machine} need {compiler} and {emulator}, which are not on PATH; {why}",
        remedy=f"install both (Debian/Ubuntu: `apt-get install g++-{DEBIAN_NAMES[machine]}-linux-gnu qemu-user`)",
    )
