"""Arch names and dtypes as the Triton compiler spells them."""

from __future__ import annotations

from typing import Any

from ...errors import ArchError
from ...model.arch import AmdArch, Arch, NvidiaArch

TRITON_DTYPE = {
    "fp64": "fp64",
    "fp32": "fp32",
    "fp16": "fp16",
    "bf16": "bf16",
    "fp8": "fp8e4nv",
    "bf8": "fp8e5",
    "fp8_fnuz": "fp8e4b8",
    "bf8_fnuz": "fp8e5b16",
    "int8": "i8",
    "int32": "i32",
}

# The file that holds the machine code, and the one that holds its assembly.
FILES = {"cuda": ("kernel.cubin", "kernel.ptx"), "hip": ("kernel.hsaco", "kernel.amdgcn")}


def target_of(arch: Arch) -> tuple[str, int | str, int]:
    """Return (Triton backend, arch, warp size) of an arch.

    >>> from tilewright.arch import get_arch
    >>> target_of(get_arch("gfx942")), target_of(get_arch("sm_90"))
    (('hip', 'gfx942', 64), ('cuda', 90, 32))
    """
    if isinstance(arch, NvidiaArch):
        major, minor = arch.compute_capability
        return ("cuda", 10 * major + minor, arch.warp_size)
    if isinstance(arch, AmdArch):
        return ("hip", arch.name, arch.wave_size)
    raise ArchError(f"{arch.name} is no GPU; Triton compiles for NVIDIA and AMD GPUs", remedy="use the cpu backend")


def triton_target(arch: Arch) -> Any:
    """Return the `GPUTarget` of an arch (imports triton)."""
    from triton.backends.compiler import GPUTarget

    return GPUTarget(*target_of(arch))
