"""Test a toolchain: compile, link and inspect a kernel with one matrix instruction per arch."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ...arch import get_arch
from ...jit.artifact import BuildRequest
from ...jit.runner import execute
from ...model.arch import AmdArch
from ...settings import Settings
from ..gpu.amd_code import code_object_version, inspect_code
from ..gpu.hip_errors import LOADED_BY_ALL
from .toolchain import Toolchain

ARCHS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201")
SOURCE = """\
#include <hip/hip_runtime.h>
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef _Float16 h8 __attribute__((ext_vector_type(8)));
typedef _Float16 h16 __attribute__((ext_vector_type(16)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f8 __attribute__((ext_vector_type(8)));
#if defined(__GFX9__)
using In = h4;
using Acc = f4;
#define PRODUCT(a, b, c) __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0)
#elif defined(__GFX12__)
using In = h8;
using Acc = f8;
#define PRODUCT __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12
#else
using In = h16;
using Acc = f8;
#define PRODUCT __builtin_amdgcn_wmma_f32_16x16x16_f16_w32
#endif
extern "C" __global__ void probe(const In* a, const In* b, Acc* c)
{
#if defined(__HIP_DEVICE_COMPILE__)
    c[threadIdx.x] = PRODUCT(a[threadIdx.x], b[threadIdx.x], c[threadIdx.x]);
#endif
}
"""


def check_toolchain(tools: Toolchain, archs: tuple[str, ...], settings: Settings) -> dict[str, str | None]:
    """Return for each arch None, or what is wrong with the code that `tools` produce for it."""
    return {arch: _fault(tools, arch) for arch in archs}


def probe_request(tools: Toolchain, arch: str) -> BuildRequest:
    """Return the build, through assembly, of the small kernel for one arch: the same two steps as a real one."""
    return BuildRequest(
        spec_digest="",
        name=f"probe_{arch}",
        inputs={"probe.cpp": SOURCE},
        commands=(
            tools.command(arch, "gemm", "probe.cpp", "probe.s", assembly=True),
            tools.assemble(arch, "probe.s", "probe.co"),
        ),
        outputs=("probe.co",),
        key={"toolchain": tools.identity},
        timeout=600.0,
    )


def _fault(tools: Toolchain, arch: str) -> str | None:
    if not isinstance(get_arch(arch), AmdArch):
        return "is not an AMD GPU"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        outcome = execute(probe_request(tools, arch), folder)
        if outcome.kind != "ok":
            return f"{outcome.reason}\n{outcome.log}"
        binary = (folder / "probe.co").read_bytes()
        facts = inspect_code(binary, (folder / "probe.s").read_text())
    if facts["target"].split(":")[0] != arch:
        return f"the code object is for {facts['target']}"
    if code_object_version(binary) > LOADED_BY_ALL:
        return f"the code object has version {code_object_version(binary)}, which ROCm before 6.3 does not load"
    return None if facts["matrix"] else "no matrix instruction was generated"
