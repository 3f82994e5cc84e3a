"""The values of the GEMM template: types, shapes and CK's templates with their arguments by name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....arch import get_arch
from ....model.kernel import KernelSpec
from ....ops.gemm.epilogue import ACTIVATIONS, COMBINES
from ...cpp_text import CppText, cpp, cpp_bool, cpp_int, cpp_join, cpp_name
from ..ck_revision import CkRevision
from ..cpp import cpp_layout, cpp_type, eight_bit_encodings
from ..lower import GEMM_ENTRY, Unit
from . import parts
from .instances import ALWAYS_HOT, instances, prefetch_stages, serving

# Steps for which CK's own choice is wrong: BlockHasHotloop(3) of gemm_pipeline_ag_bg_cr_comp_async.hpp is true, and the
# main loop would run once for two steps that there are not.
CK_IS_WRONG = {"comp_async": (3,)}
OPERATIONS = {
    False: cpp("ck_tile::memory_operation_enum::set"),
    True: cpp("ck_tile::memory_operation_enum::atomic_add"),
}


@dataclass(frozen=True)
class Family:
    """The C++ names of one of CK's kernels: header and template, our argument and our host, and what it stores."""

    header: CppText
    kernel: str
    arguments: CppText
    instance: CppText
    host: CppText
    stored: CppText
    entry: CppText


FAMILIES = {
    "universal": Family(
        cpp("gemm.hpp"),
        "UniversalGemmKernel",
        cpp("GemmArgs"),
        cpp("GemmInstance<Kernel<HotLoop, Tail, Operation>, Ds::size()>"),
        cpp("GemmHost"),
        cpp("EDataType"),
        GEMM_ENTRY,
    ),
    "batched": Family(
        cpp("gemm_batched.hpp"),
        "BatchedGemmKernel",
        cpp("BatchedGemmArgs"),
        cpp("BatchedGemmInstance<Kernel<HotLoop, Tail, Operation>>"),
        cpp("BatchedGemmHost"),
        cpp("CDataType"),
        cpp("tilewright_ck/entry_gemm_batched.hpp"),
    ),
}


def generate(spec: KernelSpec, ck: CkRevision) -> Unit:
    """Return the header of one GEMM kernel."""
    s, a = spec.signature, spec.algorithm
    arch: Any = get_arch(spec.arch)
    kernels, stages, family = instances(spec), prefetch_stages(a, s, arch), FAMILIES[a.family]
    values = {
        "types": {role: cpp_type(getattr(s, f"dtype_{role}")) for role in ("a", "b", "acc", "out")},
        "layouts": dict(zip(("a", "b", "out"), map(cpp_layout, s.layout), strict=True)),
        "d": cpp_join(cpp_type(d.dtype) for d in s.d),
        "d_count": len(s.d),
        "repeated_d": sum(1 << i for i, d in enumerate(s.d) if d.broadcast != "none"),
        "combine": cpp_name(COMBINES, s.combine, "combine"),
        "activation": cpp_name(ACTIVATIONS, s.activation, "activation"),
        "fused": bool(s.d or s.activation != "none"),
        "algorithm": a,
        "encodings": eight_bit_encodings((s.dtype_a, s.dtype_b, s.dtype_out)),
        "wave_size": arch.wave_size,
        "stages": stages,
        "always_hot": a.pipeline in ALWAYS_HOT,
        "kernels": kernels,
        "endings": [
            (n, serving(spec, n)) for n in range(1, 2 * stages + 2) if n not in CK_IS_WRONG.get(a.pipeline, ())
        ],
        "operations": OPERATIONS,
        "header": family.header,
        "instance": family.instance,
        "stored": family.stored,
        "host": family.host,
        "ck": _templates(spec, ck),
    }
    return Unit(
        "gemm.hpp.j2",
        values,
        tuple(k.name for k in kernels),
        cpp("tilewright_ck::{}", family.arguments),
        block_per_cu=a.block_per_cu,
        entry=family.entry,
    )


def _templates(spec: KernelSpec, ck: CkRevision) -> dict[str, CppText]:
    """Return the C++ of every CK template of the header; `A`, `Out`, `Shape` and so on are names of the header."""
    a = spec.algorithm
    return {
        **parts.block(a, ck),
        "traits": parts.traits(
            a,
            ck,
            PadM=cpp_bool(a.pad_m),
            PadN=cpp_bool(a.pad_n),
            PadK=cpp_bool(a.pad_k),
            ALayout=cpp("LayoutA"),
            BLayout=cpp("LayoutB"),
            CLayout=cpp("LayoutOut"),
            UsePersistentKernel=cpp_bool(a.persistent),
            NumWaveGroups=cpp_int(a.num_wave_groups),
            Preshuffle=cpp_bool(spec.signature.variant == "preshuffle"),
        ),
        "problem": parts.problem(a, ck),
        "epilogue": _epilogue(a, ck),
        "kernel": parts.kernel(ck, FAMILIES[a.family].kernel),
    }


STORED = {
    "DsDataType": cpp("Ds"), "ODataType": cpp("Out"), "DsLayout": cpp("LayoutDs"), "CDElementwise": cpp("Elementwise"),
}  # fmt: skip


def _epilogue(a: Any, ck: CkRevision) -> CppText:
    if a.epilogue == "cshuffle":
        problem = parts.epilogue(a, ck, "CShuffleEpilogueProblem", **STORED, ELayout=cpp("LayoutOut"))
        return cpp("ck_tile::CShuffleEpilogue<{}>", problem)
    # Raw stores skip the bounds that padding relies on.
    pads = {"PadM": cpp_bool(a.pad_m), "PadN": cpp_bool(a.pad_n)}
    own = {"CLayout": cpp("LayoutOut"), **pads, "UseRawStore": cpp("false")}
    problem = parts.epilogue(a, ck, "DefaultGemm2DEpilogueProblem", **STORED, **own)
    return cpp("ck_tile::DefaultGemm2DEpilogue<{}>", problem)
