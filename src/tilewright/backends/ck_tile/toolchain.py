"""The compiler for AMD GPUs and the CK headers: ROCm's if it is installed, else the cross toolchain of the cache."""

from __future__ import annotations

import functools
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...arch import get_arch
from ...errors import ArchError, ToolchainError
from ...jit.artifact import sha256_text
from ...jit.headers import HeaderScan
from ...model.arch import AmdArch
from ...settings import Settings
from .ck_revision import detect
from .toolchain_install import installed
from .toolchain_parts import SYSROOTS, recipe_digest

INSTALL = "`tilewright toolchain install amdgpu` installs a cross compiler and the CK headers into your cache"
# hipcc is a wrapper that rewrites command lines; the clang it calls is used instead.
HIP_COMPILERS = ("bin/amdclang++", "llvm/bin/clang++", "lib/llvm/bin/clang++")
CK_MARK = Path("ck_tile") / "core.hpp"  # identifies an include folder of CK

LANGUAGE = ("-x", "hip", "-std=c++20", "-O3", "-w", "-DNDEBUG", "-D__HIP_PLATFORM_AMD__=1")
# CK truncates to bf16 by default, which is wrong by up to a unit in the last place; 0 rounds to nearest. 3 would do so
# in inline assembly, but without early clobber: clang uses one register for a scratch value and for an operand.
ROUNDING = ("-DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=0",)
# Device code only, as a bare ELF: hipModuleLoadData accepts it, and it can be inspected without unbundling.
# The unit id is a hash of paths, which would make equal kernels differ.
DEVICE_ONLY = ("--cuda-device-only", "--no-gpu-bundle-output", "-fuse-cuid=none")
HOST_ONLY = ("--cuda-host-only", "-fuse-cuid=none", "-nogpulib", "-fPIC", "-fvisibility=hidden", "-O1")
# Newer compilers write version 6 by default, which ROCm before 6.3 refuses with error 209; every ROCm loads version 5.
CODE_OBJECT = ("-mcode-object-version=5",)
TUNING = ("-mllvm", "-enable-noalias-to-md-conversion=0")
OP_FLAGS = {"fmha": ("-DCK_TILE_FMHA_FWD_FAST_EXP2=1", "-fgpu-flush-denormals-to-zero")}


@dataclass(frozen=True)
class Toolchain:
    """A compiler for AMD GPUs with CK headers: `kind` is rocm or cross.

    `argv` begins every compile of HIP code, `plain_argv` every use of the assembler and linker. `identity` enters build
    keys and names no path. `host` are the options of code that runs on this machine, if `argv` is for another one.
    """

    kind: str
    argv: tuple[str, ...]
    plain_argv: tuple[str, ...]
    ck_root: Path
    version: str
    identity: str
    host: tuple[str, ...] = ()

    @property
    def include_dirs(self) -> tuple[Path, ...]:
        """The folders that generated code includes CK from."""
        return (_include(self.ck_root) or self.ck_root,)

    def flags(self, arch: str, op: str = "gemm") -> tuple[str, ...]:
        """Return every option of a device compile of `op` for `arch`, without sources and outputs."""
        return (*compile_flags(arch, op), *(f"-I{folder}" for folder in self.include_dirs))

    def command(
        self, arch: str, op: str, source: str, output: str, *, assembly: bool = False, extra: Sequence[str] = ()
    ) -> tuple[str, ...]:
        """Return the command that compiles `source` into a code object (or assembly text)."""
        stop = ("-S",) if assembly else ()
        return (*self.argv, *self.flags(arch, op), *DEVICE_ONLY, *extra, *stop, source, "-o", output)

    def host_command(self, arch: str, op: str, source: str, output: str, extra: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the command that compiles `source` for the host, with the C++ library of the device code."""
        return (*self.argv, *self.host, *self.flags(arch, op), *HOST_ONLY, *extra, "-c", source, "-o", output)

    def assemble(self, arch: str, source: str, output: str) -> tuple[str, ...]:
        """Return the command that turns assembly text into a linked code object."""
        return (*self.plain_argv, "--target=amdgcn-amd-amdhsa", f"-mcpu={arch}", source, "-o", output)


def compile_flags(arch: str, op: str = "gemm") -> tuple[str, ...]:
    """Return the options of the arch and the op, the same for every compiler and build system.

    >>> compile_flags("gfx950")[-2:]
    ('-D__AMDGCN_WAVEFRONT_SIZE=64', '-DCK_GFX950_SUPPORT')
    """
    special = arch_flags(arch)
    if arch == "gfx950":
        special.append("-DCK_GFX950_SUPPORT")
    if op == "conv" and special[1].endswith("=32"):
        special.append("-DCK_TILE_USE_WMMA=1")
    return (*LANGUAGE, *ROUNDING, *CODE_OBJECT, *TUNING, *special, *OP_FLAGS.get(op, ()))


def arch_flags(arch: str) -> list[str]:
    """Return the options of an arch that any HIP code needs.

    >>> arch_flags("gfx1100")
    ['--offload-arch=gfx1100', '-D__AMDGCN_WAVEFRONT_SIZE=32']
    """
    found = get_arch(arch)
    if not isinstance(found, AmdArch):
        raise ArchError(f"{arch} is not an AMD GPU", remedy="choose one of `tilewright arch list`")
    # Newer compilers no longer define the wave size, which the headers of HIP and CK still read.
    return [f"--offload-arch={arch}", f"-D__AMDGCN_WAVEFRONT_SIZE={found.wave_size}"]


def find_toolchain(settings: Settings | None = None) -> Toolchain:
    """Return the toolchain for AMD kernels; raise `ToolchainError` with the install command if there is none."""
    settings = settings if settings is not None else Settings.from_env()
    _checkout()  # its error has a remedy of its own
    problems = []
    for finder in (_rocm, _cross):
        try:
            return finder(settings)
        except ToolchainError as problem:
            problems.append(problem.message)
    raise ToolchainError("; ".join(problems), remedy=INSTALL)


def _rocm(settings: Settings) -> Toolchain:
    compiler = rocm_compiler()
    if compiler is None:
        raise ToolchainError("no ROCm compiler (hipcc, amdclang++) was found on PATH, in ROCM_PATH or in /opt/rocm")
    ck, passed = ck_choice(settings)
    if ck is None:
        why = "; ".join(passed.values()) or "no CK headers (ck_tile/core.hpp)"
        raise ToolchainError(f"{compiler} was found, but {why}: set CK_ROOT to a checkout of a supported revision")
    version = _version((str(compiler),))
    fact = sha256_text(f"{version}\n{os.stat(os.path.realpath(compiler)).st_size}")
    argv = (str(compiler), "--driver-mode=g++")
    return Toolchain("rocm", argv, (str(compiler),), ck, version, f"rocm:{fact[:16]}")


def _cross(settings: Settings) -> Toolchain:
    folder = installed(settings)
    if folder is None:
        raise ToolchainError("the cross toolchain is not installed")
    ck = _checkout() or folder / "ck"
    plain = (str(folder / "zig" / "zig"), "clang")
    argv = (*plain, "--driver-mode=g++", "--config", str(folder / "hip.cfg"))
    version, identity = "clang 22.1.8 (zig 0.17.0), HIP 6.2", f"cross:{recipe_digest()[:16]}"
    return Toolchain("cross", argv, plain, ck, version, identity, host_options(folder, platform.machine()))


def host_options(folder: Path, machine: str) -> tuple[str, ...]:
    """Return the options with which the cross toolchain in `folder` compiles code for a host `machine`.

    >>> host_options(Path("/t"), "aarch64"), host_options(Path("/t"), "x86_64")
    (('--target=aarch64-linux-gnu', '--sysroot=/t/sysroot-aarch64'), ())
    """
    if machine == "x86_64":  # the target of hip.cfg
        return ()
    return (f"--target={machine}-linux-gnu", f"--sysroot={folder / SYSROOTS[machine]}")


def rocm_compiler() -> Path | None:
    """Return ROCm's compiler: in ROCM_PATH, /opt/rocm, or found by hipcc or amdclang++ on PATH; None if missing."""
    for folder in _rocm_folders():
        for name in HIP_COMPILERS:
            if os.access(folder / name, os.X_OK):
                return folder / name
    return None


def _rocm_folders() -> Iterator[Path]:
    given = [os.environ.get("ROCM_PATH", ""), "/opt/rocm"]
    given += [str(Path(os.path.realpath(p)).parents[1]) for n in ("amdclang++", "hipcc") if (p := shutil.which(n))]
    yield from (Path(p) for p in dict.fromkeys(given) if p and Path(p).is_dir())


def ck_root(settings: Settings | None = None) -> Path | None:
    """Return the CK headers: the checkout CK_ROOT, ROCm's include folder, the installed toolchain's; None if none."""
    return ck_choice(settings)[0]


def ck_choice(settings: Settings | None = None) -> tuple[Path | None, dict[Path, str]]:
    """Return (the CK headers that are used, why others were passed over).

    ROCm brings CK of its own release. If that is not a supported revision, the headers of the cross toolchain are used
    with ROCm's compiler.
    """
    checkout = _checkout()
    if checkout is not None:
        return checkout, {}
    passed: dict[Path, str] = {}
    own = installed(settings)
    for root in (*_rocm_folders(), *([own / "ck"] if own is not None else [])):
        include = _include(root)
        if include is not None:
            try:
                detect(include)
            except ToolchainError as problem:
                passed[root] = problem.message
                continue
            return root, passed
    return None, passed


def _include(root: Path) -> Path | None:
    """Return the folder below `root` that holds `ck_tile/`; None if there is none."""
    return next((p for p in (root / "include", root) if (p / CK_MARK).is_file()), None)


def _checkout() -> Path | None:
    given = os.environ.get("CK_ROOT", "")
    if not given:
        return None
    root = Path(given).expanduser().absolute()
    include = _include(root)
    if include is None:
        raise ToolchainError(
            f"CK_ROOT is {given}, which has no include/{CK_MARK}",
            remedy="point it to a composable_kernel checkout, or unset it",
        )
    try:
        detect(include)
    except ToolchainError as problem:
        remedy = "unset CK_ROOT to use the headers of the toolchain, or check out a supported revision there"
        raise ToolchainError(f"CK_ROOT: {problem.message}", remedy=remedy) from None
    return root


@functools.lru_cache(maxsize=8)
def _version(argv: tuple[str, ...]) -> str:
    try:
        done = subprocess.run([*argv, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise ToolchainError(f"{argv[0]} --version cannot be run: {problem}", remedy=INSTALL) from None
    if done.returncode != 0:
        raise ToolchainError(f"{argv[0]} --version failed: {(done.stderr or done.stdout).strip()}", remedy=INSTALL)
    return re.sub(r"\nInstalledDir:.*", "", done.stdout.strip())


@functools.lru_cache(maxsize=4)
def header_scan(folders: tuple[Path, ...]) -> HeaderScan:
    """Return one snapshot of the CK headers for all kernels of this process."""
    return HeaderScan(folders)
