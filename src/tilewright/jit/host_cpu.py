"""The CPU of this machine, as the operating system describes it: machine, name and instruction-set features.

Features are spelt as in Linux's /proc/cpuinfo, on every system. A feature counts only if every processor has it,
because a thread may run on any of them. A description that cannot be read gives no features: such a CPU runs the
kernels that need none.
"""

from __future__ import annotations

import ctypes
import platform
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
SYSCTL = ("sysctl", "hw", "machdep.cpu")
ARM_MACHINES = ("aarch64", "arm64")
# The lines of /proc/cpuinfo that decide what `-march=native` means.
IDENTITY = re.compile(r"(vendor_id|cpu family|model|flags|Features|CPU (?:implementer|architecture|variant|part))\s*:")

# CPU implementer -> CPU part -> name. MIDR_EL1 holds both; the kernel does not spell them out.
ARM_PARTS: Mapping[int, Mapping[int, str]] = {
    0x41: {
        0xD03: "Cortex-A53", 0xD04: "Cortex-A35", 0xD05: "Cortex-A55", 0xD07: "Cortex-A57", 0xD08: "Cortex-A72",
        0xD09: "Cortex-A73", 0xD0A: "Cortex-A75", 0xD0B: "Cortex-A76", 0xD0C: "Neoverse-N1", 0xD0D: "Cortex-A77",
        0xD40: "Neoverse-V1", 0xD41: "Cortex-A78", 0xD44: "Cortex-X1", 0xD46: "Cortex-A510", 0xD47: "Cortex-A710",
        0xD48: "Cortex-X2", 0xD49: "Neoverse-N2", 0xD4A: "Neoverse-E1", 0xD4B: "Cortex-A78C", 0xD4D: "Cortex-A715",
        0xD4E: "Cortex-X3", 0xD4F: "Neoverse-V2", 0xD80: "Cortex-A520", 0xD81: "Cortex-A720", 0xD82: "Cortex-X4",
        0xD84: "Neoverse-V3", 0xD8E: "Neoverse-N3",
    },
    0x43: {0x0A1: "ThunderX", 0x0AF: "ThunderX2", 0x0B8: "ThunderX3"},
    0x46: {0x001: "A64FX"},
    0x48: {0xD01: "Kunpeng-920", 0xD02: "Kunpeng-930"},
    0x4E: {0x004: "Carmel"},
    0x51: {0x001: "Oryon", 0xC00: "Falkor"},
    0x61: {0x022: "Apple-M1", 0x023: "Apple-M1", 0x032: "Apple-M2", 0x033: "Apple-M2"},
    0xC0: {0xAC3: "Ampere-1", 0xAC4: "Ampere-1A"},
}  # fmt: skip
# Bits of AT_HWCAP and AT_HWCAP2 on aarch64 that kernels need.
HWCAP = {"fp": 0, "asimd": 1, "fphp": 9, "asimdhp": 10, "asimddp": 20, "sve": 22, "asimdfhm": 23}
HWCAP2 = {"sve2": 1, "svei8mm": 9, "svebf16": 12, "i8mm": 13, "bf16": 14}
AT_HWCAP, AT_HWCAP2, PR_SVE_GET_VL = 16, 26, 51
# macOS: sysctl name -> Linux name.
APPLE_ARM = {
    "hw.optional.AdvSIMD": ("fp", "asimd"),
    "hw.optional.neon": ("fp", "asimd"),
    "hw.optional.arm.FEAT_FP16": ("fphp", "asimdhp"),
    "hw.optional.arm.FEAT_DotProd": ("asimddp",),
    "hw.optional.arm.FEAT_FHM": ("asimdfhm",),
    "hw.optional.arm.FEAT_BF16": ("bf16",),
    "hw.optional.arm.FEAT_I8MM": ("i8mm",),
}
APPLE_X86 = ("machdep.cpu.features", "machdep.cpu.leaf7_features", "machdep.cpu.extfeatures")
APPLE_X86_NAMES = {
    "sse3": "pni", "sse4.1": "sse4_1", "sse4.2": "sse4_2", "avx1.0": "avx", "lahf": "lahf_lm", "lzcnt": "abm",
    "avx512vnni": "avx512_vnni", "avx512bf16": "avx512_bf16",
}  # fmt: skip
APPLE_CACHES = {
    "l1": ("hw.perflevel0.l1dcachesize", "hw.l1dcachesize"),
    "l2": ("hw.perflevel0.l2cachesize", "hw.l2cachesize"),
    "llc": ("hw.l3cachesize", "hw.perflevel0.l2cachesize"),
}


@dataclass(frozen=True)
class HostCpu:
    """A CPU: the machine as `uname -m` prints it, its name, its features, and a text that identifies it.

    `caches` are bytes by level (l1, l2, llc), for systems that report them here.
    """

    machine: str
    name: str
    flags: frozenset[str]
    identity: str
    caches: tuple[tuple[str, int], ...] = ()


@cache
def host_cpu() -> HostCpu:
    """Return the CPU of this machine.

    >>> host_cpu().machine == platform.machine()
    True
    """
    machine = platform.machine()
    if sys.platform == "darwin":
        return from_sysctl(_ask_sysctl(), machine)
    found = from_cpuinfo(_read(CPUINFO), machine)
    if found.flags or machine not in ARM_MACHINES:
        return _with_vector_length(found)
    flags = hwcap_flags(*_hwcaps())
    return _with_vector_length(HostCpu(machine, found.name, flags, f"{machine} {' '.join(sorted(flags))}"))


def from_cpuinfo(text: str, machine: str) -> HostCpu:
    """Return the CPU that a /proc/cpuinfo describes.

    >>> from_cpuinfo("Features : fp asimd\\nCPU implementer : 0x41\\nCPU part : 0xd0c", "aarch64").name
    'Neoverse-N1'
    """
    field = "Features" if machine in ARM_MACHINES else "flags"
    blocks = [_fields(block) for block in re.split(r"\n\s*\n", text)]
    listed = [frozenset(block[field].split()) for block in blocks if field in block]
    flags = frozenset.intersection(*listed) if listed else frozenset()
    names = [name for block in blocks if (name := _name(block))]
    identity = dict.fromkeys(line for line in text.splitlines() if IDENTITY.match(line))
    name = " + ".join(dict.fromkeys(names)) or machine
    return HostCpu(machine, name, flags, "\n".join([machine, *identity]))


def _fields(block: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in block.splitlines())
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}


def _name(block: Mapping[str, str]) -> str:
    """Return the name of one processor; empty if the block has none."""
    if "model name" in block:
        return block["model name"]
    try:
        maker, part = int(block["CPU implementer"], 16), int(block["CPU part"], 16)
    except (KeyError, ValueError):
        return ""
    return ARM_PARTS.get(maker, {}).get(part) or f"Arm CPU (implementer {maker:#04x}, part {part:#05x})"


def hwcap_flags(hwcap: int, hwcap2: int) -> frozenset[str]:
    """Return the features that the kernel reports to every aarch64 process, by the names of /proc/cpuinfo.

    >>> sorted(hwcap_flags(0b11, 1 << 13))
    ['asimd', 'fp', 'i8mm']
    """
    first = (name for name, bit in HWCAP.items() if hwcap >> bit & 1)
    second = (name for name, bit in HWCAP2.items() if hwcap2 >> bit & 1)
    return frozenset((*first, *second))


def _hwcaps() -> tuple[int, int]:
    getauxval = getattr(ctypes.CDLL(None), "getauxval", None)
    if getauxval is None:
        return 0, 0
    getauxval.restype, getauxval.argtypes = ctypes.c_ulong, [ctypes.c_ulong]
    return getauxval(AT_HWCAP), getauxval(AT_HWCAP2)


def _with_vector_length(cpu: HostCpu) -> HostCpu:
    """Return the CPU with the feature `sve_vl<bits>`: code for one length of SVE vectors runs on no other."""
    if "sve" not in cpu.flags:
        return cpu
    length = ctypes.CDLL(None).prctl(PR_SVE_GET_VL, 0, 0, 0, 0)
    if length < 0:
        return cpu
    flag = f"sve_vl{(length & 0xFFFF) * 8}"
    return HostCpu(cpu.machine, cpu.name, cpu.flags | {flag}, f"{cpu.identity}\n{flag}")


def from_sysctl(text: str, machine: str) -> HostCpu:
    """Return the CPU that `sysctl hw machdep.cpu` of macOS describes.

    >>> sorted(from_sysctl("hw.optional.arm.FEAT_DotProd: 1\\nhw.optional.arm.FEAT_BF16: 0", "arm64").flags)
    ['asimddp']
    """
    facts = _fields(text)
    if machine in ARM_MACHINES:
        flags = frozenset(name for key, names in APPLE_ARM.items() if facts.get(key) == "1" for name in names)
    else:
        words = " ".join(facts.get(key, "") for key in APPLE_X86).lower().split()
        flags = frozenset(APPLE_X86_NAMES.get(word, word) for word in words)
    sizes = [(level, _first_size(facts, keys)) for level, keys in APPLE_CACHES.items()]
    name = facts.get("machdep.cpu.brand_string", "") or machine
    identity = f"{machine} {name} {' '.join(sorted(flags))}"
    return HostCpu(machine, name, flags, identity, tuple((level, size) for level, size in sizes if size))


def _first_size(facts: Mapping[str, str], keys: tuple[str, ...]) -> int:
    return next((int(facts[key]) for key in keys if facts.get(key, "").isdigit()), 0)


def _ask_sysctl() -> str:
    import subprocess  # takes a while to import, and only macOS needs it

    try:
        done = subprocess.run(SYSCTL, capture_output=True, text=True, timeout=10, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def _read(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
