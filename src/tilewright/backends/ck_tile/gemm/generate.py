"""The values of the GEMM template: types, shapes and CK's templates with their arguments by name."""

from __future__ import annotations

from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec
from ..ck_revision import CkRevision
from ..cpp import boolean, cpp_layout, cpp_type, eight_bit_encodings
from ..lower import Unit
from . import parts
from .instances import ALWAYS_HOT, instances, prefetch_stages, serving

OPERATIONS = {False: "ck_tile::memory_operation_enum::set", True: "ck_tile::memory_operation_enum::atomic_add"}


def generate(spec: KernelSpec, ck: CkRevision) -> Unit:
    """The header of one GEMM kernel."""
    s, a = spec.signature, spec.algorithm
    arch: Any = get_arch(spec.arch)
    kernels, stages = instances(spec), prefetch_stages(a, s, arch)
    values = {
        "types": {role: cpp_type(getattr(s, f"dtype_{role}")) for role in ("a", "b", "acc", "out")},
        "layouts": dict(zip(("a", "b", "out"), map(cpp_layout, s.layout), strict=True)),
        "d": [cpp_type(d.dtype) for d in s.d],
        "combine": s.combine,
        "activation": s.activation,
        "fused": bool(s.d or s.activation != "none"),
        "algorithm": a,
        "encodings": eight_bit_encodings((s.dtype_a, s.dtype_b, s.dtype_out)),
        "wave_size": arch.wave_size,
        "stages": stages,
        "always_hot": a.pipeline in ALWAYS_HOT,
        "kernels": kernels,
        "endings": [(steps, serving(spec, steps)) for steps in range(1, 2 * stages + 2)],
        "operations": OPERATIONS,
        "ck": _templates(spec, ck),
    }
    return Unit(
        "gemm.hpp.j2", values, tuple(k.name for k in kernels), "tilewright_ck::GemmArgs", block_per_cu=a.block_per_cu
    )


def _templates(spec: KernelSpec, ck: CkRevision) -> dict[str, str]:
    """C++ of every CK template that the header names; `A`, `Out`, `Shape` and so on are names of the header."""
    a = spec.algorithm
    return {
        **parts.block(a, ck),
        "traits": parts.traits(
            a,
            ck,
            PadM=boolean(a.pad_m),
            PadN=boolean(a.pad_n),
            PadK=boolean(a.pad_k),
            ALayout="LayoutA",
            BLayout="LayoutB",
            CLayout="LayoutOut",
            UsePersistentKernel=boolean(a.persistent),
            NumWaveGroups=str(a.num_wave_groups),
            Preshuffle=boolean(spec.signature.variant == "preshuffle"),
        ),
        "problem": parts.problem(a, ck),
        "epilogue": _epilogue(a, ck),
        "kernel": parts.kernel(ck, "UniversalGemmKernel"),
    }


STORED = {"DsDataType": "Ds", "ODataType": "Out", "DsLayout": "LayoutDs", "CDElementwise": "Elementwise"}


def _epilogue(a: Any, ck: CkRevision) -> str:
    if a.epilogue == "cshuffle":
        problem = parts.epilogue(a, ck, "CShuffleEpilogueProblem", **STORED, ELayout="LayoutOut")
        return f"ck_tile::CShuffleEpilogue<{problem}>"
    # Raw stores skip the bounds that padding relies on.
    own = {"CLayout": "LayoutOut", "PadM": boolean(a.pad_m), "PadN": boolean(a.pad_n), "UseRawStore": "false"}
    return f"ck_tile::DefaultGemm2DEpilogue<{parts.epilogue(a, ck, 'DefaultGemm2DEpilogueProblem', **STORED, **own)}>"
