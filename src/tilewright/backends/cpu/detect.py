"""What this CPU can do, found at run time: ISA flags, caches, cores, and the archs whose kernels it runs."""

from __future__ import annotations

import platform
import re
from functools import cache
from pathlib import Path

from ...arch import get_arch, load_archs
from ...errors import ArchError
from ...model.arch import X86Arch
from ...model.device import Device
from ...settings import Settings

CPUINFO = Path("/proc/cpuinfo")
CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
# Used where the kernel does not say: the smallest caches of the last ten years, so that blocks never overflow.
FALLBACK_CACHES = {"l1": 32 << 10, "l2": 256 << 10, "llc": 8 << 20}


@cache
def cpu_flags() -> frozenset[str]:
    """The ISA flags of this CPU, as Linux spells them; empty where they cannot be read."""
    match = re.search(r"^flags\s*:\s*(.*)$", _read(CPUINFO), re.MULTILINE)
    return frozenset(match.group(1).split()) if match else frozenset()


@cache
def cpu_name() -> str:
    """The model name of this CPU."""
    match = re.search(r"^model name\s*:\s*(.*)$", _read(CPUINFO), re.MULTILINE)
    return match.group(1).strip() if match else platform.machine()


@cache
def caches() -> dict[str, int]:
    """Bytes of the data caches of one core: l1, l2, llc."""
    sizes = dict(FALLBACK_CACHES)
    for entry in sorted(CACHES.glob("index*")) if CACHES.is_dir() else []:
        level, kind, size = (_read(entry / name).strip() for name in ("level", "type", "size"))
        if kind == "Instruction" or not re.fullmatch(r"\d+K", size):
            continue
        sizes[{"1": "l1", "2": "l2"}.get(level, "llc")] = int(size[:-1]) << 10
    return sizes


def host_archs() -> list[X86Arch]:
    """The archs whose kernels this CPU runs, the most capable first."""
    found = [a for a in load_archs().values() if isinstance(a, X86Arch) and a.runs_on(cpu_flags())]
    return sorted(found, key=lambda a: -len(a.cpu_flags))


def host_arch(settings: Settings) -> X86Arch:
    """The arch to generate for: the one that the settings name, or the most capable that runs here."""
    if not settings.cpu_arch:
        return host_archs()[0]
    arch = get_arch(settings.cpu_arch)
    if not isinstance(arch, X86Arch):
        raise ArchError(f"TILEWRIGHT_CPU_ARCH names {arch.name}, which is {arch.kind}", remedy="name an x86 arch")
    lacking = set(arch.cpu_flags) - cpu_flags()
    if lacking:
        raise ArchError(
            f"this CPU lacks {', '.join(sorted(lacking))}, which {arch.name} needs",
            remedy=f"use one of {', '.join(a.name for a in host_archs())}",
        )
    return arch


def host_device(settings: Settings) -> Device:
    """This machine as a device: arch, threads in use, caches."""
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
