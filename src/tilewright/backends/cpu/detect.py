"""The archs whose kernels this CPU runs, the one to generate for, and this machine as a device."""

from __future__ import annotations

import logging
import os
import platform
import re
from functools import cache, lru_cache
from pathlib import Path

from ...arch import get_arch, get_cpu_archs
from ...errors import ArchError, ToolchainError
from ...jit.compiler import Compiler, find_compiler, refused_flags
from ...jit.host_cpu import host_cpu
from ...model.arch import CpuArch
from ...model.device import Device
from ...settings import Settings

log = logging.getLogger(__name__)
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
SYSCONF_CACHES = {"l1": 188, "l2": 191, "llc": 194}  # glibc's _SC_LEVEL1_DCACHE_SIZE and so on; Python has no names
# Used if the operating system does not report them: the smallest caches of the last ten years, so that blocks fit.
FALLBACK_CACHES = {"l1": 32 << 10, "l2": 256 << 10, "llc": 8 << 20}


def cpu_flags() -> frozenset[str]:
    """Return the features of this CPU, as Linux spells them; empty if they cannot be read."""
    return host_cpu().flags


def cpu_name() -> str:
    """Return the model name of this CPU."""
    return host_cpu().name


@cache
def caches() -> dict[str, int]:
    """Return the bytes of the data caches of one core: l1, l2, llc."""
    found = dict(host_cpu().caches) or _sysfs_caches() or _sysconf_caches()
    return {**FALLBACK_CACHES, **found}


def _sysfs_caches() -> dict[str, int]:
    sizes = {}
    for entry in sorted(CACHES.glob("index*")) if CACHES.is_dir() else []:
        level, kind, size = (_read(entry / name).strip() for name in ("level", "type", "size"))
        if kind == "Instruction" or not re.fullmatch(r"\d+K", size):
            continue
        sizes[{"1": "l1", "2": "l2"}.get(level, "llc")] = int(size[:-1]) << 10
    return sizes


def _sysconf_caches() -> dict[str, int]:
    """Return what glibc knows, for containers whose /sys has no caches. On x86-64 it asks the CPU itself."""
    if platform.libc_ver()[0] != "glibc":
        return {}  # the numbers mean something else there
    try:
        found = {level: os.sysconf(number) for level, number in SYSCONF_CACHES.items()}
    except (OSError, ValueError):
        return {}
    return {level: size for level, size in found.items() if size > 0}


def host_archs() -> list[CpuArch]:
    """Return the archs whose kernels this CPU runs, the most capable first; the last one runs on every CPU."""
    return list(get_cpu_archs(host_cpu().machine, cpu_flags()))


def host_arch(settings: Settings) -> CpuArch:
    """Return the arch to generate for: the one in the settings, or the best that CPU and compiler both support.

    If a compiler refuses the flags of an arch, that is reported once, and the next arch is used.
    """
    if settings.cpu_arch:
        return _named_arch(settings)
    try:
        compiler = find_compiler(settings)
    except ToolchainError:  # nothing can be built, but a kernel can still be chosen
        return host_archs()[0]
    return _compilable(compiler, tuple(host_archs()), settings)


@lru_cache(maxsize=64)
def _compilable(compiler: Compiler, archs: tuple[CpuArch, ...], settings: Settings) -> CpuArch:
    for arch in archs:
        said = refused_flags(compiler, arch.compiler_flags[compiler.family], settings)
        if said is None:
            return arch
        log.warning(
            "%s refuses the flags of %s, so kernels are built for the next arch: %s", compiler.path, arch.name, said
        )
    log.warning("%s compiles nothing: no kernel can be built with it, but one can still be chosen", compiler.path)
    return archs[0]


def _named_arch(settings: Settings) -> CpuArch:
    arch, own = get_arch(settings.cpu_arch), host_cpu()
    remedy = f"unset TILEWRIGHT_CPU_ARCH, or use one of {', '.join(a.name for a in host_archs())}"
    if not isinstance(arch, CpuArch):
        raise ArchError(
            f"TILEWRIGHT_CPU_ARCH names {arch.name}, which is not a CPU but of kind {arch.kind}", remedy=remedy
        )
    if not arch.is_for(own.machine):
        got = f"TILEWRIGHT_CPU_ARCH names {arch.name}, which is for {' or '.join(arch.machines)}"
        raise ArchError(f"{got}; this machine is {own.machine}", remedy=remedy)
    lacking = set(arch.cpu_flags) - own.flags
    if lacking:
        raise ArchError(f"this CPU lacks {', '.join(sorted(lacking))}, which {arch.name} needs", remedy=remedy)
    return arch


def host_device(settings: Settings) -> Device:
    """Return this machine as a device: arch, threads in use, caches."""
    size = caches()
    threads = settings.resolved_threads()
    return Device(
        name=cpu_name(),
        arch=host_arch(settings).name,
        units=threads,
        l1_bytes=size["l1"],
        l2_bytes=size["l2"],
        llc_bytes=size["llc"],
        threads=threads,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
