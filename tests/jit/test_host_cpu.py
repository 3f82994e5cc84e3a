"""What the operating system says about a CPU, read from recorded texts of machines that are not here."""

from __future__ import annotations

import platform

import pytest

from tilewright.arch import get_cpu_archs
from tilewright.jit.host_cpu import HWCAP, HWCAP2, from_cpuinfo, from_sysctl, host_cpu, hwcap_flags

N1 = """processor\t: {n}
BogoMIPS\t: 50.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp ssbs
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x3
CPU part\t: 0xd0c
CPU revision\t: 1
"""
LITTLE = """processor\t: {n}
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 cpuid
CPU implementer\t: 0x41
CPU part\t: 0xd03
"""
BIG = """processor\t: {n}
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimddp
CPU implementer\t: 0x41
CPU part\t: 0xd0b
"""
XEON = """processor\t: {n}
vendor_id\t: GenuineIntel
model\t\t: 85
model name\t: Intel(R) Xeon(R) Processor @ 2.50GHz
flags\t\t: fpu cx8 cmov mmx fxsr sse sse2 syscall
"""
APPLE_M1 = """hw.optional.neon: 1
hw.optional.AdvSIMD: 1
hw.optional.arm.FEAT_FP16: 1
hw.optional.arm.FEAT_DotProd: 1
hw.optional.arm.FEAT_FHM: 1
hw.optional.arm.FEAT_BF16: 0
hw.optional.arm.FEAT_I8MM: 0
hw.perflevel0.l1dcachesize: 131072
hw.perflevel0.l2cachesize: 12582912
hw.l1dcachesize: 65536
hw.l2cachesize: 4194304
machdep.cpu.brand_string: Apple M1
"""
APPLE_M2 = APPLE_M1.replace("FEAT_BF16: 0", "FEAT_BF16: 1").replace("FEAT_I8MM: 0", "FEAT_I8MM: 1")
MAC_INTEL = """hw.l1dcachesize: 32768
hw.l2cachesize: 262144
hw.l3cachesize: 8388608
machdep.cpu.brand_string: Intel(R) Core(TM) i7-8569U CPU @ 2.80GHz
machdep.cpu.features: FPU VME DE PSE TSC MSR PAE MCE CX8 APIC SEP MTRR PGE MCA CMOV PAT PSE36 CLFSH DS MMX FXSR SSE \
SSE2 SS HTT TM PBE SSE3 PCLMULQDQ DTES64 MON DSCPL VMX EST TM2 SSSE3 FMA CX16 TPR PDCM SSE4.1 SSE4.2 x2APIC MOVBE \
POPCNT AES PCID XSAVE OSXSAVE SEGLIM64 TSCTMR AVX1.0 RDRAND F16C
machdep.cpu.leaf7_features: RDWRFSGS TSC_THREAD_OFFSET SGX BMI1 AVX2 SMEP BMI2 ERMS INVPCID FPU_CSDS MPX RDSEED ADX
machdep.cpu.extfeatures: SYSCALL XD 1GBPAGE EM64T LAHF LZCNT PREFETCHW RDTSCP TSCI
"""


def processors(*kinds: str) -> str:
    return "\n".join(kind.format(n=n) for n, kind in enumerate(kinds))


def best(cpu: object) -> str:
    return get_cpu_archs(cpu.machine, cpu.flags)[0].name  # type: ignore[attr-defined]


def test_an_arm_server_is_called_by_its_core() -> None:
    cpu = from_cpuinfo(processors(N1, N1), "aarch64")
    assert cpu.name == "Neoverse-N1"
    assert best(cpu) == "aarch64_dot"


def test_only_what_every_processor_has_counts() -> None:
    cpu = from_cpuinfo(processors(LITTLE, LITTLE, BIG), "aarch64")
    assert cpu.name == "Cortex-A53 + Cortex-A76"
    assert "asimddp" not in cpu.flags
    assert best(cpu) == "aarch64"


def test_an_unknown_part_is_named_by_its_numbers() -> None:
    cpu = from_cpuinfo(N1.replace("0xd0c", "0xabc"), "aarch64")
    assert cpu.name == "Arm CPU (implementer 0x41, part 0xabc)"


def test_x86_is_read_as_before() -> None:
    cpu = from_cpuinfo(processors(XEON, XEON), "x86_64")
    assert cpu.name == "Intel(R) Xeon(R) Processor @ 2.50GHz"
    assert best(cpu) == "x86_64"


@pytest.mark.parametrize("text", ["", "\x00\x00", "Features", "flags :", "CPU part : zz\nCPU implementer : 0x41"])
@pytest.mark.parametrize("machine", ["x86_64", "aarch64", "riscv64"])
def test_a_text_that_says_nothing_gives_the_generic_arch(text: str, machine: str) -> None:
    assert best(from_cpuinfo(text, machine)) == "generic"


def test_identities_differ_by_what_native_code_depends_on() -> None:
    """Features alone do not tell two cores apart, and `-march=native` also tunes for one."""
    one, other = from_cpuinfo(N1, "aarch64"), from_cpuinfo(N1.replace("0xd0c", "0xd49"), "aarch64")
    assert one.flags == other.flags
    assert one.identity != other.identity
    assert one.identity != from_cpuinfo(N1.replace(" asimddp", ""), "aarch64").identity
    assert one.identity == from_cpuinfo(N1.replace("50.00", "49.99"), "aarch64").identity


def test_the_auxiliary_vector_has_the_same_names() -> None:
    n1 = sum(1 << HWCAP[name] for name in ("fp", "asimd", "fphp", "asimdhp", "asimddp"))
    assert hwcap_flags(n1, 0) <= from_cpuinfo(N1, "aarch64").flags
    assert hwcap_flags(n1, 1 << HWCAP2["bf16"] | 1 << HWCAP2["i8mm"]) >= {"bf16", "i8mm", "asimddp"}
    assert hwcap_flags(0, 0) == frozenset()


@pytest.mark.parametrize(
    ("text", "machine", "arch", "name"),
    [
        (APPLE_M1, "arm64", "aarch64_dot", "Apple M1"),
        (APPLE_M2, "arm64", "aarch64_mm", "Apple M1"),
        (MAC_INTEL, "x86_64", "x86_64_v3", "Intel(R) Core(TM) i7-8569U CPU @ 2.80GHz"),
        ("", "arm64", "generic", "arm64"),
    ],
    ids=["m1", "m2", "intel", "silent"],
)
def test_macos(text: str, machine: str, arch: str, name: str) -> None:
    cpu = from_sysctl(text, machine)
    assert (best(cpu), cpu.name) == (arch, name)


def test_macos_tells_the_caches_of_the_fast_cores() -> None:
    assert dict(from_sysctl(APPLE_M1, "arm64").caches) == {"l1": 131072, "l2": 12582912, "llc": 12582912}
    assert dict(from_sysctl(MAC_INTEL, "x86_64").caches) == {"l1": 32768, "l2": 262144, "llc": 8388608}


def test_this_machine() -> None:
    cpu = host_cpu()
    assert cpu.machine == platform.machine()
    assert cpu.name
    assert best(cpu)
